"""Finding cards as fast as one types: what lessons say in memory, what the record says by SQL, both by one query.

A `Shelf` is loaded once (a second for 100,000 cards) and then answers in milliseconds: a longer word looks only
among the cards that the shorter one found, and what a term of facts found is kept until something changes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any as AnyValue
from typing import cast

from sqlalchemy import ColumnElement, case, false, func, literal, or_, select, true

from studyapp.core.queries import Any, Expression, Fact, Not, Text, fold, shows_orphans
from studyapp.store import schema
from studyapp.store.facts import Today, condition, elapsed_days, is_of_memory, marked, stability_days
from studyapp.store.lookup import cards_where
from studyapp.store.narrowing import Those, cost, filtered, merged, narrows
from studyapp.store.records import StoredCard
from studyapp.store.session import Session
from studyapp.store.shelved import Cards, read_cards

__all__ = ["Hits", "Shelf", "Today", "cards_by_id"]

_CARD, _MEMORY = schema.cards.c, schema.memory.c
_SEARCHES = 16
"""Searches that a next one may narrow: what stood before the words that were typed last, or taken back."""
_CHUNK = 500
"""Parameters in one statement; SQLite before 3.32 takes at most 999."""


@dataclass(frozen=True)
class Hits:
    """What a search found, and the cards it was found among: the shelf may have been loaded anew since."""

    cards: Cards
    places: list[int]

    def ids(self, places: Sequence[int]) -> list[str]:
        """Return the ids of places."""
        return [self.cards.ids[at] for at in places]

    def place_of(self, card: str) -> int | None:
        """Return which of what was found a card is, None if it is not among it."""
        try:
            return self.places.index(self.cards.at[card])
        except (KeyError, ValueError):
            return None


@dataclass
class _Kept:
    """What was found and may be found again, until something changes."""

    facts: dict[tuple[Fact, Today], Those] = field(default_factory=dict)
    orders: dict[tuple[str, bool, Today | None], list[int]] = field(default_factory=dict)
    members: set[int] | None = None
    searches: list[tuple[tuple[bool, Today], Expression, Sequence[int]]] = field(default_factory=list)
    """The last ones, the latest first."""


class Shelf:
    """All cards of a store, ready to be searched. Cards are named by their place on it, from 0.

    Threads may search it at the same time, and load or forget meanwhile: a search ends with what it began with.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.load()

    def load(self) -> None:
        """Read ids and texts anew: lessons have changed."""
        self._now = (read_cards(self._session), _Kept())

    def forget(self) -> None:
        """Forget what was found: answers or marks have changed."""
        self._now = (self._now[0], _Kept())

    def warm_up(self, today: Today) -> None:
        """Read what most terms need, while nobody waits for it yet."""
        _Search(self._session, *self._now, today).members()

    @property
    def ids(self) -> list[str]:
        """The id of every card, by its place."""
        return self._now[0].ids

    def find(
        self, expression: Expression, today: Today, sort: str = "lesson", *, descending: bool = False
    ) -> list[int]:
        """Return the places of the cards that an expression finds, as `search` does."""
        return self.search(expression, today, sort, descending=descending).places

    def search(
        self, expression: Expression, today: Today, sort: str = "lesson", *, descending: bool = False
    ) -> Hits:
        """Return the cards that an expression finds, in the order wanted.

        Cards that left their files are looked at only where the expression asks for them.

        Args:
            expression: From `core.queries`.
            today: What "due" and "recall" mean now.
            sort: One of `core.queries.SORTS`.
            descending: The other way round.
        """
        search = _Search(self._session, *self._now, today)
        return Hits(search.cards, search.find(expression, sort, descending))


@dataclass(frozen=True)
class _Search:
    """One search among the cards, with what is kept of those before it."""

    session: Session
    cards: Cards
    kept: _Kept
    today: Today

    def find(self, expression: Expression, sort: str, descending: bool) -> list[int]:
        orphans = shows_orphans(expression)
        every = range(len(self.cards.ids)) if orphans else self.cards.shown
        return self._in_order(self._found(expression, every, orphans), sort, descending)

    def _found(self, expression: Expression, every: Sequence[int], orphans: bool) -> Sequence[int]:
        """Return what an expression finds; where an earlier one found all of it, only that is looked at."""
        if isinstance(expression, Any):
            return merged([self._found(part, every, orphans) for part in expression.parts])
        terms, earlier = (orphans, self.today), self.kept.searches
        before = [found for t, old, found in earlier if t == terms and narrows(old, expression)]
        found = self._among(expression, min(before, key=len, default=every))
        self.kept.searches = [(terms, expression, found), *earlier[: _SEARCHES - 1]]
        return found

    def _among(self, wanted: Expression, candidates: Sequence[int]) -> Sequence[int]:
        """Return those of the candidates that an expression finds, in their order."""
        if isinstance(wanted, Text):
            text, texts = wanted.text, self.cards.texts
            return [at for at in candidates if text in texts[at]]
        if isinstance(wanted, Fact):
            return filtered(candidates, self._those(wanted))
        if isinstance(wanted, Not):
            return self._without(wanted.part, candidates)
        if isinstance(wanted, Any):
            return merged([self._among(part, candidates) for part in wanted.parts])
        for part in sorted(wanted.parts, key=cost):
            candidates = self._among(part, candidates)
        return candidates

    def _without(self, part: Expression, candidates: Sequence[int]) -> Sequence[int]:
        """Return those of the candidates that an expression does not find."""
        if isinstance(part, Text):
            text, texts = part.text, self.cards.texts
            return [at for at in candidates if text not in texts[at]]
        return filtered(candidates, Those(set(self._among(part, candidates)), inside=False))

    def _those(self, fact: Fact) -> Those:
        key = (fact, self.today)
        if key not in self.kept.facts:
            self.kept.facts[key] = self._look_up(fact)
        return self.kept.facts[key]

    def _look_up(self, fact: Fact) -> Those:
        places = self.cards.authored(fact)
        if places is not None:
            return Those(places)
        if fact.name == "tag":
            return Those(self._places(_CARD.id, self._own_tag(fact.value)) | self.cards.tagged(fact.value))
        if fact.name == "has" and fact.value == "tag":
            return Those(self._places(_CARD.id, marked("tag:%")) | self.cards.with_tags())
        if fact.name == "module":
            return Those(self.cards.in_modules(self._modules(fact.value)))
        if fact.name == "section":
            return Those(self.cards.in_sections(self._sections(fact.value)))
        where = condition(fact, self.today)
        return self._of_memory(where) if is_of_memory(fact) else Those(self._places(_CARD.id, where))

    def _of_memory(self, where: ColumnElement[bool]) -> Those:
        """Return the places of a condition on the memory; read are those that fit, or, where fewer, the others."""
        fits = case((where, 1), else_=0)
        one = select(literal(1).label("one")).subquery()
        no_memory = select(fits).select_from(one.outerjoin(schema.memory, false())).scalar_subquery()
        with self.session.read() as connection:
            query = select(func.count(), func.sum(fits), no_memory).select_from(schema.memory)
            count, fitting, fits_none = connection.execute(query).one()
        few = 2 * (fitting or 0) <= count
        listed = self._places(_MEMORY.card, fits == int(few))
        # of a card without a memory it is true or not: those that are told apart are the others
        return Those(listed if few != bool(fits_none) else self.members() - listed, inside=not fits_none)

    def members(self) -> set[int]:
        """Return the places of the cards that have a memory."""
        if self.kept.members is None:
            self.kept.members = self._places(_MEMORY.card, true())
        return self.kept.members

    def _places(self, column: ColumnElement[str], where: ColumnElement[bool]) -> set[int]:
        """Return the places of the ids that a condition finds: as one text, in half the time of as many rows."""
        with self.session.read() as connection:
            ids = connection.execute(select(func.json_group_array(column)).where(where)).scalar_one()
        found = set(map(self.cards.at.get, json.loads(ids)))  # one look-up each
        found.discard(None)
        return cast("set[int]", found)

    def _own_tag(self, tag: str) -> ColumnElement[bool]:
        """Return the condition for the learner's own tags, whose case says nothing."""
        mark = schema.card_marks.c
        own = select(mark.name).where(mark.name.startswith("tag:", autoescape=True)).distinct()
        with self.session.read() as connection:
            names = [name for (name,) in connection.execute(own) if _is_tag(fold(name[4:]), tag)]
        return or_(false(), *(marked(name) for name in names))

    def _modules(self, words: str) -> set[str]:
        """Return the modules whose id or title holds the words."""
        module = schema.modules.c
        with self.session.read() as connection:
            names = connection.execute(select(module.id, module.title)).all()
        return {row[0] for row in names if words in fold(f"{row[0]} {row[1]}")}

    def _sections(self, words: str) -> set[tuple[str, str]]:
        """Return the sections whose id or title is the words, or, where there is none, holds them."""
        section = schema.sections.c
        with self.session.read() as connection:
            rows = connection.execute(select(section.module, section.id, section.title)).all()
        held = [row for row in rows if words in (fold(row[1]), fold(row[2]))]  # an id alone, where it is one
        held = held or [row for row in rows if words in fold(f"{row[1]} {row[2]}")]
        return {(row[0], row[1]) for row in held}

    def _in_order(self, found: Sequence[int], sort: str, descending: bool) -> list[int]:
        """Return places sorted; texts are looked through in the order in which they lie in memory."""
        if sort == "lesson":
            return list(reversed(found)) if descending else list(found)
        key = (sort, descending, self.today if sort == "recall" else None)
        if key not in self.kept.orders:
            self.kept.orders[key] = self._sorted(sort, descending)
        own = set(found)
        return [at for at in self.kept.orders[key] if at in own]

    def _sorted(self, sort: str, descending: bool) -> list[int]:
        """Return all places: those that have the number by it, then the others by their ids."""
        by: ColumnElement[AnyValue] = {
            # a card on a step comes before all others
            "due": case((_MEMORY.due_day.is_not(None), _MEMORY.due_day), (_MEMORY.due_at_ms.is_not(None), 0)),
            "recall": -elapsed_days(self.today) / stability_days(),
            "stability": _MEMORY.stability,
            "difficulty": _MEMORY.difficulty,
            "lapses": _MEMORY.lapses,
            "last": _MEMORY.last_day,
        }[sort]
        way = by.desc() if descending else by.asc()
        ids = select(_MEMORY.card).where(by.is_not(None)).order_by(way, _MEMORY.card).subquery()
        with self.session.read() as connection:
            rows = json.loads(connection.execute(select(func.json_group_array(ids.c.card))).scalar_one())
        order = [at for at in map(self.cards.at.get, rows) if at is not None]
        own = set(order)
        return order + [at for card, at in sorted(self.cards.at.items()) if at not in own]


def _is_tag(name: str, tag: str) -> bool:
    return name == tag or name.startswith((f"{tag}::", f"{tag}/"))


def cards_by_id(session: Session, ids: Sequence[str]) -> list[StoredCard]:
    """Return cards, hidden ones included, in the order of the ids; unknown ones are left out."""
    found: dict[str, StoredCard] = {}
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        cards = cards_where(session, f"c.id IN ({', '.join('?' * len(chunk))})", *chunk)
        found |= {card.id: card for card in cards}
    return [found[card] for card in ids if card in found]
