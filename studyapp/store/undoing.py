"""Taking back the learner's latest action with all that went with it: one row in the log for each row voided."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from studyapp.core.errors import StoreError
from studyapp.core.manual import goes_with, going_with
from studyapp.core.reviews import Kind, Memory, ReviewRow
from studyapp.store.answering import NOT_VOIDED, append, keep_marks, keep_memory, written_alone
from studyapp.store.logrows import ORDER, SELECT, TAIL, replayed_row, row_from
from studyapp.store.memories import COLUMNS, memory_from
from studyapp.store.origins import ANKI_SQL
from studyapp.store.session import Session

Replay = Callable[[Sequence[ReviewRow]], Memory]
"""Rebuilds a card's memory from its effective rows, which come in replay order (`core.replay.fold`)."""

VERBS = ("suspend", "unsuspend", "bury", "unbury", "reschedule", "reset", "adopt")
"""What a learner does to a card by hand and may take back."""

_VERB = "substr(r.action, 1, instr(r.action || ' ', ' ') - 1)"
_BY_THE_LEARNER = f"""(r.rating > 0 OR r.kind = 'manual' AND instr(r.action, ' with ') = 0
                AND {_VERB} IN ({", ".join(repr(verb) for verb in VERBS)}))"""
_LATEST = f"""
WITH RECURSIVE known (device) AS (
  SELECT min(device) FROM reviews
  UNION ALL
  SELECT (SELECT min(device) FROM reviews WHERE device > known.device) FROM known WHERE device IS NOT NULL
), last (uid) AS (
  SELECT (SELECT r.uid FROM reviews r
          WHERE r.device = known.device AND r.device <> {ANKI_SQL} AND {_BY_THE_LEARNER} AND {NOT_VOIDED}
          ORDER BY r.counter DESC LIMIT 1) FROM known
)
{SELECT} JOIN last ON last.uid = r.uid {TAIL} LIMIT 1
"""
"""The latest action that counts: of every device the last one, of these the last in replay order. What Anki
recorded was not done here."""
_LATEST_HERE = f"""
{SELECT} WHERE r.device = ? AND {_BY_THE_LEARNER} AND {NOT_VOIDED} ORDER BY r.counter DESC LIMIT 1
"""
"""The same where one device wrote the whole log, in a third of the time."""
_NEXT = "SELECT action FROM reviews WHERE device = ? AND counter > ? ORDER BY counter LIMIT 1"
_FOLLOWERS = f"{SELECT} WHERE r.device = ? AND r.counter > ? ORDER BY r.counter"
"""What went with a row was written right after it."""


def undo(
    session: Session, *, at_ms: int, offset_min: int, zone: str, study_day: int, replay: Replay | None = None
) -> ReviewRow | None:
    """Take back the latest action that still counts, at any depth and after a restart.

    An action is an answer, or cards put away, taken back or rescheduled by hand. All that went with it goes too:
    siblings that it buried, a leech that it suspended, the leech mark, and its prediction, which no longer counts
    for calibration. The text of cards is never touched. A row that voids each is appended, and memory and marks
    are what they were before.

    Args:
        session: The store.
        at_ms: The wall clock, UTC milliseconds.
        offset_min: The zone's UTC offset now, in minutes.
        zone: The learner's zone.
        study_day: The study day now.
        replay: Rebuilds the memory from the remaining rows where the card's memory is no longer the one that
            this action led to (after a merge, or an action on another machine).

    Returns:
        The row that was taken back (for a manual one, `action` says what it did), or None when there is nothing.

    Raises:
        StoreError: If the memory must be rebuilt and `replay` is None, or the disk fails; nothing was stored.
    """
    stamp = ReviewRow("", "", 0, "", 0, Kind.UNDO, at_ms, offset_min, zone, study_day)
    with session.write_driver() as connection:
        alone = written_alone(connection, session.device_bytes)
        run = connection.execute
        found = (run(_LATEST_HERE, (session.device_bytes,)) if alone else run(_LATEST)).fetchone()
        if found is None:
            return None
        head = row_from(found)
        for row in reversed([head, *_followers(connection, head)]):
            _void(connection, session.device_bytes, row, stamp, replay, alone)
    return head


def _followers(connection: sqlite3.Connection, head: ReviewRow) -> list[ReviewRow]:
    """Return the rows that went with a row, in the order they were written."""
    place = bytes.fromhex(head.device), head.counter
    following = connection.execute(_NEXT, place).fetchone()
    if following is None or not following[0].endswith(
        going_with("", head.uid)
    ):  # as a rule: the row is not even read
        return []
    rows = connection.execute(_FOLLOWERS, place)
    found = []
    for values in rows:
        row = row_from(values)
        if goes_with(row) != head.uid:
            break
        found.append(row)
    rows.close()
    return found


def _void(
    connection: sqlite3.Connection,
    device: bytes,
    row: ReviewRow,
    stamp: ReviewRow,
    replay: Replay | None,
    alone: bool,
) -> None:
    memory = _stored_memory(connection, row.card)
    restored = _restored(connection, row, memory, replay)
    undoing = ReviewRow(
        uid="",
        device="",
        counter=0,
        card=row.card,
        rating=0,
        kind=Kind.UNDO,
        at_ms=stamp.at_ms,
        offset_min=stamp.offset_min,
        zone=stamp.zone,
        study_day=stamp.study_day,
        before=memory,
        after=restored,
        voids=row.uid,
    )
    append(connection, device, undoing, alone=alone)
    if restored != memory:
        keep_memory(connection, row.card, restored)
    if row.kind is Kind.MANUAL:
        keep_marks(connection, row.card)


def _stored_memory(connection: sqlite3.Connection, card: str) -> Memory:
    found = connection.execute(f"SELECT {COLUMNS} FROM memory m WHERE m.card = ?", (card,)).fetchone()
    return (memory_from(found) if found else None) or Memory()


def _restored(connection: sqlite3.Connection, row: ReviewRow, memory: Memory, replay: Replay | None) -> Memory:
    if row.after is None or (row.kind is Kind.MANUAL and row.before == row.after):
        return memory  # a cram answer, or a card put away
    if row.before is not None and memory == row.after:
        return row.before
    if replay is None:
        raise StoreError(
            f"The last answer on {row.card} cannot be undone alone: its memory was changed since.",
            "`studyapp rebuild` replays the whole log.",
        )
    remaining = connection.execute(
        f"{SELECT} WHERE r.card = ? AND r.uid <> ? AND r.voids IS NULL AND {NOT_VOIDED} {ORDER}",
        (row.card, bytes.fromhex(row.uid)),
    )
    return replay([replayed_row(connection, values) for values in remaining])
