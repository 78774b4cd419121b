"""Our timing of a product against `torch.utils.benchmark.Timer`, in one process, with turns taken.

Both clocks see the same tensors on one thread, float32. Ours is the fastest of the samples that `lab.rounds` takes
for an experiment; theirs the smallest of the times of `Timer.repeat`-like blocks of the same length.

    python -m benchmarks.run timing
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from benchmarks.ratios import Figure
from studyapp.experiments.worker import start
from studyapp.experiments.worker.lab import RealLab

WIDTH = 512
BATCHES = (1, 256)
WITHIN = 0.05
SAMPLE_S = 1e-3
"""What the lab fills a sample to; their blocks are made as long."""
BLOCKS = 9


def measure(rounds: int = 15) -> list[Figure]:
    """Return by how much our smallest time is off theirs, as a share, per batch."""
    start.prepare_process()
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    benchmark: Any = importlib.import_module("torch.utils.benchmark")
    lab = RealLab(torch, torch.device("cpu"))
    weight = torch.randn(WIDTH, WIDTH)
    figures = []
    for rows in BATCHES:
        batch = torch.randn(rows, WIDTH)
        timer = benchmark.Timer("torch.mm(x, w)", globals={"torch": torch, "x": batch, "w": weight}, num_threads=1)
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(rounds):
            ours.append(_ours(lab, partial(torch.mm, batch, weight)))
            calls = max(1, round(SAMPLE_S / ours[-1]))
            theirs.append(min(timer.timeit(calls).raw_times[0] / calls for _ in range(BLOCKS)))
        a, b = min(ours), min(theirs)
        figures.append(
            Figure(
                f"{rows}x{WIDTH} @ {WIDTH}x{WIDTH}: our time off torch's",
                abs(a / b - 1),
                "of it",
                WITHIN,
                f"{a * 1e6:.2f} us / {b * 1e6:.2f} us, the smallest of {rounds} turns",
            )
        )
    return figures


def _ours(lab: RealLab, work: partial[Any]) -> float:
    best_s = 0.0
    for _, timing in lab.rounds({"product": work}, rounds=BLOCKS, sample_s=SAMPLE_S):
        best_s = timing.best_s
    return best_s
