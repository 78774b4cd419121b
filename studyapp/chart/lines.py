"""The line chart: dots are measurements, the braille between them only guides the eye."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.cells import cell_len

from studyapp.chart.frame import (
    Frame,
    Glyphs,
    axis_label,
    finite_marks,
    mark_words,
    markers,
    place_across,
    role,
    tall_title,
    tick_labels,
    upright_marks,
)
from studyapp.chart.grid import CURVE, LINE, MARKER, Canvas, Grid, clean
from studyapp.chart.labels import Label, place_labels
from studyapp.chart.scales import Range, Scale, ticks, usable, x_scale, y_scale
from studyapp.chart.trace import Dots, trace
from studyapp.core.figures import Axis, Figure, Mark, Series

MIXED = 4
"""Cells by which the names of a series differ at most: days, percentiles."""


def render_lines(
    figure: Figure, width: int, height: int, glyphs: Glyphs, x_range: Range | None, y_range: Range | None
) -> Grid:
    """Return a line figure on width x height cells, at least about 20x6."""
    series = usable(figure)
    frame = _frame(figure, series, width, height, glyphs, (x_range, y_range))
    _across_marks(frame, figure)
    upright_marks(frame, figure, "x")
    slopes = _slopes(frame, figure, series)
    _curves(frame, series)
    _words(frame, figure, series, slopes)
    return frame.canvas.finish()


def _frame(
    figure: Figure,
    series: Sequence[Series],
    width: int,
    height: int,
    glyphs: Glyphs,
    hints: tuple[Range | None, Range | None],
) -> Frame:
    """Lay out the plot area and draw ticks and grid."""
    x, y = x_scale(figure, series, hints[0]), y_scale(figure, series, hints[1])
    title = clean(figure.plot.x.label, ascii=glyphs.ascii)
    if figure.plot.x.labels:  # categories name themselves
        title = ""
    rows = max(1, height - 3 - tall_title(title, width, height))  # a free row on top, the axis, its labels
    named = tick_labels(figure.plot.y, ticks(y, max(3, rows // 3)), glyphs)
    left = _gutter([label for _, label in named], width)
    right = _right_gutter(figure, series, width, glyphs)
    frame = Frame(Canvas(width, height), glyphs, left, 1, max(1, width - left - right), rows, x, y)
    frame.axes()
    for value, label in named:
        frame.grid_row(frame.row(value))
        frame.label_beside(frame.row(value), label)
    frame.x_ticks(_x_ticks(figure, series, frame), title)
    return frame


def _gutter(labels: Sequence[str], width: int) -> int:
    """Return the first plot column; wide charts keep one gutter while live labels change."""
    usual = 7 if width >= 60 else 0  # "100 µs" and "0.01 ms" alike
    widest = max([usual, *(cell_len(label) for label in labels)])
    return min(widest, max(4, width // 3)) + 2


def _right_gutter(figure: Figure, series: Sequence[Series], width: int, glyphs: Glyphs) -> int:
    """Return the cells kept for labels at line ends; lanes to come are counted, so that nothing jumps."""
    names = [lane.label for lane in figure.plot.lanes] + [s.lane.label for s in series]
    names += [basis for s in series for basis in _bases(s)]
    names += [m.label for m in finite_marks(figure.marks, "y", ("threshold", "measured"))]
    widest = max((cell_len(clean(name, ascii=glyphs.ascii)) for name in names), default=0)
    return min(widest + 1, width // 4) if widest else 0


def _bases(series: Series) -> list[str]:
    return sorted({p.basis.value for p in series.points if not p.solid})


def _x_ticks(figure: Figure, series: Sequence[Series], frame: Frame) -> list[tuple[float, str]]:
    axis, x = figure.plot.x, frame.x
    if axis.labels:
        return _categories(axis, frame)
    whole = all(p.x == math.floor(p.x) for s in series for p in s.points) if series else False
    count = max(2, frame.cols // 6)
    while True:  # fewer ticks until the widest label fits between two of them
        named = tick_labels(axis, ticks(x, count, whole=whole), frame.glyphs)
        widest = max((cell_len(label) for _, label in named), default=0)
        if count <= 2 or len(named) < 2 or frame.col(named[1][0]) - frame.col(named[0][0]) >= widest + 3:
            return named
        count = min(count, len(named)) - 1


def _categories(axis: Axis, frame: Frame) -> list[tuple[float, str]]:
    """Return the categories with their names: all of them, or every so many up to the last, so that all fit."""
    names = [axis_label(axis, i, frame.glyphs) for i in range(len(axis.labels))]
    last = len(names) - 1
    room = (frame.cols - 1) / max(1, last)  # cells from one category to the next
    widest = max(cell_len(name) for name in names)
    stride = max(1, math.ceil((widest + 2) / max(room, 1e-9)))
    shortest = min(cell_len(name) for name in names)
    if widest - shortest > MIXED:  # names of their own, not a series: each that has room
        stride = 1
    return [(float(i), name if (last - i) % stride == 0 else "") for i, name in enumerate(names)]


def _edge(frame: Frame, mark: Mark, scale: Scale) -> str:
    """Return an arrow for a mark that lies beyond the axis and was moved to its edge."""
    if scale.holds(mark.at):
        return ""
    left, right, down, up = frame.glyphs.more
    low, high = (left, right) if mark.axis == "x" else (down, up)
    return f" {low if mark.at < scale.low else high}"


def _across_marks(frame: Frame, figure: Figure) -> None:
    for mark in finite_marks(figure.marks, "y", ("threshold", "measured", "prediction")):
        # a threshold is what is compared with: the line that was measured stays the brightest
        style = {"prediction": "you", "measured": "mark"}.get(mark.kind, "label")
        for col in range(frame.left, frame.left + frame.cols):
            frame.canvas.under(col, frame.row(mark.at), frame.glyphs.across, style, LINE)


def _slopes(frame: Frame, figure: Figure, series: Sequence[Series]) -> list[Label]:
    """Draw "slope" marks: from the first point on, y grows as x to the power `at` (or by `at` per x, linear)."""
    labels = []
    for mark in figure.marks:
        if mark.kind != "slope" or not math.isfinite(mark.at) or not series:
            continue
        start = series[0].points[0]
        end = (frame.col(start.x), frame.row(start.y or 0.0))
        last = max(p.x for s in series for p in s.points)
        pieces = [start.x + (last - start.x) * k / 400 for k in range(401)]
        if frame.x.log and start.x > 0:
            pieces = [start.x * (last / start.x) ** (k / 400) for k in range(401)]
        for x in pieces:
            y = _on_slope(frame, mark.at, (start.x, start.y or 0.0), x)
            if math.isfinite(y) and frame.y.holds(y):
                col = frame.col(x)
                end = (col, frame.row(y))
                if col % 3 < 2:  # dashed: a law, not a measurement
                    frame.canvas.under(*end, frame.glyphs.across, "mark", LINE)
        words = mark_words(mark, figure.plot.x, frame.glyphs)
        if words:
            labels.append(Label(((words, "muted"),), end[0] + 2, end[1]))
    return labels


def _on_slope(frame: Frame, slope: float, start: tuple[float, float], x: float) -> float:
    try:
        if frame.x.log and frame.y.log:
            return float(start[1] * (x / start[0]) ** slope)
        return start[1] + slope * (x - start[0])
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _curves(frame: Frame, series: Sequence[Series]) -> None:
    canvas, drawn = frame.canvas, Dots()
    for item in series:
        _spread(frame, item)
    for item in sorted(series, key=_weight):
        xs = [frame.x.fraction(p.x) for p in item.points]
        ys = [frame.y.fraction(p.y or 0.0) for p in item.points]
        for (col, row), bits in trace(xs, ys, frame.cols, frame.rows, dashed=item.dashed).items():
            if not bits:  # a gap of a dashed line: not even the grid may fill it
                canvas.clear(frame.left + col, frame.top + row)
                continue
            joined = bits | drawn.get((col, row), 0)
            drawn[col, row] = joined
            glyph = "." if frame.glyphs.ascii else chr(0x2800 + joined)
            canvas.put(frame.left + col, frame.top + row, glyph, role(item), CURVE)
    symbols = markers(series, frame.glyphs)
    for item, symbol in sorted(zip(series, symbols, strict=True), key=lambda pair: _weight(pair[0])):
        crowded = 2 * len(item.points) > frame.cols  # dots would fuse into a bar: only the end is marked
        for point in item.points[-1:] if crowded else item.points:
            col, row = frame.col(point.x), frame.row(point.y or 0.0)
            shared = canvas.level(col, row) == MARKER and canvas.char(col, row) != symbol
            canvas.put(col, row, frame.glyphs.both if shared else symbol, role(item), MARKER)


def _weight(series: Series) -> int:
    """Return the drawing order: where lines share cells, the colour of what was measured here prevails."""
    return 0 if role(series) == "weak" else 1 if series.dashed else 2


def _spread(frame: Frame, series: Series) -> None:
    """Draw low..high where it is taller than a cell, in which the marker stands anyway."""
    for point in series.points:
        if point.low is None or point.high is None or not math.isfinite(point.low + point.high):
            continue
        if (frame.y.fraction(point.high) - frame.y.fraction(point.low)) * frame.rows >= 1:
            for row in range(frame.row(point.high), frame.row(point.low) + 1):
                frame.canvas.under(frame.col(point.x), row, frame.glyphs.spread, "axis", LINE)


def _words(frame: Frame, figure: Figure, series: Sequence[Series], slopes: Sequence[Label]) -> None:
    """Write everything that has words, weightiest first: what is measured, the prediction, names, thresholds."""
    x, y = figure.plot.x, figure.plot.y
    for mark in finite_marks(figure.marks, "x", ("measured",)):
        words = mark_words(mark, x, frame.glyphs) + _edge(frame, mark, frame.x)
        place_across(frame, frame.col(mark.at), words, range(frame.bottom), "bright")
    for mark in finite_marks(figure.marks, "x", ("prediction",)):
        _prediction(frame, mark, mark_words(mark, x, frame.glyphs) + _edge(frame, mark, frame.x))
    for mark in finite_marks(figure.marks, "y", ("prediction",)):
        words = f" {mark_words(mark, y, frame.glyphs)}{_edge(frame, mark, frame.y)} "
        row = frame.row(mark.at)
        near = sorted(range(frame.bottom), key=lambda r: abs(r - row))
        place_across(frame, frame.left + 1 + cell_len(words) // 2, words, near, "you")
    labels = [*(_series_label(frame, item) for item in series), *slopes]
    labels += [
        Label(
            ((mark_words(m, y, frame.glyphs) + _edge(frame, m, frame.y), "muted"),),
            frame.left + frame.cols + 1,
            frame.row(m.at),
        )
        for m in finite_marks(figure.marks, "y", ("threshold", "measured"))
    ]
    place_labels(frame, [label for label in labels if label.width])
    for mark in finite_marks(figure.marks, "x", ("threshold",)):
        words = mark_words(mark, x, frame.glyphs) + _edge(frame, mark, frame.x)
        place_across(frame, frame.col(mark.at), words, range(frame.bottom), "muted")


def _prediction(frame: Frame, mark: Mark, words: str) -> None:
    """Write "◆ you: 128" with its diamond on the line, as low as nothing is hidden."""
    col, width = frame.col(mark.at), cell_len(words)
    flipped = f"{words[2:]} {words[0]}"  # where the right has no room the words stand on the left
    for row in range(frame.bottom - 1, -1, -1):
        for start, text in ((col, words), (col - width + 1, flipped)):
            if (
                start >= frame.left
                and start + width <= frame.canvas.width
                and frame.canvas.free(start, row, width)
            ):
                frame.canvas.clear(start - 1, row)
                frame.canvas.clear(start + width, row)
                frame.canvas.write(start, row, text, "you")
                return


def _series_label(frame: Frame, series: Series) -> Label:
    last = series.points[-1]
    name = clean(series.lane.label, ascii=frame.glyphs.ascii).strip()
    lines = [(name, role(series)), *((basis, "muted") for basis in _bases(series))]
    return Label(tuple(lines), frame.col(last.x) + 2, frame.row(last.y or 0.0))
