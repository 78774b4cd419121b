"""What may be asked for beyond today's cards, and the order of a cram.

A cram asks every card until it was said well once, failed ones again a few cards later. Nothing in it is due or
waits for a clock, so it always ends with its last card.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from studyapp.core.cards import note_of
from studyapp.core.queue import Counts, QueueRow
from studyapp.core.reviews import Rating, State

RETURN_AFTER = 4
"""Cards between a failed one and its return: long enough to have left the mind, yet within this sitting."""


@dataclass(frozen=True)
class Beyond:
    """What is asked for beyond today's cards."""

    ahead_days: int | None = None
    """Cards due within so many days, today's first; None: any card that was taught, due or not."""
    moves: bool = True
    """Whether an answer is a review like any other; else it is kept as a cram answer and moves nothing."""

    @property
    def title(self) -> str:
        """What such a sitting is called."""
        days = "1 day" if self.ahead_days == 1 else f"{self.ahead_days} days"
        name = "cram" if self.ahead_days is None else f"{days} ahead"
        usual = self.moves is (self.ahead_days is not None)
        return name if usual else f"{name}, {'reviews' if self.moves else 'moves nothing'}"


CRAM = Beyond(None, moves=False)
"""A cram as it usually is."""


def ahead(days: int) -> Beyond:
    """Return what studying ahead usually is.

    >>> ahead(3).title
    '3 days ahead'
    """
    return Beyond(days, moves=True)


class CramQueue:
    """The cards of one cram, in the order given; siblings are kept apart where others stand between."""

    def __init__(self, rows: Iterable[QueueRow], *, left_out: int = 0) -> None:
        """Build the queue.

        Args:
            rows: The cards, first first.
            left_out: How many more there would have been.
        """
        self._line = _apart(rows)
        self._known = {row.card: row for row in self._line}
        self._failed: set[str] = set()
        self._left_out = left_out

    def __contains__(self, card: str) -> bool:
        """Whether a card is or was part of this cram."""
        return card in self._known

    def next(self, now_ms: int) -> QueueRow | None:
        """Return the card to show now, or None at the end. Asking changes nothing.

        Args:
            now_ms: UTC milliseconds; no card of a cram waits for it.
        """
        return self._line[0] if self._line else None

    def coming(self, card: str) -> str | None:
        """Return the card that may well come after one."""
        return next((row.card for row in self._line[:2] if row.card != card), None)

    def answered(self, card: str, rating: Rating) -> None:
        """Record an answer: Good or Easy ends a card, anything else brings it back after `RETURN_AFTER` others."""
        row = self.drop(card)
        if row is not None and rating < Rating.GOOD:
            self._failed.add(card)
            self._line.insert(RETURN_AFTER, row)

    def drop(self, card: str) -> QueueRow | None:
        """Take a card out and return its row; None if it was not waiting."""
        row = next((row for row in self._line if row.card == card), None)
        if row is not None:
            self._line.remove(row)
            self._failed.discard(card)
        return row

    def take_back(self, card: str) -> None:
        """Put a card whose answer was taken back in front again; one that was never asked for changes nothing."""
        self.drop(card)
        if card in self._known:
            self._line.insert(0, self._known[card])

    def counts(self, now_ms: int) -> Counts:
        """Return what is left; what failed counts as learning.

        Args:
            now_ms: UTC milliseconds; no card of a cram waits for it.
        """
        failed = len(self._failed)
        new = sum(1 for row in self._line if row.state is State.NEW and row.card not in self._failed)
        due = len(self._line)
        return Counts(due - failed - new, new, failed, due, None, self._left_out)


def _apart(rows: Iterable[QueueRow]) -> list[QueueRow]:
    """Return the rows in their order, except that a sibling lets the next other card pass."""
    line: list[QueueRow] = []
    rest = list(rows)
    while rest:
        last = note_of(line[-1].card) if line else ""
        place = next((at for at, row in enumerate(rest) if note_of(row.card) != last), 0)
        line.append(rest.pop(place))
    return line
