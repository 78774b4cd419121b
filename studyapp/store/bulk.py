"""Many rows into the log at once, inside the caller's transaction.

Indexes and roll-ups kept row by row cost three times the rows themselves; made afterwards in one go, they hold the
same. All of it is rolled back together if anything fails.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from studyapp.store.columns import AWAY, HIDDEN
from studyapp.store.logrows import COLUMNS, INSERT
from studyapp.store.origins import ANKI_SQL
from studyapp.store.rollups import fill_rollups

if TYPE_CHECKING:
    from sqlalchemy import Connection

MANY = 20_000
"""From so many rows on, and at least as many as the log has, it pays (measured on two cores)."""
MANY_CARDS = 2_000
"""The same for cards."""
_PLACING_TRIGGERS = ("card_came", "memory_placed")
_AWAY = (
    f"CASE WHEN c.hidden <> 0 THEN {HIDDEN} WHEN c.suspended <> 0 THEN {AWAY} "
    "ELSE coalesce(c.buried_until_day, 0) END"
)
"""As the triggers have it."""
_CACHE_KIB = 400_000
"""At most: pages that do not fit are written twice."""
_ROLLUP_TRIGGERS = ("days_add", "days_void", "forecasts_add", "forecasts_void")
"""What `fill_rollups` replaces; any other trigger stays."""


FIELDS = (
    *("uid", "at_ms", "card", "rating", "kind", "offset_min", "study_day", "elapsed_days"),
    *("before_state", "before_difficulty", "before_due_day", "before_due_at_ms", "before_last_day", "before_reps"),
    *("before_lapses", "before_interval_days", "after_state", "after_difficulty", "after_due_day"),
    *("after_due_at_ms", "after_last_day", "after_reps", "after_lapses", "after_interval_days"),
    *("duration_ms", "action", "zone"),
)
"""What a review from Anki brings; the other columns follow from these or are empty."""


def _insert() -> str:
    """Return the statement: binding these fields alone takes half the time of binding every column (measured)."""
    place = {name: f"?{at}" for at, name in enumerate(FIELDS, 1)}
    value = dict.fromkeys(COLUMNS, "NULL") | place
    value |= {"device": ANKI_SQL, "counter": place["at_ms"], "ordered_ms": place["at_ms"]}
    value |= {"parameters": "''", "text_hash": "''", "clock_ahead": "0"}
    for side in ("before", "after"):  # Anki's log tells that a card is on a step, not on which
        value[f"{side}_step"] = f"CASE WHEN {place[f'{side}_state']} IN (1, 3) THEN 0 END"
    return f"INSERT INTO reviews ({', '.join(COLUMNS)}) VALUES ({', '.join(value[name] for name in COLUMNS)})"


_INSERT = _insert()


def add_reviews(
    connection: Connection, rows: Sequence[tuple[Any, ...]], whole: Sequence[tuple[Any, ...]] = ()
) -> None:
    """Append reviews that Anki recorded to the log.

    Args:
        connection: In the caller's write transaction.
        rows: Each review as a tuple of `FIELDS`.
        whole: Further rows of the log, in column order.
    """
    raw = connection.connection.driver_connection
    assert raw is not None  # its own connection: SQLAlchemy looks at every row first, which takes as long again
    with in_bulk(connection, len(rows)):
        _append(raw, rows, whole)


@contextlib.contextmanager
def in_bulk(connection: Connection, count: int) -> Iterator[None]:
    """Let so many rows be added to the log in the block: without its indexes and roll-ups, where that pays.

    Args:
        connection: In the caller's write transaction.
        count: How many rows come.
    """
    raw = connection.connection.driver_connection
    assert raw is not None
    there = raw.execute("SELECT count(*) FROM main.reviews").fetchone()[0] if count >= MANY else 0
    if count < max(MANY, there):
        yield
        return
    cache = raw.execute("PRAGMA cache_size").fetchone()[0]
    raw.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
    try:
        again = _dropped(raw)
        yield
        for statement in again:
            raw.execute(statement)
        fill_rollups(connection)
    finally:
        raw.execute(f"PRAGMA cache_size = {cache}")


@contextlib.contextmanager
def placed_in_bulk(connection: Connection, count: int) -> Iterator[None]:
    """Let so many cards come in the block, with memories: what counts them as due or unseen is made afterwards.

    Args:
        connection: In the caller's write transaction.
        count: How many cards are new.
    """
    raw = connection.connection.driver_connection
    assert raw is not None
    there = raw.execute("SELECT count(*) FROM main.cards").fetchone()[0] if count >= MANY_CARDS else 0
    if count < max(MANY_CARDS, there):
        yield
        return
    again = []
    for name in _PLACING_TRIGGERS:
        (sql,) = raw.execute(
            "SELECT sql FROM main.sqlite_master WHERE type = 'trigger' AND name = ?", (name,)
        ).fetchone()
        raw.execute(f"DROP TRIGGER main.{name}")
        again.append(sql)
    yield
    raw.execute("DELETE FROM main.unseen")
    raw.execute(
        "INSERT INTO main.unseen SELECT c.module, c.ordinal, c.id FROM main.cards c "
        "WHERE NOT EXISTS (SELECT 1 FROM main.memory m WHERE m.card = c.id) ORDER BY 1, 2, 3"
    )
    raw.execute(
        f"UPDATE main.memory SET (away_until, module) = (SELECT {_AWAY}, c.module FROM main.cards c "
        "WHERE c.id = memory.card) WHERE card IN (SELECT id FROM main.cards)"
    )
    for sql in again:
        raw.execute(sql)


def _append(raw: Any, rows: Sequence[tuple[Any, ...]], whole: Sequence[tuple[Any, ...]]) -> None:
    raw.executemany(_INSERT, rows)
    raw.executemany(INSERT, whole)


def _dropped(raw: Any) -> list[str]:
    """Drop the log's indexes and the roll-ups' triggers; return the statements that make them again."""
    query = "SELECT type, name, sql FROM main.sqlite_master WHERE tbl_name = 'reviews' AND sql IS NOT NULL"
    statements = []
    for kind, name, sql in raw.execute(query).fetchall():
        if kind == "index" or (kind == "trigger" and name in _ROLLUP_TRIGGERS):
            raw.execute(f'DROP {kind} main."{name}"')
            statements.append(sql)
    return statements
