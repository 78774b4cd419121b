"""What is due, counted by an index and fetched a helping at a time: neither touches a card."""

from __future__ import annotations

from typing import Any

from studyapp.core.queue import QueueRow
from studyapp.core.reviews import State
from studyapp.store.answering import driver
from studyapp.store.session import Session

_FIELDS = "card, state, due_day, due_at_ms, module, stability, last_day"
_REVIEWS = "FROM memory WHERE due_day <= :day AND away_until <= :day"
_LATE = "FROM memory WHERE due_at_ms <= :now AND away_until <= :day"
_IN = " AND module = :module"
_COUNT = "SELECT (SELECT count(*) {0}), (SELECT count(*) {1})"
_OVERDUE = (
    "CASE WHEN last_day IS NULL OR coalesce(stability, 0) = 0 THEN 9e999 "
    "ELSE max(0, :day - last_day) / stability END"
)
"""As `core.queue.relative_overdueness`."""
_SOON = "FROM memory WHERE due_at_ms > :now AND due_at_ms <= :until AND away_until <= :day"


class DueCards:
    """The cards due on a study day, of one module or of all; cards put away are left out."""

    def __init__(self, session: Session, study_day: int, now_ms: int, module: str | None = None) -> None:
        self._session = session
        self._values: dict[str, Any] = {"day": study_day, "now": now_ms, "module": module}
        only = "" if module is None else _IN
        self._reviews, self._late, self._soon = _REVIEWS + only, _LATE + only, _SOON + only

    def counted(self) -> tuple[int, int]:
        """Return how many reviews are due, and how many steps were when this was made."""
        with self._session.read() as connection:
            query = _COUNT.format(self._reviews, self._late)
            reviews, late = driver(connection).execute(query, self._values).fetchone()
        return reviews, late

    def reviews(self, most: int) -> list[QueueRow]:
        """Return the first so many reviews, the least overdue for their stability first."""
        return self._rows(f"{self._reviews} ORDER BY {_OVERDUE}, card LIMIT :most", most=most)

    def steps(self, most: int) -> list[QueueRow]:
        """Return the first so many of the steps whose time had come when this was made, the earliest first."""
        return self._rows(f"{self._late} ORDER BY due_at_ms, card LIMIT :most", most=most)

    def steps_until(self, until_ms: int) -> list[QueueRow]:
        """Return the steps whose time comes after that, and until an instant."""
        return self._rows(self._soon, until=until_ms)

    def row(self, card: str) -> QueueRow | None:
        """Return one card's row if it is among the reviews or steps."""
        for source in (self._reviews, self._late):
            if rows := self._rows(f"{source} AND card = :card", card=card):
                return rows[0]
        return None

    def _rows(self, source: str, **values: Any) -> list[QueueRow]:
        with self._session.read() as connection:
            found = driver(connection).execute(f"SELECT {_FIELDS} {source}", {**self._values, **values})
            return [
                QueueRow(r[0], State(r[1]), r[2], r[3], module=r[4], stability=r[5], last_day=r[6]) for r in found
            ]
