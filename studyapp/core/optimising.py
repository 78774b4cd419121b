"""What an FSRS fit trains on, and whether its result is kept: history rules, time split, decision.

Standard library only and Python 3.10: the worker imports it too. Pure: rows in, values out.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import math
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studyapp.core.policy import LOWER_BOUNDS, UPPER_BOUNDS
from studyapp.core.reviews import Kind

ENOUGH_REVIEWS = 400
"""Usable reviews below which nothing is tried: with 369, a fit was worse than the defaults even on its own data.
Source: measured with py-fsrs on a synthetic learner, 2026-11-30."""
ENOUGH_FORGOTTEN = 10
"""Times forgotten (and remembered) below which a forgetting curve cannot be told from a flat one."""
LONGEST_HISTORY = 64
"""Answers of one card that are trained on, from its first. Source: fsrs-rs, `max_seq_len` as Anki sets it."""
MOST_REVIEWS = 250_000
"""Answers that are trained on: of more, the cards begun last. Keeps one packed history below a protocol line."""
TEST_SHARE = 0.2
"""The latest share of the usable reviews is kept out of the training and decides."""
RESET = "reset"
"""The action of a manual row that makes a card new again."""
_LONGEST_GAP_DAYS = 65_535
_VERSION = b"1"
_BIG_ENDIAN = array("H", [1]).tobytes()[0] == 0


@dataclass(frozen=True)
class Entry:
    """One row of a card's log, as far as training is concerned; in replay order."""

    kind: Kind
    rating: int
    """1 to 4; 0 for a manual row."""
    study_day: int
    action: str = ""
    """What a manual row did."""
    first: bool = False
    """Whether the card was new before this answer."""


@dataclass(frozen=True)
class History:
    """One card's answers, from its first as a new card: what the model is unrolled over."""

    first_day: int
    ratings: tuple[int, ...]
    """1 to 4."""
    deltas: tuple[int, ...]
    """Study days since the answer before, 0 for the first."""

    @property
    def days(self) -> tuple[int, ...]:
        """The study day of every answer."""
        found, day = [], self.first_day
        for delta in self.deltas:
            day += delta
            found.append(day)
        return tuple(found)

    def usable(self) -> int:
        """Return how many answers came a day or more after the one before: they tell what was remembered."""
        return sum(1 for delta in self.deltas if delta > 0)


def history_of(entries: Iterable[Entry]) -> History | None:
    """Return what of a card's log can be trained on, None for nothing.

    Cram answers and manual rows are ignored, a reset drops everything before it, and a card whose first kept entry
    is no first answer is left out: its beginning is missing. Source: Anki 26.9, `params.rs`.
    """
    kept: list[Entry] = []
    for entry in entries:
        if entry.action.partition(" ")[0] == RESET:  # it may have gone with another row
            kept = []
        elif entry.kind in (Kind.LEARN, Kind.REVIEW, Kind.RELEARN) and 1 <= entry.rating <= 4:
            kept.append(entry)
    if not kept or kept[0].kind is not Kind.LEARN:
        return None
    kept = kept[:LONGEST_HISTORY]
    days = [entry.study_day for entry in kept]
    gaps = [0] + [min(max(0, b - a), _LONGEST_GAP_DAYS) for a, b in itertools.pairwise(days)]
    return History(days[0], tuple(entry.rating for entry in kept), tuple(gaps))


@dataclass(frozen=True)
class Supply:
    """How much there is to train on."""

    usable: int
    """Answers given a day or more after the one before."""
    forgotten: int
    """Of these, the failed ones."""

    @property
    def enough(self) -> bool:
        """Whether a fit is worth trying."""
        return self.usable >= ENOUGH_REVIEWS and not self.one_sided

    @property
    def one_sided(self) -> bool:
        """Whether nearly all usable answers are alike."""
        return min(self.forgotten, self.usable - self.forgotten) < ENOUGH_FORGOTTEN

    @property
    def words(self) -> str:
        """One sentence: what there is and what is needed."""
        reviews = f"{self.usable:,} usable review{'' if self.usable == 1 else 's'}"
        if self.usable >= ENOUGH_REVIEWS and self.one_sided:
            return (
                f"{reviews}, {self.forgotten} of them forgotten: at least {ENOUGH_FORGOTTEN} of each are needed."
            )
        return (
            f"{reviews}; about {ENOUGH_REVIEWS} are needed. A review counts from the day after the answer before."
        )


def supply(histories: Sequence[History]) -> Supply:
    """Return how much there is to train on."""
    usable = forgotten = 0
    for history in histories:
        for rating, delta in zip(history.ratings, history.deltas, strict=True):
            if delta > 0:
                usable += 1
                forgotten += rating == 1
    return Supply(usable, forgotten)


def split_day(histories: Sequence[History], share: float = TEST_SHARE) -> int:
    """Return the study day from which on usable reviews are kept out of the training.

    Whole days only, so that no day is on both sides; the later part holds at least `share` where days allow it.

    Raises:
        ValueError: If there is no usable review.
    """
    days = sorted(day for h in histories for day, delta in zip(h.days, h.deltas, strict=True) if delta > 0)
    if not days:
        raise ValueError("no usable review")
    return days[min(len(days) - 1, math.floor(len(days) * (1 - share)))]


@dataclass(frozen=True)
class Fit:
    """What a training run found."""

    parameters: tuple[float, ...]
    """Fitted to all reviews."""
    trained: int
    """Usable reviews before the split."""
    held_out: int
    """Usable reviews from the split on, which the compared numbers never saw."""
    loss_before: float
    """Log-loss of the numbers in force over the reviews kept out."""
    loss_after: float
    """Log-loss of numbers fitted to the earlier reviews, over the same."""


@dataclass(frozen=True)
class Decision:
    """Whether a fit replaces the numbers in force, and why, in one sentence."""

    keep: bool
    because: str


def decide(fit: Fit) -> Decision:
    """Return whether new numbers are taken: finite, within bounds, and better on reviews they never saw."""
    numbers = f"log-loss {fit.loss_before:.4f} -> {fit.loss_after:.4f} on the {fit.held_out:,} latest reviews"
    inside = len(fit.parameters) == len(LOWER_BOUNDS) and all(
        math.isfinite(value) and low <= value <= high
        for value, low, high in zip(fit.parameters, LOWER_BOUNDS, UPPER_BOUNDS, strict=True)
    )
    if not inside or not math.isfinite(fit.loss_after):
        return Decision(False, "The training ended outside the allowed range; the old numbers stay.")
    if not fit.loss_after < fit.loss_before:
        return Decision(False, f"Your reviews train no better forecast yet ({numbers}); the old numbers stay.")
    return Decision(True, f"Numbers trained on your reviews forecast better ({numbers}).")


def trainable(histories: Sequence[History]) -> list[History]:
    """Return the histories to train on, at most `MOST_REVIEWS` answers: of more, the cards begun last."""
    useful = [history for history in histories if history.usable()]
    if sum(len(history.ratings) for history in useful) <= MOST_REVIEWS:
        return useful
    kept, answers = [], 0
    for history in sorted(useful, key=lambda h: h.first_day, reverse=True):
        answers += len(history.ratings)
        if answers > MOST_REVIEWS:
            break
        kept.append(history)
    return kept[::-1]


def pack(histories: Sequence[History]) -> str:
    """Return histories as one short ASCII text: columns, compressed; `unpack` reads it."""
    columns = (
        array("i", [h.first_day for h in histories]),
        array("B", [len(h.ratings) for h in histories]),
        array("B", [rating for h in histories for rating in h.ratings]),
        array("H", [delta for h in histories for delta in h.deltas]),
    )
    head = len(histories).to_bytes(4, "little")
    return base64.b64encode(zlib.compress(_VERSION + head + b"".join(map(_little, columns)), 6)).decode()


def unpack(text: str) -> list[History]:
    """Return the histories that `pack` wrote.

    Raises:
        ValueError: If the text is damaged.
    """
    try:
        data = zlib.decompress(base64.b64decode(text, validate=True))
    except (zlib.error, binascii.Error) as error:
        raise ValueError(f"not a packed history: {error}") from error
    if data[:1] != _VERSION:
        raise ValueError("a packed history of another version")
    count = int.from_bytes(data[1:5], "little")
    first, at = _column("i", data, 5, count)
    lengths, at = _column("B", data, at, count)
    ratings, at = _column("B", data, at, sum(lengths))
    deltas, at = _column("H", data, at, sum(lengths))
    found, start = [], 0
    for day, length in zip(first, lengths, strict=True):
        end = start + length
        found.append(History(day, tuple(ratings[start:end]), tuple(deltas[start:end])))
        start = end
    return found


def _little(column: array[int]) -> bytes:
    if _BIG_ENDIAN:
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()


def _column(kind: str, data: bytes, at: int, count: int) -> tuple[array[int], int]:
    column = array(kind)
    end = at + count * column.itemsize
    if end > len(data):
        raise ValueError("a packed history that was cut off")
    column.frombytes(data[at:end])
    if _BIG_ENDIAN:
        column.byteswap()
    return column, end
