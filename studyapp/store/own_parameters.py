"""The learner's own FSRS parameters: sets that were taken are kept, one is in force; due days move on demand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from studyapp.core.days import Moment
from studyapp.core.manual import going_with
from studyapp.core.reviews import Kind, Memory, ReviewRow
from studyapp.store.answering import append, keep_memory
from studyapp.store.keeping import meta_get
from studyapp.store.memories import COLUMNS, memory_from
from studyapp.store.session import Session

RESCHEDULED = "reschedule"
"""The action of a manual row that moved a due day on demand; see `core.manual`."""
_IN_FORCE = "parameters"
"""Where `meta` names the set in force; empty for the defaults."""
_SET = "SELECT key, numbers, fitted_at_ms, reviews, held_out, loss_before, loss_after, replaces FROM parameters"
_FORCE = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """Numbers that were fitted to the learner's log, and how they compared."""

    key: str
    """As `Policy.key` names them, and as every answer given under them does."""
    numbers: tuple[float, ...]
    fitted_at_ms: int
    reviews: int
    """Usable reviews they were fitted to."""
    held_out: int
    """Reviews that were kept out for the comparison."""
    loss_before: float | None
    """Log-loss of the set before, over these."""
    loss_after: float | None
    """Log-loss of the same training without them, over the same."""
    replaces: str = ""
    """Key of the set before, "" for the defaults."""


def parameter_sets(session: Session) -> list[ParameterSet]:
    """Return every set that was ever in force, oldest first; the defaults are not among them."""
    with session.read_driver() as connection:
        rows = connection.execute(f"{_SET} ORDER BY fitted_at_ms, key").fetchall()
    return [ParameterSet(row[0], tuple(json.loads(row[1])), *row[2:]) for row in rows]


def parameters_in_force(session: Session) -> ParameterSet | None:
    """Return the set in force, None for the defaults."""
    key = meta_get(session, _IN_FORCE)
    return next((known for known in parameter_sets(session) if known.key == key), None) if key else None


def take_parameters(session: Session, new: ParameterSet) -> None:
    """Keep a set and put it in force, in one transaction. No due day moves."""
    values = (new.key, json.dumps(new.numbers), new.fitted_at_ms, new.reviews, new.held_out)
    with session.write_driver() as connection:
        connection.execute(
            "INSERT OR IGNORE INTO parameters VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*values, new.loss_before, new.loss_after, new.replaces),
        )
        connection.execute(_FORCE, (_IN_FORCE, new.key))


def go_back(session: Session) -> ParameterSet | None:
    """Put the set before the present one in force and return the one that was left, None where there is none."""
    left = parameters_in_force(session)
    if left is not None:
        with session.write_driver() as connection:
            connection.execute(_FORCE, (_IN_FORCE, left.replaces))
    return left


def reschedule(
    session: Session,
    moves: Sequence[tuple[str, Memory, Memory]],
    *,
    at: Moment,
    terms: Mapping[str, str],
    after: str = "",
) -> int:
    """Give cards a new memory, each with a manual row in the log, in one transaction; return how many were moved.

    It is one action of the learner: one undo takes all of it back.

    Args:
        session: The store.
        moves: (card, memory now, memory then); a card whose memory differs from the first was answered meanwhile
            in another window and is left alone.
        at: This moment.
        terms: What each card's was computed under, as `core.terms` names it, by card.
        after: uid of the run that made the cards due, where it was one (see `staleness`).
    """
    moved = 0
    head: str | None = None
    with session.write_driver() as connection:
        for card, now, then in moves:
            query = f"SELECT {COLUMNS} FROM memory m WHERE m.card = ?"
            stored = connection.execute(query, (card,)).fetchone()
            if stored is None or memory_from(stored) != now:
                continue
            row = _manual(card, now, then, at, terms[card])
            row = replace(row, action=f"{RESCHEDULED} after {after}") if after else row
            if head is not None:
                row = replace(row, action=going_with(row.action, head))
            written = append(connection, session.device_bytes, row)
            head = head or written.uid
            keep_memory(connection, card, then)
            moved += 1
    return moved


def _manual(card: str, before: Memory, after: Memory, at: Moment, terms: str) -> ReviewRow:
    return ReviewRow(
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
        before=before,
        after=after,
        parameters=terms,
        action=RESCHEDULED,
    )
