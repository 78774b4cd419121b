"""Tables of which the latest row counts: notes on days, tags and flags. Two stores keep the later row of one key.

Such a table has an instant `at_ms` that is made monotone when a row is written, so that a row is new to a segment
when it is later than the last one pushed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from studyapp.store.schema import metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

LATEST = {"day_notes": ("study_day", "kind"), "card_marks": ("card", "name")}
"""Table and its key."""


def _rank(table: str, side: str) -> str:
    """Return what decides between two rows of one key: the instant, then everything else."""
    rest = [c.name for c in metadata.tables[table].columns if c.name not in (*LATEST[table], "at_ms")]
    return f"({', '.join(f'{side}.{name}' for name in ('at_ms', *rest))})"


def newer(table: str) -> str:
    """Return a query for one row of the other store (attached as `other`) that counts here."""
    key = " AND ".join(f"m.{name} = o.{name}" for name in LATEST[table])
    behind = f"EXISTS (SELECT 1 FROM main.{table} m WHERE {key} AND {_rank(table, 'm')} >= {_rank(table, 'o')})"
    return f"SELECT 1 FROM other.{table} o WHERE NOT {behind}"


def merge_latest(connection: Connection) -> int:
    """Take over the other store's rows that are later than their like here; return how many."""
    count = 0
    for table, key in LATEST.items():
        names = [column.name for column in metadata.tables[table].columns]
        changed = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
        count += connection.exec_driver_sql(
            f"INSERT INTO main.{table} ({', '.join(names)}) "
            f"SELECT {', '.join(names)} FROM other.{table} WHERE true "
            f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed} "
            f"WHERE {_rank(table, 'excluded')} > {_rank(table, table)}"
        ).rowcount
    return count


def latest_marks(connection: Connection) -> dict[str, int]:
    """Return the instant of each table's latest row, 0 without any."""
    return {
        table: int(connection.exec_driver_sql(f"SELECT coalesce(max(at_ms), 0) FROM {table}").scalar() or 0)
        for table in LATEST
    }
