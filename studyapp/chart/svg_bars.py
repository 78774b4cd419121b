"""The bar chart in SVG: categories from top to bottom, each value written at its bar's end."""

from __future__ import annotations

import math
from collections.abc import Sequence

from studyapp.chart.bars import Bar, bars_of, length_scale
from studyapp.chart.frame import UNICODE, axis_label, finite_marks, mark_words, role
from studyapp.chart.scales import ticks, usable
from studyapp.chart.svg_sheet import LINE_PX, Sheet, Spot, number, shortened, wide
from studyapp.core.figures import Figure

BAR_PX, GAP_PX, APART_PX = 16.0, 6.0, 14.0
"""A bar's thickness, the gap to the next of its category, the extra gap before the next category."""
TOP_PX, FOOT_PX = 24.0, 40.0
MOST_LEFT = 0.34
"""Share of the width that names may take beside the bars; longer ones, and all on a telephone, stand above."""


def draw_bars(figure: Figure, width: float) -> Sheet:
    """Return a bar figure of a width in pixels; its height follows from the bars."""
    series = usable(figure)
    bars = bars_of(figure, series, UNICODE)
    names = max((wide(bar.category) + (14 if bar.chosen else 0) for bar in bars), default=20.0)
    above = width < 500 or names > width * MOST_LEFT
    height = TOP_PX + FOOT_PX + 10 + sum(_room(bar, above) for bar in bars)
    values = max((wide(bar.words) for bar in bars), default=40.0)
    left = 4.0 if above else names + 12
    right = width - min(values + 12, width * 0.45)
    scale = length_scale(figure, series, None)
    sheet = Sheet(width, height, left, TOP_PX - 8, right, height - FOOT_PX, scale, scale)
    _values(sheet, figure)
    top = TOP_PX
    for bar in bars:
        top += _room(bar, above)
        _one(sheet, bar, top - BAR_PX, above)
    _marks(sheet, figure)
    return sheet


def _room(bar: Bar, above: bool) -> float:
    """Return the height one bar takes, with the gap over it and its name where that stands above."""
    apart = APART_PX if bar.category else 0.0
    return BAR_PX + GAP_PX + apart + (LINE_PX - 4 if above and bar.category else 0.0)


def _values(sheet: Sheet, figure: Figure) -> None:
    count = max(2, int((sheet.right - sheet.left) // 80))
    for value in ticks(sheet.x, count):
        at = sheet.px(value)
        sheet.line((at, sheet.top, at, sheet.bottom), "grid")
        label = shortened(axis_label(figure.plot.y, value, UNICODE), 90)
        middle = min(max(at, wide(label) / 2 + 1), sheet.width - wide(label) / 2 - 1)
        sheet.write(Spot(middle, sheet.bottom + 18, "middle"), label, "tick")
    zero = sheet.px(0.0)
    sheet.line((zero, sheet.top, zero, sheet.bottom), "axis")
    title = f"{figure.plot.y.label} (log scale)" if sheet.x.log else figure.plot.y.label
    sheet.write(Spot(sheet.width - 2, sheet.bottom + 34, "end"), shortened(title, sheet.width - 8), "label")


def _one(sheet: Sheet, bar: Bar, top: float, above: bool) -> None:
    if bar.category:
        name = f"{UNICODE.you} {bar.category}" if bar.chosen else bar.category
        style = "prediction name" if bar.chosen else "tick"
        if above:
            sheet.write(Spot(sheet.left, top - 5), shortened(name, sheet.width - 8), style)
        else:
            sheet.write(Spot(sheet.left - 8, top + BAR_PX - 4, "end"), name, style)
    if bar.series is None or bar.point is None:
        return
    style = role(bar.series)
    start, end = sorted((sheet.px(0.0), sheet.px(bar.point.y or 0.0)))
    long = max(end - start, 1.5)  # a measured value is never invisible
    kind = " assumed" if not bar.point.solid else " hollow" if style == "gpu" else ""
    at = f'x="{number(start)}" y="{number(top)}" width="{number(long)}" height="{number(BAR_PX)}"'
    sheet.curves.append(f'<rect class="{style} bar{kind}" {at} rx="2"/>')
    tip = _whisker(sheet, bar, top + BAR_PX / 2, start + long)
    words = shortened(bar.words, sheet.width - tip - 8)
    sheet.write(Spot(tip + 7, top + BAR_PX - 4), words, f"{style} name")


def _whisker(sheet: Sheet, bar: Bar, y: float, tip: float) -> float:
    """Draw low..high across the bar's end; return where its words may begin."""
    point = bar.point
    if point is None or point.low is None or point.high is None or not math.isfinite(point.low + point.high):
        return tip
    low, high = sheet.px(point.low), sheet.px(point.high)
    if high - low > 4:
        path = f"M{number(low)} {number(y)}H{number(high)}M{number(low)} {number(y - 3)}v6"
        sheet.dots.append(f'<path class="spread over" d="{path}M{number(high)} {number(y - 3)}v6"/>')
    return max(tip, high)


def _marks(sheet: Sheet, figure: Figure) -> None:
    for kind in ("measured", "prediction", "threshold"):
        for mark in finite_marks(figure.marks, "y", (kind,)):
            at = sheet.px(mark.at)
            sheet.dots.append(
                f'<line class="mark {kind}" x1="{number(at)}" y1="{number(sheet.top)}" '
                f'x2="{number(at)}" y2="{number(sheet.bottom)}"/>'
            )
            words = shortened(mark_words(mark, figure.plot.y, UNICODE), sheet.width * 0.6)
            sheet.place([(words, f"{kind} name")], _spots(sheet, at))


def _spots(sheet: Sheet, at: float) -> Sequence[Spot]:
    levels = [sheet.top - 2, *(sheet.top + 10 + k * LINE_PX for k in range(int(sheet.height // LINE_PX)))]
    return [Spot(at + side * 5, y, anchor) for y in levels for side, anchor in ((1, "start"), (-1, "end"))]
