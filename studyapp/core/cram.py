"""The order of a cram: every card until it was said well once, failed ones again a few cards later.

Nothing here is due or waits for a clock, so a cram always ends with its last card.
"""

from __future__ import annotations

from collections.abc import Iterable

from studyapp.core.cards import note_of
from studyapp.core.queue import Counts, QueueRow
from studyapp.core.reviews import Rating, State

RETURN_AFTER = 4
"""Cards between a failed one and its return: long enough to have left the mind, yet within this sitting."""


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
