"""What lessons say of every card, held in memory to be searched: one reading of the store, never changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.core.queries import Fact, fold
from studyapp.store.session import Session

_QUERY = """
SELECT c.id, c.prompt, c.answer, c.key_points, c.tags, c.module, c.hidden, c.section, c.kind, c.experiments
FROM cards c JOIN modules m ON m.id = c.module ORDER BY m.ordinal, c.ordinal, c.id
"""
_NONE = "[]"
"""How a column of several tells that there are none."""


@dataclass(frozen=True)
class Cards:
    """The cards of a store, named by their place in authored order, from 0; hidden ones among them."""

    ids: list[str]
    at: dict[str, int]
    """Place by id."""
    shown: list[int]
    """Places of those that have not left their files."""
    texts: list[str]
    """All that words are looked for in, folded."""
    tags: list[str]
    """Folded JSON."""
    modules: list[str]
    sections: list[str]
    kinds: list[str]
    experiments: list[str]
    """JSON."""

    def authored(self, fact: Fact) -> set[int] | None:
        """Return the places of which a fact is true by what lessons say, None for one that the record tells."""
        if fact.name == "kind":
            return _those(self.kinds, lambda kind: kind.lower().startswith(fact.value))
        if fact.name == "experiment":
            named = f'"experiment": "{fact.value}'
            return _those(self.experiments, lambda links: named in links.lower())
        if fact.name == "id":
            return {at for at, card in enumerate(self.ids) if fact.value in fold(card)}
        if fact.name == "is" and fact.value == "orphan":
            return set(range(len(self.ids))).difference(self.shown)
        if fact.name == "has" and fact.value == "experiment":
            return _those(self.experiments, lambda links: links != _NONE)
        return None

    def tagged(self, tag: str) -> set[int]:
        """Return the places of cards whose lesson gives them a tag, or one below it."""
        forms = (f'"{tag}"', f'"{tag}::', f'"{tag}/')
        return _those(self.tags, lambda tags: any(form in tags for form in forms))

    def with_tags(self) -> set[int]:
        """Return the places of cards whose lesson gives them any tag."""
        return _those(self.tags, lambda tags: tags != _NONE)

    def in_modules(self, modules: set[str]) -> set[int]:
        """Return the places of the cards of some modules."""
        return {at for at, module in enumerate(self.modules) if module in modules}

    def in_sections(self, sections: set[tuple[str, str]]) -> set[int]:
        """Return the places of the cards of some sections, each named by its module and itself."""
        return {at for at, place in enumerate(zip(self.modules, self.sections, strict=True)) if place in sections}


def read_cards(session: Session) -> Cards:
    """Read every card of a store: a second for 100,000."""
    with session.alone() as raw:  # the driver's own tuples: half the time for 100,000 rows
        rows = raw.execute(_QUERY).fetchall()
    one = _Once()
    return Cards(
        ids=[row[0] for row in rows],
        at={row[0]: at for at, row in enumerate(rows)},
        shown=[at for at, row in enumerate(rows) if not row[6]],
        texts=[fold(_text(row)) for row in rows],
        tags=[one(fold(row[4])) for row in rows],
        modules=[one(row[5]) for row in rows],
        sections=[one(row[7]) for row in rows],
        kinds=[one(row[8]) for row in rows],
        experiments=[one(row[9]) for row in rows],
    )


def _text(row: Sequence[Any]) -> str:
    """Return what words are looked for in: the shorter it is, the faster."""
    card, prompt, answer, points, tags, module = row[:6]
    parts = [prompt, answer, *(part for part in (points, tags) if part != _NONE), card]
    return " ".join(parts if card.startswith(module) else [*parts, module])


class _Once(dict[str, str]):
    """Gives the same text for equal ones: most of what lessons say of cards, they say of many."""

    def __call__(self, text: str) -> str:
        return self.setdefault(text, text)


def _those(column: Sequence[str], fits: Callable[[str], bool]) -> set[int]:
    """Return the places whose text fits; each text is looked at once, however many have it."""
    wanted = {text for text in set(column) if fits(text)}
    return {at for at, text in enumerate(column) if text in wanted}
