"""A CPU that claims to be an accelerator: what it measures is worthless, that every lane is measured is not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tests.conftest import ROOT

LAB = """
from studyapp.experiments.claim import Timing
from studyapp.experiments.worker.lab import RealLab
class Pretend(RealLab):
    def sync(self): pass
    def rounds(self, works, *, prepare=None, **settings):
        for key, work in works.items():
            if prepare: prepare(key)
            work()
            yield key, Timing(1.0, 1.0, 1.0, 1.0, 1, True)
"""
"""A lab that runs everything once and says that it took a second."""
SCRIPT = (
    LAB
    + """
import json, sys, warnings
warnings.simplefilter("ignore")
import torch
from studyapp.experiments import catalog
torch.Tensor.pin_memory = torch.Tensor.clone  # a build for the CPU alone refuses to pin
found = {}
for name, given in json.loads(sys.argv[1]).items():
    experiment = catalog.measurement(name)
    lab = Pretend(torch, torch.device("cpu"), cores=2)
    lab.accelerated = True
    points = experiment.measure(lab, **experiment.parse_controls(given))
    found[name] = sorted({f"{p.series} {p.x:g}" if name == "pin" else p.series for p in points})
print(json.dumps(found))
"""
)


def lanes(cases: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the series each experiment measures with these controls where it finds an accelerator."""
    command = [sys.executable, "-c", SCRIPT, json.dumps(cases)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found
