"""What an experiment needs that a machine may lack, said before anything is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studyapp.core.points import Basis
from studyapp.experiments.claim import Experiment


def unmet(experiment: Experiment, devices: Sequence[Mapping[str, Any]], cores: int, why_cpu: str = "") -> str:
    """Return in a sentence what an experiment needs and this machine lacks, or "" where it may be tried.

    Only what the worker's greeting can tell: accelerators and cores. Everything else (a memory cap, 16-bit
    arithmetic, processes) is found out by the run itself.

    Args:
        experiment: The experiment wanted.
        devices: What may be used, as the worker greeted: `{"type", "count", "name"}` each.
        cores: Cores the worker is allowed.
        why_cpu: Why there is no accelerator, in one line, where that is known.
    """
    cards = sum(int(d.get("count") or 1) for d in devices if str(d.get("type", "cpu")) != "cpu")
    if "accelerator" in experiment.needs and not cards:
        reason = f": {why_cpu.rstrip('.')}" if why_cpu else ""
        return f"It needs a GPU, and there is none to use here{reason}."
    if "two accelerators" in experiment.needs and cards < 2:
        return f"It needs two GPUs, and there {'is one' if cards else 'are none'} to use here."
    if "two cores" in experiment.needs and cores < 2:
        return "It needs two CPU cores, and one is allowed here."
    return ""


def not_measured(experiment: Experiment, devices: Sequence[Mapping[str, Any]]) -> str:
    """Return which lines of an experiment's chart will not be measured here, "" where all of them will.

    Args:
        experiment: The experiment wanted.
        devices: What may be used, as the worker greeted.
    """
    accelerated = any(str(d.get("type", "cpu")) != "cpu" for d in devices)
    found = []
    for lane in experiment.plot.lanes:
        if lane.basis is Basis.ASSUMED:
            found.append(f"{lane.label}: assumed, not measured here")
        elif lane.basis is Basis.SIMULATED and not accelerated:
            found.append(f"{lane.label}: simulated, as there is no GPU to use here")
    return "; ".join(found)
