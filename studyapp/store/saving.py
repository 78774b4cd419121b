"""Saving lessons: cards keep their progress through edits, renames and moves; what leaves the file is hidden."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from studyapp.core.cards import Card, Module
from studyapp.core.errors import StoreError
from studyapp.store import schema
from studyapp.store.bulk import placed_in_bulk
from studyapp.store.hiding import missing
from studyapp.store.knowing import Known, Matches, match_cards
from studyapp.store.lookup import links_as_json
from studyapp.store.records import Alike, ModuleChange
from studyapp.store.rewriting import note_rewrite
from studyapp.store.session import Session, driver

_CARD = schema.cards.c
_MODULE = schema.modules.c
_COLUMNS = (
    *("id", "module", "section", "ordinal", "kind", "prompt", "answer", "key_points", "experiments", "tags"),
    *("path", "line", "text_hash", "explicit_id", "hidden"),
)
_INSERT = f"INSERT INTO main.cards ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
_CONTENT = ("text_hash", "kind", "prompt", "answer", "key_points", "experiments", "tags", "section")
"""Columns whose change the learner is told of; place and line change in silence."""


def save_module(session: Session, module: Module, *, source_hash: str, now_ms: int) -> ModuleChange:
    """Store a lesson as it is now, in one transaction; return what changed.

    Cards are known by their id, or, without one, by their text and place. A card that is no longer in the file is
    hidden, never deleted, and comes back with its history.

    Args:
        session: The store.
        module: The parsed lesson.
        source_hash: Hash of its source; the same as last time means that nothing is done.
        now_ms: UTC milliseconds.
    """
    with session.read() as connection:  # most starts find nothing to write, and need not wait for a lock
        if _stored(connection, module.id) == (source_hash, module.path, 0):
            return ModuleChange(unchanged=_visible(connection, module.id))
    with session.write() as connection:
        _keep_module(connection, module, source_hash, now_ms)
        return _keep_cards(connection, module, now_ms)


class _NotKeptError(Exception):
    """Leaves a transaction without keeping it."""


def save_modules(
    session: Session, modules: Sequence[tuple[Module, str]], *, now_ms: int, keep: bool = True
) -> list[ModuleChange]:
    """Store several lessons in one transaction, all of them or none; return what changed in each.

    Args:
        session: The store.
        modules: Each lesson with the hash of its source.
        now_ms: UTC milliseconds.
        keep: False to find out what would change: everything is done and taken back.
    """
    changes: list[ModuleChange] = []
    count = sum(len(module.cards) for module, _ in modules)
    with contextlib.suppress(_NotKeptError), session.write() as connection:
        with placed_in_bulk(connection, count):
            for module, source_hash in modules:
                _keep_module(connection, module, source_hash, now_ms)
                changes.append(_keep_cards(connection, module, now_ms))
        if not keep:
            raise _NotKeptError
    return changes


def _stored(connection: Connection, module: str) -> tuple[Any, ...] | None:
    query = select(_MODULE.source_hash, _MODULE.path, _MODULE.hidden).where(_MODULE.id == module)
    found = connection.execute(query).first()
    return None if found is None else tuple(found)


def _visible(connection: Connection, module: str) -> int:
    query = select(func.count()).where(_CARD.module == module, _CARD.hidden == 0)
    return int(connection.execute(query).scalar_one())


def _keep_module(connection: Connection, module: Module, source_hash: str, now_ms: int) -> None:
    values = {
        "title": module.title,
        "summary": module.summary,
        "path": module.path,
        "source_hash": source_hash,
        "hidden": 0,
        "saved_at_ms": now_ms,
    }
    if _stored(connection, module.id) is not None:
        connection.execute(update(schema.modules).where(_MODULE.id == module.id).values(**values))
    else:
        last = connection.execute(select(func.max(_MODULE.ordinal))).scalar()
        ordinal = 0 if last is None else last + 1
        connection.execute(insert(schema.modules).values(id=module.id, ordinal=ordinal, **values))
    connection.execute(delete(schema.sections).where(schema.sections.c.module == module.id))
    rows = [
        {
            "module": module.id,
            "id": section.id,
            "ordinal": ordinal,
            "title": section.title,
            "body": section.body,
            "experiments": links_as_json(section.experiments),
            "line": section.line,
        }
        for ordinal, section in enumerate({s.id: s for s in module.sections}.values())
    ]
    if rows:
        connection.execute(insert(schema.sections), rows)


def _keep_cards(connection: Connection, module: Module, now_ms: int) -> ModuleChange:
    matches = match_cards(connection, module)
    fresh: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    counts = dict.fromkeys(("new", "changed", "unchanged", "returned"), 0)
    for ordinal, (card_id, card) in enumerate(matches.cards):
        values = _card_values(card_id, card, module, ordinal)
        before = matches.known.get(card_id)
        (fresh if before is None else kept).append(values)
        counts[_change(before, values)] += 1
    driver(connection).executemany(_INSERT, fresh)
    for values in kept:
        if (old := matches.known[values["id"]].row) != values:
            note_rewrite(connection, old, values, now_ms=now_ms)
            connection.execute(update(schema.cards).where(_CARD.id == values["id"]).values(**values))
    for card_id in matches.gone:
        connection.execute(update(schema.cards).where(_CARD.id == card_id).values(hidden=1))
    moved = sum(_give_way(connection, card_id) for card_id in _with_doubles(connection, matches.gone))
    relinked = len(matches.relinked) + moved
    alike = _alike(matches) if matches.gone else ()
    return ModuleChange(**counts, hidden=len(matches.gone) - moved, relinked=relinked, alike=alike)


def _change(before: Known | None, values: dict[str, Any]) -> str:
    if before is None:
        return "new"
    if before.row["hidden"]:
        return "returned"
    return "unchanged" if all(before.row[name] == values[name] for name in _CONTENT) else "changed"


def _card_values(card_id: str, card: Card, module: Module, ordinal: int) -> dict[str, Any]:
    return {
        "id": card_id,
        "module": module.id,
        "section": card.section,
        "ordinal": ordinal,
        "kind": card.kind,
        "prompt": card.prompt,
        "answer": card.answer,
        "key_points": json.dumps(card.key_points, ensure_ascii=False),
        "experiments": links_as_json(card.experiments),
        "tags": json.dumps(card.tags, ensure_ascii=False),
        "path": module.path,
        "line": card.line,
        "text_hash": card.text_hash,
        "explicit_id": int(card.explicit_id),
        "hidden": 0,
    }


def _alike(matches: Matches) -> tuple[Alike, ...]:
    return tuple(Alike(gone, new, alike) for gone, new, alike in matches.alike)


_WITH_DOUBLES = """
SELECT g.id FROM json_each(?) named JOIN cards g ON g.id = named.value
WHERE g.explicit_id = 0 AND EXISTS
  (SELECT 1 FROM cards d WHERE d.text_hash = g.text_hash AND d.hidden = 0 AND d.explicit_id = 0)
ORDER BY named.key
"""


def _with_doubles(connection: Connection, gone: Sequence[str]) -> list[str]:
    """Return those of the cards that may give way: one query instead of one for each of a hundred thousand."""
    return [row[0] for row in driver(connection).execute(_WITH_DOUBLES, (json.dumps(gone),)).fetchall()]


def _give_way(connection: Connection, gone: str) -> bool:
    """Let a card that just left its file take the place of its double in another file, if that one has no history.

    The file it was moved to may have been read first.
    """
    text = select(_CARD.text_hash).where(_CARD.id == gone, _CARD.explicit_id == 0).scalar_subquery()
    double = connection.execute(
        select(_CARD.id).where(_CARD.text_hash == text, _CARD.hidden == 0, _CARD.explicit_id == 0).limit(1)
    ).scalar()
    if double is None or _has_history(connection, double):
        return False
    _take_place(connection, gone, double)
    return True


def _has_history(connection: Connection, card: str) -> bool:
    query = select(schema.reviews.c.uid).where(schema.reviews.c.card == card).limit(1)
    return connection.execute(query).first() is not None


def _take_place(connection: Connection, gone: str, new: str) -> None:
    """Give the card `gone` everything that is authored on `new`, which goes."""
    row = dict(connection.execute(select(schema.cards).where(_CARD.id == new)).mappings().one())
    for own in ("id", "suspended", "buried_until_day"):
        del row[own]
    connection.execute(delete(schema.cards).where(_CARD.id == new))
    connection.execute(update(schema.cards).where(_CARD.id == gone).values(**row))


def link_cards(session: Session, gone: str, new: str) -> None:
    """Say that a card that went and one that came are the same: `gone` goes on with its history and the new text.

    Raises:
        StoreError: If one is unknown, `gone` is still in a file, or `new` has an id of its own or was answered.
    """
    with session.write() as connection:
        query = select(_CARD.id, _CARD.hidden, _CARD.explicit_id).where(_CARD.id.in_((gone, new)))
        found = {row.id: row for row in connection.execute(query)}
        fits = len(found) == 2 and found[gone].hidden and not found[new].hidden and not found[new].explicit_id
        if not fits or _has_history(connection, new):
            raise StoreError(
                f"{gone} and {new} cannot be linked.",
                "The first must have left its file, the second be new, unanswered and without an id of its own.",
            )
        _take_place(connection, gone, new)


def hide(session: Session, present: Collection[str]) -> int:
    """Do what `hiding.hide_missing` says, where there is something to hide."""
    with session.write() as connection:
        gone: list[str] = []
        for module in missing(driver(connection), present):
            connection.execute(update(schema.modules).where(_MODULE.id == module).values(hidden=1))
            own = (_CARD.module == module) & (_CARD.hidden == 0)
            gone += connection.execute(select(_CARD.id).where(own).order_by(_CARD.ordinal)).scalars()
            connection.execute(update(schema.cards).where(own).values(hidden=1))
        return len(gone) - sum(_give_way(connection, card_id) for card_id in _with_doubles(connection, gone))
