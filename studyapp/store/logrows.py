"""A row of the review log as columns, and back; the log in replay order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studyapp.core.replay import NEIGHBOURS, put_back
from studyapp.core.reviews import Kind, ReviewRow
from studyapp.store.columns import REVIEW_FIELDS
from studyapp.store.memories import WIDTH, memory_from, memory_values
from studyapp.store.session import Handle, driver

COLUMNS = REVIEW_FIELDS
INSERT = f"INSERT INTO reviews ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
SELECT = f"SELECT {', '.join('r.' + name for name in COLUMNS)} FROM reviews r"
IN_ORDER = "r.ordered_ms, r.device, r.counter, r.uid"
"""Replay order: the place given at writing, device, counter; then the id, if a counter was used twice."""
ORDER = f"ORDER BY {IN_ORDER}"
TAIL = "ORDER BY r.ordered_ms DESC, r.device DESC, r.counter DESC, r.uid DESC"

_TRUSTED = f"""
SELECT coalesce(
  (SELECT max(at_ms) FROM (SELECT at_ms FROM reviews WHERE device = ? AND counter < ? AND clock_ahead = 0
                           ORDER BY counter DESC, uid DESC LIMIT {NEIGHBOURS})),
  (SELECT at_ms FROM reviews WHERE device = ? AND counter > ? AND clock_ahead = 0 ORDER BY counter, uid LIMIT 1))
"""
"""When a row was answered by its neighbours on the device: the latest before it, else the first after it."""
_BEFORE = COLUMNS.index("before_state")
_AFTER = _BEFORE + WIDTH
_REST = _AFTER + WIDTH


def row_values(row: ReviewRow, ordered_ms: int) -> tuple[Any, ...]:
    """Return a filled row as plain values in column order.

    Args:
        row: With uid, device and counter.
        ordered_ms: Its place in the replay order, UTC milliseconds.
    """
    return (
        bytes.fromhex(row.uid),
        bytes.fromhex(row.device),
        row.counter,
        row.card,
        row.rating,
        row.kind.value,
        row.at_ms,
        ordered_ms,
        row.offset_min,
        row.zone,
        row.study_day,
        row.elapsed_days,
        *memory_values(row.before),
        *memory_values(row.after),
        row.retrievability,
        row.duration_ms,
        row.showing or None,
        row.run,
        bytes.fromhex(row.voids) if row.voids else None,
        row.parameters,
        row.text_hash,
        int(row.clock_ahead),
        row.action,
    )


def row_from(values: Sequence[Any]) -> ReviewRow:
    """Return the log row that a SELECT of all columns gave."""
    rest = values[_REST:]
    return ReviewRow(
        uid=values[0].hex(),
        device=values[1].hex(),
        counter=values[2],
        card=values[3],
        rating=values[4],
        kind=Kind(values[5]),
        at_ms=values[6],
        offset_min=values[8],
        zone=values[9],
        study_day=values[10],
        elapsed_days=values[11],
        before=memory_from(values[_BEFORE:_AFTER]),
        after=memory_from(values[_AFTER:_REST]),
        retrievability=rest[0],
        duration_ms=rest[1],
        showing=rest[2] or "",
        run=rest[3],
        voids=rest[4].hex() if rest[4] else None,
        parameters=rest[5],
        text_hash=rest[6],
        clock_ahead=bool(rest[7]),
        action=rest[8],
        ordered_ms=values[7],
    )


def replayed_row(connection: Handle, values: Sequence[Any]) -> ReviewRow:
    """Return the row as replay takes it: on the day of its neighbours where its clock was ahead."""
    row = row_from(values)
    if not row.clock_ahead:
        return row
    return put_back(row, driver(connection).execute(_TRUSTED, (values[1], row.counter) * 2).fetchone()[0])


def read_log(connection: Handle, where: str, *values: Any) -> list[ReviewRow]:
    """Return the rows (aliased `r`) that meet a condition, in replay order."""
    rows = driver(connection).execute(f"{SELECT} WHERE {where} {ORDER}", values)
    return [row_from(row) for row in rows]
