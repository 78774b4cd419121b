"""A queue over more cards than a sitting will see: they are fetched a helping at a time, and counted, not listed.

It gives the cards in the order of `Queue`; only among reviews equally overdue, and steps of one instant, the fixed
shuffle is that of each helping. Pure: where the cards come from is handed in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from studyapp.core.queue import Counts, Done, Limits, Queue, QueueRow, relative_overdueness, step_key, tie
from studyapp.core.reviews import State

HELPING = 16
"""Cards fetched at first; each helping is twice the one before, so that few answers wait for one."""


class Waiting(Protocol):
    """The cards that wait now, in their order."""

    def counted(self) -> tuple[int, int]:
        """Return how many reviews wait, and how many steps whose time had come when the queue was built."""
        ...

    def reviews(self, most: int) -> list[QueueRow]:
        """Return the first so many reviews, the least overdue for their stability first."""
        ...

    def soon(self) -> list[int]:
        """Return when the steps come whose time was still to come, ascending, UTC milliseconds."""
        ...

    def steps(self, most: int) -> list[QueueRow]:
        """Return the first so many of all these steps, the earliest first."""
        ...

    def row(self, card: str) -> QueueRow | None:
        """Return one card's row if it is among the reviews or steps."""
        ...


class LongQueue(Queue):
    """The cards of one sitting on one study day; those that wait are fetched when their turn comes."""

    def __init__(
        self,
        waiting: Waiting,
        new: Iterable[QueueRow],
        *,
        limits: Limits,
        today: int,
        now_ms: int,
        done: Done | None = None,
        first: str | None = None,
    ) -> None:
        """Build the queue.

        Args:
            waiting: Where reviews and steps come from.
            new: As in `Queue`, and so are the others.
            limits: The day's limits.
            today: The study day.
            now_ms: When the waiting cards were looked up, UTC milliseconds.
            done: What the day has had already.
            first: A card to show before all others.
        """
        self._waiting = waiting
        self._today, self._now_ms = today, now_ms
        self._seen: set[str] = set()
        super().__init__((), (), new, limits=limits, today=today, done=done, first=first)
        total, self._late = waiting.counted()
        self._soon = waiting.soon()
        """Instants of the steps that were not fetched, beyond so many late ones."""
        self._most = min(total, max(0, limits.reviews_per_day - (done or Done()).reviews))
        """Reviews within the limit, those that were fetched and those that were not."""
        self._held_back = total - self._most
        self._left[State.REVIEW] = self._most
        self._span = self._most + 1
        self._fresh, self._reviews = self._main, list[QueueRow]()
        self._seen.update(row.card for row in self._fresh)
        self._fresh_at = self._review_at = 0
        self._bound: tuple[int, str, str] | None = None
        self._helpings = {State.REVIEW: HELPING, State.LEARNING: HELPING}
        self._doubted = False
        """Whether a card was taken out that may not have been fetched: how many are left must be asked for."""
        if first is not None and first not in self._rows:
            self._fetch_first(first)

    def _fetch_first(self, card: str) -> None:
        row = self._waiting.row(card)
        if row is None:
            return
        if row.state is State.REVIEW and self._most:
            self._keep([row])
        elif row.state is not State.REVIEW:
            self._seen.add(card)
            self._put(row)
            if (row.due_at_ms or 0) in self._soon:
                self._soon.remove(row.due_at_ms or 0)
            else:
                self._late = max(0, self._late - 1)

    def _main_row(self) -> QueueRow | None:
        while True:
            review = (self._review_at + 1) / self._span if self._review_at < self._most else None
            fresh = (self._fresh_at + 1) / (len(self._fresh) + 1) if self._fresh_at < len(self._fresh) else None
            if review is None and fresh is None:
                return None
            if fresh is None or (review is not None and review <= fresh):
                if self._review_at == len(self._reviews):
                    self._fetch_reviews()
                    continue
                row = self._reviews[self._review_at]
                self._review_at += self._rows.get(row.card) is not row
            else:
                row = self._fresh[self._fresh_at]
                self._fresh_at += self._rows.get(row.card) is not row
            if self._rows.get(row.card) is row:
                return row

    def _ahead(self) -> list[QueueRow]:
        lines = ((self._reviews, self._review_at, self._span), (self._fresh, self._fresh_at, len(self._fresh) + 1))
        placed = [((at + n + 1) / of, row) for line, at, of in lines for n, row in enumerate(line[at : at + 2])]
        return [row for _, row in sorted(placed, key=lambda pair: pair[0])]

    def _fetch_reviews(self) -> None:
        wanted = min(self._helping(State.REVIEW), self._most - len(self._reviews))
        there = self._present()
        found = self._waiting.reviews(wanted + there)
        fresh = [row for row in found if row.card not in self._seen][:wanted]
        fresh.sort(key=lambda row: (relative_overdueness(row, self._today), tie(row.card)))
        self._keep(fresh)
        if len(fresh) < wanted:  # answered elsewhere meanwhile
            self._most = len(self._reviews)
            self._left[State.REVIEW] = self._present()

    def _keep(self, rows: list[QueueRow]) -> None:
        self._reviews += rows
        self._seen.update(row.card for row in rows)
        self._rows.update((row.card, row) for row in rows)

    def _present(self) -> int:
        """Return how many fetched reviews are still to come; all before the present place are gone."""
        return sum(self._rows.get(row.card) is row for row in self._reviews[self._review_at :])

    def _helping(self, of: State) -> int:
        size = self._helpings[of]
        self._helpings[of] = 2 * size
        return size

    def _step(self, until_ms: int, *, repeat: bool = False) -> QueueRow | None:
        while self._late or (self._soon and self._soon[0] <= until_ms):
            if len(self._steps) >= 2 and self._bound is not None and self._steps[1] <= self._bound:
                break
            self._fetch_steps()
        return super()._step(until_ms, repeat=repeat)

    def _fetch_steps(self) -> None:
        wanted = min(self._helping(State.LEARNING), self._late + len(self._soon))
        there = len(self._steps)
        fresh = [row for row in self._waiting.steps(wanted + there) if row.card not in self._seen][:wanted]
        if len(fresh) == wanted:
            del self._soon[: max(0, wanted - self._late)]
            self._late = max(0, self._late - wanted)
        else:
            self._late, self._soon = 0, []  # the others were answered elsewhere
        self._seen.update(row.card for row in fresh)
        for row in fresh:
            self._put(row)
        if fresh:
            self._bound = max(step_key(row) for row in fresh)

    def _steps_until(self, until_ms: int) -> int:
        return super()._steps_until(until_ms) + self._late + bisect_right(self._soon, until_ms)

    def drop(self, card: str) -> QueueRow | None:
        """Take a card out, fetched or not, and return its row; None if it was not fetched."""
        row = super().drop(card)
        if row is None and card not in self._seen:
            self._seen.add(card)
            self._doubted = True
        return row

    def counts(self, now_ms: int) -> Counts:
        """Return what is left."""
        if self._doubted:
            self._count_again()
        found = super().counts(now_ms)
        if found.due or not self._soon:
            return found
        first_ms = self._soon[0] - self._limits.learn_ahead_ms
        return replace(found, waiting_until_ms=min(first_ms, found.waiting_until_ms or first_ms))

    def _count_again(self) -> None:
        self._doubted = False
        reviews, late = self._waiting.counted()
        there = self._present()
        self._most = len(self._reviews) + min(self._most - len(self._reviews), max(0, reviews - there))
        self._left[State.REVIEW] = there + self._most - len(self._reviews)
        known = bisect_right(self._steps, self._now_ms, key=lambda entry: entry[0])
        self._late = min(self._late, max(0, late - known))
        soon = self._waiting.soon()
        for due_at_ms, _, _ in self._steps[known:]:
            if due_at_ms in soon:
                soon.remove(due_at_ms)
        self._soon = soon
