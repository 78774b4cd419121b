"""What the claims' judges share: comparing timings against their noise, and saying numbers in words.

Pure, standard library only, Python 3.10+. A comparison counts only if the difference is more than twice the
noise, the rule of the experiments' timing design; nearer than that is a tie.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studyapp.core.points import Basis, Point, ratio_noise, value

NOISE_FACTOR = 2.0
"""How many times the noise a difference has to exceed."""

WIDEST_BAND = 0.25
"""Largest noise an interval for scoring predictions may have: "spot on" itself is within x1.25."""

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
_RATES = ((1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1e6, "MFLOP/s"))


def ratio(above: Point, below: Point) -> float:
    """Return above.y / below.y.

    Raises:
        ValueError: If a point has no finite value, or the divisor is not positive.
    """
    return value(above) / _positive(below)


def quotient(series: str, x: float, above: Point, below: Point, *, scale: float = 1.0) -> Point:
    """Return above / below as a point to draw, its spread from the spreads of both.

    Args:
        series: Series id of the new point.
        x: Its position.
        above: The dividend.
        below: The divisor.
        scale: Factor on the quotient, 100 for a share in per cent.

    Raises:
        ValueError: If either has no finite value, or the divisor is not positive.
    """
    number = scale * ratio(above, below)
    low, high = number / (1 + below.spread()), number * (1 + above.spread())
    repeats, settled = min(above.repeats, below.repeats), above.settled and below.settled
    return Point(series, x, number, low, high, repeats, settled, _weakest(above, below))


def rate(series: str, work: float, time: Point) -> Point:
    """Return work per second as a point at the same x, its spread that of the time.

    Raises:
        ValueError: If the time is not finite and positive.
    """
    per_s = work / _positive(time)
    low, high = per_s / (1 + time.spread()), per_s
    return Point(series, time.x, per_s, low, high, time.repeats, time.settled, time.basis)


def beyond(time: Point, floor: Point) -> Point | None:
    """Return what a time has beyond a fixed cost, None where the two cannot be told apart.

    The spreads of both are independent, so they add as squares.
    """
    rest, doubt = value(time) - value(floor), floor.spread() * value(floor)
    if rest <= doubt:
        return None
    spread = math.hypot(time.spread() * value(time), doubt)
    settled = time.settled and floor.settled
    repeats, basis = min(time.repeats, floor.repeats), _weakest(time, floor)
    return Point(time.series, time.x, rest, rest, rest + spread, repeats, settled, basis)


def _weakest(*points: Point) -> Basis:
    """Return the basis that what is derived from these points has: one that is not solid, if there is any."""
    return next((point.basis for point in points if not point.solid), points[0].basis)


def _positive(point: Point) -> float:
    number = value(point)
    if number <= 0:
        raise ValueError(f"nothing to divide by at {point.series} x={point.x}")
    return number


def against(number: float, threshold: float, noise: float) -> int:
    """Return 1 if a number is clearly above a threshold, -1 if clearly below, 0 within twice the noise.

    Symmetric: `against(a / b, 1, noise) == -against(b / a, 1, noise)`.

    >>> against(2.0, 1.0, 0.1), against(0.5, 1.0, 0.1), against(1.15, 1.0, 0.1)
    (1, -1, 0)
    """
    if number <= 0 or not math.isfinite(number):
        return 0
    quotient = number / threshold
    if max(quotient, 1 / quotient) - 1 <= NOISE_FACTOR * noise:
        return 0
    return 1 if quotient > 1 else -1


def compare(first: Point, second: Point) -> int:
    """Return 1 if the first point is clearly above the second, -1 if clearly below, 0 for a tie."""
    return against(ratio(first, second), 1.0, ratio_noise([first, second]))


def band(number: float, points: Sequence[Point]) -> tuple[float, float]:
    """Return the interval a ratio of these points stands for: the number, wider by their noise both ways.

    At most `WIDEST_BAND` either way: against a wider interval any prediction would count as right.
    """
    noise = min(ratio_noise(points), WIDEST_BAND)
    return number / (1 + noise), number * (1 + noise)


def fastest(points: Sequence[Point]) -> Point:
    """Return the point with the smallest value.

    Raises:
        ValueError: If there is none.
    """
    return min(points, key=value)


@dataclass(frozen=True)
class Crossing:
    """Where a challenger takes the lead for good, on a grid of x."""

    at: float
    """Smallest x from which the challenger is ahead at every further x."""
    low: float
    """The x before `at`, or one further back where that one is a tie; the true crossing is above it."""
    high: float
    """`at`, or the x after it where `at` is a tie."""


def crossing(first: Mapping[float, Point], second: Mapping[float, Point]) -> Crossing | None:
    """Return from where `second` stays below `first`, over the x they share, or None if it never does.

    Args:
        first: The series to be beaten, by x.
        second: The challenger, by x.
    """
    shared = sorted(first.keys() & second.keys())
    lead = [value(second[x]) < value(first[x]) for x in shared]
    if not shared or not lead[-1]:
        return None
    start = max((i + 1 for i, ahead in enumerate(lead) if not ahead), default=0)
    tied = [compare(first[x], second[x]) == 0 for x in shared]
    before = start - 2 if start >= 2 and tied[start - 1] else start - 1
    after = start + 1 if tied[start] and start + 1 < len(shared) else start
    return Crossing(shared[start], shared[max(0, before)], shared[after])


def grid_interval(at: float, grid: Sequence[float]) -> tuple[float, float]:
    """Return the interval an x found on a grid stands for: from the x before it to itself.

    >>> grid_interval(8, [1, 2, 4, 8, 16])
    (4, 8)
    """
    before = [x for x in grid if x < at]
    return (max(before) if before else at), at


def in_seconds(seconds: float) -> str:
    """Return a time in words, three digits.

    >>> in_seconds(1.234e-4), in_seconds(2.5), in_seconds(0)
    ('123 µs', '2.5 s', '0 s')
    """
    return _scaled(seconds, _SECONDS)


def in_time(seconds: float) -> str:
    """Return a time in words, from minutes on in the units a person uses.

    >>> in_time(41), in_time(5400), in_time(250_000)
    ('41 s', '1.5 h', '2.9 days')
    """
    for size, name in ((86_400.0, "days"), (3600.0, "h"), (60.0, "minutes")):
        if seconds >= 2 * size or (name == "h" and seconds >= size):
            return f"{seconds / size:.2g} {name}" if seconds < 10 * size else f"{seconds / size:,.0f} {name}"
    return in_seconds(seconds)


def in_bytes(count: float) -> str:
    """Return a number of bytes in words, decimal prefixes.

    >>> in_bytes(5.5e9), in_bytes(102_228_128)
    ('5.5 GB', '102 MB')
    """
    return _scaled(count, _BYTES)


def in_flops(flop_per_s: float) -> str:
    """Return a rate of arithmetic in words.

    >>> in_flops(1.07e11)
    '107 GFLOP/s'
    """
    return _scaled(flop_per_s, _RATES)


def rows(count: float) -> str:
    """Return a number of rows in words.

    >>> rows(1), rows(256)
    ('1 row', '256 rows')
    """
    return "1 row" if count == 1 else f"{count:,.0f} rows"


def times(number: float) -> str:
    """Return a factor in words, two digits below ten.

    >>> times(101.6), times(1.094), times(0.31)
    ('102×', '1.1×', '0.31×')
    """
    if number >= 10:
        return f"{number:,.0f}×"
    return f"{number:.1f}×" if number >= 0.95 else f"{number:.2f}×"


def _scaled(number: float, units: Sequence[tuple[float, str]]) -> str:
    size, name = next(((s, n) for s, n in units if abs(number) >= s * 0.9995), units[-1])
    if not number:
        size, name = 1.0, units[0][1] if units is _SECONDS else units[-1][1]
    scaled = number / size
    digits = f"{scaled:.0f}" if abs(scaled) >= 100 else f"{scaled:.3g}"
    return f"{digits} {name}"
