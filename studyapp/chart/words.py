"""One figure as sentences and as a table: what a screen reader, a pipe and `--plain` get.

The same points, marks and notes as the picture, through the same filter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.cells import cell_len

from studyapp.chart.grid import clean
from studyapp.chart.scales import usable
from studyapp.chart.units import NOT_FINITE, quantity
from studyapp.core.figures import Axis, Figure, Mark, Series
from studyapp.core.points import Basis, Point, value

LEVEL_WITHIN = 1.1
"""A series whose largest value is within this factor of its smallest "stays near" a value."""

SPREAD_SHOWN = 0.1
"""Relative spread from which the table states it."""


def render_text(figure: Figure, *, ascii: bool = False) -> list[str]:  # noqa: A002
    """Return the figure as sentences: title, circumstances, each series, marks, verdict, notes.

    Args:
        figure: What to say.
        ascii: Use ASCII only ("us" and "x" for "µs" and "×").
    """
    lines = [clean(figure.title), clean(figure.plot.subtitle)]
    lines += [f"On {clean(figure.device)}."] if figure.device else []
    series = usable(figure)
    lines += [_series(figure, item) for item in series] or ["Nothing measured yet."]
    lines += [_mark(figure, mark) for mark in figure.marks if math.isfinite(mark.at)]
    lines += [clean(figure.sentence), *(clean(note) for note in figure.notes)]
    return [clean(line, ascii=ascii) for line in lines if line]


def _at(axis: Axis, x: float) -> str:
    """Return where a point stands: "batch size 64", or the category's name."""
    if axis.labels:
        index = round(x)
        return clean(axis.labels[index]) if 0 <= index < len(axis.labels) else quantity(x)
    return f"{clean(axis.label)} {quantity(x, axis.unit)}".strip()


def _series(figure: Figure, series: Series) -> str:
    points = series.points
    mixed = bool(figure.plot.x.labels) and any(p.solid for p in points)  # each value then names its own basis
    name = clean(series.lane.label if mixed else series.name)
    unsettled = sum(not p.settled for p in points)
    restless = f" {unsettled} of {len(points)} did not settle." if unsettled else ""
    return f"{name}: {_course(figure, points)}.{restless}"


def _course(figure: Figure, points: Sequence[Point]) -> str:
    """Return how a series runs, in words."""
    x, unit = figure.plot.x, figure.plot.y.unit

    def say(point: Point) -> str:
        return f"{quantity(value(point), unit)} at {_at(x, point.x)}"

    first, last = points[0], points[-1]
    if x.labels:
        mixed = any(p.solid for p in points)
        bases = [f" ({p.basis.value})" if mixed and not p.solid else "" for p in points]
        return ", ".join(
            f"{_at(x, p.x)} {quantity(value(p), unit)}{b}" for p, b in zip(points, bases, strict=True)
        )
    if len(points) == 1:
        return f"{say(first)}, one point"
    ys = [value(p) for p in points]
    low, high = min(ys), max(ys)
    counted = f"{len(points)} points"
    if (low > 0 and high <= low * LEVEL_WITHIN) or low == high:
        return (
            f"stays near {quantity(ys[0], unit)} from {_at(x, first.x)} to {quantity(last.x, x.unit)}, {counted}"
        )
    if ys[0] == low and ys[-1] == high:
        return f"rises from {say(first)} to {say(last)}{_times(high, low)}, {counted}"
    if ys[0] == high and ys[-1] == low:
        return f"falls from {say(first)} to {say(last)}{_times(high, low)}, {counted}"
    ends = f"from {say(first)} to {say(last)}"
    return f"{ends}, lowest {say(points[ys.index(low)])}, highest {say(points[ys.index(high)])}, {counted}"


def _times(high: float, low: float) -> str:
    ratio = high / low if low > 0 else math.inf
    return f" ({quantity(ratio, 'x')})" if math.isfinite(ratio) else ""


def _mark(figure: Figure, mark: Mark) -> str:
    axis = figure.plot.y if mark.axis == "y" else figure.plot.x
    label = clean(mark.label).strip()
    if mark.kind == "prediction":
        return f"You predicted {_at(axis, mark.at)}."
    if mark.kind == "slope":
        return f"Drawn for comparison: {label}." if label else ""
    number = quantity(mark.at, axis.unit)
    where = number if mark.axis == "y" and not axis.labels else _at(axis, mark.at)
    if not label:
        return f"Marked: {where}."
    said = number in label
    return f"Marked: {label}." if said else f"Marked: {label} ({where})."


def table(figure: Figure) -> list[list[str]]:
    """Return rows of cells, the header first: x, then for each series its values with units.

    A series gets a column for its spread where that is worth telling, and one for its basis unless all of it was
    measured here.
    """
    series = usable(figure)
    axis, unit = figure.plot.x, figure.plot.y.unit
    columns: list[tuple[str, dict[float, str]]] = []
    for item in series:
        name = clean(item.lane.label)
        columns.append((name, {p.x: quantity(value(p), unit) for p in item.points}))
        spread = {p.x: _spread(p, unit) for p in item.points}
        if any(spread.values()):
            columns.append((f"{name} spread", spread))
        if any(p.basis is not Basis.MEASURED for p in item.points):
            columns.append((f"{name} basis", {p.x: p.basis.value for p in item.points}))
    header = [clean(axis.label) or "x", *(name for name, _ in columns)]
    xs = sorted({p.x for s in series for p in s.points})
    return [header, *([_x_cell(axis, x), *(cells.get(x, "") for _, cells in columns)] for x in xs)]


def _x_cell(axis: Axis, x: float) -> str:
    return _at(axis, x) if axis.labels else quantity(x, axis.unit)


def _spread(point: Point, unit: str) -> str:
    """Return "12 µs to 15 µs" and whether the timing settled; "" where there is nothing to tell."""
    parts = []
    if point.low is not None and point.high is not None and point.spread() >= SPREAD_SHOWN:
        parts.append(f"{quantity(point.low, unit)} to {quantity(point.high, unit)}")
    if not point.settled:
        parts.append("did not settle")
    return ", ".join(parts)


def table_words(rows: Sequence[Sequence[str]], *, ascii: bool = False) -> list[str]:  # noqa: A002
    """Return the table as one line for each row, every value with the name of its column: to be listened to.

    >>> table_words([["rows", "gpu", "gpu spread", "gpu basis"], ["8", "9 ms", "8 ms to 11 ms", "assumed"]])
    ['rows 8: gpu 9 ms, 8 ms to 11 ms, assumed.']
    """
    lines = []
    for row in rows[1:]:
        told = ""
        for head, text in zip(rows[0][1:], row[1:], strict=False):
            if text:
                # spread and basis belong to the value before
                told += f", {text}" if told and head.endswith((" spread", " basis")) else f"; {head} {text}"
        first = f"{rows[0][0]} {row[0]}".strip() if _number(row[0]) else row[0]
        lines.append(clean(f"{first}: {told.removeprefix('; ')}.", ascii=ascii))
    return lines


def format_table(rows: Sequence[Sequence[str]], *, ascii: bool = False) -> list[str]:  # noqa: A002
    """Return the table as lines, columns two blanks apart, numbers against the right edge and words the left."""
    body = [[clean(text, ascii=ascii) for text in row] for row in rows]
    width = max((len(row) for row in body), default=0)
    body = [[*row, *([""] * (width - len(row)))] for row in body]
    lines = [""] * len(body)
    for k in range(width):
        column = [row[k] for row in body]
        widest = max(cell_len(text) for text in column)
        right = all(_number(text) for text in column[1:])
        for n, text in enumerate(column):
            pad = " " * (widest - cell_len(text))
            lines[n] += ("  " if k else "") + (pad + text if right else text + pad)
    return [line.rstrip() for line in lines]


def _number(text: str) -> bool:
    """Whether a cell is one quantity; a range and words are not."""
    return (
        not text or (text.lstrip("-")[:1].isdigit() and " to " not in text) or text in (NOT_FINITE, "inf", "-inf")
    )
