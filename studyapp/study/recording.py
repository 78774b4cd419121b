"""Runs of real devices, kept for those who have none: what may be recorded, and in which form.

Only what was measured or counted on the device itself, undisturbed and to its end; nothing is mended or invented.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studyapp.core.days import instant_of
from studyapp.study.suite import Result, Suite

FORMAT = "studyapp reference"
VERSION = 1


def refusal(result: Result) -> str:
    """Return why a result may not be recorded, in a clause, or ""."""
    facts = result.facts
    if result.state != "done" or result.verdict is None:
        return "it has no result" if result.state != "skipped" else "it was not run"
    if facts.busy:
        return "the machine was busy"
    if facts.cut_short:
        return "it was cut short"
    if not result.points:
        return "nothing was measured"
    foreign = sorted({point.basis.value for point in result.points if not point.solid})
    if foreign:
        return f"some of it is {' and '.join(foreign)}, not measured"
    unsettled = sum(not point.settled for point in result.points)
    if 2 * unsettled > len(result.points):
        return "most timings did not settle"
    return "" if facts.device_name else "the device did not name itself"


@dataclass(frozen=True)
class Recording:
    """The recordable results of a suite."""

    results: tuple[Result, ...]
    left_out: tuple[tuple[str, str], ...]
    """(experiment, why) of those that may not be recorded."""
    started_at_ms: int
    machine: Mapping[str, str]

    @property
    def device(self) -> str:
        """The device's type; an accelerator goes before the CPU."""
        return next((r.facts.device for r in self.results if r.facts.accelerated), "cpu")

    @property
    def device_name(self) -> str:
        """The device's own name, "" where nothing was recorded."""
        return next((r.facts.device_name for r in self.results if r.facts.device == self.device), "")

    @property
    def day(self) -> str:
        """The day it was recorded, in UTC, as 2026-03-01."""
        return instant_of(self.started_at_ms).date().isoformat()

    def as_json(self) -> dict[str, Any]:
        """Return what a recording holds: see data/reference/README.md."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "recorded_at": instant_of(self.started_at_ms).isoformat(),
            "machine": dict(self.machine),
            "runs": [_run(result) for result in self.results],
        }


def record(suite: Suite) -> Recording:
    """Return what of a suite may be recorded, and why the rest may not."""
    judged = [(result, refusal(result)) for result in suite.results]
    return Recording(
        results=tuple(result for result, why in judged if not why),
        left_out=tuple((result.experiment.id, why) for result, why in judged if why),
        started_at_ms=suite.started_at_ms,
        machine=suite.machine,
    )


def _run(result: Result) -> dict[str, Any]:
    facts, verdict = result.facts, result.verdict
    return {
        "experiment": result.experiment.id,
        "controls": dict(result.controls),
        "device": facts.device,
        "device_name": facts.device_name,
        "threads": facts.threads,
        "cores": facts.cores,
        "torch": str(facts.more.get("torch") or ""),
        "driver": str(facts.more.get("driver") or ""),
        "took_s": round(result.took_s, 2),
        "points": [point.as_json() for point in result.points],
        "verdict": verdict.as_json() if verdict is not None else None,
    }
