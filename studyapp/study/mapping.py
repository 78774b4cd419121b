"""Where a claim holds: the stored runs of an experiment on this machine, over two of its controls.

Runs that differ in a third control are another map; how many were left out for that is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studyapp.core.errors import UsageError
from studyapp.core.verdicts import Outcome
from studyapp.experiments.catalog import experiment as look_up
from studyapp.experiments.claim import Control, Experiment, Value
from studyapp.study.lab import Machine, control_words, day_words, remembered

if TYPE_CHECKING:
    from studyapp.store.records import StoredRun
    from studyapp.study.desk import Desk


@dataclass(frozen=True)
class Cell:
    """What is known at one place of the map."""

    outcome: Outcome
    """The latest run's."""
    measured: float | None
    runs: int
    split: bool
    """Whether earlier runs here came out another way, noise aside."""
    when: str


@dataclass(frozen=True)
class Map:
    """The verdicts over two controls; x runs to the right, y upwards."""

    experiment: Experiment
    x: Control
    y: Control
    xs: tuple[Value, ...]
    ys: tuple[Value, ...]
    cells: Mapping[tuple[Value, Value], Cell] = field(default_factory=dict)
    others: Mapping[str, Value] = field(default_factory=dict)
    """The controls that stay the same everywhere on the map."""
    left_out: int = 0
    """Runs here with other values of those."""
    device: str = ""

    def count(self, outcome: Outcome) -> int:
        """Return how many places have an outcome."""
        return sum(cell.outcome is outcome for cell in self.cells.values())

    @property
    def sentence(self) -> str:
        """What the map says, in words."""
        if not self.cells:
            return (
                f"No run of {self.experiment.id} here with {control_words(self.others)}."
                if self.others
                else (f"No run of {self.experiment.id} here yet.")
            )
        parts = [
            f"{words} at {self.count(outcome)}"
            for outcome, words in (
                (Outcome.HOLDS, "holds"),
                (Outcome.DOES_NOT_HOLD, "does not hold"),
                (Outcome.TOO_NOISY, "is too noisy to say"),
                (Outcome.CANNOT_TEST, "cannot be tested"),
            )
            if self.count(outcome)
        ]
        places = "1 place" if len(self.cells) == 1 else f"{len(self.cells)} places"
        return f"Of {places} tried it {', '.join(parts)}."

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said beside it."""
        found = []
        if self.others:
            found.append(f"Everywhere: {control_words(self.others)}.")
        if self.left_out:
            count = "1 run" if self.left_out == 1 else f"{self.left_out} runs"
            found.append(f"{count} with other values of these {'is' if self.left_out == 1 else 'are'} left out.")
        split = sum(cell.split for cell in self.cells.values())
        if split:
            found.append(f"At {split} of them earlier runs came out the other way; the latest is shown.")
        return tuple(found)

    def as_json(self) -> dict[str, Any]:
        """Return the map for `--json`."""
        return {
            "experiment": self.experiment.id,
            "x": self.x.name,
            "y": self.y.name,
            "others": dict(self.others),
            "left_out": self.left_out,
            "device": self.device,
            "sentence": self.sentence,
            "cells": [
                {"x": x, "y": y, "outcome": cell.outcome.value, "measured": cell.measured, "runs": cell.runs,
                 "split": cell.split, "when": cell.when}
                for (x, y), cell in self.cells.items()
            ],
        }  # fmt: skip


def map_of(
    desk: Desk,
    experiment_id: str,
    x: str,
    y: str,
    *,
    others: Mapping[str, Value] | None = None,
    machine: Machine | None = None,
) -> Map:
    """Return the map of an experiment over two of its controls.

    Args:
        desk: The open desk.
        experiment_id: Which experiment.
        x: The control that runs to the right.
        y: The control that runs upwards.
        others: Values of the remaining controls; those most of the runs here have when None.
        machine: This machine; the one remembered from last time when None.

    Raises:
        UsageError: If there is no such experiment or control, or it is the same control twice.
    """
    experiment = look_up(experiment_id)
    across, up = experiment.control(x), experiment.control(y)
    if x == y:
        raise UsageError(f"A map needs two controls, and {x} is one.", _controls(experiment))
    machine = machine or remembered(desk)
    runs = [
        run
        for run in desk.store.runs(experiment_id)
        if run.verdict is not None and (machine is None or machine.is_here(run)) and _whole(run, experiment)
    ]
    fixed = dict(others) if others is not None else _usual_others(experiment, runs, x, y)
    kept = [run for run in runs if _others(run, x, y) == fixed]
    cells: dict[tuple[Value, Value], list[StoredRun]] = {}
    for run in kept:
        cells.setdefault((run.controls[x], run.controls[y]), []).append(run)
    return Map(
        experiment,
        across,
        up,
        _ordered(across, {place[0] for place in cells}),
        _ordered(up, {place[1] for place in cells}),
        {place: _cell(desk, cells[place]) for place in cells},
        fixed,
        len(runs) - len(kept),
        ", ".join(dict.fromkeys(run.device for run in kept)),
    )


def _whole(run: StoredRun, experiment: Experiment) -> bool:
    """Whether a run has exactly the controls the experiment has now: an older version may have had others."""
    return set(run.controls) == {control.name for control in experiment.controls}


def _others(run: StoredRun, x: str, y: str) -> dict[str, Value]:
    return {name: value for name, value in run.controls.items() if name not in (x, y)}


def _usual_others(experiment: Experiment, runs: list[StoredRun], x: str, y: str) -> dict[str, Value]:
    counted = Counter(tuple(sorted(_others(run, x, y).items())) for run in runs)
    if counted:
        return dict(counted.most_common(1)[0][0])
    return {c.name: c.default for c in experiment.controls if c.name not in (x, y)}


def _cell(desk: Desk, runs: list[StoredRun]) -> Cell:
    verdicts = [run.verdict for run in runs if run.verdict is not None]
    clear = {v.outcome for v in verdicts} & {Outcome.HOLDS, Outcome.DOES_NOT_HOLD}
    # a noisy repeat takes nothing away from what was seen clearly
    shown = next((v for v in verdicts if v.outcome in clear), verdicts[0])
    when = day_words(desk, runs[verdicts.index(shown)].started_at_ms)
    return Cell(shown.outcome, shown.measured, len(runs), len(clear) > 1, when)


def _ordered(control: Control, values: set[Value]) -> tuple[Value, ...]:
    if control.choices:
        return tuple(choice for choice in control.choices if choice in values)
    return tuple(sorted(values))


def _controls(experiment: Experiment) -> str:
    return f"{experiment.id} has {', '.join(control.name for control in experiment.controls) or 'none'}."
