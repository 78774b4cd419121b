"""Saving lessons: cards keep their progress through edits, renames and moves; what leaves the file is hidden."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

from studyapp.core.cards import Card, Module
from studyapp.core.errors import StoreError
from studyapp.store.bulk import placed_in_bulk
from studyapp.store.hiding import missing
from studyapp.store.knowing import AUTHORED, Known, Matches, match_cards
from studyapp.store.lookup import links_as_json
from studyapp.store.records import Alike, ModuleChange
from studyapp.store.rewriting import note_rewrite
from studyapp.store.session import Session, scalar

_COLUMNS = AUTHORED
_UPDATE = f"UPDATE main.cards SET {', '.join(f'{name} = :{name}' for name in _COLUMNS)} WHERE id = :id"
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
    with session.read_driver() as connection:  # most starts find nothing to write, and need not wait for a lock
        if _stored(connection, module.id) == (source_hash, module.path, 0):
            return ModuleChange(unchanged=_visible(connection, module.id))
    with session.write_driver() as connection:
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
    with contextlib.suppress(_NotKeptError), session.write_driver() as connection:
        with placed_in_bulk(connection, count):
            for module, source_hash in modules:
                _keep_module(connection, module, source_hash, now_ms)
                changes.append(_keep_cards(connection, module, now_ms))
        if not keep:
            raise _NotKeptError
    return changes


_MODULE_COLUMNS = ("id", "title", "summary", "path", "source_hash", "ordinal", "hidden", "saved_at_ms")
_KEEP_MODULE = (
    f"INSERT INTO main.modules ({', '.join(_MODULE_COLUMNS)}) "
    "VALUES (?, ?, ?, ?, ?, (SELECT coalesce(max(ordinal) + 1, 0) FROM main.modules), 0, ?) ON CONFLICT (id) DO "
    f"UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in _MODULE_COLUMNS if n not in ('id', 'ordinal'))}"
)
_ADD_SECTION = (
    "INSERT INTO main.sections (module, id, ordinal, title, body, experiments, line) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def _stored(connection: sqlite3.Connection, module: str) -> tuple[Any, ...] | None:
    query = "SELECT source_hash, path, hidden FROM modules WHERE id = ?"
    found: tuple[Any, ...] | None = connection.execute(query, (module,)).fetchone()
    return found


def _visible(connection: sqlite3.Connection, module: str) -> int:
    query = "SELECT count(*) FROM cards WHERE module = ? AND hidden = 0"
    return int(scalar(connection.execute(query, (module,))))


def _keep_module(connection: sqlite3.Connection, module: Module, source_hash: str, now_ms: int) -> None:
    values = (module.id, module.title, module.summary, module.path, source_hash, now_ms)
    connection.execute(_KEEP_MODULE, values)
    connection.execute("DELETE FROM main.sections WHERE module = ?", (module.id,))
    sections = {section.id: section for section in module.sections}.values()
    rows = [
        (module.id, s.id, ordinal, s.title, s.body, links_as_json(s.experiments), s.line)
        for ordinal, s in enumerate(sections)
    ]
    connection.executemany(_ADD_SECTION, rows)


def _keep_cards(connection: sqlite3.Connection, module: Module, now_ms: int) -> ModuleChange:
    matches = match_cards(connection, module)
    fresh: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    counts = dict.fromkeys(("new", "changed", "unchanged", "returned"), 0)
    for ordinal, (card_id, card) in enumerate(matches.cards):
        values = _card_values(card_id, card, module, ordinal)
        before = matches.known.get(card_id)
        (fresh if before is None else kept).append(values)
        counts[_change(before, values)] += 1
    connection.executemany(_INSERT, fresh)
    for values in kept:
        if (old := matches.known[values["id"]].row) != values:
            note_rewrite(connection, old, values, now_ms=now_ms)
            connection.execute(_UPDATE, values)
    connection.executemany(_HIDE, [(card_id,) for card_id in matches.gone])
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


_HIDE = "UPDATE main.cards SET hidden = 1 WHERE id = ?"
_DOUBLE = """
SELECT d.id FROM cards g JOIN cards d ON d.text_hash = g.text_hash
WHERE g.id = ? AND g.explicit_id = 0 AND d.hidden = 0 AND d.explicit_id = 0 LIMIT 1
"""
_WITH_DOUBLES = """
SELECT g.id FROM json_each(?) named JOIN cards g ON g.id = named.value
WHERE g.explicit_id = 0 AND EXISTS
  (SELECT 1 FROM cards d WHERE d.text_hash = g.text_hash AND d.hidden = 0 AND d.explicit_id = 0)
ORDER BY named.key
"""


def _with_doubles(connection: sqlite3.Connection, gone: Sequence[str]) -> list[str]:
    """Return those of the cards that may give way: one query instead of one for each of a hundred thousand."""
    return [row[0] for row in connection.execute(_WITH_DOUBLES, (json.dumps(gone),)).fetchall()]


def _give_way(connection: sqlite3.Connection, gone: str) -> bool:
    """Let a card that just left its file take the place of its double in another file, if that one has no history.

    The file it was moved to may have been read first.
    """
    double = scalar(connection.execute(_DOUBLE, (gone,)))
    if double is None or _has_history(connection, double):
        return False
    _take_place(connection, gone, double)
    return True


def _has_history(connection: sqlite3.Connection, card: str) -> bool:
    return connection.execute("SELECT 1 FROM reviews WHERE card = ? LIMIT 1", (card,)).fetchone() is not None


def _take_place(connection: sqlite3.Connection, gone: str, new: str) -> None:
    """Give the card `gone` everything that is authored on `new`, which goes."""
    row = connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM cards WHERE id = ?", (new,)).fetchone()
    connection.execute("DELETE FROM main.cards WHERE id = ?", (new,))
    connection.execute(_UPDATE, {**dict(zip(_COLUMNS, row, strict=True)), "id": gone})


def link_cards(session: Session, gone: str, new: str) -> None:
    """Say that a card that went and one that came are the same: `gone` goes on with its history and the new text.

    Raises:
        StoreError: If one is unknown, `gone` is still in a file, or `new` has an id of its own or was answered.
    """
    with session.write_driver() as connection:
        query = "SELECT id, hidden, explicit_id FROM cards WHERE id IN (?, ?)"
        found = {card: flags for card, *flags in connection.execute(query, (gone, new))}
        fits = len(found) == 2 and found[gone][0] and found[new] == [0, 0]
        if not fits or _has_history(connection, new):
            raise StoreError(
                f"{gone} and {new} cannot be linked.",
                "The first must have left its file, the second be new, unanswered and without an id of its own.",
            )
        _take_place(connection, gone, new)


def hide(session: Session, present: Collection[str]) -> int:
    """Do what `hiding.hide_missing` says, where there is something to hide."""
    with session.write_driver() as connection:
        gone: list[str] = []
        for module in missing(connection, present):
            connection.execute("UPDATE main.modules SET hidden = 1 WHERE id = ?", (module,))
            own = "SELECT id FROM cards WHERE module = ? AND hidden = 0 ORDER BY ordinal"
            gone += [card for (card,) in connection.execute(own, (module,))]
            connection.execute("UPDATE main.cards SET hidden = 1 WHERE module = ? AND hidden = 0", (module,))
        return len(gone) - sum(_give_way(connection, card_id) for card_id in _with_doubles(connection, gone))
