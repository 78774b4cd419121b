"""The record as JSON lines: what travels over ssh and what lies in the segments of a shared folder.

A header line names the columns of each table, then each line holds one row: `{"reviews": [...]}`. Bytes are
written as hexadecimal digits. Nothing is trusted on the way in: a line that is torn or no row is left out and
counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, LargeBinary

from studyapp import __version__
from studyapp.core.errors import StoreError
from studyapp.store import schema

TRAVELLING = (
    "modules",
    "cards",
    "parameters",
    "runs",
    "points",
    "predictions",
    "readings",
    "passports",
    "corrections",
    "day_notes",
    "card_marks",
    "challenges",
    "reviews",
)
"""Tables that make up the record, in the order in which they may be written."""
_COLUMNS = {name: tuple(c.name for c in schema.metadata.tables[name].columns) for name in TRAVELLING}
_BYTES = {
    name: frozenset(c.name for c in schema.metadata.tables[name].columns if isinstance(c.type, LargeBinary))
    for name in TRAVELLING
}
_BYTES_AT = {name: tuple(i for i, c in enumerate(_COLUMNS[name]) if c in _BYTES[name]) for name in TRAVELLING}


def header(revision: str) -> str:
    """Return the line that says who wrote, with which schema, and the columns of each table."""
    return json.dumps({"studyapp": __version__, "schema": revision, "columns": _COLUMNS})


def rows_as_lines(
    connection: Connection, table: str, where: str = "1", values: Sequence[Any] = ()
) -> Iterator[str]:
    """Yield the rows of a table (aliased `r`) that meet a condition, each as one line without its end."""
    columns = ", ".join(f"r.{name}" for name in _COLUMNS[table])
    places = _BYTES_AT[table]
    for row in connection.exec_driver_sql(f"SELECT {columns} FROM {table} r WHERE {where}", tuple(values)):
        cells: list[Any] = list(row)
        for place in places:
            if cells[place] is not None:
                cells[place] = cells[place].hex()
        yield json.dumps({table: cells}, separators=(",", ":"), ensure_ascii=False)


class Reader:
    """Understands lines one by one; keeps the columns that the last header named."""

    def __init__(self, known_revisions: Sequence[str], columns: Mapping[str, Sequence[str]] | None = None) -> None:
        self.columns: dict[str, Sequence[str]] = dict(columns or {})
        self.damaged = 0
        """Lines that were no rows."""
        self.twice = 0
        """Rows of a showing that another row has, too; they are kept, without its key."""
        self._known = known_revisions

    def rows(self, lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (table, row by column) for every line that holds a row.

        Raises:
            StoreError: If a header was written by a newer program.
        """
        for line in lines:
            found = self._understand(line)
            if found is not None:
                yield found

    def _understand(self, line: str) -> tuple[str, dict[str, Any]] | None:
        try:
            data = json.loads(line)
            if "studyapp" in data:
                self._take_header(data)
                return None
            table, cells = next(iter(data.items()))
            return (table, self._row(table, cells)) if table in _COLUMNS else None
        except (ValueError, TypeError, AttributeError, KeyError, StopIteration):
            self.damaged += 1
            return None

    def _take_header(self, data: Mapping[str, Any]) -> None:
        if data["schema"] not in self._known:
            raise StoreError(
                f"This was written by a newer studyapp ({data['studyapp']}, schema {data['schema']}); you have "
                f"{__version__}. Nothing was changed.",
                "Update studyapp on this machine.",
            )
        self.columns = {str(name): list(columns) for name, columns in data["columns"].items()}

    def _row(self, table: str, cells: Sequence[Any]) -> dict[str, Any]:
        row = dict(zip(self.columns[table], cells, strict=True))
        for name in _BYTES[table]:
            if row[name] is not None:
                row[name] = bytes.fromhex(row[name])
        if any(isinstance(cell, (list, dict)) for cell in row.values()):
            raise ValueError("a cell is no plain value")
        return {name: row[name] for name in _COLUMNS[table] if name in row}
