"""What is due, counted by an index and fetched a helping at a time: neither touches a card."""

from __future__ import annotations

from typing import Any

from studyapp.core.queue import QueueRow
from studyapp.core.reviews import State
from studyapp.store.session import Session

_FIELDS = "card, state, due_day, due_at_ms, module, stability, last_day"
_REVIEWS = "FROM memory WHERE due_day <= :day AND away_until <= :day"
_STEPS = "FROM memory WHERE due_at_ms <= {0} AND away_until <= :day"
_LATE, _ALL = _STEPS.format(":now"), _STEPS.format(":until")
_IN = " AND module = :module"
_OVERDUE = (
    "CASE WHEN last_day IS NULL OR coalesce(stability, 0) = 0 THEN 9e999 "
    "ELSE max(0, :day - last_day) / stability END, rowid"
)
"""As `core.queue.relative_overdueness`."""


class DueCards:
    """The cards due on a study day, of one module or of all; cards put away are left out."""

    def __init__(
        self, session: Session, study_day: int, now_ms: int, until_ms: int | None = None, module: str | None = None
    ) -> None:
        self._session = session
        until_ms = now_ms if until_ms is None else until_ms
        self._values: dict[str, Any] = {"day": study_day, "now": now_ms, "until": until_ms, "module": module}
        self._only = "" if module is None else _IN

    def counted(self) -> tuple[int, int]:
        """Return how many reviews are due, and how many steps were when this was made."""
        query = f"SELECT (SELECT count(*) {_REVIEWS}{self._only}), (SELECT count(*) {_LATE}{self._only})"
        with self._session.read_driver() as connection:
            reviews, late = connection.execute(query, self._values).fetchone()
        return reviews, late

    def soon(self) -> list[int]:
        """Return when the steps come whose time is later, ascending, UTC milliseconds."""
        query = f"SELECT due_at_ms {_ALL}{self._only} AND due_at_ms > :now ORDER BY due_at_ms"
        with self._session.read_driver() as connection:
            return [row[0] for row in connection.execute(query, self._values)]

    def reviews(self, most: int) -> list[QueueRow]:
        """Return the first so many reviews, the least overdue for their stability first."""
        first = f"SELECT rowid {_REVIEWS}{self._only} ORDER BY {_OVERDUE} LIMIT :most"
        return self._rows(f"FROM memory WHERE rowid IN ({first}) ORDER BY {_OVERDUE}", most=most)

    def steps(self, most: int) -> list[QueueRow]:
        """Return the first so many of the steps, the earliest first."""
        return self._rows(f"{_ALL}{self._only} ORDER BY due_at_ms, rowid LIMIT :most", most=most)

    def row(self, card: str) -> QueueRow | None:
        """Return one card's row if it is among the reviews or steps."""
        for source in (_REVIEWS, _ALL):
            if rows := self._rows(f"{source}{self._only} AND card = :card", card=card):
                return rows[0]
        return None

    def _rows(self, source: str, **values: Any) -> list[QueueRow]:
        with self._session.read_driver() as connection:
            found = connection.execute(f"SELECT {_FIELDS} {source}", {**self._values, **values})
            return [
                QueueRow(r[0], State(r[1]), r[2], r[3], module=r[4], stability=r[5], last_day=r[6]) for r in found
            ]
