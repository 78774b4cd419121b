"""A training script that times its own steps: `training.py FORM WIDTH FILE`, FORM hook, loader or optimizer.

Run by itself it writes the seconds of its steps to FILE as JSON; in the dock it is ended before it would.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

torch: Any = importlib.import_module("torch")
data: Any = importlib.import_module("torch.utils.data")
STEPS, SKIPPED = 240, 40
"""Steps in all, and those before the ones that count: the dock too measures after some have passed."""
form, width, place = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
torch.manual_seed(0)
torch.set_num_threads(1)
rows = data.TensorDataset(torch.randn(64 * STEPS, width), torch.randint(0, 10, (64 * STEPS,)))
loader = data.DataLoader(rows, batch_size=64)
model = torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
taken: list[float] = []
batches: Any = loader
if form == "hook":
    with contextlib.suppress(ImportError):
        batches = importlib.import_module("studydock").steps(loader, model=model, optimizer=optimizer)
elif form == "optimizer":
    batches = [(rows[64 * k : 64 * k + 64]) for k in range(STEPS)]
for _ in range(1 if form != "optimizer" else 20):
    for x, y in batches:
        taken.append(time.perf_counter())
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
place.write_text(json.dumps([b - a for a, b in zip(taken[SKIPPED:], taken[SKIPPED + 1 :], strict=False)]))
