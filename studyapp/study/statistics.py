"""How it has been going: today, streak, true retention with its uncertainty, predictions, the days ahead."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studyapp.core.predictions import Closeness
from studyapp.core.streaks import Streak, streak

if TYPE_CHECKING:
    from studyapp.study.desk import Desk


@dataclass(frozen=True)
class Share:
    """A share with its 95 % Wilson interval: small numbers lie."""

    passed: int
    total: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1, or None without answers."""
        return self.passed / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson score interval at 95 %. Source: Wilson, JASA 22 (1927)."""
        if not self.total:
            return None
        z, n, p = 1.96, self.total, self.passed / self.total
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Calibration:
    """First predictions only: how many were made, how close, how often inside the learner's own range."""

    made: int
    by_closeness: dict[str, int]
    inside: int
    scored: int
    median_factor: float | None


@dataclass(frozen=True)
class Statistics:
    """What the statistics screen and `stats` show."""

    today_answers: int
    today_seconds: float
    streak: Streak
    retention_30: Share
    target: float
    forecast: dict[int, int]
    calibration: Calibration
    cards: int
    learned: int
    reviews: int


def gather(desk: Desk) -> Statistics:
    """Return the learner's statistics as of now."""
    today = desk.clock().study_day
    active = desk.store.active_days()
    done = desk.store.done_today(today)
    passed, total = desk.store.retention(today - 29, today)
    cards = desk.store.cards()
    return Statistics(
        today_answers=active.get(today, 0),
        today_seconds=done.seconds,
        streak=streak(set(active), today),
        retention_30=Share(passed, total),
        target=desk.options.policy.desired_retention,
        forecast=desk.store.due_forecast(today, 8),
        calibration=_calibration(desk),
        cards=len(cards),
        learned=sum(1 for card in cards if card.memory.interval_days >= 1),
        reviews=sum(active.values()),
    )


def _calibration(desk: Desk) -> Calibration:
    first = desk.store.predictions(first_only=True)
    scores = [p.score for p in first if p.score is not None]
    factors = [s.factor for s in scores if s.factor is not None]
    counted = Counter(s.closeness.value for s in scores)
    return Calibration(
        made=len(first),
        by_closeness={name.value: counted.get(name.value, 0) for name in Closeness},
        inside=sum(1 for s in scores if s.inside),
        scored=len(scores),
        median_factor=statistics.median(factors) if factors else None,
    )
