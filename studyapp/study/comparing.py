"""Two runs of one experiment in one picture, and one sentence computed from their points.

What both measured is solid in both; what was measured on another machine is recorded, and so dashed and named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from studyapp.core.errors import UsageError
from studyapp.core.figures import Axis, Figure, Lane, Plot, draw
from studyapp.core.points import Basis, Point, ratio_noise, value
from studyapp.core.verdicts import Outcome, decide
from studyapp.experiments.catalog import experiment as look_up
from studyapp.experiments.claim import Experiment
from studyapp.experiments.judging import against
from studyapp.study.lab import control_words, value_words
from studyapp.study.run_list import Listed, listed_json

FATES = {
    Outcome.HOLDS: ("holds", "held"),
    Outcome.DOES_NOT_HOLD: ("does not hold", "did not hold"),
    Outcome.TOO_NOISY: ("is too noisy to say", "was too noisy to say"),
    Outcome.CANNOT_TEST: ("cannot be tested", "could not be tested"),
}
"""Each outcome now and then."""
SAME = 0.01
"""Relative difference of a middle that is not worth a number."""


@dataclass(frozen=True)
class Compared:
    """Two runs side by side: `before` is the older one."""

    before: Listed
    after: Listed
    figure: Figure
    sentence: str
    ratios: tuple[tuple[str, float, float], ...]
    """(series, x, after / before) for every x both have."""

    def as_json(self) -> dict[str, Any]:
        """Return the comparison for `--json`."""
        return {
            "before": listed_json(self.before),
            "after": listed_json(self.after),
            "sentence": self.sentence,
            "ratios": [{"series": s, "x": x, "ratio": r} for s, x, r in self.ratios],
        }


def compare(first: Listed, second: Listed) -> Compared:
    """Return two runs of one experiment compared, whichever is named first.

    Raises:
        UsageError: If it is the same run twice.
    """
    if first.run.uid == second.run.uid:
        raise UsageError("A run compared with itself says nothing.", "Name two different ones.")
    before, after = sorted((first, second), key=lambda one: (one.run.started_at_ms, one.run.uid))
    experiment = look_up(before.run.experiment)
    ratios = _ratios(before, after)
    sentence = _sentence(experiment, before, after, ratios)
    return Compared(before, after, _figure(experiment, before, after, sentence), sentence, ratios)


def _ratios(before: Listed, after: Listed) -> tuple[tuple[str, float, float], ...]:
    old = {(p.series, p.x): p for p in before.points if p.finite}
    found = []
    for point in after.points:
        other = old.get((point.series, point.x))
        if point.finite and other is not None and value(point) > 0 and value(other) > 0:
            found.append((point.series, point.x, value(point) / value(other)))
    return tuple(found)


# the picture


def tags(before: Listed, after: Listed) -> tuple[str, str]:
    """Return a short name for each, by what tells them apart: controls, else device, else day."""
    differing = [n for n, v in after.run.controls.items() if before.run.controls.get(n) != v]
    if differing:
        name = differing[0]
        told = [f"{name} {value_words(one.run.controls.get(name))}" for one in (before, after)]
    elif before.place != after.place:
        told = [one.run.device if one.here else f"{one.run.device}, other" for one in (before, after)]
    elif before.day != after.day:
        told = [one.day for one in (before, after)]
    else:
        told = [one.clock for one in (before, after)]
    if told[0] == told[1]:
        told = [f"run {one.number}" for one in (before, after)]
    return told[0], told[1]


def _figure(experiment: Experiment, before: Listed, after: Listed, sentence: str) -> Figure:
    plot, names = experiment.plot, tags(before, after)
    wanted, roles = _lanes(experiment, before, after), _roles(before, after)
    lanes, points = list[Lane](), list[Point]()
    for which, (one, name) in enumerate(zip((before, after), names, strict=True)):
        for lane in wanted:
            label = name if len(wanted) == 1 else f"{lane.label}, {name}"
            lanes.append(Lane(f"{which}:{lane.id}", label, roles[which]))
        shown = {lane.id for lane in wanted}
        points += [_moved(point, which, one.here) for point in one.points if point.series in shown]
    both = Plot(plot.x, plot.y, tuple(lanes), plot.kind, plot.subtitle, plot.predict_axis)
    title = f"{experiment.id}: {names[0]} and {names[1]}"
    device = " and ".join(dict.fromkeys(one.place for one in (before, after)))
    return draw(title, both, points, sentence=sentence, device=device)


def _roles(before: Listed, after: Listed) -> tuple[str, str]:
    """Return the role of each run's lanes: a colour is a run, and its device where these differ."""
    own = ["gpu" if one.run.facts.accelerated else "cpu" for one in (before, after)]
    return (own[0], own[1]) if own[0] != own[1] else ("neutral", own[1])


def _moved(point: Point, which: int, here: bool) -> Point:
    basis = point.basis if here or not point.solid else Basis.RECORDED
    return replace(point, series=f"{which}:{point.series}", basis=basis)


def _lanes(experiment: Experiment, before: Listed, after: Listed) -> list[Lane]:
    """Return the lanes worth drawing twice: those that the verdicts rest on, all where they rest on none."""
    present = {p.series for one in (before, after) for p in one.points if p.finite}
    lanes = [lane for lane in experiment.plot.lanes if lane.id in present]
    lanes += [Lane(name, name) for name in sorted(present - {lane.id for lane in lanes})]
    deciding = _deciding(experiment, before) | _deciding(experiment, after)
    kept = [lane for lane in lanes if lane.id in deciding]
    return kept or lanes


def _deciding(experiment: Experiment, one: Listed) -> set[str]:
    verdict = decide(experiment.judge, one.points, one.run.facts, timed=experiment.timed)
    return {point.series for point in verdict.decided_by}


# the sentence


def _sentence(
    experiment: Experiment, before: Listed, after: Listed, ratios: Sequence[tuple[str, float, float]]
) -> str:
    return f"{_change(experiment, before, after, ratios)}; {_verdicts(before, after)}."


def _change(
    experiment: Experiment, before: Listed, after: Listed, ratios: Sequence[tuple[str, float, float]]
) -> str:
    then = f"than {_when(before, after)}"
    if not ratios:
        return _numbers(experiment, before, after)
    deciding = _deciding(experiment, after)
    told = [entry for entry in ratios if entry[0] in deciding] or list(ratios)
    series, x, change = max(told, key=lambda entry: entry[1])
    pair = [p for one in (before, after) for p in one.points if p.series == series and p.x == x]
    where = _where(experiment.plot.x, x)
    lane = next((lane.label for lane in experiment.plot.lanes if lane.id == series), series)
    inside = [lane] if len(experiment.plot.lanes) > 1 else []
    if len(told) > 1:
        middle = median(entry[2] for entry in told)
        by = "the same" if against(middle, 1.0, SAME / 2) == 0 else _by(experiment.plot.y.unit, middle)
        inside.append(f"{by} in the middle of {len(told)} points")
    more = f" ({'; '.join(inside)})" if inside else ""
    if not all(p.settled for p in pair) or against(change, 1.0, ratio_noise(pair)) == 0:
        equal = "the same as" if change == 1.0 else "no clear change from"
        words = f"{equal} {_then(before, after)} at {where}{more}"
    else:
        words = f"{_by(experiment.plot.y.unit, change)} {then} at {where}{more}"
    return words[0].upper() + words[1:]


def _by(unit: str, change: float) -> str:
    """Return how a value changed, in the words of its unit: times are slower or faster, the rest less or more."""
    if unit == "s":
        return f"{_times(change)} slower" if change > 1 else f"{_times(1 / change)} faster"
    if unit.endswith("/s"):
        return f"{_times(change)} faster" if change > 1 else f"{_times(1 / change)} slower"
    return f"{_times(change)} more" if change > 1 else f"{_times(1 / change)} less"


def _times(ratio: float) -> str:
    return f"{ratio:.2f}×" if ratio < 1.95 else f"{ratio:.1f}×" if ratio < 100 else f"{ratio:,.0f}×"


def _where(axis: Axis, x: float) -> str:
    if axis.labels:
        return axis.labels[round(x)] if 0 <= round(x) < len(axis.labels) else f"{x:g}"
    number = f"{x:g}{' ' + axis.unit if axis.unit else ''}"
    first = axis.label.partition(" ")[0]
    many = first.endswith("s") and not first.endswith("ss")
    return f"{number} {axis.label}" if many else f"{axis.label} {number}"  # "64 rows at once", "batch size 64"


def _when(before: Listed, after: Listed) -> str:
    """Return what the later run is compared with: the other controls, device or day."""
    differing = {n: v for n, v in before.run.controls.items() if after.run.controls.get(n) != v}
    if differing:
        return f"with {control_words(differing)}"
    if before.place != after.place:
        return f"on the {before.place}"
    if before.day == after.day:
        return f"at {before.clock}" if before.day == "today" else f"at {before.clock} on {before.day}"
    return f"on {before.day}"


def _then(before: Listed, after: Listed) -> str:
    return _when(before, after).removeprefix("on ").removeprefix("at ").removeprefix("with ")


def _numbers(experiment: Experiment, before: Listed, after: Listed) -> str:
    """Return what both measured where no x is common to them."""
    told = []
    for one in (before, after):
        verdict = one.run.verdict
        assert verdict is not None  # only judged runs are listed
        if verdict.never:
            told.append("never")
        elif verdict.measured is None or not math.isfinite(verdict.measured):
            return "They share no x"
        else:
            told.append(
                f"{verdict.measured:.3g}{experiment.unit if experiment.unit == 'x' else ' ' + experiment.unit}"
            )
    return f"They share no x; {told[1].strip()} now, {told[0].strip()} {_when(before, after)}"


def _verdicts(before: Listed, after: Listed) -> str:
    old, new = before.run.verdict, after.run.verdict
    assert old is not None  # only judged runs are listed
    assert new is not None
    differing = [n for n, v in after.run.controls.items() if before.run.controls.get(n) != v]
    if differing and old.outcome is not new.outcome:
        first, second = (control_words({n: one.run.controls.get(n) for n in differing}) for one in (before, after))
        return f"it {FATES[old.outcome][0]} with {first}, and {FATES[new.outcome][0]} with {second}"
    if old.outcome is new.outcome:
        return f"the verdict is the same: it {FATES[new.outcome][0]}"
    return f"it {FATES[old.outcome][1]} then, and {FATES[new.outcome][0]} now"
