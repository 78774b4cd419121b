"""Coming back after an unplanned pause: a part of the backlog now, the rest over the next days, by one key.

Nothing is lost by the spread but some recall: cards that wait longer are forgotten more often, and the screen says
so. What was chosen is kept in the store, so that every window and the shell prompt count the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from studyapp.study.desk import Desk

LEAST_AWAY_DAYS = 3
"""A weekend is no absence."""
SITTING_S = 600
"""A sitting takes about ten minutes."""
SECONDS_PER_CARD = 30.0
"""Until the learner's own pace is known: a spoken answer takes 15 s, reading and grading it the rest."""
ENOUGH_ANSWERS = 50
"""From how many answers on the learner's own pace is used."""
MOST_DAYS = 14
"""A backlog is spread over two weeks at most; beyond that more comes per day."""
KEY = "coming_back"


@dataclass(frozen=True)
class Return:
    """What a learner who comes back is offered."""

    away_days: int
    due: int
    per_day: int
    """Reviews on each of the coming days."""
    days: int
    """Days over which the backlog is spread, today included."""

    @property
    def minutes(self) -> int:
        """About how long today's part takes."""
        return max(1, round(self.per_day * SECONDS_PER_CARD / 60))

    @property
    def rest(self) -> str:
        """When the others come, in words."""
        return "the rest tomorrow" if self.days == 2 else f"the rest over {self.days - 1} days"


def offer(desk: Desk) -> Return | None:
    """Return what to offer a learner who was away for days and has more due than fits a sitting, else None."""
    today = desk.clock().study_day
    active = [day for day in desk.store.active_days() if day <= today]
    if not active or today in active or limit(desk) is not None:
        return None
    away = today - max(active) - 1
    due = sum(desk.store.due_cards(today, desk.clock().at_ms).counted())
    per_sitting = max(5, int(SITTING_S / _pace_s(desk, max(active))))
    if away < LEAST_AWAY_DAYS or due <= per_sitting:
        return None
    days = min(MOST_DAYS, -(-due // per_sitting))
    return Return(away, due, -(-due // days), days)


def _pace_s(desk: Desk, last_day: int) -> float:
    """Return the learner's seconds per answer over the last active month, within reason."""
    rows = desk.store.reviews(since_day=last_day - 30)
    if len(rows) < ENOUGH_ANSWERS:
        return SECONDS_PER_CARD
    thinking = sum(min(row.duration_ms, 60_000) for row in rows) / len(rows) / 1000
    return min(90.0, max(10.0, thinking * 2))  # grading, reading and the way to the next card take as long again


def accept(desk: Desk, chosen: Return) -> None:
    """Spread the backlog as offered, from today on."""
    until = desk.clock().study_day + chosen.days
    desk.store.meta_set(KEY, json.dumps({"until": until, "per_day": chosen.per_day}))


def decline(desk: Desk) -> None:
    """Take everything at once; the offer is not made again today."""
    desk.store.meta_set(KEY, json.dumps({"until": desk.clock().study_day + 1, "per_day": None}))


def limit(desk: Desk) -> int | None:
    """Return how many reviews a day the spread allows now; None where there is none, or everything was wanted."""
    text = desk.store.meta_get(KEY)
    if text is None:
        return None
    kept = json.loads(text)
    if desk.clock().study_day >= kept["until"]:
        return None
    per_day = kept["per_day"]
    return EVERYTHING if per_day is None else int(per_day)


EVERYTHING = 1_000_000
"""The limit of a learner who wanted the whole backlog at once."""
