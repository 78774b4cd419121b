"""Today's queue from the store: one way for a sitting and for the counts on Home."""

from __future__ import annotations

from studyapp.core.queue import Done, Limits, Queue, new_allowance
from studyapp.core.reviews import State
from studyapp.study.desk import Desk

DAY_MS = 24 * 3_600_000
EVERY_NEW = 100_000
"""All new cards: those of one module are picked from them."""


def limits_of(desk: Desk) -> Limits:
    """Return the learner's limits per study day."""
    options = desk.options
    return Limits(
        new_per_day=new_allowance(int(options.new_minutes * 60)),
        reviews_per_day=options.reviews_per_day,
        learn_ahead_ms=options.learn_ahead_ms,
    )


def queue_today(desk: Desk, module: str | None = None, first: str | None = None) -> Queue:
    """Return the queue of the current study day, of one module or of all.

    Args:
        desk: The open desk.
        module: Only cards of this module.
        first: A card to show before all others.
    """
    moment, limits = desk.clock(), limits_of(desk)
    done = desk.store.done_today(moment.study_day)
    rows = desk.store.queue_rows(moment.study_day, moment.at_ms + DAY_MS)
    new = desk.store.new_rows(limits.new_per_day if module is None else EVERY_NEW, study_day=moment.study_day)
    if module:
        rows = [row for row in rows if row.module == module]
        new = [row for row in new if row.module == module]
    return Queue(
        [row for row in rows if row.state is State.REVIEW],
        [row for row in rows if row.state is not State.REVIEW],
        new,
        limits=limits,
        today=moment.study_day,
        done=Done(new=done.new, reviews=done.reviews),
        first=first,
    )
