"""The log's writers: an answer, its undoing, and putting a card away. One transaction each.

The statements of an answer are driver SQL built once from the schema; they are the hot path.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from studyapp.core.days import Moment
from studyapp.core.errors import StaleShowingError, StoreError
from studyapp.core.reviews import Kind, Memory, ReviewRow, State
from studyapp.store.logrows import INSERT, SELECT, TAIL, read_log, row_from, row_values
from studyapp.store.memories import COLUMNS, WIDTH, is_leech, memory_from, memory_values
from studyapp.store.schema import MEMORY_FIELDS
from studyapp.store.session import Session

Replay = Callable[[Sequence[ReviewRow]], Memory]
"""Rebuilds a card's memory from its effective rows in replay order."""

NOT_VOIDED = "NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = r.uid)"

_FIND = f"SELECT {COLUMNS} FROM cards c LEFT JOIN memory m ON m.card = c.id WHERE c.id = ?"
_KEEP = (
    f"INSERT INTO memory (card, {', '.join(MEMORY_FIELDS)}, leech) VALUES ({', '.join('?' * (WIDTH + 2))}) "
    f"ON CONFLICT (card) DO UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in (*MEMORY_FIELDS, 'leech'))}"
)
_LATEST = f"""
WITH RECURSIVE known (device) AS (
  SELECT min(device) FROM reviews
  UNION ALL
  SELECT (SELECT min(device) FROM reviews WHERE device > known.device) FROM known WHERE device IS NOT NULL
), last (uid) AS (
  SELECT (SELECT r.uid FROM reviews r
          WHERE r.device = known.device AND r.rating > 0 AND {NOT_VOIDED}
          ORDER BY r.counter DESC LIMIT 1) FROM known
)
{SELECT} JOIN last ON last.uid = r.uid {TAIL} LIMIT 1
"""
"""The latest answer that counts: of every device the last one, of these the last in replay order."""


def record(session: Session, row: ReviewRow, *, expected: Memory) -> ReviewRow:
    """Store an answer and the memory it leads to; return the row with its uid, device and counter filled in.

    Args:
        session: The store.
        row: The answer; `uid`, `device` and `counter` are assigned here. `after` None leaves the memory alone.
        expected: The memory that the learner's screen was drawn from.

    Raises:
        StaleShowingError: If this showing was answered already, or the card changed meanwhile (another window).
        StoreError: If the card is unknown or the disk fails. Nothing was stored in any of these cases.
    """
    with session.write() as connection:
        stored = _memory_of(connection, row.card)
        if stored != expected:
            raise StaleShowingError(
                f"{row.card} was answered in another window meanwhile; this answer was not stored.",
                "Go on with the next card.",
            )
        try:
            filled = _append(connection, session.device_bytes, row)
        except IntegrityError as error:
            if not _same_showing(error):
                raise
            raise StaleShowingError(
                f"This showing of {row.card} was answered already; it was not stored twice.",
                "Go on with the next card.",
            ) from error
        if row.after is not None:
            keep_memory(connection, row.card, row.after)
    return filled


def _same_showing(error: IntegrityError) -> bool:
    return isinstance(error.orig, sqlite3.IntegrityError) and "reviews.card, reviews.showing" in str(error.orig)


def _memory_of(connection: Connection, card: str) -> Memory:
    found = connection.exec_driver_sql(_FIND, (card,)).fetchone()
    if found is None:
        raise StoreError(f"There is no card {card!r} in the store.", "`studyapp list` shows the cards.")
    return memory_from(found) or Memory()


def _append(connection: Connection, device: bytes, row: ReviewRow) -> ReviewRow:
    last = connection.exec_driver_sql(
        "SELECT counter, ordered_ms FROM reviews WHERE device = ? ORDER BY counter DESC LIMIT 1", (device,)
    ).fetchone()
    counter, ordered_ms = (last[0] + 1, max(last[1], row.at_ms)) if last else (1, row.at_ms)
    filled = replace(row, uid=secrets.token_hex(16), device=device.hex(), counter=counter)
    connection.exec_driver_sql(INSERT, row_values(filled, ordered_ms))
    return filled


def keep_memory(connection: Connection, card: str, memory: Memory) -> None:
    """Store a card's memory with its leech mark; a new card has no row at all."""
    if memory.state is State.NEW:
        connection.exec_driver_sql("DELETE FROM memory WHERE card = ?", (card,))
        return
    values: tuple[Any, ...] = (card, *memory_values(memory), int(is_leech(memory)))
    connection.exec_driver_sql(_KEEP, values)


def undo(
    session: Session, *, at_ms: int, offset_min: int, zone: str, study_day: int, replay: Replay | None = None
) -> ReviewRow | None:
    """Take back the latest answer that still counts, at any depth and after a restart.

    A row that voids it is appended and the card's memory is what it was before.

    Args:
        session: The store.
        at_ms: The wall clock, UTC milliseconds.
        offset_min: The zone's UTC offset now, in minutes.
        zone: The learner's zone.
        study_day: The study day now.
        replay: Rebuilds the memory from the remaining rows where the card's memory is no longer the one that
            this answer led to (after a merge or a reschedule).

    Returns:
        The row that was taken back, or None when there is nothing to undo.

    Raises:
        StoreError: If the memory must be rebuilt and `replay` is None, or the disk fails; nothing was stored.
    """
    with session.write() as connection:
        found = connection.exec_driver_sql(_LATEST).fetchone()
        if found is None:
            return None
        row = row_from(found)
        memory = _stored_memory(connection, row.card)
        restored = _restored(connection, row, memory, replay)
        undoing = ReviewRow(
            uid="",
            device="",
            counter=0,
            card=row.card,
            rating=0,
            kind=Kind.UNDO,
            at_ms=at_ms,
            offset_min=offset_min,
            zone=zone,
            study_day=study_day,
            before=memory,
            after=restored,
            voids=row.uid,
        )
        _append(connection, session.device_bytes, undoing)
        keep_memory(connection, row.card, restored)
    return row


def _stored_memory(connection: Connection, card: str) -> Memory:
    found = connection.exec_driver_sql(f"SELECT {COLUMNS} FROM memory m WHERE m.card = ?", (card,)).fetchone()
    return (memory_from(found) if found else None) or Memory()


def _restored(connection: Connection, row: ReviewRow, memory: Memory, replay: Replay | None) -> Memory:
    if row.after is None:
        return memory  # a cram answer left the memory alone
    if row.before is not None and memory == row.after:
        return row.before
    if replay is None:
        raise StoreError(
            f"The last answer on {row.card} cannot be undone alone: its memory was changed since.",
            "`studyapp rebuild` replays the whole log.",
        )
    remaining = read_log(
        connection,
        f"r.card = ? AND r.uid <> ? AND r.voids IS NULL AND {NOT_VOIDED}",
        row.card,
        bytes.fromhex(row.uid),
    )
    return replay(remaining)


def set_suspended(session: Session, card: str, suspended: bool, *, at: Moment) -> None:
    """Put a card away until the learner takes it back, or take it back; the log gets a manual row.

    Raises:
        StoreError: If the card is unknown or the disk fails.
    """
    with session.write() as connection:
        _manual(connection, session.device_bytes, card, "suspend" if suspended else "unsuspend", at)
        connection.exec_driver_sql("UPDATE cards SET suspended = ? WHERE id = ?", (int(suspended), card))


def bury(session: Session, card: str, until_day: int, *, at: Moment) -> None:
    """Put a card away until a study day, on which it may be shown again; the log gets a manual row.

    Raises:
        StoreError: If the card is unknown or the disk fails.
    """
    with session.write() as connection:
        _manual(connection, session.device_bytes, card, f"bury {until_day}", at)
        connection.exec_driver_sql("UPDATE cards SET buried_until_day = ? WHERE id = ?", (until_day, card))


def _manual(connection: Connection, device: bytes, card: str, action: str, at: Moment) -> None:
    memory = _memory_of(connection, card)
    row = ReviewRow(
        uid="",
        device="",
        counter=0,
        card=card,
        rating=0,
        kind=Kind.MANUAL,
        at_ms=at.at_ms,
        offset_min=at.offset_min,
        zone=at.zone_name,
        study_day=at.study_day,
        before=memory,
        after=memory,
        action=action,
    )
    _append(connection, device, row)
