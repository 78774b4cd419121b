"""The whole lesson on trial: every experiment once, in the lesson's order, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from studyapp import __version__
from studyapp.core.figures import Figure, draw
from studyapp.core.points import Point, latest
from studyapp.core.strict import strict
from studyapp.core.verdicts import OUTCOME_WORDS, Facts, Outcome, Verdict
from studyapp.experiments.catalog import experiment
from studyapp.experiments.claim import Experiment
from studyapp.study.experimenting import Trial


@dataclass(frozen=True)
class Result:
    """One experiment of the suite as it ended."""

    experiment: Experiment
    state: str
    """done, cancelled, failed, refused, or skipped (its needs are not met, so nothing was run)."""
    controls: Mapping[str, Any]
    facts: Facts
    points: tuple[Point, ...]
    verdict: Verdict | None
    figure: Figure
    note: str
    """What went wrong, in words; empty for a verdict."""
    took_s: float
    reckoned: bool = False
    """Whether the verdict's number rests on something not measured or counted here."""

    @property
    def outcome(self) -> Outcome | None:
        """The verdict's outcome, or None where there is none."""
        return None if self.verdict is None else self.verdict.outcome

    @property
    def sentence(self) -> str:
        """The verdict in words, or why there is none."""
        return self.figure.sentence

    @classmethod
    def of(cls, trial: Trial, took_s: float) -> Result:
        """Return a trial's result."""
        return cls(
            experiment=trial.experiment,
            state=trial.state,
            controls=dict(trial.controls),
            facts=trial.facts,
            points=tuple(latest(trial.points)),
            verdict=trial.verdict,
            figure=trial.figure(),
            note="" if trial.verdict is not None else trial.note,
            took_s=took_s,
            reckoned=trial.reckoned,
        )

    @classmethod
    def skipped(cls, trial: Trial, why: str, facts: Facts) -> Result:
        """Return the result of a trial that was not begun, since this machine lacks what it needs.

        Args:
            trial: The trial, not run.
            why: What is missing, in a sentence.
            facts: The machine, as the worker greeted.
        """
        verdict = Verdict(Outcome.CANNOT_TEST, why, unit=trial.experiment.unit)
        sentence = f"{OUTCOME_WORDS[Outcome.CANNOT_TEST].capitalize()}. {why}"
        return cls(
            experiment=trial.experiment,
            state="skipped",
            controls=dict(trial.controls),
            facts=facts,
            points=(),
            verdict=verdict,
            figure=draw(trial.experiment.question, trial.experiment.plot, (), sentence=sentence),
            note="",
            took_s=0.0,
        )


@dataclass(frozen=True)
class Suite:
    """All results of one evening, with the machine they belong to."""

    results: tuple[Result, ...]
    started_at_ms: int
    took_s: float
    machine: Mapping[str, str] = field(default_factory=dict)
    """The hardware fingerprint: device, CPU model, cores, torch, python, system, studyapp."""
    planned: int = 0
    """How many were to be tried; 0 for as many as there are results."""
    command: str = "studyapp run --all --report DIR"
    """What reproduces it."""

    @property
    def left(self) -> int:
        """How many were not reached, since the suite was cut short."""
        return max(0, self.planned - len(self.results))

    def counts(self) -> dict[str, int]:
        """Return how many results have each outcome, and how many have none ("no_result")."""
        found = {outcome.value: 0 for outcome in Outcome} | {"no_result": 0}
        for result in self.results:
            found[result.outcome.value if result.outcome else "no_result"] += 1
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the suite for `run --all --json`: strict JSON can hold it."""
        data = {
            "started_at_ms": self.started_at_ms,
            "took_s": round(self.took_s, 1),
            "command": self.command,
            "machine": dict(self.machine),
            "counts": self.counts(),
            "planned": self.planned or len(self.results),
            "results": [_result_json(result) for result in self.results],
        }
        found: dict[str, Any] = strict(data)
        return found


def _result_json(result: Result) -> dict[str, Any]:
    return {
        "experiment": result.experiment.id,
        "claim": result.experiment.claim,
        "question": result.experiment.question,
        "state": result.state,
        "device": result.facts.device,
        "device_name": result.facts.device_name,
        "threads": result.facts.threads,
        "cores": result.facts.cores,
        "busy": result.facts.busy,
        "cut_short": result.facts.cut_short,
        "why_cut": result.facts.why_cut,
        "controls": dict(result.controls),
        "verdict": result.verdict.as_json() if result.verdict else None,
        "reckoned": result.reckoned,
        "sibling": result.experiment.sibling,
        "note": result.note,
        "took_s": round(result.took_s, 2),
        "points": [point.as_json() for point in result.points],
    }


def usual_s(names: Iterable[str]) -> float:
    """Return how long these experiments usually take together on two CPU cores, in seconds."""
    return sum(experiment(name).usual_s for name in names)


def fingerprint(results: Iterable[Result], system: str, python: str) -> dict[str, str]:
    """Return the machine's fingerprint in words, from what the worker reported.

    Args:
        results: The suite's results.
        system: Operating system and architecture, from the front end.
        python: The program's own Python version.
    """
    facts = [result.facts for result in results if result.facts.device_name]
    cpu = next((f for f in facts if f.device == "cpu"), None)
    card = next((f for f in facts if f.device != "cpu"), None)
    chosen = card or cpu
    more = dict(chosen.more) if chosen is not None else {}
    why = next((str(f.more["why_cpu"]) for f in facts if f.more.get("why_cpu")), "")
    words = {
        "cpu": cpu.device_name if cpu else "",
        "cores allowed": str(chosen.cores) if chosen else "",
        "memory free": _gigabytes(more.get("free_bytes")),
        "accelerator": f"{card.device} {card.device_name}" if card else f"none: {why}" if why else "none",
        "driver": str(more.get("driver") or ""),
        "torch": str(more.get("torch") or ""),
        "python": python,
        "system": system,
        "studyapp": __version__,
    }
    return {name: value for name, value in words.items() if value}


def _gigabytes(count: Any) -> str:
    return f"{count / 1e9:.1f} GB" if isinstance(count, (int, float)) else ""
