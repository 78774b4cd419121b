"""The log's writers: an answer with what goes with it, and putting cards away. One transaction each.

The statements of an answer are driver SQL built once from the schema; they are the hot path.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from studyapp.core.days import Moment
from studyapp.core.errors import StaleShowingError, StoreError
from studyapp.core.manual import going_with, marks
from studyapp.core.reviews import Kind, Memory, ReviewRow, State
from studyapp.store.columns import MEMORY_FIELDS
from studyapp.store.logrows import INSERT, read_log, row_values
from studyapp.store.memories import COLUMNS, WIDTH, is_leech, memory_from, memory_values
from studyapp.store.session import Handle, Session, driver

_OTHERS = "SELECT (SELECT min(device) FROM reviews) <> ? OR (SELECT max(device) FROM reviews) <> ?"
"""Whether the log has rows of other devices, from the two ends of an index."""
NOT_VOIDED = "NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = r.uid)"
Effect = tuple[str, str]
"""A card and what is done to it along with an answer: ("b", "bury 739618"), ("a", "suspend")."""

_FIND = f"SELECT {COLUMNS} FROM cards c LEFT JOIN memory m ON m.card = c.id WHERE c.id = ?"
_KEEP = (
    f"INSERT INTO memory (card, {', '.join(MEMORY_FIELDS)}, leech) VALUES ({', '.join('?' * (WIDTH + 2))}) "
    f"ON CONFLICT (card) DO UPDATE SET {', '.join(f'{n} = excluded.{n}' for n in (*MEMORY_FIELDS, 'leech'))}"
)


def record(session: Session, row: ReviewRow, *, expected: Memory, effects: Sequence[Effect] = ()) -> ReviewRow:
    """Store an answer and the memory it leads to; return the row with its uid, device and counter filled in.

    Args:
        session: The store.
        row: The answer; `uid`, `device` and `counter` are assigned here. `after` None leaves the memory alone.
        expected: The memory that the learner's screen was drawn from.
        effects: What goes with it, in the same transaction: siblings buried, a leech suspended. One undo takes
            all of it back.

    Raises:
        StaleShowingError: If this showing was answered already, or the card changed meanwhile (another window).
        StoreError: If the card is unknown or the disk fails. Nothing was stored in any of these cases.
    """
    with session.write_driver() as connection:
        stored = _memory_of(connection, row.card)
        if stored != expected:
            raise StaleShowingError(
                f"{row.card} was answered in another window meanwhile; this answer was not stored.",
                "Go on with the next card.",
            )
        try:
            filled = append(connection, session.device_bytes, row)
        except sqlite3.IntegrityError as error:
            if not _same_showing(error):
                raise
            raise StaleShowingError(
                f"This showing of {row.card} was answered already; it was not stored twice.",
                "Go on with the next card.",
            ) from error
        if row.after is not None:
            keep_memory(connection, row.card, row.after)
        for card, action in effects:
            _manual(connection, session.device_bytes, card, going_with(action, filled.uid), filled)
    return filled


def _same_showing(error: sqlite3.IntegrityError) -> bool:
    return "reviews.card, reviews.showing" in str(error)


def _memory_of(connection: Handle, card: str) -> Memory:
    found = driver(connection).execute(_FIND, (card,)).fetchone()
    if found is None:
        raise StoreError(f"There is no card {card!r} in the store.", "`studyapp list` shows the cards.")
    return memory_from(found) or Memory()


def written_alone(connection: Handle, device: bytes) -> bool:
    """Return whether no other device has a row in the log."""
    return not driver(connection).execute(_OTHERS, (device, device)).fetchone()[0]


def append(connection: Handle, device: bytes, row: ReviewRow, *, alone: bool | None = None) -> ReviewRow:
    """Append a row to the log inside the caller's transaction; return it with uid, device and counter.

    Args:
        connection: In a write transaction.
        device: This store's.
        row: What is appended.
        alone: Whether no other device has a row in the log; looked up when None.
    """
    run = driver(connection).execute
    last = run(
        "SELECT counter, ordered_ms FROM reviews WHERE device = ? ORDER BY counter DESC LIMIT 1", (device,)
    ).fetchone()
    counter, ordered_ms = (last[0] + 1, max(last[1], row.at_ms)) if last else (1, row.at_ms)
    if not (written_alone(connection, device) if alone is None else alone):
        # another machine's clock may be ahead of ours: what is answered on top of its rows comes after them
        known = run("SELECT max(ordered_ms) FROM reviews WHERE card = ?", (row.card,)).fetchone()[0]
        ordered_ms = max(ordered_ms, -1 if known is None else known + 1)
    filled = replace(row, uid=secrets.token_hex(16), device=device.hex(), counter=counter, ordered_ms=ordered_ms)
    run(INSERT, row_values(filled, ordered_ms))
    return filled


def keep_memory(connection: Handle, card: str, memory: Memory) -> None:
    """Store a card's memory with its leech mark; a new card has no row at all."""
    if memory.state is State.NEW:
        driver(connection).execute("DELETE FROM memory WHERE card = ?", (card,))
        return
    values: tuple[Any, ...] = (card, *memory_values(memory), int(is_leech(memory)))
    driver(connection).execute(_KEEP, values)


def set_suspended(session: Session, card: str, suspended: bool, *, at: Moment) -> None:
    """Put a card away until the learner takes it back, or take it back; the log gets a manual row.

    Raises:
        StoreError: If the card is unknown or the disk fails.
    """
    put_away(session, [(card, "suspend" if suspended else "unsuspend")], at=at)


def bury(session: Session, card: str, until_day: int, *, at: Moment) -> None:
    """Put a card away until a study day, on which it may be shown again; the log gets a manual row.

    Raises:
        StoreError: If the card is unknown or the disk fails.
    """
    put_away(session, [(card, f"bury {until_day}")], at=at)


def put_away(session: Session, actions: Sequence[Effect], *, at: Moment) -> None:
    """Bury, suspend or take back several cards as one action of the learner: one undo takes all of it back.

    Args:
        session: The store.
        actions: Each card with what is done to it (see `core.manual`).
        at: The moment of the action.

    Raises:
        StoreError: If a card is unknown or the disk fails; nothing was stored.
    """
    stamp = ReviewRow("", "", 0, "", 0, Kind.MANUAL, at.at_ms, at.offset_min, at.zone_name, at.study_day)
    head: str | None = None
    with session.write_driver() as connection:
        for card, action in actions:
            whole = action if head is None else going_with(action, head)
            stored = _manual(connection, session.device_bytes, card, whole, stamp)
            head = head or stored.uid


def _manual(connection: Handle, device: bytes, card: str, action: str, at: ReviewRow) -> ReviewRow:
    """Append a manual row with the time of another row, and set the mark it makes."""
    memory = _memory_of(connection, card)
    row = replace(
        ReviewRow("", "", 0, card, 0, Kind.MANUAL, at.at_ms, at.offset_min, at.zone, at.study_day),
        before=memory,
        after=memory,
        action=action,
    )
    filled = append(connection, device, row)
    keep_marks(connection, card)
    return filled


def keep_marks(connection: Handle, card: str) -> None:
    """Derive from the log whether and until when a card is put away, and keep it with the card."""
    found = marks(read_log(connection, f"r.card = ? AND r.kind = 'manual' AND {NOT_VOIDED}", card))
    driver(connection).execute(
        "UPDATE cards SET suspended = ?, buried_until_day = ? WHERE id = ?",
        (int(found.suspended), found.buried_until_day, card),
    )
