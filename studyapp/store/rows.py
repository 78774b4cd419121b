"""Rows by the names of their columns: inserted, read, and values kept as JSON in one of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from studyapp.core.strict import strict


def insert(connection: sqlite3.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns, at least one."""
    names = list(rows[0])
    query = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"
    connection.executemany(query, rows)


def named(connection: sqlite3.Connection, query: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
    """Return what a query finds as rows that know their columns' names."""
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values)


def as_json(values: Mapping[str, Any]) -> str:
    """Return canonical JSON, so that equal controls are equal texts: keys sorted, nan and infinities as null."""
    plain = strict(values)
    return json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=str
    )
