"""Today's queue from the store: one way for a sitting and for the counts on Home."""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.core.queue import Done, Limits, Queue, new_allowance
from studyapp.core.waiting import LongQueue
from studyapp.study import coming_back
from studyapp.study.desk import Desk

DAY_MS = 24 * 3_600_000
MORE_NEW, MORE_REVIEWS = 5, 50
"""What one press of "more today" adds."""


@dataclass(frozen=True)
class More:
    """What the learner asked for beyond the day's limits."""

    new: int = 0
    reviews: int = 0

    def again(self) -> More:
        """Return a helping more: about a sitting's worth."""
        return More(self.new + MORE_NEW, self.reviews + MORE_REVIEWS)


def limits_of(desk: Desk, more: More | None = None) -> Limits:
    """Return the learner's limits per study day, with what was asked for beyond them."""
    options, more = desk.options, more or More()
    spread = coming_back.limit(desk)
    reviews = options.reviews_per_day if spread is None else min(options.reviews_per_day, spread)
    return Limits(
        new_per_day=new_allowance(int(options.new_minutes * 60)) + more.new,
        reviews_per_day=reviews + more.reviews,
        learn_ahead_ms=options.learn_ahead_ms,
    )


def queue_today(
    desk: Desk, module: str | None = None, first: str | None = None, more: More | None = None
) -> Queue:
    """Return the queue of the current study day, of one module or of all.

    Args:
        desk: The open desk.
        module: Only cards of this module.
        first: A card to show before all others.
        more: What was asked for beyond the day's limits.
    """
    moment, limits = desk.clock(), limits_of(desk, more)
    day = moment.study_day
    done = desk.store.done_today(day)
    return LongQueue(
        desk.store.due_cards(day, moment.at_ms, moment.at_ms + DAY_MS, module),
        desk.store.new_rows(limits.new_per_day, study_day=day, module=module),
        limits=limits,
        today=day,
        now_ms=moment.at_ms,
        done=Done(new=done.new, reviews=done.reviews),
        first=first,
    )
