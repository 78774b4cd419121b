"""Leeches: cards forgotten so often that the card, not the learner, needs work."""

from __future__ import annotations

FIRST_LAPSES = 8
"""Lapses at which a card is called a leech for the first time. Source: Anki's default."""
TAG, SUSPEND = "tag", "suspend"
"""What becomes of a leech: it is named, or put away as well. Source: Anki's two choices."""
EVERY_LAPSES = 4
"""Further lapses after which it is said again: half the first threshold. Source: Anki's default."""


def is_leech_event(lapses_before: int, lapses_after: int) -> bool:
    """Return whether an answer that moved the lapses from one count to the other marks the card as a leech.

    >>> [lapses for lapses in range(1, 20) if is_leech_event(lapses - 1, lapses)]
    [8, 12, 16]
    """
    return _marks(lapses_after) > _marks(lapses_before)


def _marks(lapses: int) -> int:
    """Return how many times a card with so many lapses has been called a leech."""
    return 0 if lapses < FIRST_LAPSES else (lapses - FIRST_LAPSES) // EVERY_LAPSES + 1
