"""The step time that the dock reports, against what the same script takes by itself, turn by turn.

The script times its own steps; the dock reports those it timed with the script's own batches (where there is no
loader, those with autocast off). Of both the lower quartile of 200 steps is taken: other programs only make steps
longer. Each form with steps of some tenths of a millisecond, where a few microseconds show, and of several
milliseconds.

    python -m benchmarks.run dock
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import setting
from benchmarks.ratios import Figure, quantile, spread
from studyapp.experiments.docking import Dock

PROGRAM = setting.PROGRAMS / "training.py"
WIDTHS = (128, 1024)
FORMS = ("loader", "hook", "optimizer")
WITHIN = 0.05
"""The goal: the share by which the reported step may be longer."""
STEPS = 200


def measure(rounds: int = 9) -> list[Figure]:
    """Return by what share a step in the dock is longer, per form and width."""
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        for width in WIDTHS:
            for form in FORMS:
                alone: list[float] = []
                docked: list[float] = []
                for turn in range(rounds):
                    for what in (alone, docked) if turn % 2 else (docked, alone):
                        what.append(
                            _alone_s(form, width, Path(folder)) if what is alone else _docked_s(form, width)
                        )
                a, b = spread(docked), spread(alone)
                figures.append(
                    Figure(
                        f"a step in the dock, {form}, width {width}: longer by",
                        a.median / b.median - 1,
                        "of it",
                        WITHIN,
                        f"{a.median * 1e6:.1f} us ({a.low * 1e6:.1f}-{a.high * 1e6:.1f}) / "
                        f"{b.median * 1e6:.1f} ({b.low * 1e6:.1f}-{b.high * 1e6:.1f}), n={rounds}",
                    )
                )
    return figures


def _alone_s(form: str, width: int, folder: Path) -> float:
    """Return the lower quartile of the seconds of a step, as the script says."""
    place = folder / "steps.json"
    subprocess.run([sys.executable, str(PROGRAM), form, str(width), str(place)], check=True, capture_output=True)
    found: list[float] = json.loads(place.read_text())
    return quantile(sorted(found[:STEPS]), 0.25)


def _docked_s(form: str, width: int) -> float:
    """Return the lower quartile of the seconds of a step, as the dock reports it."""
    wanted, part = ("precision", "off") if form == "optimizer" else ("data", "real")
    trial = {
        "script": str(PROGRAM),
        "args": [form, str(width), "/dev/null"],
        "cwd": str(setting.ROOT),
        "steps": STEPS,
        "findings": [wanted],
    }
    found = 0.0
    with Dock((), trial) as dock:
        for message in dock.messages():
            if message["kind"] == "ask":
                dock.go()
            elif message["kind"] == "finding":
                found = float(message[part]["low_s"])
    return found
