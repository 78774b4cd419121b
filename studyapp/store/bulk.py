"""Many rows into the log at once, inside the caller's transaction.

Indexes and roll-ups kept row by row cost three times the rows themselves; made afterwards in one go, they hold the
same. All of it is rolled back together if anything fails.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence

from studyapp.store.columns import AWAY, HIDDEN
from studyapp.store.rollups import fill_rollups
from studyapp.store.session import Handle, driver

MANY = 20_000
"""From so many rows on it pays (measured on two cores)."""
MANY_CARDS = 2_000
"""The same for cards."""
_AWAY = (
    f"CASE WHEN c.hidden <> 0 THEN {HIDDEN} WHEN c.suspended <> 0 THEN {AWAY} "
    "ELSE coalesce(c.buried_until_day, 0) END"
)
"""As the triggers have it."""
_CACHE_KIB = 400_000
"""At most: pages that do not fit are written twice."""
_LOG_INDEXES = ("reviews_by_card", "reviews_by_day", "reviews_by_device")
"""Another one, of the rows that void, holds next to nothing: making it again costs more than keeping it."""
_CARD_INDEXES = ("cards_by_module", "cards_by_text", "cards_seen")
_ROLLUP_TRIGGERS = ("days_add", "days_void", "forecasts_add", "forecasts_void")
"""What `fill_rollups` replaces; any other trigger stays."""


def recount(raw: sqlite3.Connection, _: int) -> None:
    """Count the whole log anew, whatever was added."""
    fill_rollups(raw)


def pays(raw: sqlite3.Connection, count: int) -> bool:
    """Return whether so many rows go into the log at once: many, and at least as many as there are."""
    return count >= MANY and count >= raw.execute("SELECT count(*) FROM main.reviews").fetchone()[0]


@contextlib.contextmanager
def in_bulk(
    connection: Handle, count: int, roll_up: Callable[[sqlite3.Connection, int], None] = recount
) -> Iterator[None]:
    """Let so many rows be added to the log in the block: without its indexes and roll-ups, where that pays.

    Args:
        connection: In the caller's write transaction.
        count: How many rows come.
        roll_up: What brings the roll-ups up to date, given the last rowid of the log before the block.
    """
    raw = driver(connection)
    if not pays(raw, count):
        yield
        return
    cache = raw.execute("PRAGMA cache_size").fetchone()[0]
    raw.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
    try:
        last = raw.execute("SELECT coalesce(max(rowid), 0) FROM main.reviews").fetchone()[0]
        again = dropped(raw, "reviews", (*_LOG_INDEXES, *_ROLLUP_TRIGGERS))
        if not last:  # of cards that come in the block, after their answers
            again += dropped(raw, "cards", ("days_found",))
        yield
        for statement in again:
            raw.execute(statement)
        roll_up(raw, last)
    finally:
        raw.execute(f"PRAGMA cache_size = {cache}")


@contextlib.contextmanager
def placed_in_bulk(connection: Handle, count: int) -> Iterator[None]:
    """Let so many cards come in the block, with memories: what counts them as due or unseen is made afterwards.

    A memory that is stored with its module already is left as it is.

    Args:
        connection: In the caller's write transaction.
        count: How many cards are new.
    """
    raw = driver(connection)
    if not _is_most(raw, count):
        yield
        return
    again = dropped(raw, "cards", ("card_came",)) + dropped(raw, "memory", ("memory_placed",))
    yield
    raw.execute("DELETE FROM main.unseen")
    raw.execute(
        "INSERT INTO main.unseen SELECT c.module, c.ordinal, c.id FROM main.cards c "
        "WHERE NOT EXISTS (SELECT 1 FROM main.memory m WHERE m.card = c.id) ORDER BY 1, 2, 3"
    )
    raw.execute(
        f"UPDATE main.memory SET (away_until, module) = (SELECT {_AWAY}, c.module FROM main.cards c "
        "WHERE c.id = memory.card) WHERE module = '' AND card IN (SELECT id FROM main.cards)"
    )
    for sql in again:
        raw.execute(sql)


@contextlib.contextmanager
def added_in_bulk(raw: sqlite3.Connection, count: int) -> Iterator[None]:
    """Let so many new cards be added in the block, which looks for none: their indexes are made afterwards."""
    again = dropped(raw, "cards", _CARD_INDEXES) if _is_most(raw, count) else []
    yield
    for sql in again:
        raw.execute(sql)


def _is_most(raw: sqlite3.Connection, count: int) -> bool:
    """Return whether so many new cards are many, and at least as many as there are."""
    return count >= MANY_CARDS and count >= raw.execute("SELECT count(*) FROM main.cards").fetchone()[0]


def dropped(raw: sqlite3.Connection, table: str, names: Sequence[str]) -> list[str]:
    """Drop indexes and triggers of a table; return the statements that make them again."""
    query = "SELECT type, name, sql FROM main.sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL"
    found = [row for row in raw.execute(query, (table,)).fetchall() if row[1] in names]
    for kind, name, _ in found:
        raw.execute(f'DROP {kind} main."{name}"')
    return [sql for _, _, sql in found]
