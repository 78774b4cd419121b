"""The bar chart: categories from top to bottom, lengths from the left axis, the value written at each end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from studyapp.chart.frame import (
    Frame,
    Glyphs,
    axis_label,
    finite_marks,
    mark_words,
    place_across,
    role,
    tall_title,
    upright_marks,
)
from studyapp.chart.grid import MARKER, Canvas, Grid, clean, cut
from studyapp.chart.scales import Range, Scale, ticks, usable, y_scale
from studyapp.chart.units import quantity
from studyapp.core.figures import Figure, Series
from studyapp.core.points import Point


@dataclass(frozen=True)
class Bar:
    """One bar with its words."""

    category: str
    """Beside the axis; "" for the second and later bars of a category."""
    series: Series | None
    point: Point | None
    """Both None while nothing is measured yet."""
    words: str
    chosen: bool
    """Whether the learner predicted this category."""


def render_bars(figure: Figure, width: int, height: int, glyphs: Glyphs, y_range: Range | None) -> Grid:
    """Return a bar figure on width x height cells; y is the length's axis, which lies at the bottom."""
    series = usable(figure)
    bars = bars_of(figure, series, glyphs)
    lengths = length_scale(figure, series, y_range)
    widest = max((cell_len(bar.category) + 2 * bar.chosen for bar in bars), default=4)
    left = min(widest, width * 2 // 5) + 2
    right = min(max((cell_len(bar.words) for bar in bars), default=8) + 2, width // 3)
    title = clean(figure.plot.y.label, ascii=glyphs.ascii)
    rows = max(1, height - 3 - tall_title(title, width, height))
    frame = Frame(Canvas(width, height), glyphs, left, 1, max(1, width - left - right), rows, lengths, lengths)
    frame.axes()
    known = series or y_range or finite_marks(figure.marks, "y", ("prediction", "threshold", "measured"))
    values = _value_ticks(frame, figure) if known else []  # no numbers before there is one
    frame.x_ticks([(t, axis_label(figure.plot.y, t, glyphs)) for t in values], title)
    upright_marks(frame, figure, "y")
    _draw(frame, bars)
    _mark_words(frame, figure)
    return frame.canvas.finish()


def length_scale(figure: Figure, series: Sequence[Series], hint: Range | None) -> Scale:
    """Return the value axis; a linear one always contains zero, since lengths are compared."""
    scale = y_scale(figure, series, hint)
    return scale if scale.log else Scale(scale.kind, min(0.0, scale.low), max(0.0, scale.high))


def _value_ticks(frame: Frame, figure: Figure) -> list[float]:
    widest = max(cell_len(axis_label(figure.plot.y, v, frame.glyphs)) for v in (frame.x.low, frame.x.high))
    return ticks(frame.x, max(2, frame.cols // (max(widest, 5) + 4)))


def bars_of(figure: Figure, series: Sequence[Series], glyphs: Glyphs) -> list[Bar]:
    """Return the bars, category by category, series in their order; empty ones while nothing is measured."""
    chosen = {round(m.at) for m in finite_marks(figure.marks, "x", ("prediction",)) if abs(m.at) < 1e15}
    if not series:
        names = [clean(name, ascii=glyphs.ascii) for name in figure.plot.x.labels]
        return [Bar(name, None, None, "", k in chosen) for k, name in enumerate(names)]
    several = len(series) > 1
    bars = []
    for x in sorted({p.x for s in series for p in s.points}):
        name = axis_label(figure.plot.x, x, glyphs)
        first = True
        for item in series:
            for point in (p for p in item.points if p.x == x):
                bars.append(
                    Bar(
                        name if first else "",
                        item,
                        point,
                        _words(figure, item, point, several, glyphs),
                        first and x in chosen,
                    )
                )
                first = False
    return bars


def _words(figure: Figure, series: Series, point: Point, several: bool, glyphs: Glyphs) -> str:
    value = quantity(point.y if point.y is not None else math.nan, figure.plot.y.unit, ascii=glyphs.ascii)
    basis = "" if point.solid else f" ({point.basis.value})"
    name = f" {clean(series.lane.label, ascii=glyphs.ascii)}" if several else ""
    return value + name + basis


def _draw(frame: Frame, bars: Sequence[Bar]) -> None:
    groups = sum(bool(bar.category) for bar in bars)
    gap = max(0, min(2, (frame.rows - len(bars)) // max(1, groups)))
    row = frame.top + max(0, frame.rows - len(bars) - gap * (groups - 1)) // 2
    for k, bar in enumerate(bars):
        row += gap if k and bar.category else 0
        if row >= frame.bottom - 1 and k < len(bars) - 1:
            frame.canvas.write(frame.left + 1, row, f"{len(bars) - k} more", "muted")
            return
        _one(frame, bar, row)
        row += 1


def _one(frame: Frame, bar: Bar, row: int) -> None:
    glyphs, canvas = frame.glyphs, frame.canvas
    if bar.category:
        name = f"{glyphs.you} {bar.category}" if bar.chosen else bar.category
        frame.label_beside(row, name, "you" if bar.chosen else "muted")
    if bar.series is None or bar.point is None:
        return
    style = role(bar.series)
    value = bar.point.y or 0.0
    start, end = sorted((_position(frame, 0.0), _position(frame, value)))
    glyph = glyphs.full if bar.point.solid else glyphs.assumed
    for col in range(math.floor(start), math.floor(end)):
        canvas.put(frame.left + col, row, glyph, style, MARKER)
    tip = math.floor(end)
    eighths = int((end - tip) * 8)
    if glyphs.parts and bar.point.solid and eighths and tip < frame.cols:
        canvas.put(frame.left + tip, row, glyphs.parts[eighths - 1], style, MARKER)
        tip += 1
    if tip == math.floor(start) and value:  # a measured value is never invisible
        canvas.put(frame.left + tip, row, glyphs.parts[0] if glyphs.parts else glyph, style, MARKER)
        tip += 1
    words = cut(bar.words, canvas.width - frame.left - tip - 1, ascii=glyphs.ascii)
    at = frame.left + tip + 1
    canvas.write(at, row, words, style)


def _position(frame: Frame, value: float) -> float:
    """Return the length of a bar in cells."""
    return frame.x.fraction(value) * frame.cols


def _mark_words(frame: Frame, figure: Figure) -> None:
    styles = {"measured": "bright", "prediction": "you", "threshold": "muted"}
    for kind, style in styles.items():
        for mark in finite_marks(figure.marks, "y", (kind,)):
            words = mark_words(mark, figure.plot.y, frame.glyphs)
            rows = range(frame.bottom - 1, -1, -1) if kind == "prediction" else range(frame.bottom)
            place_across(frame, frame.col(mark.at), words, rows, style)
