"""Were the forecasts right? The scheduler's chances of recall, and the learner's numbers with how sure they were.

Pure: counts in, scores out. Every share carries its n, for small numbers lie.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from studyapp.core.predictions import Closeness, Score, Sure

WILSON_Z = 1.96
"""Normal quantile of a 95 % interval."""
EDGES = (0.0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
"""Chances between which the forecasts of a reliability table are gathered: narrow where most of them lie."""
RANGE_MEANT = 0.8
"""What a learner's range is meant to hold: four out of five measurements."""
ENOUGH = 20
"""Scored predictions from which "neither too sure nor too careful" says something."""
FEW = 5
"""Scored predictions below which nothing is said of them: one that missed is no habit."""
_CERTAIN = 1e-6
"""Keeps a certain forecast that failed from costing infinitely much."""


@dataclass(frozen=True)
class Share:
    """A share with its 95 % Wilson interval."""

    passed: int
    total: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1, or None without answers."""
        return self.passed / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson score interval at 95 %. Source: Wilson, JASA 22 (1927).

        >>> low, high = Share(9, 10).interval
        >>> round(low, 3), round(high, 3)
        (0.596, 0.982)
        """
        if not self.total:
            return None
        z, n, p = WILSON_Z, self.total, self.passed / self.total
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __add__(self, other: Share) -> Share:
        return Share(self.passed + other.passed, self.total + other.total)


@dataclass(frozen=True)
class Foretold:
    """Next-day reviews of nearly the same forecast chance of recall."""

    lower: float
    """Lower end of the chances, 0-1."""
    passed: int
    failed: int
    passed_sum: float
    """Sum of the chances forecast for those that passed."""
    failed_sum: float
    """Sum of the chances forecast for those that failed."""

    @property
    def total(self) -> int:
        """How many reviews there are."""
        return self.passed + self.failed


@dataclass(frozen=True)
class Reliability:
    """One row of the reliability table."""

    low: float
    high: float
    """The forecasts lie from one to the other."""
    foretold: float
    """Their mean, 0-1."""
    recalled: Share
    """What came of them."""

    @property
    def fits(self) -> bool:
        """Whether the mean forecast lies within the interval of what came."""
        interval = self.recalled.interval
        return interval is not None and interval[0] <= self.foretold <= interval[1]


def log_loss(bins: Iterable[Foretold]) -> float | None:
    """Return the mean log-loss of forecasts, nats per review, or None without any; lower is better.

    Each bin is scored by the mean chance of its passed and of its failed reviews: with bins a hundredth wide (a
    thousandth above 0.99) the error stays below 0.001.
    """
    total, cost = 0, 0.0
    for found in bins:
        total += found.total
        if found.passed:
            cost -= found.passed * math.log(max(found.passed_sum / found.passed, _CERTAIN))
        if found.failed:
            cost -= found.failed * math.log(max(1 - found.failed_sum / found.failed, _CERTAIN))
    return cost / total if total else None


def constant_loss(bins: Iterable[Foretold]) -> float | None:
    """Return the log-loss of a forecaster who always says the mean recall: what a schedule must beat."""
    shares = [Share(found.passed, found.total) for found in bins]
    mean = sum(shares, Share(0, 0)).value
    if mean is None:
        return None
    return sum(-p * math.log(p) for p in (mean, 1 - mean) if 0 < p < 1)  # never -0.0


def reliability(bins: Sequence[Foretold]) -> list[Reliability]:
    """Return the reliability table, chances ascending, without empty rows."""
    rows = []
    for low, high in pairwise(EDGES):
        inside = [b for b in bins if low <= b.lower < high or (high == 1.0 and b.lower >= 1.0)]
        total = sum(b.total for b in inside)
        if total:
            mean = sum(b.passed_sum + b.failed_sum for b in inside) / total
            rows.append(Reliability(low, high, mean, Share(sum(b.passed for b in inside), total)))
    return rows


@dataclass(frozen=True)
class Calibration:
    """First predictions only: how many were made, how close, how often inside the learner's own range."""

    made: int
    by_closeness: dict[str, int]
    inside: int
    scored: int
    median_factor: float | None
    """How many times off the middle one of the scored numbers was, >= 1."""
    by_sure: dict[str, Share]
    """How often the measured number lay inside the range, for each of guess, fairly and certain."""

    @property
    def leaning(self) -> str:
        """Whether the learner's ranges are too narrow or too wide, in words; "" where it is too early to say.

        The share inside is compared by its 95 % interval with the four in five that a range is meant to hold.
        """
        interval = Share(self.inside, self.scored).interval
        if interval is None or self.scored < FEW:
            return ""
        if interval[1] < RANGE_MEANT:
            return "too sure: say guess more often"
        if interval[0] > RANGE_MEANT:
            return "too careful: you know more than you claim"
        return "about as sure as you may be" if self.scored >= ENOUGH else ""


def calibration(made: Sequence[tuple[Sure, Score | None]]) -> Calibration:
    """Return how predictions did. Hand in first predictions only: a remembered number is no prediction.

    Args:
        made: How sure the learner was, and the score where a run gave one.
    """
    scored = [(sure, score) for sure, score in made if score is not None]
    factors = [score.factor for _, score in scored if score.factor is not None]
    return Calibration(
        made=len(made),
        by_closeness={c.value: sum(1 for _, s in scored if s.closeness is c) for c in Closeness},
        inside=sum(1 for _, score in scored if score.inside),
        scored=len(scored),
        median_factor=statistics.median(factors) if factors else None,
        by_sure={
            sure.value: Share(
                sum(1 for s, score in scored if s is sure and score.inside), sum(1 for s, _ in scored if s is sure)
            )
            for sure in Sure
        },
    )
