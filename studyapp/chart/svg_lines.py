"""The line chart in SVG: the same points, scales, ticks and names as in the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from studyapp.chart.frame import UNICODE, axis_label, finite_marks, mark_words, markers, role
from studyapp.chart.scales import ticks, usable, x_scale, y_scale
from studyapp.chart.svg_sheet import LINE_PX, Sheet, Spot, number, shortened, wide, x_ticks
from studyapp.core.figures import Figure, Mark, Series
from studyapp.core.points import Point

WIDE = (720.0, 340.0)
NARROW = (360.0, 270.0)
"""Width and height in pixels; the narrow drawing is for telephones, at the same size of letters."""
TOP_PX, FOOT_PX = 26.0, 40.0
DOT_PX = 4.0


def draw_lines(figure: Figure, size: tuple[float, float]) -> Sheet:
    """Return a line figure drawn at a size in pixels."""
    series = usable(figure)
    sheet = _laid_out(figure, series, size)
    _upright_marks(sheet, figure)
    _across_marks(sheet, figure)
    slopes = _slopes(sheet, figure, series)
    shapes = markers(series, UNICODE)
    for item, shape in sorted(zip(series, shapes, strict=True), key=lambda pair: _weight(pair[0])):
        _curve(sheet, item, shape)
    for item in sorted(series, key=lambda one: one.points[-1].y or 0.0, reverse=True):
        _name(sheet, item)
    _mark_names(sheet, figure)
    for words, spots in slopes:
        sheet.place([(words, "muted name")], spots)
    if not series:
        sheet.write(Spot((sheet.left + sheet.right) / 2, sheet.top + 40, "middle"), "Nothing measured.", "muted")
    return sheet


def _laid_out(figure: Figure, series: Sequence[Series], size: tuple[float, float]) -> Sheet:
    width, height = size
    x, y = x_scale(figure, series, None), y_scale(figure, series, None)
    rows = max(3, int((height - TOP_PX - FOOT_PX) // 44))
    named = [(t, shortened(axis_label(figure.plot.y, t, UNICODE), width * 0.22)) for t in ticks(y, rows)]
    left = max([30.0, *(wide(label) for _, label in named)]) + 11
    ends = [wide(text) for item in series for text in (item.lane.label, *bases(item))]
    right = width - min(max([*ends, 0.0]) + 16, width * 0.3)
    sheet = Sheet(width, height, left, TOP_PX, right, height - FOOT_PX, x, y)
    for value, label in named:
        at = sheet.py(value)
        sheet.line((left, at, right, at), "grid")
        sheet.write(Spot(left - 8, at + 4, "end"), label, "tick")
    sheet.line((left, sheet.bottom, right, sheet.bottom), "axis")
    sheet.write(Spot(2, 13), shortened(_titled(figure.plot.y.label, y.log), width * 0.9), "label")
    _x_axis(sheet, figure, series)
    return sheet


def _titled(words: str, log: bool) -> str:
    return f"{words} (log scale)" if log and words else words


def _x_axis(sheet: Sheet, figure: Figure, series: Sequence[Series]) -> None:
    axis = figure.plot.x
    whole = bool(series) and all(p.x == math.floor(p.x) for s in series for p in s.points)
    for value, label in x_ticks(axis, sheet.x, sheet.right - sheet.left, whole=whole):
        at = sheet.px(value)
        sheet.line((at, sheet.bottom, at, sheet.bottom + 4), "axis")
        each = (sheet.right - sheet.left) / max(1, len(axis.labels) - 1) if axis.labels else 90.0
        words = shortened(label, max(each, 30))
        middle = min(max(at, wide(words) / 2 + 1), sheet.width - wide(words) / 2 - 1)
        sheet.write(Spot(middle, sheet.bottom + 18, "middle"), words, "tick")
    if not axis.labels:  # categories name themselves
        title = shortened(_titled(axis.label, sheet.x.log), sheet.right - 4)
        sheet.write(Spot(sheet.right, sheet.bottom + 34, "end"), title, "label")


def bases(series: Series) -> list[str]:
    """Return where the points of a series come from, where that is not here."""
    return sorted({p.basis.value for p in series.points if not p.solid})


def _weight(series: Series) -> int:
    """Return the drawing order: what was measured here lies on top."""
    return 0 if role(series) == "weak" else 1 if series.dashed else 2


def _curve(sheet: Sheet, series: Series, shape: str) -> None:
    style = role(series)
    places = [(sheet.px(p.x), sheet.py(p.y or 0.0)) for p in series.points]
    for point, (x, y) in zip(series.points, places, strict=True):
        _whisker(sheet, point, x, y, style)
    if len(places) > 1:
        path = " ".join(f"{number(x)},{number(y)}" for x, y in places)
        dashed = " dashed" if series.dashed else ""
        sheet.curves.append(f'<polyline class="{style}{dashed}" points="{path}"/>')
        sheet.along(places)
    crowded = len(places) * 2.5 * DOT_PX > sheet.right - sheet.left  # dots would fuse into a band
    for x, y in places[-1:] if crowded else places:
        sheet.dots.append(dot(x, y, shape, style))
        sheet.ink += [(x - DOT_PX, y), (x + DOT_PX, y), (x, y - DOT_PX), (x, y + DOT_PX)]


def _whisker(sheet: Sheet, point: Point, x: float, y: float, style: str) -> None:
    """Draw low..high where it shows beyond the dot that stands on it."""
    if point.low is None or point.high is None or not math.isfinite(point.low + point.high):
        return
    high, low = sheet.py(point.high), sheet.py(point.low)
    if max(y - high, low - y) > DOT_PX + 1:
        path = f"M{number(x)} {number(high)}V{number(low)}M{number(x - 3)} {number(high)}h6"
        sheet.curves.append(f'<path class="{style} spread" d="{path}M{number(x - 3)} {number(low)}h6"/>')


def dot(x: float, y: float, shape: str, style: str) -> str:
    """Return one marker: the terminal's glyph as a shape, filled or hollow."""
    hollow = " hollow" if shape in "○□△" else ""
    if shape in "●○":
        at = f'cx="{number(x)}" cy="{number(y)}"'
        return f'<circle class="{style} dot{hollow}" {at} r="{number(DOT_PX)}"/>'
    side = DOT_PX * 0.95
    if shape in "■□":
        corner = f"M{number(x - side)} {number(y - side)}h{number(2 * side)}v{number(2 * side)}"
        path = f"{corner}h{number(-2 * side)}z"
    else:
        path = f"M{number(x)} {number(y - 1.2 * side)}L{number(x + 1.2 * side)} {number(y + side)}"
        path += f"H{number(x - 1.2 * side)}z"
    return f'<path class="{style} dot{hollow}" d="{path}"/>'


def _name(sheet: Sheet, series: Series) -> None:
    """Write the name at the line's end, and under it where its numbers come from."""
    last = series.points[-1]
    x, y = sheet.px(last.x) + 10, sheet.py(last.y or 0.0) + 4
    room = max(sheet.width - sheet.right - 12, sheet.width * 0.26)
    lines = [(series.lane.label, role(series)), *((basis, "muted") for basis in bases(series))]
    block = [(shortened(text, room), f"{style} name") for text, style in lines]
    at = min(x, sheet.width - max(wide(text) for text, _ in block))
    steps = [0.0, *(sign * k * LINE_PX * 0.5 for k in range(1, 9) for sign in (-1, 1))]
    sheet.place(block, [Spot(at, y + step) for step in steps])


def _upright_marks(sheet: Sheet, figure: Figure) -> None:
    for mark in finite_marks(figure.marks, "x", ("threshold", "measured", "prediction")):
        at = sheet.px(mark.at)
        sheet.line((at, sheet.top, at, sheet.bottom), f"mark {mark.kind}")


def _across_marks(sheet: Sheet, figure: Figure) -> None:
    for mark in finite_marks(figure.marks, "y", ("threshold", "measured", "prediction")):
        at = sheet.py(mark.at)
        sheet.line((sheet.left, at, sheet.right, at), f"mark {mark.kind}")


def _mark_names(sheet: Sheet, figure: Figure) -> None:
    for kind in ("measured", "prediction", "threshold"):
        for mark in finite_marks(figure.marks, "x", (kind,)):
            words = shortened(mark_words(mark, figure.plot.x, UNICODE), sheet.width * 0.5)
            sheet.place([(words, f"{kind} name")], _beside_upright(sheet, mark))
        for mark in finite_marks(figure.marks, "y", (kind,)):
            words = shortened(mark_words(mark, figure.plot.y, UNICODE), sheet.width * 0.6)
            sheet.place([(words, f"{kind} name")], _beside_level(sheet, mark))


def _beside_upright(sheet: Sheet, mark: Mark) -> list[Spot]:
    at = sheet.px(mark.at)
    levels = [sheet.top + 12 + k * LINE_PX for k in range(int((sheet.bottom - sheet.top) // LINE_PX))]
    if mark.kind == "prediction":
        levels.reverse()
    return [Spot(at + side * 5, level, anchor) for level in levels for side, anchor in ((1, "start"), (-1, "end"))]


def _beside_level(sheet: Sheet, mark: Mark) -> list[Spot]:
    at = sheet.py(mark.at)
    xs = [(sheet.right - 2, "end"), (sheet.left + 4, "start"), ((sheet.left + sheet.right) / 2, "middle")]
    return [Spot(x, at + drop, anchor) for drop in (-5, 14) for x, anchor in xs]


def _slopes(sheet: Sheet, figure: Figure, series: Sequence[Series]) -> list[tuple[str, list[Spot]]]:
    """Draw "slope" marks from the first point on; return their words with the spots along the line."""
    found = []
    for mark in figure.marks:
        if mark.kind != "slope" or not math.isfinite(mark.at) or not series:
            continue
        start = series[0].points[0]
        last = max(p.x for s in series for p in s.points)
        places = []
        for k in range(41):
            x = start.x + (last - start.x) * k / 40
            if sheet.x.log and start.x > 0:
                x = start.x * (last / start.x) ** (k / 40)
            y = slope_at(sheet, mark.at, (start.x, start.y or 0.0), x)
            if math.isfinite(y) and sheet.y.holds(y):
                places.append((sheet.px(x), sheet.py(y)))
        if len(places) > 1:
            path = " ".join(f"{number(x)},{number(y)}" for x, y in places)
            sheet.ground.append(f'<polyline class="mark slope" points="{path}"/>')
            sheet.along(places)
        words = shortened(mark_words(mark, figure.plot.x, UNICODE), sheet.width * 0.6)
        along = [(x, y) for x, y in reversed(places)] or [(sheet.left, sheet.top)]
        found.append(
            (words, [Spot(x + side, y + 4, a) for x, y in along for side, a in ((-10, "end"), (10, "start"))])
        )
    return found


def slope_at(sheet: Sheet, slope: float, start: tuple[float, float], x: float) -> float:
    """Return y at x on a law that grows as x to the power `slope` on two log axes, else by `slope` per x."""
    try:
        if sheet.x.log and sheet.y.log:
            return float(start[1] * (x / start[0]) ** slope)
        return start[1] + slope * (x - start[0])
    except (OverflowError, ZeroDivisionError):
        return math.inf
