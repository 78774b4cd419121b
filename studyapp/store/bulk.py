"""Many rows into the log at once, inside the caller's transaction.

Indexes and roll-ups kept row by row cost three times the rows themselves; made afterwards in one go, they hold the
same. All of it is rolled back together if anything fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from studyapp.store.logrows import INSERT
from studyapp.store.rollups import fill_rollups

MANY = 20_000
"""From so many rows on, and at least as many as the log has, it pays (measured on two cores)."""
_CACHE_KIB = 100_000
_ROLLUP_TRIGGERS = ("days_add", "days_void", "forecasts_add", "forecasts_void")
"""What `fill_rollups` replaces; any other trigger stays."""


def add_rows(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Append rows to the log, in column order."""
    if not rows:
        return
    run = connection.exec_driver_sql
    there = run("SELECT count(*) FROM reviews").scalar_one() if len(rows) >= MANY else 0
    if len(rows) < max(MANY, there):
        run(INSERT, list(rows))
        return
    cache = run("PRAGMA cache_size").scalar_one()
    run(f"PRAGMA cache_size = {-_CACHE_KIB}")
    try:
        again = _dropped(connection)
        run(INSERT, list(rows))
        for statement in again:
            run(statement)
        fill_rollups(connection)
    finally:
        run(f"PRAGMA cache_size = {cache}")


def _dropped(connection: Connection) -> list[str]:
    """Drop the log's indexes and the roll-ups' triggers; return the statements that make them again."""
    query = "SELECT type, name, sql FROM sqlite_master WHERE tbl_name = 'reviews' AND sql IS NOT NULL"
    statements = []
    for kind, name, sql in connection.exec_driver_sql(query).all():
        if kind == "index" or (kind == "trigger" and name in _ROLLUP_TRIGGERS):
            connection.exec_driver_sql(f'DROP {kind} "{name}"')
            statements.append(sql)
    return statements
