"""Challenges that were opened here, with what was predicted for them.

A prediction made before the number was seen is the one that counts, so where two machines opened one challenge the
earlier answer to each question stays: whoever merges first, both end alike.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studyapp.store.session import Session

if TYPE_CHECKING:
    from sqlalchemy import Connection

_COLUMNS = ("uid", "sender", "opened_at_ms", "content", "answers")
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM"
Row = tuple[str, str, int, str, str]
"""A row of the table, in the order of its columns."""


def keep_challenge(
    session: Session, uid: str, sender: str, content: Mapping[str, Any], answers: Mapping[str, Any], *, at_ms: int
) -> None:
    """Store the predictions for a challenge beside those that were stored before, which stay."""
    made = {name: {**entry, "at_ms": at_ms} for name, entry in answers.items()}
    with session.write() as connection:
        put_challenge(connection, (uid, sender, at_ms, json.dumps(dict(content)), json.dumps(made)))


def put_challenge(connection: Connection, row: Row) -> bool:
    """Store a row together with what is here under its id; return whether anything was new.

    What is new gets a row number above all others, so that it is new to a segment too.
    """
    found = connection.exec_driver_sql(f"{_SELECT} main.challenges WHERE uid = ?", (row[0],)).first()
    before = None if found is None else _as_row(found)
    after = row if before is None else combined(before, row)
    if after == before:
        return False
    connection.exec_driver_sql(
        f"INSERT OR REPLACE INTO main.challenges (rowid, {', '.join(_COLUMNS)}) "
        "VALUES ((SELECT coalesce(max(rowid), 0) + 1 FROM main.challenges), ?, ?, ?, ?, ?)",
        after,
    )
    return True


def merge_challenges(connection: Connection, *, keep: bool = True) -> int:
    """Take over the predictions of the other store (attached as `other`); return how many challenges were new.

    Args:
        connection: In a transaction, or, without `keep`, in any.
        keep: False to find out only whether there is any.
    """
    count = 0
    # a file from elsewhere may hold anything; SQLite keeps it as it is
    whole = "typeof(opened_at_ms) = 'integer' AND typeof(uid) = 'text' AND typeof(answers) = 'text'"
    for found in connection.exec_driver_sql(f"{_SELECT} other.challenges WHERE {whole} ORDER BY uid").all():
        row = _as_row(found)
        if keep:
            count += put_challenge(connection, row)
            continue
        here = connection.exec_driver_sql(f"{_SELECT} main.challenges WHERE uid = ?", (row[0],)).first()
        count += here is None or combined(_as_row(here), row) != _as_row(here)
    return count


def combined(one: Row, other: Row) -> Row:
    """Return two rows of one challenge as one: the union of their answers, of each the earlier.

    >>> one = ("u", "Ada", 5, "{}", '{"kept": {"value": 1}}')
    >>> other = ("u", "Ada", 9, "{}", '{"kept": {"value": 2}}')
    >>> combined(one, other) == combined(other, one) == one
    True
    """
    first, second = sorted((one, other), key=lambda row: (row[2], row))
    mine, theirs = _dated(first), _dated(second)
    answers = {
        name: min((side[name] for side in (mine, theirs) if name in side), key=_when)
        for name in sorted({*mine, *theirs})
    }
    if answers == mine:
        return first
    return (*first[:4], json.dumps(answers))


def challenge_answers(session: Session, uid: str) -> dict[str, Any] | None:
    """Return what was predicted for a challenge, by experiment id, or None if it was never opened."""
    with session.read() as connection:
        row = connection.exec_driver_sql("SELECT answers FROM challenges WHERE uid = ?", (uid,)).first()
    return None if row is None else _read(row[0])


def _as_row(found: Any) -> Row:
    uid, sender, opened_at_ms, content, answers = found
    return str(uid), str(sender), int(opened_at_ms), str(content), str(answers)


def _read(text: str) -> dict[str, Any]:
    """Return the answers in a cell, {} where another's file holds none that can be read."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: entry for name, entry in found.items() if isinstance(entry, dict)}


def _dated(row: Row) -> dict[str, dict[str, Any]]:
    """Return a row's answers, each with its instant; one from before they had any was made at the opening."""
    found: dict[str, dict[str, Any]] = {}
    for name, entry in _read(row[4]).items():
        at_ms = entry.get("at_ms")
        found[name] = {**entry, "at_ms": at_ms if isinstance(at_ms, int) else row[2]}
    return found


def _when(entry: Mapping[str, Any]) -> tuple[int, str]:
    return int(entry["at_ms"]), json.dumps(entry, sort_keys=True)
