"""What the log says: its rows, the work done on a day, its newest instant. Sums over time are in `figures`."""

from __future__ import annotations

from studyapp.core.reviews import ReviewRow
from studyapp.store.answering import NOT_VOIDED
from studyapp.store.logrows import read_log
from studyapp.store.records import DoneToday
from studyapp.store.session import Session, scalar

LONGEST_ANSWER_MS = 60_000
"""Thinking longer than this counts as this much (Anki's default cap)."""

_NEWEST = """
SELECT max(at_ms) FROM reviews WHERE clock_ahead = 0 AND study_day >= (
  SELECT study_day FROM reviews WHERE clock_ahead = 0 ORDER BY study_day DESC LIMIT 1
) - 2
"""
"""Zones and rollover hours move the newest row by two study days at most."""
_TODAY = f"""
SELECT (SELECT count(*) FROM reviews r WHERE r.study_day = :day AND r.kind = 'learn' AND r.rating > 0
          AND coalesce(r.before_state, 0) = 0 AND {NOT_VOIDED}),
       coalesce(sum(n * (kind = 'review')), 0), coalesce(sum(ms), 0)
FROM days WHERE study_day = :day
"""


def reviews(
    session: Session, card: str | None = None, since_day: int | None = None, effective_only: bool = True
) -> list[ReviewRow]:
    """Return log rows in replay order.

    Args:
        session: The store.
        card: Only this card's rows.
        since_day: Only rows of this study day and later.
        effective_only: Leave out undone rows and the rows that undid them.
    """
    conditions: list[str] = ["1"]
    values: list[str | int] = []
    if card is not None:
        conditions.append("r.card = ?")
        values.append(card)
    if since_day is not None:
        conditions.append("r.study_day >= ?")
        values.append(since_day)
    if effective_only:
        conditions.append(f"r.voids IS NULL AND {NOT_VOIDED}")
    with session.read_driver() as connection:
        return read_log(connection, " AND ".join(conditions), *values)


def done_today(session: Session, study_day: int) -> DoneToday:
    """Return how many new cards were introduced, reviews answered and seconds spent on a study day."""
    with session.read_driver() as connection:
        row = connection.execute(_TODAY, {"day": study_day}).fetchone()
    return DoneToday(row[0], row[1], row[2] / 1000)


def newest_review_ms(session: Session) -> int | None:
    """Return the latest instant in the log, UTC milliseconds, None for an empty log.

    Rows flagged for a clock that ran ahead are left out: a clock earlier than this was probably set back.
    """
    with session.read_driver() as connection:
        newest: int | None = scalar(connection.execute(_NEWEST))
    return newest
