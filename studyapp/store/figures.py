"""Figures for statistics, read from the roll-ups wherever they answer: their cost does not grow with the log."""

from __future__ import annotations

from studyapp.store.session import Session


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
