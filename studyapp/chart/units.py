"""Numbers with their units as a reader wants them: few digits, a fitting prefix, round ticks.

Pure; standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

PREFIXES = (
    (-12, "p"),
    (-9, "n"),
    (-6, "µ"),
    (-3, "m"),
    (0, ""),
    (3, "k"),
    (6, "M"),
    (9, "G"),
    (12, "T"),
    (15, "P"),
    (18, "E"),
)
"""SI prefixes by power of ten."""

PREFIXED = frozenset({"s", "B", "B/s", "bit/s", "FLOP", "FLOP/s", "Hz", "W", "J"})
"""Units that carry a prefix; on any other unit a large number itself is shortened ("12.3k rows/s")."""

WHOLE_BELOW = 100_000
"""Whole counts (not rates) below this are written out, so that a batch of 1024 stays 1024 and not 1.02k."""

NOT_FINITE = "n/a"
"""What stands for nan and None-like values."""

LOG_STEPS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))
"""Mantissas of log10 ticks, densest first; after them every second, third ... decade."""


def quantity(value: float, unit: str = "", digits: int = 3, *, ascii: bool = False) -> str:  # noqa: A002
    """Return value with its unit, e.g. "45 µs", "5.5 GB", "107 GFLOP/s", "1.8×", "40 %", "64".

    Args:
        value: In the plain unit (seconds, bytes); nan gives "n/a", infinities "inf".
        unit: "s", "B", "FLOP/s", "%", "x", a word, or "" for a plain number.
        digits: Significant digits at most; whole counts below `WHOLE_BELOW` are written out.
        ascii: Write "us" and "x" instead of "µs" and "×".
    """
    if math.isnan(value):
        return NOT_FINITE
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    times = unit in ("x", "×")
    number, prefix = _scaled(value, unit, digits)
    if unit in PREFIXED:
        text = f"{number} {prefix}{unit}"
    elif times:
        text = f"{number}{prefix}×"
    else:
        text = f"{number}{prefix} {unit}".rstrip()
    return text.replace("µ", "u").replace("×", "x") if ascii else text


def _scaled(value: float, unit: str, digits: int) -> tuple[str, str]:
    """Return the number's text and its prefix."""
    if value == 0:
        return "0", ""
    counts = unit not in PREFIXED
    if counts and "/" not in unit and value == int(value) and abs(value) < WHOLE_BELOW:
        return str(int(value)), ""
    rounded = float(f"{value:.{digits}g}")  # first, so that 999.7 µs becomes 1 ms and not 1000 µs
    if rounded == 0 or math.isinf(rounded):  # rounding left the range of floats
        rounded = value
    power = math.floor(math.log10(abs(rounded)) + 1e-9)
    smallest = -12 if unit in ("s", "W", "J") else 0
    largest = 0 if unit == "s" else 18
    if power < smallest - 3 or power > largest + 5:
        return _scientific(value, digits), ""
    if counts and power < 4:
        return _plain(rounded, digits), ""
    group = max(smallest, min(largest, power // 3 * 3))
    name = next(name for exponent, name in PREFIXES if exponent == group)
    return _plain(rounded / 10.0**group, digits), name


def _plain(value: float, digits: int) -> str:
    """Return value without exponent and without trailing zeros."""
    power = math.floor(math.log10(abs(value)) + 1e-9)
    text = f"{value:.{max(0, digits - 1 - power)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scientific(value: float, digits: int) -> str:
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}e{int(exponent)}"


def tick_values(low: float, high: float, scale: str, count: int, *, whole: bool = False) -> list[float]:
    """Return about `count` round values within [low, high], ascending; never more than two beyond.

    Powers of two on "log2"; 1-2-5, 1-3 or decades on "log10"; multiples of 1, 2 or 5 on "linear".

    Args:
        low: Lower end, > 0 on a log scale.
        high: Upper end, >= low.
        scale: "linear", "log2" or "log10".
        count: How many fit.
        whole: Whether only whole numbers make sense (threads, layers).
    """
    count = max(2, count)
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    if scale == "log2":
        ticks = _powers(low, high, 2.0, count)
    elif scale == "log10":
        ticks = _decades(low, high, count)
    else:
        return _linear(low, high, count, whole=whole)
    # within one octave or decade there may be no round power at all
    return ticks if len(ticks) >= 2 else _linear(low, high, count, whole=whole)


def _powers(low: float, high: float, base: float, count: int) -> list[float]:
    first = math.ceil(math.log(low, base) - 1e-9)
    last = math.floor(math.log(high, base) + 1e-9)
    stride = max(1, -(-(last - first + 1) // count))
    return [base**k for k in range(first, last + 1, stride) if _representable(base, k)]


def _decades(low: float, high: float, count: int) -> list[float]:
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    if last - first <= 3 * count:  # beyond, the finer mantissas cannot fit
        for mantissas in LOG_STEPS:
            ticks = [m * 10.0**k for k in range(first, last + 1) if _representable(10.0, k) for m in mantissas]
            inside = _inside(ticks, low, high)
            if 2 <= len(inside) <= count:
                return inside
    return _powers(low, high, 10.0, count)


def _linear(low: float, high: float, count: int, *, whole: bool = False) -> list[float]:
    for allowed in (count, count + 1, count + 2):  # one tick alone says nothing about the scale
        step = nice_step(low, high, allowed, whole=whole)
        if not step or not math.isfinite(step):
            return [low]
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last > first or whole:
            break
    # a step of 0.1 leaves 0.30000000000000004 behind; over the narrowest spans two ticks then are one
    return list(dict.fromkeys(float(f"{k * step:.12g}") for k in range(first, last + 1))) or [low]


def nice_step(low: float, high: float, count: int, *, whole: bool = False) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that gives at most `count` ticks; 0 for no span."""
    raw = high / count - low / count  # each divided first: the span itself may overflow
    if not raw > 0 or not math.isfinite(raw):
        return 0.0
    power = math.floor(math.log10(raw))
    steps = [m * 10.0**k for k in (power, power + 1, power + 2) if _representable(10.0, k) for m in (1, 2, 5)]
    for step in steps:
        fits = math.floor(high / step + 1e-9) - math.ceil(low / step - 1e-9) + 1 <= count
        if fits and (not whole or step >= 1):
            return step
    return steps[-1] if steps else 0.0


def _inside(ticks: Sequence[float], low: float, high: float) -> list[float]:
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def _representable(base: float, exponent: int) -> bool:
    """Whether base**exponent is neither zero nor infinite."""
    return -300 <= exponent * math.log10(base) <= 300
