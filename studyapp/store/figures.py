"""Figures for statistics, read from the roll-ups wherever they answer: their cost does not grow with the log."""

from __future__ import annotations

from typing import NamedTuple

from studyapp.store.session import Session


class TrainingRow(NamedTuple):
    """One row of the log as training needs it."""

    card: str
    kind: str
    rating: int
    study_day: int
    action: str


_TRAINING = """
SELECT r.card, r.kind, r.rating, r.study_day, r.action FROM reviews r
WHERE (r.rating > 0 OR r.kind = 'manual') AND r.clock_ahead = 0
  AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = r.uid)
ORDER BY r.card, r.ordered_ms, r.device, r.counter
"""


def training_rows(session: Session) -> list[TrainingRow]:
    """Return the answers and manual rows that stand, card by card, each card's in replay order.

    Rows that a clock set ahead may have spoilt are left out.
    """
    with session.read() as connection:
        return [TrainingRow(*row) for row in connection.exec_driver_sql(_TRAINING)]


def active_days(session: Session) -> dict[int, int]:
    """Return the answers that count on each study day with any, days ascending.

    Cram answers count, undone ones and rows flagged for a clock that ran ahead do not.
    """
    with session.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT study_day, sum(n) AS n FROM days WHERE ahead = 0 GROUP BY study_day HAVING sum(n) > 0"
        )
        return {row[0]: row[1] for row in rows}


def retention(session: Session, since_day: int, until_day: int) -> tuple[int, int]:
    """Return (passed, total) as Anki counts true retention, over study days from one to the other, both included.

    What counts is each card's first answer of a day, given on a review card whose last interval was a day or more.
    """
    with session.read() as connection:
        row = connection.exec_driver_sql(
            "SELECT coalesce(sum(n * (rating > 1)), 0), coalesce(sum(n), 0) FROM days "
            "WHERE study_day BETWEEN ? AND ? AND spell > 0 AND ahead = 0",
            (since_day, until_day),
        ).one()
    return row[0], row[1]
