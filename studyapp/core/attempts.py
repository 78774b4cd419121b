"""What a learner typed or chose before the answer was shown, and how it compares: it suggests a grade, no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from studyapp.core.grades import Rating

NUMERIC, TYPED, CHOICE = "numeric", "typed", "choice"
ATTEMPTED = (NUMERIC, TYPED, CHOICE)
"""Kinds of cards whose answer is given to the program before it is shown."""


class Fit(str, Enum):
    """How well an attempt agrees with the answer."""

    RIGHT = "right"
    NEAR = "near"
    OFF = "off"


class Mark(str, Enum):
    """What a piece of a comparison is."""

    SAME = "same"
    EXTRA = "extra"
    """Typed, but not in the answer."""
    MISSING = "missing"
    """In the answer, but not typed."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is the same, too much or missing."""

    mark: Mark
    text: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer given before the reveal."""

    said: str
    """As it was typed, or the options that were chosen."""
    fit: Fit | None = None
    """None where the program cannot tell, or does not judge."""
    words: str = ""
    """What there is to say about it, one sentence or two, "" for nothing."""
    pieces: tuple[Piece, ...] = ()
    """The comparison letter by letter, () where there is none to show."""


def suggested(attempt: Attempt | None, grades: Sequence[Rating] = tuple(Rating)) -> Rating | None:
    """Return the grade an attempt suggests: right Good, near Hard where there is such a grade, off Again.

    >>> suggested(Attempt("5 GB", Fit.NEAR)), suggested(Attempt("it waits"))
    (<Rating.HARD: 2>, None)
    """
    if attempt is None or attempt.fit is None:
        return None
    if attempt.fit is Fit.RIGHT:
        return Rating.GOOD
    return Rating.HARD if attempt.fit is Fit.NEAR and Rating.HARD in grades else Rating.AGAIN


def marked(pieces: Sequence[Piece]) -> str:
    """Return a comparison as text that needs no colour: [-too much-] and {+missing+}.

    >>> marked([Piece(Mark.SAME, "pin"), Piece(Mark.MISSING, "_memory")])
    'pin{+_memory+}'
    """
    signs = {Mark.SAME: ("", ""), Mark.EXTRA: ("[-", "-]"), Mark.MISSING: ("{+", "+}")}
    return "".join(f"{signs[piece.mark][0]}{piece.text}{signs[piece.mark][1]}" for piece in pieces)


def attempt(kind: str, answer: str, said: str) -> Attempt:
    """Return how something typed compares with a card's answer; only numeric and typed cards are judged."""
    if kind == NUMERIC:
        from studyapp.core.quantities import judge_number

        return judge_number(answer, said)
    if kind == TYPED:
        from studyapp.core.typed import judge_typed

        return judge_typed(answer, said)
    return Attempt(said)
