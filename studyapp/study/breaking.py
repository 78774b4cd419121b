"""Break the claim: search the value of one control at which the verdict flips.

`Breaking` is a plain plan: it names the next value to run, takes what came of it, and says in the end what was
found. It walks away from the present value in growing steps, both ways, until the verdict flips, then halves the
gap. What is too noisy never counts as a flip. Whoever drives it runs and stores real trials.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from studyapp.core.verdicts import Outcome
from studyapp.experiments.claim import Control, Experiment, Value
from studyapp.study.breaking_words import sentence_of
from studyapp.study.estimating import sensible_values
from studyapp.study.experimenting import Trial

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

BUDGET_S = 60.0
FINE = 1.1
"""Ratio of two values that are near enough: timings rarely tell nearer ones apart."""
MOST_OPEN = 4
"""Values in the gap that may come out too noisy before the search is content."""
LEAST_S = 0.3
"""Less time than this is not worth a run."""
CLEAR = (Outcome.HOLDS, Outcome.DOES_NOT_HOLD)
"""The verdicts that can flip."""


@dataclass(frozen=True)
class Tried:
    """One run of the search."""

    value: Value
    outcome: Outcome | None
    """None where nothing could be run: refused for memory."""
    measured: float | None
    run: str | None
    took_s: float


@dataclass
class Breaking:
    """The search along one control of one experiment; all other controls stay."""

    experiment: Experiment
    controls: dict[str, Value]
    control: Control
    budget_s: float = BUDGET_S
    tried: list[Tried] = field(default_factory=list)
    ended: str = ""
    """"found", "no_flip", "unclear", "time", "cancelled", "cannot_test" or "failed"; "" while it goes on."""
    note: str = ""
    """Why it failed, in words."""

    @property
    def start(self) -> Value:
        """The value the search begins at."""
        return self.controls[self.control.name]

    @property
    def spent_s(self) -> float:
        """Seconds that the runs took."""
        return sum(one.took_s for one in self.tried)

    @property
    def left_s(self) -> float:
        """Seconds left of the budget."""
        return self.budget_s - self.spent_s

    def next(self) -> Value | None:
        """Return the value to run next, or None when the search is over; `ended` then says why."""
        if self.ended:
            return None
        if self.tried and self.left_s < max(LEAST_S, self.tried[-1].took_s):
            self.ended = "found" if self.flip is not None else "time"
            return None
        value = self._wanted()
        if value is None and not self.ended:
            flipped = self.flip is not None or self.choices_flip
            self.ended = "found" if flipped else "unclear" if self.base is None else "no_flip"
        return value

    def take(self, tried: Tried) -> None:
        """Take what came of a run."""
        self.tried.append(tried)

    def stop(self, how: str, note: str = "") -> None:
        """End the search: "cancelled" or "failed"; what was found so far stays."""
        self.ended, self.note = how, note

    # what is known

    @property
    def known(self) -> dict[Value, Outcome | None]:
        """What is known of each value tried: what was clear once, else its last outcome."""
        found: dict[Value, Outcome | None] = {}
        for one in self.tried:
            if one.outcome in CLEAR or found.get(one.value) not in CLEAR:
                found[one.value] = one.outcome
        return found

    @property
    def base(self) -> Outcome | None:
        """The verdict to be flipped: the first clear one."""
        return next((one.outcome for one in self.tried if one.outcome in CLEAR), None)

    @property
    def origin(self) -> Value:
        """The value at which the first clear verdict was seen."""
        return next((one.value for one in self.tried if one.outcome is self.base), self.start)

    @property
    def flip(self) -> tuple[Value, Value] | None:
        """The last value with the verdict at the start and the nearest with the other one, or None."""
        if self.control.choices or self.base is None:
            return None
        clear = [(float(v), v, o) for v, o in sorted(self.known.items(), key=_number) if o in CLEAR]
        pairs = [(a, b) for a, b in pairwise(clear) if a[2] is not b[2]]
        if not pairs:
            return None
        origin = float(self.origin)
        below, above = min(pairs, key=lambda p: min(_apart(origin, p[0][0]), _apart(origin, p[1][0])))
        return (below[1], above[1]) if below[2] is self.base else (above[1], below[1])

    @property
    def choices_flip(self) -> bool:
        """Whether the choices of a word control came out differently."""
        return bool(self.control.choices) and len(set(self.known.values()) & set(CLEAR)) > 1

    # what to run

    def _wanted(self) -> Value | None:
        again = self._again()
        if again is not None:
            return again
        if self.base is None and self._nowhere():
            self.ended = "cannot_test"
            return None
        if self.control.choices:
            return next((choice for choice in self.control.choices if choice not in self.known), None)
        return self._between() if self.flip is not None else self._outward()

    def _again(self) -> Value | None:
        """Return the start, or what was too noisy the first time: one more look."""
        if not self.tried:
            return self.start
        last = self.tried[-1]
        looks = sum(one.value == last.value for one in self.tried)
        return last.value if last.outcome is Outcome.TOO_NOISY and looks < 2 else None

    def _nowhere(self) -> bool:
        """Whether the start cannot be tested at all on this machine, so that no other value will be."""
        return self.known.get(self.start) is Outcome.CANNOT_TEST

    def _outward(self) -> Value | None:
        """Return the next value away from the start, both ways in turn; then what was skipped."""
        ladder = sensible_values(self.control, self.start)
        at, size = ladder.index(self.start), len(ladder)
        order, step, reach = list[int](), 1, 0
        while reach < size:
            reach += step
            order += [max(0, at - reach), min(size - 1, at + reach)]
            step *= 2
        barred = self._barred(ladder)
        left = [i for i in [*order, *range(size)] if ladder[i] not in self.known and i not in barred]
        return ladder[left[0]] if left else None

    def _barred(self, ladder: Sequence[Value]) -> set[int]:
        """Return what lies beyond a value that was refused: more of the same would be refused as well."""
        at, barred = ladder.index(self.start), set[int]()
        for index, value in enumerate(ladder):
            if value in self.known and self.known[value] is None and index != at:
                barred |= set(range(index, len(ladder))) if index > at else set(range(index + 1))
        return barred

    def _between(self) -> Value | None:
        """Return the middle of the widest gap between the two verdicts, None when it is narrow enough."""
        assert self.flip is not None
        low, high = sorted(self.flip, key=float)
        inside = sorted((v for v in self.known if float(low) < float(v) < float(high)), key=float)
        if len(inside) >= MOST_OPEN:
            return None
        marks = [low, *inside, high]
        for below, above in sorted(pairwise(marks), key=lambda pair: -_apart(float(pair[0]), float(pair[1]))):
            middle = self._middle(float(below), float(above))
            if middle is not None:
                return middle
        return None

    def _middle(self, low: float, high: float) -> Value | None:
        if isinstance(self.control.default, int):
            if high - low < 2 or (low > 0 and high / low < FINE):
                return None
            middle = math.sqrt(low * high) if low > 0 and self.control.step != "add" else (low + high) / 2
            rounded = int(float(f"{middle:.2g}"))
            return rounded if low < rounded < high else int(middle) if low < int(middle) < high else int(low) + 1
        if low > 0 and high / low < FINE:
            return None
        middle = math.sqrt(low * high) if low > 0 else high / 2
        rounded_float = float(f"{middle:.2g}")
        return rounded_float if low < rounded_float < high and middle > high * 1e-3 else None

    @property
    def sentence(self) -> str:
        """What was found so far, in words."""
        return sentence_of(self)

    def as_json(self) -> dict[str, Any]:
        """Return the search for `--json`."""
        flip = self.flip
        return {
            "experiment": self.experiment.id,
            "control": self.control.name,
            "start": self.start,
            "controls": dict(self.controls),
            "verdict": None if self.base is None else self.base.value,
            "flip": None if flip is None else {"kept": flip[0], "flipped": flip[1]},
            "ended": self.ended,
            "sentence": self.sentence,
            "seconds": round(self.spent_s, 2),
            "tried": [
                {
                    "value": one.value,
                    "outcome": None if one.outcome is None else one.outcome.value,
                    "measured": one.measured,
                    "run": one.run,
                    "took_s": round(one.took_s, 3),
                }
                for one in self.tried
            ],
        }


def _number(pair: tuple[Value, Outcome | None]) -> float:
    return float(pair[0])


def _apart(a: float, b: float) -> float:
    """Return how far two values lie apart: by their ratio where both are positive."""
    low, high = sorted((a, b))
    return high / low if low > 0 else (high - low) + 1.0


def main_control(experiment: Experiment) -> Control | None:
    """Return the control that the lesson's cause hangs on, else the first; None where there is none."""
    named = [control for control in experiment.controls if control.name in experiment.ablation_controls]
    return next(iter([*named, *experiment.controls]), None)


def plan(
    experiment: Experiment, controls: Mapping[str, Value], name: str = "", budget_s: float = BUDGET_S
) -> Breaking:
    """Return the search along a control, the main one when none is named.

    Raises:
        ControlError: If the experiment has no such control.
    """
    control = experiment.control(name) if name else main_control(experiment)
    if control is None:
        control = experiment.control("")  # says that there is none
    return Breaking(experiment, dict(controls), control, budget_s)


def trial_of(desk: Desk, search: Breaking, value: Value, *, device: str, time_limit_s: float | None) -> Trial:
    """Return the trial of one value of a search; it ends with the search's budget."""
    limit = min(search.left_s, time_limit_s) if time_limit_s else search.left_s
    controls = {**search.controls, search.control.name: value}
    return Trial(desk, search.experiment.id, controls, device=device, time_limit_s=limit)


def told_by(trial: Trial, value: Value, took_s: float) -> Tried:
    """Return what a finished trial says to its search."""
    verdict = trial.verdict
    return Tried(
        value,
        None if verdict is None else verdict.outcome,
        None if verdict is None else verdict.measured,
        trial.run_uid,
        took_s,
    )
