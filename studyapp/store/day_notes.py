"""Notes on study days: what was known on the day and cannot be counted from the log afterwards.

Kinds and their values: "neutral" (nothing was due and no new card was there, value ""), "rest" (planned by the
learner, "on" or "off"), "trial" (the day's trial, the uid of its run), "goal" (the day's goal from here on, in
words), "all due" (nothing was left to do, value ""). One note per day and kind; the latest counts, on one machine
and between machines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from studyapp.store.session import Session, scalar

LATER = "(excluded.at_ms, excluded.value) > (day_notes.at_ms, day_notes.value)"
"""Which of two notes counts: the later one; at one instant the greater value, so that all machines agree."""
_PUT = f"""
INSERT INTO day_notes (study_day, kind, value, at_ms) VALUES (?, ?, ?, ?)
ON CONFLICT (study_day, kind) DO UPDATE SET value = excluded.value, at_ms = excluded.at_ms WHERE {LATER}
"""


@dataclass(frozen=True, slots=True)
class StoredDayNote:
    """One note on a study day."""

    study_day: int
    kind: str
    value: str
    at_ms: int
    """When it was written, UTC milliseconds, never before an earlier note of this store."""


def put_day_note(session: Session, study_day: int, kind: str, value: str = "", *, at_ms: int) -> None:
    """Write a note, in place of an earlier one of the same day and kind.

    Args:
        session: The store.
        study_day: The day that it is about.
        kind: One of the kinds named above.
        value: What it says.
        at_ms: Now; made later than every note in the store, so that a clock set back cannot hide it.
    """
    put_day_notes(session, [(study_day, kind, value)], at_ms=at_ms)


def put_day_notes(session: Session, notes: Iterable[tuple[int, str, str]], *, at_ms: int) -> None:
    """Write several (study day, kind, value), all or none of them; see `put_day_note`."""
    with session.write_driver() as connection:
        newest = scalar(connection.execute("SELECT coalesce(max(at_ms), 0) FROM day_notes")) or 0
        written_ms = max(at_ms, newest + 1)
        for study_day, kind, value in notes:
            connection.execute(_PUT, (study_day, kind, value, written_ms))


def day_notes(
    session: Session, since_day: int = 0, until_day: int = 10_000_000, kind: str | None = None
) -> list[StoredDayNote]:
    """Return the notes on a range of study days, both ends included, in the order of days.

    Args:
        session: The store.
        since_day: The first study day.
        until_day: The last study day.
        kind: Only notes of this kind.
    """
    query = "SELECT study_day, kind, value, at_ms FROM day_notes WHERE study_day BETWEEN ? AND ?"
    values: tuple[int | str, ...] = (since_day, until_day)
    if kind is not None:
        query, values = f"{query} AND kind = ?", (*values, kind)
    with session.read_driver() as connection:
        rows = connection.execute(f"{query} ORDER BY study_day, kind", values)
        return [StoredDayNote(*row) for row in rows]
