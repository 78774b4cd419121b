"""Reading what lessons hold: modules, sections, cards with their memory."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from studyapp.core.cards import ExperimentLink
from studyapp.core.reviews import Memory
from studyapp.store.columns import CARD_FIELDS
from studyapp.store.memories import COLUMNS, memory_from
from studyapp.store.records import StoredCard, StoredModule, StoredSection
from studyapp.store.session import Session

_NAMES = (*CARD_FIELDS, "leech")
_FIELDS = f"{', '.join('c.' + name for name in CARD_FIELDS)}, m.leech, {COLUMNS}"
_ONE_CARD = f"SELECT {_FIELDS} FROM cards c LEFT JOIN memory m ON m.card = c.id WHERE c.id = ?"
_CARDS = f"SELECT {_FIELDS} FROM cards c JOIN modules o ON o.id = c.module LEFT JOIN memory m ON m.card = c.id"
_AS_AUTHORED = "ORDER BY o.ordinal, c.ordinal, c.id"
_MODULES = """
SELECT o.id, o.title, o.summary, o.path, count(c.id) FILTER (WHERE c.hidden = 0), o.ordinal
FROM modules o LEFT JOIN cards c ON c.module = o.id WHERE o.hidden = 0 GROUP BY o.id ORDER BY o.ordinal
"""
_SECTIONS = """
SELECT s.id, s.title, s.body, s.experiments, s.ordinal,
       (SELECT min(r.at_ms) FROM readings r WHERE r.module = s.module AND r.section = s.id)
FROM sections s WHERE s.module = ? ORDER BY s.ordinal
"""
_SEARCHED = ("id", "prompt", "answer", "tags", "module")


def module_hash(session: Session, module_id: str) -> str | None:
    """Return the source hash a module was last saved with, None for an unknown or hidden one."""
    query = "SELECT source_hash FROM modules WHERE id = ? AND hidden = 0"
    with session.read_driver() as connection:
        row = connection.execute(query, (module_id,)).fetchone()
    return None if row is None else row[0]


def lessons_kept(session: Session) -> str:
    """Return what tells whether any lesson is stored otherwise than before, as text to compare."""
    with session.alone() as raw:  # at every start: a fifth of the time
        rows = raw.execute("SELECT id, source_hash, path, hidden FROM modules ORDER BY id").fetchall()
    return repr(rows)


def modules(session: Session) -> list[StoredModule]:
    """Return the modules that are not hidden, in order of arrival."""
    with session.read_driver() as connection:
        return [StoredModule(*row) for row in connection.execute(_MODULES)]


def sections(session: Session, module_id: str) -> list[StoredSection]:
    """Return a module's sections in authored order, each with when it was first read."""
    with session.read_driver() as connection:
        rows = connection.execute(_SECTIONS, (module_id,)).fetchall()
    return [StoredSection(r[0], r[1], r[2], links_from(r[3]), r[4], r[5]) for r in rows]


def card_ids(session: Session) -> set[str]:
    """Return the ids of all cards, those that left their files too."""
    with session.read_driver() as connection:
        return {row[0] for row in connection.execute("SELECT id FROM cards")}


def card(session: Session, card_id: str) -> StoredCard | None:
    """Return a card, hidden ones included, or None."""
    with session.read_driver() as connection:
        row = connection.execute(_ONE_CARD, (card_id,)).fetchone()
    return None if row is None else _card_from(row)


def cards(
    session: Session, module: str | None = None, section: str | None = None, include_hidden: bool = False
) -> list[StoredCard]:
    """Return cards in authored order, modules in order of arrival."""
    wanted = {"c.module = ?": module, "c.section = ?": section}
    terms: dict[str, str | int] = {term: value for term, value in wanted.items() if value is not None}
    if not include_hidden:
        terms["c.hidden = ?"] = 0
    return cards_where(session, " AND ".join(terms) or "1", *terms.values())


def find(session: Session, query: str) -> list[StoredCard]:
    """Return the cards that hold every word of a query in id, question, answer, tags or module, in any case."""
    words = [like(word) for word in query.split()]
    holds = " OR ".join(f"lower(c.{place}) LIKE lower(?) ESCAPE '\\'" for place in _SEARCHED)
    where = " AND ".join(["c.hidden = 0", *[f"({holds})"] * len(words)])
    return cards_where(session, where, *(word for word in words for _ in _SEARCHED))


def like(word: str) -> str:
    """Return the pattern for LIKE that finds a word anywhere, what would stand for any character escaped."""
    escaped = re.sub(r"([%_\\])", r"\\\1", word)
    return f"%{escaped}%"


def cards_where(session: Session, where: str, *values: Any) -> list[StoredCard]:
    """Return the cards (aliased `c`) that meet a condition, hidden ones included, in authored order."""
    with session.read_driver() as connection:
        rows = connection.execute(f"{_CARDS} WHERE {where} {_AS_AUTHORED}", values)
        return [_card_from(row) for row in rows]


def _card_from(values: Sequence[Any]) -> StoredCard:
    row = SimpleNamespace(**dict(zip(_NAMES, values, strict=False)))
    return StoredCard(
        id=row.id,
        kind=row.kind,
        prompt=row.prompt,
        answer=row.answer,
        key_points=tuple(json.loads(row.key_points)),
        experiments=links_from(row.experiments),
        section=row.section,
        tags=tuple(json.loads(row.tags)),
        line=row.line,
        explicit_id=bool(row.explicit_id),
        module=row.module,
        ordinal=row.ordinal,
        path=row.path,
        text_hash=row.text_hash,
        hidden=bool(row.hidden),
        suspended=bool(row.suspended),
        buried_until_day=row.buried_until_day,
        memory=memory_from(values[len(_NAMES) :]) or Memory(),
        leech=bool(row.leech),
    )


def links_as_json(links: Sequence[ExperimentLink]) -> str:
    """Return experiment links as the JSON that a column holds."""
    return json.dumps(
        [
            {"experiment": k.experiment, "controls": dict(k.controls), "label": k.label, "line": k.line}
            for k in links
        ],
        ensure_ascii=False,
    )


def links_from(column: str) -> tuple[ExperimentLink, ...]:
    """Return the experiment links that a column holds."""
    return tuple(ExperimentLink(**link) for link in json.loads(column))
