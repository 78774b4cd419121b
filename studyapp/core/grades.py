"""The words of the review log that screens need before a record is open: grades, states, kinds of rows."""

from __future__ import annotations

from enum import Enum, IntEnum


class Rating(IntEnum):
    """The learner's grade."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


class State(IntEnum):
    """Where a card stands."""

    NEW = 0
    LEARNING = 1
    REVIEW = 2
    RELEARNING = 3


class Kind(str, Enum):
    """What a log row stands for."""

    LEARN = "learn"
    REVIEW = "review"
    RELEARN = "relearn"
    CRAM = "cram"
    MANUAL = "manual"
    UNDO = "undo"
