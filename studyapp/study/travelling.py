"""The record as JSON: all of it, or what belongs to one module."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from studyapp.store.lines import TRAVELLING, header, rows_as_lines
from studyapp.store.revision import SHIPPED

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

_CARDS = "SELECT c.id FROM cards c WHERE c.module = ?"
_RUNS = f"SELECT t.uid FROM runs t WHERE t.card IN ({_CARDS})"
_OF_MODULE = {
    "modules": "r.id = ?",
    "cards": "r.module = ?",
    "readings": "r.module = ?",
    "parameters": "? <> ''",
    **dict.fromkeys(("reviews", "card_marks", "corrections", "runs"), f"r.card IN ({_CARDS})"),
    **dict.fromkeys(("points", "predictions"), f"r.run IN ({_RUNS})"),
}
"""Which rows of the record are those of one module; of other tables none is."""


def record_of(desk: Desk, module: str | None) -> dict[str, Any]:
    """Return the tables that make up the record: their columns once, then rows; bytes as hexadecimal digits."""
    head = json.loads(header(SHIPPED.head))
    rows: dict[str, list[Any]] = {}
    with desk.store.read() as connection:
        for name in TRAVELLING:
            where = ("1", ()) if module is None else (_OF_MODULE.get(name, "? = ''"), (module,))
            rows[name] = [json.loads(line)[name] for line in rows_as_lines(connection, name, *where)]
    return {**head, "rows": rows}


def lines_of(record: dict[str, Any]) -> list[str]:
    """Return a record as the JSON lines that the store merges."""
    head = {name: record[name] for name in ("studyapp", "schema", "columns")}
    return [json.dumps(head), *(json.dumps({name: row}) for name, rows in record["rows"].items() for row in rows)]
