"""Making cards new again: a manual row in the log for each, so that undo and merge know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from studyapp.core.days import Moment
from studyapp.core.manual import going_with
from studyapp.core.reviews import Kind, Memory, ReviewRow
from studyapp.store.answering import append, keep_memory
from studyapp.store.memories import COLUMNS, memory_from
from studyapp.store.session import Session, driver

if TYPE_CHECKING:
    from sqlalchemy import Connection

RESET = "reset"
"""The action of a manual row that makes a card new; see `core.manual`."""


def start_over(session: Session, cards: Sequence[str], *, at: Moment) -> int:
    """Make cards new as one action of the learner, which one undo takes back; return how many there were.

    Args:
        session: The store.
        cards: Ids; a card that is new already is left alone.
        at: The moment of the action.

    Raises:
        StoreError: If the disk fails; nothing was stored.
    """
    head: str | None = None
    count = 0
    with session.write() as connection:
        for card in cards:
            before = memory_now(connection, card)
            if before == Memory():
                continue
            row = manual_row(card, before, Memory(), RESET if head is None else going_with(RESET, head), at)
            written = append(connection, session.device_bytes, row)
            head = head or written.uid
            keep_memory(connection, card, Memory())
            connection.exec_driver_sql("DELETE FROM rewrites WHERE card = ?", (card,))
            count += 1
    return count


def memory_now(connection: Connection, card: str) -> Memory:
    """Return a card's stored memory, that of a new card where there is none."""
    found = driver(connection).execute(f"SELECT {COLUMNS} FROM memory m WHERE m.card = ?", (card,)).fetchone()
    return (memory_from(found) if found else None) or Memory()


def manual_row(card: str, before: Memory, after: Memory, action: str, at: Moment) -> ReviewRow:
    """Return a row of the log for what was done to a card by hand; the store fills in its identity."""
    row = ReviewRow("", "", 0, card, 0, Kind.MANUAL, at.at_ms, at.offset_min, at.zone_name, at.study_day)
    return replace(row, before=before, after=after, action=action)
