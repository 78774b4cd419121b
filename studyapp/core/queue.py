"""What comes next in a sitting, and how much is left, so that a sitting can end.

Built once from what is due, then told of every answer. Pure: the time is handed in with every question.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from studyapp.core.reviews import Memory, State

NEW_BUDGET_S = 600
"""Seconds a day for new cards by default."""
NEW_CARD_S = 120
"""Seconds that one new card costs on its first day, its steps included; an estimate."""


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A card that may come up today."""

    card: str
    state: State
    due_day: int | None = None
    """Study day from which a review card is due."""
    due_at_ms: int | None = None
    """UTC milliseconds at which a step is due."""
    ordinal: int = 0
    """Place in its module, as authored."""
    module: str = ""
    section: str = ""
    stability: float | None = None
    """Days."""
    last_day: int | None = None
    """Study day of the last answer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one study day may bring."""

    new_per_day: int
    reviews_per_day: int = 200
    """Source: Anki's default."""
    learn_ahead_ms: int = 20 * 60_000
    """How long before its time a step may be shown when nothing else is left. Source: Anki's default."""


@dataclass(frozen=True, slots=True)
class Done:
    """What this study day has had already, steps left out."""

    new: int = 0
    reviews: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """What is left after limits; never below zero."""

    review: int
    new: int
    learning: int
    """Steps due now or within the learn-ahead time."""
    due: int
    """All three together; 0 ends the sitting."""
    waiting_until_ms: int | None
    """When the next card can be shown, if nothing can be now but a step is waiting; UTC milliseconds."""
    held_back: int
    """Reviews that are due but beyond the day's limit."""


def new_allowance(budget_s: int = NEW_BUDGET_S, seconds_per_card: int = NEW_CARD_S) -> int:
    """Return how many new cards a day the time budget allows, whole and at least 0.

    >>> new_allowance()
    5
    """
    return max(0, budget_s) // max(1, seconds_per_card)


def relative_overdueness(row: QueueRow, today: int) -> float:
    """Return the days since the last answer as a share of the stability: the higher, the likelier forgotten."""
    if row.last_day is None or not row.stability:
        return math.inf
    return max(0, today - row.last_day) / row.stability


class Queue:
    """The cards of one sitting on one study day.

    Order: steps that are due; then reviews with new cards spread evenly among them; then, when nothing else is
    left, steps within the learn-ahead time. Among reviews, those least overdue for their stability come first:
    their recall is still likely and is falling fastest, so a limit that cuts the rest loses least. Finding the
    next card and recording an answer take O(log n) comparisons.
    """

    def __init__(
        self,
        reviews: Iterable[QueueRow],
        steps: Iterable[QueueRow],
        new: Iterable[QueueRow],
        *,
        limits: Limits,
        today: int,
        done: Done | None = None,
        first: str | None = None,
        ahead_days: int = 0,
    ) -> None:
        """Build the queue.

        Args:
            reviews: Review cards; those due after today, or after the days ahead, are left out.
            steps: Cards on a (re)learning step, with `due_at_ms`.
            new: Cards that may be introduced, modules in the order wanted.
            limits: The day's limits.
            today: The study day.
            done: What the day has had already.
            first: A card to show before all others: the one whose answer was just taken back.
            ahead_days: How many days early a review may come. Early ones come after those that are due, the
                likeliest forgotten first: they gain most.
        """
        done = done or Done()
        due = [row for row in reviews if row.due_day is None or row.due_day <= today + ahead_days]
        due.sort(key=lambda row: _rank(row, today))
        room = max(0, limits.reviews_per_day - done.reviews)
        fresh = _authored(new)[: max(0, limits.new_per_day - done.new)]
        self._limits = limits
        self._held_back = len(due[room:])
        self._main = _interleaved(due[:room], fresh)
        self._place = 0
        self._rows = {row.card: row for row in self._main}
        self._left = {State.REVIEW: len(due[:room]), State.NEW: len(fresh)}
        self._steps: list[tuple[int, str, str]] = []
        self._last: str | None = None
        self._first = first
        for row in steps:
            self._put(row)

    def next(self, now_ms: int) -> QueueRow | None:
        """Return the card to show now, or None when the sitting is over or steps are still waiting.

        Asking changes nothing. The card answered last comes again only if no other one is ready.
        """
        first = self._rows.get(self._first or "")
        if first is not None:
            return first
        ahead_ms = now_ms + self._limits.learn_ahead_ms
        return self._step(now_ms) or self._main_row() or self._step(ahead_ms) or self._step(ahead_ms, repeat=True)

    def coming(self, card: str) -> str | None:
        """Return a card that may well come after one: a guess, for what can be made ready meanwhile."""
        return next((r.card for r in self._ahead() if r.card != card and self._rows.get(r.card) is r), None)

    def _ahead(self) -> list[QueueRow]:
        """Return the next rows as they were lined up, two at least where there are so many."""
        return self._main[self._place : self._place + 2]

    def answered(self, card: str, after: Memory, now_ms: int) -> None:
        """Record an answer: the card re-enters on its step, or is done for today.

        Args:
            card: The card that was answered, whether or not it was the one proposed.
            after: Its memory after the answer.
            now_ms: UTC milliseconds of the answer, for a step without a time of its own.
        """
        row = self.drop(card) or QueueRow(card, after.state)
        self._last = card
        self._first = None
        if after.state not in (State.LEARNING, State.RELEARNING):
            return
        due_at_ms = now_ms if after.due_at_ms is None else after.due_at_ms
        self._put(replace(row, state=after.state, due_day=None, due_at_ms=due_at_ms, last_day=after.last_day))

    def drop(self, card: str) -> QueueRow | None:
        """Take a card out (suspended, buried, deleted) and return its row; None if it was not there."""
        row = self._rows.pop(card, None)
        if row is None:
            return None
        if row.state in self._left:
            self._left[row.state] -= 1
        else:
            self._steps.pop(bisect_left(self._steps, step_key(row)))
        return row

    def counts(self, now_ms: int) -> Counts:
        """Return what is left."""
        learning = self._steps_until(now_ms + self._limits.learn_ahead_ms)
        review, new = self._left[State.REVIEW], self._left[State.NEW]
        due = review + new + learning
        waiting = None if due or not self._steps else self._steps[0][0] - self._limits.learn_ahead_ms
        return Counts(review, new, learning, due, waiting, self._held_back)

    def _main_row(self) -> QueueRow | None:
        """Return the first review or new card that is still there."""
        while self._place < len(self._main):
            row = self._main[self._place]
            if self._rows.get(row.card) is row:
                return row
            # Answered or dropped rows never come back here, so each is passed once.
            self._place += 1
        return None

    def _step(self, until_ms: int, *, repeat: bool = False) -> QueueRow | None:
        """Return the earliest step due by then; the card answered last only with `repeat`."""
        for due_at_ms, _, card in self._steps[:2]:
            if due_at_ms <= until_ms and (repeat or card != self._last):
                return self._rows[card]
        return None

    def _steps_until(self, until_ms: int) -> int:
        return bisect_right(self._steps, until_ms, key=lambda entry: entry[0])

    def _put(self, row: QueueRow) -> None:
        """Add a step, replacing whatever stood for the card."""
        self.drop(row.card)
        entry = step_key(row)
        self._steps.insert(bisect_left(self._steps, entry), entry)
        self._rows[row.card] = row


def _rank(row: QueueRow, today: int) -> tuple[bool, float, str]:
    """Return what orders reviews: due ones least overdue first, then early ones nearest to being due first."""
    early = row.due_day is not None and row.due_day > today
    overdue = relative_overdueness(row, today)
    return early, -overdue if early else overdue, tie(row.card)


def step_key(row: QueueRow) -> tuple[int, str, str]:
    """Return what orders steps: time, then a fixed shuffle."""
    return row.due_at_ms or 0, tie(row.card), row.card


def tie(card: str) -> str:
    """Return a fixed shuffle of card ids, so that neighbours in a lesson are not asked in a row."""
    return hashlib.blake2b(card.encode(), digest_size=8).hexdigest()


def _authored(rows: Iterable[QueueRow]) -> list[QueueRow]:
    """Return new cards module by module, in the order written."""
    rows = list(rows)
    modules = {module: place for place, module in enumerate(dict.fromkeys(row.module for row in rows))}
    return sorted(rows, key=lambda row: (modules[row.module], row.ordinal))


def _interleaved(reviews: list[QueueRow], fresh: list[QueueRow]) -> list[QueueRow]:
    """Return both lists as one, each in its order, the shorter one spread evenly over the longer."""
    placed = [((index + 1) / (len(rows) + 1), row) for rows in (reviews, fresh) for index, row in enumerate(rows)]
    return [row for _, row in sorted(placed, key=lambda pair: pair[0])]
