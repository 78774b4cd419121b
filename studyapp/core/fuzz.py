"""Fuzz that repeats: the same card with the same history gets the same nudge, in preview and in earnest.

Bounds follow Anki's `rslib/src/scheduler/states/fuzz.rs`; the draw comes from card id and review count, so all
four buttons share it and keep their proportions.
"""

from __future__ import annotations

import hashlib
import math

_SHORTEST_FUZZED_DAYS = 2.5
_BASE_DELTA_DAYS = 1.0
_RANGES = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, math.inf, 0.05))
"""(from day, to day, share of the days in between that the fuzz may add or take). Source: Anki's fuzz.rs."""


def fuzz_factor(card_id: str, reps: int) -> float:
    """Return a number in [0, 1) fixed by the card and the number of answers it has had."""
    seed = hashlib.blake2b(f"{card_id}:{reps}".encode(), digest_size=8).digest()
    # 53 bits: more would round up to 1.0 in a float.
    return (int.from_bytes(seed, "big") >> 11) / 2**53


def round_half_up(days: float) -> int:
    """Return the nearest whole number, halves upwards (Rust's rule; Python's own rounds halves to even)."""
    return math.floor(days + 0.5)


def fuzz_bounds(interval_days: float, minimum: int, maximum: int) -> tuple[int, int]:
    """Return the lowest and highest whole days that fuzz may choose, both within [minimum, maximum].

    Args:
        interval_days: The interval before fuzz, in days.
        minimum: Lowest allowed interval, in days, at least 1; bows to `maximum`.
        maximum: Highest allowed interval, in days, at least 1.
    """
    minimum = min(minimum, maximum)
    interval_days = min(max(interval_days, minimum), maximum)
    delta = _delta_days(interval_days)
    lower = min(max(round_half_up(interval_days - delta), minimum), maximum)
    upper = min(max(round_half_up(interval_days + delta), minimum), maximum)
    return lower, upper


def fuzzed(interval_days: float, factor: float | None, minimum: int, maximum: int) -> int:
    """Return a whole number of days in [minimum, maximum] near the interval.

    Args:
        interval_days: The interval before fuzz, in days.
        factor: A draw in [0, 1), or None for plain rounding.
        minimum: Lowest allowed interval, in days; bows to `maximum`.
        maximum: Highest allowed interval, in days.

    >>> [fuzzed(17.0, factor, 1, 36500) for factor in (0.0, 0.5, 0.99, None)]
    [14, 17, 20, 17]
    """
    if factor is None:
        return min(max(round_half_up(interval_days), minimum), maximum)
    lower, upper = fuzz_bounds(interval_days, minimum, maximum)
    return math.floor(lower + factor * (1 + upper - lower))


def _delta_days(interval_days: float) -> float:
    """Return how far fuzz may move the interval either way, in days."""
    if interval_days < _SHORTEST_FUZZED_DAYS:
        return 0.0
    within = (share * max(min(interval_days, end) - start, 0.0) for start, end, share in _RANGES)
    return _BASE_DELTA_DAYS + sum(within)
