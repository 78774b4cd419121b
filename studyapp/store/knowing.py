"""Finds the stored card behind each card of a file: by id, by text, by a likely edit; else a new id is made."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from studyapp.core.cards import Card, Module, text_hash
from studyapp.store.columns import CARD_FIELDS
from studyapp.store.relinking import ALIKE, Text, card_text, likely_edits, ratio

AUTHORED = tuple(name for name in CARD_FIELDS if name not in ("suspended", "buried_until_day"))
"""The columns of a card that its file tells."""
_KNOWN = f"SELECT {', '.join(f'c.{name}' for name in AUTHORED)} FROM main.cards c"
_OF_FILE = f"""
{_KNOWN} WHERE c.module = :module
OR c.module IN (SELECT o.id FROM main.modules o WHERE o.path = :path AND :path <> '') ORDER BY c.ordinal
"""
"""Those of a module, and of the one that its file was before."""
_WITH = f"{_KNOWN} JOIN json_each(?) wanted ON c.{{}} = wanted.value ORDER BY c.ordinal"
_ID_BYTES = 6
"""Of a new id: 48 bits, short enough to stand in a file."""
_PAIRS = 400
"""Pairs compared at most when looking for cards to ask the learner about."""


@dataclass(frozen=True, slots=True)
class Known:
    """A stored card's authored columns."""

    row: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The text that edits are compared by."""
        return card_text(self.row["prompt"], self.row["answer"])


@dataclass(slots=True)
class Matches:
    """What `match_cards` found."""

    known: dict[str, Known] = field(default_factory=dict)
    """Stored cards by id, those of the file and those taken over from elsewhere."""
    cards: list[tuple[str, Card]] = field(default_factory=list)
    """Every card of the file with its id, in authored order."""
    gone: list[str] = field(default_factory=list)
    """Ids that were shown and are not in the file any more."""
    relinked: list[str] = field(default_factory=list)
    """Ids that go on under another text or in another file."""
    alike: list[tuple[str, str, float]] = field(default_factory=list)
    """(gone, new, ratio) to ask about."""


def match_cards(connection: sqlite3.Connection, module: Module) -> Matches:
    """Return which stored card each card of a module is; nothing is written."""
    found = Matches()
    cards = _distinct(module.cards)
    explicit = [card.id for card in cards if card.explicit_id]
    file = {"module": module.id, "path": module.path}
    for known in [*_load(connection, _OF_FILE, file), *_load_with(connection, "id", explicit)]:
        found.known[known.row["id"]] = known
    ids: list[str | None] = [card.id if card.explicit_id else None for card in cards]
    _same_text(found, cards, ids)
    _edited(found, module, cards, ids)
    _moved(connection, found, cards, ids)
    fresh = [i for i, card_id in enumerate(ids) if card_id is None]
    stems: dict[str, str] = {}
    taken = {*found.known, *(card_id or "" for card_id in ids)}
    for i in fresh:
        note = cards[i].note  # siblings share the part before the colon
        tail = cards[i].id if note else ""
        stem = stems.get(note) if note else None
        if stem is None or stem + tail in taken:
            stem = _stem(connection, module, cards[i], tail, taken)
        stems[note] = stem
        ids[i] = stem + tail
        taken.add(stem + tail)
    found.cards = [(card_id, card) for card_id, card in zip(ids, cards, strict=True) if card_id is not None]
    used = set(ids)
    found.gone = [i for i, k in found.known.items() if i not in used and not k.row["hidden"]]
    _ask(found, [(str(ids[i]), cards[i]) for i in fresh])
    return found


def _stem(connection: sqlite3.Connection, module: Module, card: Card, tail: str, taken: set[str]) -> str:
    """Return a new id made of the file and the text, so that two machines that read the same file agree.

    Where a card has it already (the same text twice, or one that moved on under the id), a number is added.
    """
    for number in itertools.count():
        stem = text_hash(module.id, card.text_hash, str(number))[: 2 * _ID_BYTES]
        there = connection.execute("SELECT 1 FROM main.cards WHERE id = ?", (stem + tail,))
        if there.fetchone() is None and stem + tail not in taken:
            return stem
    raise AssertionError("numbers do not end")


def _distinct(cards: Iterable[Card]) -> list[Card]:
    seen: set[str] = set()
    kept = []
    for card in cards:  # the parser reports an id written twice; here the first one counts
        if not (card.explicit_id and card.id in seen):
            kept.append(card)
        if card.explicit_id:
            seen.add(card.id)
    return kept


def _load(connection: sqlite3.Connection, query: str, values: Any) -> list[Known]:
    return [Known(dict(zip(AUTHORED, row, strict=True))) for row in connection.execute(query, values)]


def _load_with(connection: sqlite3.Connection, column: str, wanted: list[str]) -> list[Known]:
    """Return the cards whose column is one of the wanted texts."""
    return _load(connection, _WITH.format(column), (json.dumps(wanted),)) if wanted else []


def _free(found: Matches, ids: list[str | None]) -> list[Known]:
    used = set(ids)
    return [k for i, k in found.known.items() if i not in used and not k.row["explicit_id"]]


def _same_text(found: Matches, cards: list[Card], ids: list[str | None]) -> None:
    by_text: dict[str, list[str]] = defaultdict(list)
    for known in sorted(_free(found, ids), key=lambda k: (k.row["hidden"], k.row["ordinal"])):
        by_text[known.row["text_hash"]].append(known.row["id"])
    for i, card in enumerate(cards):
        if ids[i] is None and by_text[card.text_hash]:
            ids[i] = by_text[card.text_hash].pop(0)


def _edited(found: Matches, module: Module, cards: list[Card], ids: list[str | None]) -> None:
    shown = [k for k in found.known.values() if k.row["module"] == module.id and not k.row["hidden"]]
    order = sorted(shown, key=lambda k: k.row["ordinal"])
    used = {i for i in ids if i is not None}
    old_ids = [k.row["id"] if k.row["id"] in used else None for k in order]
    free = {k.row["id"] for k in _free(found, ids)}
    gone = [t for t in _places(old_ids, [k.text for k in order]) if order[t.key].row["id"] in free]
    new = _places(ids, [card_text(card.prompt, card.answer) for card in cards])
    for old, fresh in likely_edits(gone, new):
        ids[fresh] = order[old].row["id"]
        found.relinked.append(order[old].row["id"])


def _places(ids: list[str | None], texts: list[str]) -> list[Text]:
    """Return the entries without an id, each with the certain ids around it."""
    before, last = [], ""
    for card_id in ids:
        before.append(last)
        last = card_id or last
    after, last = [], ""
    for card_id in reversed(ids):
        after.append(last)
        last = card_id or last
    after.reverse()
    return [Text(i, texts[i], before[i], after[i]) for i, card_id in enumerate(ids) if card_id is None]


def _moved(connection: sqlite3.Connection, found: Matches, cards: list[Card], ids: list[str | None]) -> None:
    """Take over hidden cards of other files that have the very same text: the file was renamed, the card moved."""
    wanted = [card.text_hash for i, card in enumerate(cards) if ids[i] is None]
    taken = set(ids)
    by_text: dict[str, list[Known]] = defaultdict(list)
    for known in _load_with(connection, "text_hash", wanted):
        if known.row["hidden"] and not known.row["explicit_id"] and known.row["id"] not in taken:
            by_text[known.row["text_hash"]].append(known)
    for i, card in enumerate(cards):
        if ids[i] is None and by_text[card.text_hash]:
            known = by_text[card.text_hash].pop(0)
            card_id = known.row["id"]
            ids[i] = card_id
            found.known[card_id] = known
            found.relinked.append(card_id)


def _ask(found: Matches, fresh: list[tuple[str, Card]]) -> None:
    gone = [(i, found.known[i].text) for i in found.gone if not found.known[i].row["explicit_id"]]
    if len(gone) * len(fresh) > _PAIRS:
        return
    for old, old_text in gone:
        for new, card in fresh:
            if not card.explicit_id and (alike := ratio(old_text, card_text(card.prompt, card.answer))) >= ALIKE:
                found.alike.append((old, new, alike))
