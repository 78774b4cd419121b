"""Reading what lessons hold: modules, sections, cards with their memory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select

from studyapp.core.cards import ExperimentLink
from studyapp.core.reviews import Memory
from studyapp.store import schema
from studyapp.store.answering import driver
from studyapp.store.memories import COLUMNS, memory_from
from studyapp.store.records import StoredCard, StoredModule, StoredSection
from studyapp.store.schema import MEMORY_FIELDS
from studyapp.store.session import Session

_CARD = schema.cards.c
_MODULE = schema.modules.c
_MEMORY_COLUMNS = [schema.memory.c[name] for name in MEMORY_FIELDS]
_CARDS = (
    select(schema.cards, schema.memory.c.leech, *_MEMORY_COLUMNS)
    .select_from(
        schema.cards.join(schema.modules, _MODULE.id == _CARD.module).outerjoin(
            schema.memory, schema.memory.c.card == _CARD.id
        )
    )
    .order_by(_MODULE.ordinal, _CARD.ordinal, _CARD.id)
)
_FIRST_MEMORY = len(schema.cards.columns) + 1
_CARD_NAMES = tuple(column.name for column in schema.cards.columns)
_NAMES = (*_CARD_NAMES, "leech")
_ONE_CARD = (
    f"SELECT {', '.join('c.' + name for name in _CARD_NAMES)}, m.leech, {COLUMNS} "
    "FROM cards c LEFT JOIN memory m ON m.card = c.id WHERE c.id = ?"
)
"""Between a grade and the next card: the driver's own row, in a fifth of the time."""


def module_hash(session: Session, module_id: str) -> str | None:
    """Return the source hash a module was last saved with, None for an unknown or hidden one."""
    query = select(_MODULE.source_hash).where(_MODULE.id == module_id, _MODULE.hidden == 0)
    with session.read() as connection:
        return connection.execute(query).scalar()


def lessons_kept(session: Session) -> str:
    """Return what tells whether any lesson is stored otherwise than before, as text to compare."""
    with session.alone() as raw:  # at every start: a fifth of the time
        rows = raw.execute("SELECT id, source_hash, path, hidden FROM modules ORDER BY id").fetchall()
    return repr(rows)


def modules(session: Session) -> list[StoredModule]:
    """Return the modules that are not hidden, in order of arrival."""
    shown = func.count(_CARD.id).filter(_CARD.hidden == 0)
    query = (
        select(_MODULE.id, _MODULE.title, _MODULE.summary, _MODULE.path, shown, _MODULE.ordinal)
        .select_from(schema.modules.outerjoin(schema.cards, _CARD.module == _MODULE.id))
        .where(_MODULE.hidden == 0)
        .group_by(_MODULE.id)
        .order_by(_MODULE.ordinal)
    )
    with session.read() as connection:
        return [StoredModule(*row) for row in connection.execute(query)]


def sections(session: Session, module_id: str) -> list[StoredSection]:
    """Return a module's sections in authored order, each with when it was first read."""
    section, reading = schema.sections.c, schema.readings.c
    first = (
        select(func.min(reading.at_ms))
        .where(reading.module == section.module, reading.section == section.id)
        .scalar_subquery()
    )
    query = (
        select(section.id, section.title, section.body, section.experiments, section.ordinal, first)
        .where(section.module == module_id)
        .order_by(section.ordinal)
    )
    with session.read() as connection:
        rows = connection.execute(query).all()
    return [StoredSection(r[0], r[1], r[2], links_from(r[3]), r[4], r[5]) for r in rows]


def card(session: Session, card_id: str) -> StoredCard | None:
    """Return a card, hidden ones included, or None."""
    with session.read() as connection:
        row = driver(connection).execute(_ONE_CARD, (card_id,)).fetchone()
    return None if row is None else _card_from(SimpleNamespace(**dict(zip(_NAMES, row, strict=False))), row)


def cards(
    session: Session, module: str | None = None, section: str | None = None, include_hidden: bool = False
) -> list[StoredCard]:
    """Return cards in authored order, modules in order of arrival."""
    conditions: list[ColumnElement[bool]] = []
    if module is not None:
        conditions.append(_CARD.module == module)
    if section is not None:
        conditions.append(_CARD.section == section)
    if not include_hidden:
        conditions.append(_CARD.hidden == 0)
    return cards_where(session, *conditions)


def find(session: Session, query: str) -> list[StoredCard]:
    """Return the cards that hold every word of a query in id, question, answer, tags or module, in any case."""
    places = (_CARD.id, _CARD.prompt, _CARD.answer, _CARD.tags, _CARD.module)
    words = [or_(*(place.icontains(word, autoescape=True) for place in places)) for word in query.split()]
    return cards_where(session, _CARD.hidden == 0, *words)


def cards_where(session: Session, *conditions: ColumnElement[bool]) -> list[StoredCard]:
    """Return the cards that meet conditions on `cards`, hidden ones included, in authored order."""
    query = _CARDS.where(and_(*conditions)) if conditions else _CARDS
    with session.read() as connection:
        return [_card_from(row, row) for row in connection.execute(query)]


def _card_from(row: Any, values: Sequence[Any]) -> StoredCard:
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
        memory=memory_from(values[_FIRST_MEMORY:]) or Memory(),
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
