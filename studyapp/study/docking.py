"""The learner's own script in the dock: predictions first, then findings in sentences, and what went wrong.

The one source of the words; the command line only lays them out. Measuring happens in the script's own process.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studyapp.core.errors import ExperimentError, StudyError, UsageError
from studyapp.core.points import Basis, Point
from studyapp.core.predictions import Prediction, Score, score
from studyapp.core.verdicts import Facts
from studyapp.experiments.docking import Dock
from studyapp.store.records import NewRun
from studyapp.store.trials import OWN_SCRIPT
from studyapp.study.desk import Desk
from studyapp.study.docked_ends import ending
from studyapp.study.docked_findings import Finding, Question
from studyapp.study.docked_words import KINDS, asked, worded

STEPS, LIMIT_S = 20, 120.0
"""Steps timed for a finding; seconds after which the script is ended."""
TOO_WIDE = 4.0
"""A spread of more than this factor says nothing about a prediction."""
Ask = Callable[[Question], float | None]
"""Asks the learner for a number before something is measured; None where none is given."""


@dataclass
class Docking:
    """One script on trial."""

    desk: Desk
    script: Path
    args: Sequence[str] = ()
    steps: int = STEPS
    limit_s: float = LIMIT_S
    memory_mb: float | None = None
    findings: list[Finding] = field(default_factory=list)
    loop: dict[str, Any] = field(default_factory=dict)
    """What was seen of the loop: form, device, torch, threads, model, optimizer, loader, workers, rows."""
    problem: StudyError | None = None
    """Why there is not all there could be, with its exit code."""
    last_lines: list[str] = field(default_factory=list)
    """What the script printed or raised last, where it failed."""

    def __post_init__(self) -> None:
        self._told: tuple[Prediction, str] | None = None
        self._said: dict[str, Any] = {}
        """Messages on how it ended, by kind."""
        self._asking = ""
        self._began_ms = self.desk.clock().at_ms

    def run(
        self, command: Sequence[str], ask: Ask, hear: Callable[[Finding], None], note: Callable[[str], None]
    ) -> None:
        """Put the script on trial; the findings are handed on as they come, and nothing is left running.

        Args:
            command: The worker's command; empty for the own interpreter.
            ask: Asks for a number before a finding is made.
            hear: Takes each finding.
            note: Takes what is going on, in a few words.

        Raises:
            UsageError: If there is no such script.
            ExperimentError: If the dock cannot be opened.
        """
        path = checked(self.script)
        trial = {
            "script": str(path),
            "args": list(self.args),
            "cwd": str(Path.cwd()),
            "steps": self.steps,
            "limit_s": self.limit_s,
            "memory_mb": self.memory_mb,
        }
        with Dock(command, trial) as dock:
            note("starting the script")
            for message in dock.messages():
                self._take(message, dock, ask, hear, note)

    def _take(
        self, message: dict[str, Any], dock: Dock, ask: Ask, hear: Callable[[Finding], None], note: Any
    ) -> None:
        kind = message["kind"]
        if kind == "loop":
            self.loop = {name: entry for name, entry in message.items() if name not in ("kind", "studyapp")}
            note("the loop is found")
        elif kind == "ask":
            self._predict(str(message.get("finding", "")), message, ask)
            dock.go()
            note(f"measuring: {KINDS[self._asking].title.lower()}" if self._asking in KINDS else "measuring")
        elif kind == "finding":
            # a script that writes to every descriptor it finds may write this too
            with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
                self._keep(self._finding(message), hear)
        elif kind == "ended":
            self._end(message, hear)
        else:
            self._said[kind] = message

    def _predict(self, name: str, message: Mapping[str, Any], ask: Ask) -> None:
        self._asking, self._told = name, None
        if name not in KINDS:
            return
        kind = KINDS[name]
        number = ask(Question(name, kind.title, asked(name, message), kind.unit, kind.whole))
        if number is None:
            return
        told = Prediction(number, made_at_ms=self.desk.clock().at_ms)
        uid = self.desk.store.save_prediction(
            told, experiment=OWN_SCRIPT + name, controls=self._controls(), device=self._device
        )
        self._told = (told, uid)

    @property
    def _device(self) -> str:
        return str(self.loop.get("device", "cpu")).partition(":")[0]

    def _controls(self) -> dict[str, Any]:
        return {"script": self.script.name, "args": list(self.args)}

    def _finding(self, message: Mapping[str, Any]) -> Finding:
        name = str(message.get("finding", ""))
        kind = KINDS[name]
        known = ("kind", "studyapp", "finding", "outcome", "value", "low", "high", "n", "basis")
        told = self._told[0] if self._told is not None and self._asking == name else None
        value, low, high = (_number(message.get(field)) for field in ("value", "low", "high"))
        never = bool(message.get("never"))
        return Finding(
            id=name,
            title=kind.title,
            question=kind.question,
            unit=kind.unit,
            outcome=str(message.get("outcome", "found")),
            value=value,
            low=low,
            high=high,
            n=int(message.get("n", 0)),
            basis=str(message.get("basis", "")),
            words=worded(name, message, self.loop),
            details={key: entry for key, entry in message.items() if key not in known},
            experiments=kind.experiments,
            cards=self._cards(kind.experiments),
            prediction=told,
            score=None if told is None or never else _scored(told, value, low, high),
        )

    def _cards(self, experiments: Sequence[str]) -> tuple[str, ...]:
        cards = self.desk.store.cards()
        ranked = [
            card.id
            for wanted in experiments
            for card in cards
            if any(e.experiment == wanted for e in card.experiments)
        ]
        return tuple(dict.fromkeys(ranked))

    def _keep(self, finding: Finding, hear: Callable[[Finding], None]) -> None:
        self.findings.append(finding)
        if self._told is not None and finding.prediction is not None and finding.outcome == "found":
            self._store(finding, self._told[1])
        self._told = None
        hear(finding)

    def _store(self, finding: Finding, prediction: str) -> None:
        moment = self.desk.clock()
        facts = Facts(
            device=self._device,
            threads=int(self.loop.get("threads", 1)),
            controls=self._controls(),
            more={"unit": finding.unit, "torch": self.loop.get("torch", ""), "sentence": finding.words.sentence},
        )
        run = NewRun(OWN_SCRIPT + finding.id, self._controls(), facts, self._began_ms, moment.study_day)
        point = Point(
            "found", 0.0, finding.value, finding.low, finding.high, finding.n, basis=Basis(finding.basis)
        )
        self.desk.store.save_run(run, [point], None, prediction, finding.score)

    def _end(self, message: Mapping[str, Any], hear: Callable[[Finding], None]) -> None:
        """Say why the script ended where it did, unless all was found."""
        trying = self._said.get("trying")
        if (
            not message.get("done")
            and trying
            and message.get("how") in ("exit", "signal")
            and "crashed" not in self._said
        ):
            # memory that is refused deep in a library ends a process without an exception
            self._keep(self._finding(_sudden(trying, message)), hear)
            return
        if message.get("done"):
            return
        found = ending(self.script.name, self._said, message, limit_s=self.limit_s, measuring=self._asking)
        code = 1 if any(f.outcome == "found" for f in self.findings) else found.code
        kind = {1: StudyError, 2: UsageError}.get(code, ExperimentError)
        self.problem = kind(found.message, found.hint)
        self.last_lines = list(found.lines)

    def as_json(self) -> dict[str, Any]:
        """Return what `trial --json` prints."""
        return {
            "script": str(self.script),
            "args": list(self.args),
            "steps": self.steps,
            "limit_s": self.limit_s,
            "loop": self.loop or None,
            "findings": [finding.as_json() for finding in self.findings],
            "last_lines": self.last_lines,
        }


def checked(script: Path) -> Path:
    """Return where the script lies.

    Raises:
        UsageError: If it is no file that can be read as Python.
    """
    path = script.expanduser()
    if not path.exists():
        raise UsageError(f"There is no script {script}.", "Name your training script: studyapp trial train.py")
    if not path.is_file():
        raise UsageError(f"{script} is no file.", "Name the script itself, such as train.py.")
    try:
        with path.open("rb") as file:
            begin = file.read(4096)
    except OSError as error:
        raise UsageError(f"{script} cannot be read: {error.strerror}.", "Look at its permissions.") from error
    if b"\0" in begin:
        raise UsageError(f"{script} is no Python script: it holds binary data.", "Name the script itself.")
    return path.absolute()


def _scored(told: Prediction, value: float | None, low: float | None, high: float | None) -> Score | None:
    """Return how a prediction did; None where the spread is so wide that much would pass for right."""
    if value is None or (low is not None and high is not None and high > TOO_WIDE * low):
        return None
    return score(told, value, low, high)


def _sudden(trying: Mapping[str, Any], ended: Mapping[str, Any]) -> dict[str, Any]:
    rows = int(trying.get("rows", 0))
    return {
        "finding": "batch",
        "outcome": "found",
        "basis": "measured",
        "value": rows,
        "low": rows // 2,
        "high": rows,
        "n": 1,
        "stage": ended.get("stage", ""),
        "why": "the process was ended by what was refused",
        "limit_mb": trying.get("limit_mb"),
    }


def _number(found: Any) -> float | None:
    right = isinstance(found, (int, float)) and not isinstance(found, bool) and math.isfinite(found)
    return float(found) if right else None
