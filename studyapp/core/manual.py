"""What manual rows of the log say: a card put away or taken back, by the learner or along with an answer.

An action is a verb with at most one word: "suspend", "unsuspend", "bury DAY", "unbury", "reschedule", "reset",
"adopt CARD" (its memory goes on under this card).
What went with an answer (a sibling buried, a leech suspended) names the row it went with: "bury DAY with UID";
taking that row back takes these back as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from studyapp.core.reviews import Kind, ReviewRow

_WITH = " with "


@dataclass(frozen=True, slots=True)
class Marks:
    """Whether and until when a card is put away. Derived from the log, like its memory."""

    suspended: bool = False
    buried_until_day: int | None = None
    """First study day on which it may be shown again."""


def going_with(action: str, uid: str) -> str:
    """Return the action of a row that goes with another row.

    >>> going_with("bury 739618", "ab")
    'bury 739618 with ab'
    """
    return f"{action}{_WITH}{uid}"


def goes_with(row: ReviewRow) -> str | None:
    """Return the id of the row that a manual row went with, or None for one that stands alone."""
    return row.action.partition(_WITH)[2] or None


def verb(action: str) -> str:
    """Return the action's first word.

    >>> verb("bury 739618 with ab")
    'bury'
    """
    return action.partition(" ")[0]


def marks(standing: Iterable[ReviewRow]) -> Marks:
    """Return the marks after the rows of one card that count, in replay order."""
    suspended, buried = False, None
    for row in standing:
        if row.kind is not Kind.MANUAL:
            continue
        words = row.action.split(" ")
        if words[0] in ("suspend", "unsuspend"):
            suspended = words[0] == "suspend"
        elif words[0] == "unbury":
            buried = None
        elif words[0] == "bury" and len(words) > 1:
            buried = int(words[1])
    return Marks(suspended, buried)
