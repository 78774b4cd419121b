"""The learner's statistics as figures: recall over time, for the chart, its words and its table alike."""

from __future__ import annotations

import math
from datetime import date

from studyapp.core.calibration import Share
from studyapp.core.figures import Axis, Figure, Lane, Mark, Plot, draw
from studyapp.core.percent import percent
from studyapp.core.points import Point
from studyapp.study.statistics import Statistics

RANGES: tuple[int | None, ...] = (30, 90, 365, None)
"""Windows of the recall curve, study days; None is the whole log."""
MOST_PARTS = 13
"""Points of a curve: a quarter in weeks, a year in fours of weeks."""
FEWEST_ANSWERS = 5
"""A point of fewer answers is drawn unsettled: its interval covers half the chart."""


ENOUGH_ANSWERS = 100
"""Answers a window should hold before its curve says more than its noise."""


def usual_range(found: Statistics) -> int | None:
    """Return the shortest of `RANGES` that holds enough answers for a curve, else the whole log."""
    return next((days for days in RANGES if days and found.recall(days).all.total >= ENOUGH_ANSWERS), None)


def parts(found: Statistics, last_days: int | None) -> list[tuple[int, int, Share]]:
    """Return (first day, last day, recall) of spans that end today, oldest first, those with answers only."""
    tested = [d.day for d in found.days if d.young + d.mature]
    if not tested:
        return []
    reach = found.study_day - min(tested) + 1
    window = reach if last_days is None else min(last_days, reach)
    span = max(1, math.ceil(window / MOST_PARTS))
    spans = []
    for number in reversed(range(math.ceil(window / span))):
        end = found.study_day - number * span
        share = found.recall(span, until=end).all
        if share.total:
            spans.append((end - span + 1, end, share))
    return spans


def recall_curve(found: Statistics, last_days: int | None = 90) -> Figure:
    """Return true retention over time in percent, each point with its Wilson interval, against the target."""
    spans = parts(found, last_days)
    first = spans[0][0] if spans else found.study_day
    length = spans[0][1] - spans[0][0] + 1 if spans else 1
    count = (found.study_day - first) // length + 1
    labels = tuple(_named(first + k * length) for k in range(count))
    points = []
    for start, _, share in spans:
        low, high = share.interval or (0.0, 0.0)
        x = (start - first) // length
        points.append(
            Point(
                "recall",
                x,
                100 * (share.value or 0.0),
                100 * low,
                100 * high,
                repeats=share.total,
                settled=share.total >= FEWEST_ANSWERS,
            )
        )
    plot = Plot(
        x=Axis("from" if length > 1 else "day", labels=labels),
        y=Axis("recall", "%"),
        lanes=(Lane("recall", "recall", "cpu"),),
        subtitle=f"Cards recalled after a day or more, {length} days a point." if length > 1 else "",
    )
    target = Mark("threshold", 100 * found.target, f"target {percent(found.target)}", axis="y")
    return draw("Recall over time", plot, points, marks=[target], sentence=_sentence(found, last_days))


def _named(day: int) -> str:
    found = date.fromordinal(day)
    return f"{found.day} {found:%b}"


def _sentence(found: Statistics, last_days: int | None) -> str:
    days = last_days or 100_000
    share = found.recall(days).all
    if share.value is None or share.interval is None:
        return "No card has come back after a day or more."
    low, high = share.interval
    over = f"the last {last_days} days" if last_days else "all days"
    return (
        f"{percent(share.value)} of {share.total} answers over {over}; {percent(low)} to {percent(high)} likely."
    )
