"""A number committed before the run, and how far it was off.

The score is on the log scale against the measured interval. It never touches the grade: a machine that
surprises is not a memory that failed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum


class Sure(str, Enum):
    """How sure the learner is; each is meant as an 80 % range around the number."""

    GUESS = "guess"
    FAIRLY = "fairly"
    CERTAIN = "certain"

    @property
    def factor(self) -> float:
        """The range reaches from value / factor to value * factor."""
        return {Sure.GUESS: 10.0, Sure.FAIRLY: 2.0, Sure.CERTAIN: 1.25}[self]


class Closeness(str, Enum):
    """How far off a prediction was: within x1.25, x2, x10, or beyond."""

    SPOT_ON = "spot on"
    CLOSE = "close"
    RIGHT_ORDER = "right order"
    FAR_OFF = "far off"


@dataclass(frozen=True)
class Prediction:
    """The learner's number; `value` None means "never" (no such x exists)."""

    value: float | None
    sure: Sure = Sure.FAIRLY
    made_at_ms: int = 0

    @property
    def low(self) -> float | None:
        """Lower end of the learner's 80 % range."""
        return None if self.value is None else self.value / self.sure.factor

    @property
    def high(self) -> float | None:
        """Upper end of the learner's 80 % range."""
        return None if self.value is None else self.value * self.sure.factor


@dataclass(frozen=True)
class Score:
    """How a prediction did."""

    closeness: Closeness
    factor: float | None
    """How many times off, >= 1; None when one side said "never"."""
    inside: bool
    """Whether the measured interval touches the learner's range."""


def score(
    prediction: Prediction,
    measured: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    never: bool = False,
) -> Score | None:
    """Return how far off a prediction was, or None when nothing was measured to compare with.

    Args:
        prediction: The committed number.
        measured: The measured number, > 0, or None.
        low: Lower end of the measured interval; `measured` when None.
        high: Upper end of the measured interval; `measured` when None.
        never: Whether the measured answer is "never"; `measured` is then None.
    """
    if measured is None and not never:
        return None
    if prediction.value is None or measured is None:
        same = prediction.value is None and never
        return Score(Closeness.SPOT_ON if same else Closeness.FAR_OFF, 1.0 if same else None, same)
    if not (measured > 0 and prediction.value > 0 and math.isfinite(measured)):
        return None
    low = min(low if low is not None and low > 0 else measured, measured)
    high = max(high if high is not None and high > 0 else measured, measured)
    nearest = min(max(prediction.value, low), high)
    factor = max(prediction.value / nearest, nearest / prediction.value)
    reach = prediction.sure.factor
    inside = prediction.value / reach <= high and prediction.value * reach >= low
    return Score(_closeness(factor), factor, inside)


def times_words(factor: float) -> str:
    """Return how many times off in at most three digits: beyond a thousand, more of them say nothing.

    >>> times_words(1.24), times_words(37.4), times_words(1832806912.0)
    ('1.2', '37', 'more than 1,000')
    """
    if factor >= 999.5:
        return "more than 1,000"
    return f"{factor:.1f}" if factor < 9.95 else f"{factor:.0f}"


def _closeness(factor: float) -> Closeness:
    slack = 1 + 1e-9  # x1.25 itself is still spot on
    for limit, name in ((1.25, Closeness.SPOT_ON), (2.0, Closeness.CLOSE), (10.0, Closeness.RIGHT_ORDER)):
        if factor <= limit * slack:
            return name
    return Closeness.FAR_OFF
