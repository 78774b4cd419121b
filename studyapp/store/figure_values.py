"""The values that `figures` gives back. No SQLAlchemy here, so every front end may import them early."""

from __future__ import annotations

from typing import NamedTuple

STABILITY_DAYS = (1, 7, 21, 90, 365)
"""Where stabilities are parted, days: a day, a week, Anki's line of mature cards, a quarter, a year."""


class TrainingRow(NamedTuple):
    """One row of the log as training needs it."""

    card: str
    kind: str
    rating: int
    study_day: int
    action: str


class DayFigures(NamedTuple):
    """What one study day holds."""

    day: int
    answers: int
    seconds: float
    """Time spent, each answer capped at a minute."""
    young_passed: int
    """Recall after a day or more, as Anki counts true retention: last interval under 21 days."""
    young: int
    mature_passed: int
    """The same with longer intervals."""
    mature: int


class Held(NamedTuple):
    """What a module's cards hold in memory."""

    module: str
    cards: int
    """Cards that were answered."""
    learned: int
    """Known for a day or more."""
    leeches: int
    known_now: float
    """Sum of the chances of recall today."""
    known_then: float
    """Sum of the chances of recall after so many days without a review."""
    durable: tuple[int, ...]
    """Cards whose stability reaches each of `STABILITY_DAYS`."""


class HardCard(NamedTuple):
    """A card that was forgotten."""

    id: str
    prompt: str
    lapses: int
    stability: float
    last_day: int
    leech: bool
