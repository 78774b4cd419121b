"""A timebox: after so many minutes at the cards a sitting offers to end. The time is handed in, card by card."""

from __future__ import annotations

LONGEST_CARD_S = 120.0
"""A card counts up to two minutes, one to think and one to check: past that the learner was elsewhere."""


class Timebox:
    """Minutes at the cards, filled by what each card took."""

    def __init__(self, minutes: float) -> None:
        """Begin an empty box.

        Args:
            minutes: How long it is; 0 is never full.
        """
        self.minutes = minutes
        self.cards = 0
        """Cards answered in this box."""
        self._spent_s = 0.0

    def spend(self, seconds: float) -> None:
        """Add an answered card; time away from it does not count beyond `LONGEST_CARD_S`."""
        self.cards += 1
        self._spent_s += min(max(0.0, seconds), LONGEST_CARD_S)

    @property
    def over(self) -> bool:
        """Whether the minutes are over."""
        return self.minutes > 0 and self._spent_s >= self.minutes * 60

    def begin_again(self) -> None:
        """Empty the box: the learner goes on."""
        self.cards, self._spent_s = 0, 0.0

    def words(self, waiting: int) -> str:
        """Return what is said when it is over.

        Args:
            waiting: Cards that are left.

        >>> box = Timebox(5)
        >>> box.spend(30)
        >>> box.words(12)
        '5 minutes are over: 1 card answered, 12 wait.'
        """
        minutes = f"{self.minutes:g} minute{' is' if self.minutes == 1 else 's are'}"
        cards = f"{self.cards} card{'' if self.cards == 1 else 's'}"
        return f"{minutes} over: {cards} answered, {waiting} wait{'s' if waiting == 1 else ''}."
