"""From values to positions: scales, ranges and the rounding that plotext uses.

Pure. Every function bears nan-free input of any size, 1e-300 and 1e300 alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from studyapp.chart.units import nice_step, tick_values
from studyapp.core.figures import Axis, Figure, Series

Range = tuple[float, float]

DEFAULT_LOG_RANGE = {"s": (1e-5, 1e-2), "B": (1e6, 1e9), "FLOP/s": (1e9, 1e12)}
"""What an empty log axis spans before anything is known: the usual orders of a layer's step."""


@dataclass(frozen=True)
class Scale:
    """One axis' mapping from values to 0..1."""

    kind: str
    """"linear", "log2" or "log10"."""
    low: float
    high: float

    @property
    def log(self) -> bool:
        """Whether equal ratios take equal room."""
        return self.kind != "linear"

    def fraction(self, value: float) -> float:
        """Return where value stands, 0 at `low` and 1 at `high`; outside values are clipped."""
        if self.log:
            if value <= 0 or self.low <= 0:
                return 0.0
            low, high, at = math.log10(self.low), math.log10(self.high), math.log10(value)
        else:
            low, high, at = self.low / 2, self.high / 2, value / 2  # halves: the span itself may overflow
        if not high > low:
            return 0.5
        return min(1.0, max(0.0, (at - low) / (high - low)))

    def holds(self, value: float) -> bool:
        """Whether value lies within the axis."""
        return self.low <= value <= self.high


def cell(fraction: float, cells: int, dots: int) -> int:
    """Return the cell a fraction falls in, by way of braille dots, as plotext rounds: so markers sit on lines.

    Args:
        fraction: 0 to 1.
        cells: Cells along the axis.
        dots: Braille dots per cell along the axis (2 across, 4 up).
    """
    return max(0, math.floor(0.5 + (cells * dots - 1) * fraction) // dots)


def usable(figure: Figure) -> list[Series]:
    """Return the series with the points that can stand on the axes, x ascending; empty series are left out.

    `figures.draw` has done this already; figures made by hand have not.
    """
    log_x = figure.plot.x.scale != "linear" and not figure.plot.x.labels
    log_y = figure.plot.y.scale != "linear"
    kept = []
    for series in figure.series:
        good = {
            p.x: p
            for p in series.points
            if p.finite and (p.x > 0 or not log_x) and p.y is not None and (p.y > 0 or not log_y)
        }
        if good:
            kept.append(replace(series, points=tuple(good[x] for x in sorted(good))))
    return kept


def x_scale(figure: Figure, series: Sequence[Series], hint: Range | None) -> Scale:
    """Return the x axis: exactly the data, a hint and near marks, so that the first dot stands at the axis."""
    axis = figure.plot.x
    kind = "linear" if axis.labels else axis.scale
    if axis.labels:
        xs = [p.x for s in series for p in s.points]
        return Scale(kind, min([0.0, *xs]), max([len(axis.labels) - 1.0, 1.0, *xs]))
    known = _known([p.x for s in series for p in s.points], hint, kind)
    low, high = _with_marks(known, _marks(figure, "x", kind), kind, axis)
    return Scale(kind, *_apart(low, high, kind))


def y_scale(figure: Figure, series: Sequence[Series], hint: Range | None) -> Scale:
    """Return the y axis, its ends moved out to round values."""
    axis = figure.plot.y
    values = [p.y for s in series for p in s.points if p.y is not None]
    known = _known(values, hint, axis.scale)
    if known is not None and hint is None:  # a hint says how far the axis goes; what sticks out is cut there
        known = _with_spread(known, series, axis.scale)
    low, high = _with_marks(known, _marks(figure, "y", axis.scale), axis.scale, axis)
    return _rounded(*_apart(low, high, axis.scale), axis)


def _known(values: Sequence[float], hint: Range | None, kind: str) -> Range | None:
    ends = [*values, *(hint or ())]
    ends = [v for v in ends if math.isfinite(v) and (kind == "linear" or v > 0)]
    return (min(ends), max(ends)) if ends else None


def _with_spread(known: Range, series: Sequence[Series], kind: str) -> Range:
    """Widen for the spread, but by no more than one wild sample deserves: x3, or the span itself."""
    low, high = known
    floor, ceiling = (low / 3, high * 3) if kind != "linear" else (low - (high - low), high + (high - low))
    if kind == "linear" and low >= 0:
        floor = max(0.0, floor)
    spread = [v for s in series for p in s.points for v in (p.low, p.high) if v is not None and math.isfinite(v)]
    ends = [min(max(v, floor), ceiling) for v in spread]
    ends = [v for v in ends if math.isfinite(v) and (kind == "linear" or v > 0)]
    return min([low, *ends]), max([high, *ends])


def _marks(figure: Figure, axis: str, kind: str) -> list[float]:
    return [
        m.at
        for m in figure.marks
        if m.axis == axis and m.kind != "slope" and math.isfinite(m.at) and (kind == "linear" or m.at > 0)
    ]


def _with_marks(known: Range | None, marks: Sequence[float], kind: str, axis: Axis) -> Range:
    """Widen for marks, but never so far that the data is squeezed; a mark beyond stands at the edge."""
    if known is None:
        return _around(marks, kind, axis)
    low, high = known
    if kind != "linear":
        reach = max(4.0, math.sqrt(high / low)) if high / low < 1e300 else 4.0
        floor, ceiling = low / reach, high * reach
    else:
        span = high - low or abs(high) or 1.0
        floor, ceiling = low - span, high + span
    near = [m for m in marks if floor <= m <= ceiling]
    return min([low, *near]), max([high, *near])


def _around(marks: Sequence[float], kind: str, axis: Axis) -> Range:
    """Return the range of an empty axis: around the marks, else what is usual."""
    if kind == "linear":
        top = 100.0 if axis.unit == "%" else max([1.0, *(2 * abs(m) for m in marks)])
        return (-top if any(m < 0 for m in marks) else 0.0), top
    low, high = (1.0, 1024.0) if kind == "log2" else DEFAULT_LOG_RANGE.get(axis.unit, (1.0, 1000.0))
    for mark in marks:
        low, high = min(low, mark / 2), max(high, mark * 2)
    return low, high


def _apart(low: float, high: float, kind: str) -> Range:
    """Pull equal ends apart, so that one value stands in the middle."""
    low, high = max(low, -1e308), min(high, 1e308)
    if kind != "linear":
        low, high = max(low, 1e-307), max(high, 1e-307)
        return (low, high) if high > low * (1 + 1e-9) else (low / 2, min(high * 2, 1e308))
    room = max(abs(low), abs(high))
    if high / 2 - low / 2 > room * 1e-9:
        return low, high
    room = room * 0.5 if room > 1e-300 else 1.0
    return low - room, high + room


def _rounded(low: float, high: float, axis: Axis) -> Scale:
    kind = axis.scale
    if kind == "linear":
        if 0 <= low <= high / 2:  # lengths compare honestly only from zero
            low = 0.0
        step = nice_step(low, high, 6)
        if step and math.isfinite(step):
            bottom, top = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
            low, high = (bottom, top) if math.isfinite(bottom) and math.isfinite(top) else (low, high)
        return Scale(kind, low, high)
    if kind == "log2":
        return Scale(kind, _power_below(low, 2.0), _power_above(high, 2.0))
    if high / low > 1e9:
        return Scale(kind, _power_below(low, 10.0), _power_above(high, 10.0))
    return Scale(kind, _third_below(low), _third_above(high))


def _power_below(value: float, base: float) -> float:
    return base ** math.floor(math.log(value, base) + 1e-9)


def _power_above(value: float, base: float) -> float:
    power = math.ceil(math.log(value, base) - 1e-9)
    return base**power if power * math.log10(base) < 308 else value


def _third_below(value: float) -> float:
    """Return the next of 1, 3, 10, 30 ... at or below."""
    decade = _power_below(value, 10.0)
    return 3 * decade if value >= 3 * decade * (1 - 1e-9) else decade


def _third_above(value: float) -> float:
    """Return the next of 1, 3, 10, 30 ... at or above."""
    decade = _power_below(value, 10.0)
    steps = [m * decade for m in (1.0, 3.0, 10.0) if m * decade >= value * (1 - 1e-9)]
    return steps[0] if steps and math.isfinite(steps[0]) else value


def ticks(scale: Scale, count: int, *, whole: bool = False) -> list[float]:
    """Return the round values to label on an axis with room for `count`."""
    return [t for t in tick_values(scale.low, scale.high, scale.kind, count, whole=whole) if math.isfinite(t)]
