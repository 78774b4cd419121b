"""What the passport's roofline expects of a run: points to draw beside the measured ones, and its own answer.

It decides nothing: its points are assumed, and the verdict is computed without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studyapp.core.days import instant_of
from studyapp.core.figures import Figure, Lane, Series
from studyapp.core.points import Basis, Point, latest
from studyapp.core.predictions import times_words
from studyapp.core.roofline import Roof, factor_off
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.study.passport import Passport, passports, preferred

if TYPE_CHECKING:
    from studyapp.experiments.claim import Experiment
    from studyapp.study.desk import Desk

MODEL = "roofline "
"""How the series of a model begin; the claim's own series follows."""
LABEL = "roofline"
MOST_LINES = 2
"""Modelled lines in one chart: more hide what was measured."""


@dataclass(frozen=True)
class Modelled:
    """What a roofline expects of one run."""

    points: tuple[Point, ...]
    """Under the claim's own series; their basis is assumed."""
    answer: float | None
    """The number the learner was asked for, as the roofline has it; None where its points do not give it."""
    passport: Passport
    day: str
    """When the passport was taken, in words."""

    def drawn_into(self, figure: Figure) -> Figure:
        """Return the figure with the model's lines: dashed, and named."""
        wanted = [s.lane for s in figure.series if any(p.series == s.lane.id for p in self.points)]
        wanted = wanted[: 1 if figure.plot.kind == "bar" else MOST_LINES]
        lines = []
        for lane in wanted:
            label = LABEL if len(wanted) == 1 else f"roof {lane.label}"
            own = Lane(f"{MODEL}{lane.id}", label, "weak" if lane.role == "weak" else "neutral")
            points = tuple(
                replace(p, series=own.id) for p in sorted(self.points, key=lambda p: p.x) if p.series == lane.id
            )
            lines.append(Series(own, points))
        if not lines:
            return figure
        return replace(
            figure,
            series=(*figure.series, *lines),
            sentence=f"{figure.sentence} {self.source}".strip(),
        )

    @property
    def source(self) -> str:
        """Where the dashed line comes from, as a sentence."""
        return f"The roofline is from this machine's passport of {self.day}."

    def sentence(self, said: float | None, verdict: Verdict | None) -> str:
        """Return how far off learner and roofline were, "" where there is nothing to compare.

        Args:
            said: The learner's number, None where there is none.
            verdict: What was measured.
        """
        noisy = verdict is None or verdict.outcome is Outcome.TOO_NOISY  # it scores nobody
        measured = verdict.measured if verdict is not None and not noisy else None
        mine, its = factor_off(said, measured), factor_off(self.answer, measured)
        if its is None:
            return ""
        if mine is None:
            return f"The roofline {_short(its)} off."
        return f"You {_short(mine)} off, the roofline {_short(its)} off."

    def as_json(self) -> Mapping[str, object]:
        """Return the fields of `run --json`."""
        return {
            "passport": self.passport.uid,
            "answer": self.answer,
            "points": [point.as_json() for point in self.points],
        }


def _short(factor: float) -> str:
    head, _, number = times_words(factor).rpartition(" ")
    return f"{head} ×{number}".strip()


def model_of(desk: Desk, experiment: Experiment, points: Sequence[Point], facts: Facts) -> Modelled | None:
    """Return what the roofline of this machine's passports expects of a run, or None where nothing can be told.

    Args:
        desk: The open desk.
        experiment: What was run.
        points: What was measured.
        facts: The circumstances of the run.
    """
    try:
        loads = tuple(experiment.loads(latest(points), facts))
    except (KeyError, ValueError, ZeroDivisionError):  # a run cut short lacks what its claim reads
        return None
    if not loads:
        return None
    used = _fitting(passports(desk), facts.place)
    if not used:
        return None
    roof = Roof.of([point for passport in reversed(used) for point in passport.points])
    expected = tuple(
        Point(load.series, load.x, y, basis=Basis.ASSUMED)
        for load in loads
        if (y := roof.expects(load)) is not None
    )
    if not expected:
        return None
    day = instant_of(used[0].taken_at_ms).astimezone(desk.clock().zone)
    return Modelled(expected, _answer(experiment, expected, points, facts), used[0], f"{day.day} {day:%b %Y}")


def _fitting(known: Sequence[Passport], place: str) -> list[Passport]:
    """Return the passport to go by of the run's device, and that of the CPU beside it."""
    found = []
    host = place.partition("@")[2]
    for device in dict.fromkeys((place, f"cpu@{host}" if host else "cpu")):
        own = [p for p in known if p.device == device]
        best = preferred(own)
        found += [best] if best is not None else []
    return found


def _answer(
    experiment: Experiment, expected: Sequence[Point], points: Sequence[Point], facts: Facts
) -> float | None:
    """Let the claim's own judge read the model's points, beside what the run itself only assumed."""
    modelled = {(p.series, p.x) for p in expected}
    others = [p for p in latest(points) if not p.solid and (p.series, p.x) not in modelled]
    try:
        return experiment.judge([*expected, *others], facts).measured
    except (KeyError, IndexError, StopIteration, ValueError, ZeroDivisionError):
        return None
