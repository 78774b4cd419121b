"""What leaves the store for another program: the answers that count, as plain tuples, and the modules."""

from __future__ import annotations

from typing import Any

from studyapp.store.session import Session

LEAVING = (
    *("card", "at_ms", "rating", "kind", "duration_ms", "before_interval_days", "after_state"),
    *("after_interval_days", "after_due_at_ms", "after_difficulty"),
)
"""Columns of the rows that `leaving_reviews` gives, the card first."""


def leaving_reviews(session: Session, module: str | None = None) -> list[tuple[Any, ...]]:
    """Return the answers and resets that count, by card and replay order, as tuples of `LEAVING`.

    Args:
        session: The store.
        module: Only the cards of this module, None for all.
    """
    among = "" if module is None else "AND r.card IN (SELECT id FROM cards WHERE module = ?)"
    names = ", ".join(f"r.{name}" for name in LEAVING)
    query = (
        f"SELECT {names} FROM reviews r WHERE (r.rating > 0 OR r.action LIKE 'reset%') AND r.voids IS NULL "
        f"AND r.uid NOT IN (SELECT voids FROM reviews WHERE voids IS NOT NULL) {among} "
        "ORDER BY r.card, r.ordered_ms, r.device, r.counter, r.uid"
    )
    with session.alone() as raw:  # half a million rows: the driver's own tuples
        return raw.execute(query, () if module is None else (module,)).fetchall()


def leaving_modules(session: Session) -> dict[str, tuple[str, str, int]]:
    """Return (title, path, seconds since 1970 when it was last saved) of every module, by id."""
    with session.read() as connection:
        rows = connection.exec_driver_sql("SELECT id, title, path, saved_at_ms / 1000 FROM modules")
        return {row[0]: (row[1], row[2], row[3]) for row in rows}
