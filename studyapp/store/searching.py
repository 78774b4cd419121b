"""Finding cards as fast as one types: texts in memory, everything else by SQL, both by one expression.

A `Shelf` is loaded once (a second for 100,000 cards) and then answers in milliseconds: a longer word looks only
among the cards that the shorter one found, and what a term of facts found is kept until something changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any as AnyValue

from sqlalchemy import ColumnElement, and_, case, false, or_, select

from studyapp.core.queries import All, Any, Expression, Fact, Not, Text, fold, shows_orphans
from studyapp.store import schema
from studyapp.store.facts import Today, condition, elapsed_days, marked, stability_days
from studyapp.store.lookup import cards_where
from studyapp.store.records import StoredCard
from studyapp.store.session import Session

__all__ = ["Shelf", "Today", "cards_by_id"]

_CARD, _MEMORY = schema.cards.c, schema.memory.c
_JOINED = schema.cards.outerjoin(schema.memory, schema.memory.c.card == _CARD.id)
_CHUNK = 500
"""Parameters in one statement; SQLite before 3.32 takes at most 999."""


class Shelf:
    """All cards of a store, ready to be searched. Cards are named by their place on it, from 0."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.ids: list[str] = []
        self._texts: list[str] = []
        self._tags: list[str] = []
        self._at: dict[str, int] = {}
        self._shown: list[int] = []
        self._facts: dict[tuple[Fact, Today], set[int]] = {}
        self._orders: dict[tuple[str, bool, Today | None], list[int]] = {}
        self._last: tuple[tuple[bool, Today], Expression, Sequence[int]] | None = None
        self.load()

    def load(self) -> None:
        """Read ids and texts anew: lessons have changed."""
        query = (
            "SELECT c.id, c.prompt, c.answer, c.key_points, c.tags, c.module, c.hidden FROM cards c "
            "JOIN modules m ON m.id = c.module ORDER BY m.ordinal, c.ordinal, c.id"
        )
        with self._session.alone() as raw:  # the driver's own tuples: half the time for 100,000 rows
            rows = raw.execute(query).fetchall()
        self.ids = [row[0] for row in rows]
        self._texts = [fold(" ".join((row[1], row[2], row[3], row[4], row[0], row[5]))) for row in rows]
        self._tags = [fold(row[4]) for row in rows]
        self._at = {card: at for at, card in enumerate(self.ids)}
        self._shown = [at for at, row in enumerate(rows) if not row[6]]
        self.forget()

    def place_of(self, card: str) -> int:
        """Return a card's place.

        Raises:
            KeyError: If it is not on the shelf.
        """
        return self._at[card]

    def forget(self) -> None:
        """Forget what was found: answers or marks have changed."""
        self._facts.clear()
        self._orders.clear()
        self._last = None

    def find(
        self, expression: Expression, today: Today, sort: str = "lesson", *, descending: bool = False
    ) -> list[int]:
        """Return the places of the cards that an expression finds, in the order wanted.

        Cards that left their files are looked at only where the expression asks for them.

        Args:
            expression: From `core.queries`.
            today: What "due" and "recall" mean now.
            sort: One of `core.queries.SORTS`.
            descending: The other way round.
        """
        orphans = shows_orphans(expression)
        terms = (orphans, today)
        if self._last is not None and self._last[0] == terms and _narrows(self._last[1], expression):
            candidates = self._last[2]
        else:
            candidates = range(len(self.ids)) if orphans else self._shown
        found = self._among(expression, candidates, today)
        self._last = (terms, expression, found)
        return self._in_order(found, sort, descending, today)

    def _among(self, wanted: Expression, candidates: Sequence[int], today: Today) -> Sequence[int]:
        """Return those of the candidates that an expression finds, in their order."""
        if isinstance(wanted, Text):
            texts, text = self._texts, wanted.text
            return [at for at in candidates if text in texts[at]]
        if isinstance(wanted, Fact):
            own = self._places(wanted, today)
            return [at for at in candidates if at in own]
        if isinstance(wanted, Not):
            out = set(self._among(wanted.part, candidates, today))
            return [at for at in candidates if at not in out]
        if isinstance(wanted, Any):
            return self._some(wanted.parts, candidates, today)
        for part in sorted(wanted.parts, key=_cost):
            candidates = self._among(part, candidates, today)
        return candidates

    def _some(self, parts: Sequence[Expression], candidates: Sequence[int], today: Today) -> Sequence[int]:
        some: set[int] = set()
        left = candidates
        for part in sorted(parts, key=_cost):
            some.update(self._among(part, left, today))
            left = [at for at in left if at not in some]
        return [at for at in candidates if at in some]

    def _places(self, fact: Fact, today: Today) -> set[int]:
        key = (fact, today)
        if key not in self._facts:
            if fact.name == "tag":
                found = self._query(self._tagged(fact.value))
                found |= {at for at, tags in enumerate(self._tags) if _has_tag(tags, fact.value)}
            elif fact.name in ("module", "section"):
                found = self._query(self._placed(fact))
            else:
                found = self._query(condition(fact, today))
            self._facts[key] = found
        return self._facts[key]

    def _query(self, where: ColumnElement[bool]) -> set[int]:
        with self._session.read() as connection:
            rows = connection.execute(select(_CARD.id).select_from(_JOINED).where(where))
            return {self._at[row[0]] for row in rows if row[0] in self._at}

    def _tagged(self, tag: str) -> ColumnElement[bool]:
        """Return the condition for the learner's own tags, whose case says nothing."""
        mark = schema.card_marks.c
        own = select(mark.name).where(mark.name.startswith("tag:", autoescape=True)).distinct()
        with self._session.read() as connection:
            names = [name for (name,) in connection.execute(own) if _is_tag(fold(name[4:]), tag)]
        return or_(false(), *(marked(name) for name in names))

    def _placed(self, fact: Fact) -> ColumnElement[bool]:
        """Return the condition for modules or sections whose id or title holds the words."""
        module, section = schema.modules.c, schema.sections.c
        with self._session.read() as connection:
            if fact.name == "module":
                names = connection.execute(select(module.id, module.title)).all()
                return _CARD.module.in_([row[0] for row in names if fact.value in fold(f"{row[0]} {row[1]}")])
            rows = connection.execute(select(section.module, section.id, section.title)).all()
        held = [row for row in rows if fact.value in (fold(row[1]), fold(row[2]))]  # an id alone, where it is one
        held = held or [row for row in rows if fact.value in fold(f"{row[1]} {row[2]}")]
        return or_(false(), *(and_(_CARD.module == row[0], _CARD.section == row[1]) for row in held))

    def _in_order(self, found: Sequence[int], sort: str, descending: bool, today: Today) -> list[int]:
        """Return places sorted; texts are looked through in the order in which they lie in memory."""
        if sort == "lesson":
            return list(reversed(found)) if descending else list(found)
        key = (sort, descending, today if sort == "recall" else None)
        if key not in self._orders:
            self._orders[key] = self._sorted(sort, descending, today)
        own = set(found)
        return [at for at in self._orders[key] if at in own]

    def _sorted(self, sort: str, descending: bool, today: Today) -> list[int]:
        by: ColumnElement[AnyValue] = {
            # a card on a step comes before all others
            "due": case((_MEMORY.due_day.is_not(None), _MEMORY.due_day), (_MEMORY.due_at_ms.is_not(None), 0)),
            "recall": -elapsed_days(today) / stability_days(),
            "stability": _MEMORY.stability,
            "difficulty": _MEMORY.difficulty,
            "lapses": _MEMORY.lapses,
            "last": _MEMORY.last_day,
        }[sort]
        way = by.desc() if descending else by.asc()
        query = select(_CARD.id).select_from(_JOINED).order_by(by.is_(None), way, _CARD.id)
        with self._session.read() as connection:
            return [self._at[row[0]] for row in connection.execute(query) if row[0] in self._at]


def _cost(part: Expression) -> int:
    """Rank parts: those that are looked up come first, then long words, which find less than short ones."""
    return -len(part.text) if isinstance(part, Text) else -1000 if isinstance(part, Fact) else 0


def _has_tag(tags: str, tag: str) -> bool:
    return f'"{tag}"' in tags or f'"{tag}::' in tags or f'"{tag}/' in tags


def _is_tag(name: str, tag: str) -> bool:
    return name == tag or name.startswith((f"{tag}::", f"{tag}/"))


def _narrows(before: Expression, after: Expression) -> bool:
    """Return whether all that an expression finds, the one before found too: a word grew, or a term was added."""
    if before in (after, All()):
        return True
    if isinstance(before, Text) and isinstance(after, Text):
        return before.text in after.text
    if isinstance(before, Any) and isinstance(after, Any):
        same = len(before.parts) == len(after.parts) and before.parts[:-1] == after.parts[:-1]
        return same and _narrows(before.parts[-1], after.parts[-1])
    if not isinstance(after, All):
        return False
    old = before.parts if isinstance(before, All) else (before,)
    new = after.parts[: len(old)]
    return len(new) == len(old) and old[:-1] == new[:-1] and _narrows(old[-1], new[-1])


def cards_by_id(session: Session, ids: Sequence[str]) -> list[StoredCard]:
    """Return cards, hidden ones included, in the order of the ids; unknown ones are left out."""
    found: dict[str, StoredCard] = {}
    for start in range(0, len(ids), _CHUNK):
        chunk = ids[start : start + _CHUNK]
        cards = cards_where(session, f"c.id IN ({', '.join('?' * len(chunk))})", *chunk)
        found |= {card.id: card for card in cards}
    return [found[card] for card in ids if card in found]
