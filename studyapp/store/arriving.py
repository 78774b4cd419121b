"""What arrives from elsewhere: cards with their past, and what of it the store lacks. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from studyapp.core.cards import Card
from studyapp.core.reviews import Memory
from studyapp.store.lookup import links_as_json
from studyapp.store.twins import SAME_MS

CARD_COLUMNS = (
    *("id", "module", "section", "ordinal", "kind", "prompt", "answer", "key_points", "experiments", "tags"),
    *("path", "line", "text_hash", "explicit_id", "hidden", "suspended", "buried_until_day"),
)
CONTENT = ("kind", "prompt", "answer", "key_points", "experiments", "tags")
MarkRow = tuple[bytes, int, int, int, Memory | None, str]


class Arriving(NamedTuple):
    """A card to be stored with its past."""

    card: Card
    module: str
    """Wanted id of its module."""
    title: str
    origin: str
    """Path of its module, beginning with `ORIGIN`."""
    version: tuple[int, int]
    """How new its text is where it comes from: when it was last changed, seconds since 1970, then the package's
    own time, ms."""
    rows: Sequence[tuple[Any, ...]] = ()
    """Its reviews by time, as tuples of `pasts.FIELDS`; none where they are poured."""
    marks: Sequence[MarkRow] = ()
    """What stands after them: (uid, at_ms, offset_min, study_day, memory as it was there or None, action)."""
    memory: Memory = Memory()
    """Where the rows and marks end."""
    suspended: bool = False
    buried_until_day: int | None = None
    flag: str = ""
    """Colour of its flag; a card that is here already keeps its own."""

    @property
    def is_away(self) -> bool:
        """Whether it is suspended or buried."""
        return self.suspended or self.buried_until_day is not None


@dataclass
class Arrived:
    """What came, in numbers of cards, and of rows of the log."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    older: int = 0
    """Left as they are: the text here is newer."""
    yours: int = 0
    """Cards of a lesson of yours: only their past was taken."""
    reviews: int = 0
    modules: tuple[str, ...] = ()
    """Ids of the modules that hold them."""
    marks: int = 0
    """Rows besides reviews: a memory as it was there, cards put away."""

    @property
    def anything(self) -> bool:
        """Whether anything changed."""
        return bool(self.new or self.changed or self.reviews or self.marks)


class AnsweredMeanwhileError(Exception):
    """A card that had no past when the caller looked has one now; nothing was stored."""


def made_of(card: Card) -> tuple[tuple[Any, ...], str]:
    """Return the columns `CONTENT` of a card, and the hash of its text."""
    content = (
        card.kind,
        card.prompt,
        card.answer,
        json.dumps(card.key_points, ensure_ascii=False) if card.key_points else "[]",
        links_as_json(card.experiments) if card.experiments else "[]",
        json.dumps(card.tags, ensure_ascii=False) if card.tags else "[]",
    )
    return content, card.text_hash


def card_row(
    one: Arriving, content: tuple[Any, ...], text_hash: str, module: str, ordinal: int, is_away: bool
) -> tuple[Any, ...]:
    """Return a new card as the columns `CARD_COLUMNS`."""
    card = one.card
    away = (int(one.suspended), one.buried_until_day) if is_away else (0, None)
    return (card.id, module, "", ordinal, *content, one.origin, card.line, text_hash, 1, 0, *away)


def answers_in(rows: Iterable[tuple[Any, ...]]) -> int:
    """Return how many rows are answers, not manual ones."""
    return sum(1 for row in rows if row[3])


def lacking_reviews(rows: Iterable[tuple[Any, ...]], logged: Iterable[tuple[int, bytes]]) -> list[tuple[Any, ...]]:
    """Return the rows that the store has not: neither by id nor, for reviews it exported itself, by time."""
    uids = {uid for _, uid in logged}
    rows = [row for row in rows if row[0] not in uids]
    if not rows:
        return []
    times = [at for at, _ in logged]
    near = {at // SAME_MS + step for at in times for step in (-1, 0, 1)}
    return [
        row for row in rows if not (row[1] // SAME_MS in near and any(abs(row[1] - at) <= SAME_MS for at in times))
    ]


def lacking_marks(one: Arriving, logged: Sequence[tuple[int, bytes]], reviewed: bool) -> list[MarkRow]:
    """Return what to append after a card's reviews: its memory there only if it was reviewed there since."""
    uids = {uid for _, uid in logged}
    latest = max(at for at, _ in logged)
    return [
        mark for mark in one.marks if mark[0] not in uids and (reviewed or (mark[4] is None and mark[1] > latest))
    ]
