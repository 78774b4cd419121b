"""What waits to be answered: due cards, new cards whose section was read, and what the next days bring."""

from __future__ import annotations

from typing import Any

from studyapp.core.errors import StoreError
from studyapp.core.queue import QueueRow
from studyapp.core.reviews import State
from studyapp.store.columns import AWAY
from studyapp.store.due_cards import DueCards
from studyapp.store.session import Session

_FIELDS = """
c.id, m.state, m.due_day, m.due_at_ms, c.ordinal, c.module, c.section, m.stability, m.last_day
"""
_CARD = "CROSS JOIN cards c ON c.id = m.card"
"""Always from what is due to its card: without statistics SQLite may begin with every card there is."""
_DUE = f"""
SELECT {_FIELDS} FROM memory m {_CARD} WHERE m.due_day <= ? AND m.away_until <= ?
UNION ALL
SELECT {_FIELDS} FROM memory m {_CARD} WHERE m.due_at_ms <= ? AND m.away_until <= ?
"""
_MODULES = "SELECT id FROM modules WHERE hidden = 0 ORDER BY ordinal"
_NEW = """
SELECT c.id, 0, NULL, NULL, c.ordinal, c.module, c.section, NULL, NULL
FROM unseen u CROSS JOIN cards c ON c.id = u.card
WHERE u.module = ? AND c.hidden = 0 AND c.suspended = 0 AND coalesce(c.buried_until_day, 0) <= ?
  AND (EXISTS (SELECT 1 FROM readings r WHERE r.module = c.module AND r.section = c.section)
       OR NOT EXISTS (SELECT 1 FROM sections s WHERE s.module = c.module))
ORDER BY u.ordinal, u.card LIMIT ?
"""
_SECTIONS = "SELECT id FROM sections WHERE module = ? UNION SELECT section FROM cards WHERE module = ?"
_LAST_DAY = 10_000_000
"""Beyond any study day (year 27379): buried cards count as free."""


def mark_read(session: Session, module: str, section: str | None = None, *, at_ms: int, study_day: int) -> None:
    """Note that a section was read, which releases its cards; None reads the whole module.

    Args:
        session: The store.
        module: Module id.
        section: Section id, or None for all of them and the cards outside any section.
        at_ms: UTC milliseconds.
        study_day: The study day.

    Raises:
        StoreError: If there is no such module or section.
    """
    with session.write_driver() as connection:
        known = [row[0] for row in connection.execute(_SECTIONS, (module, module))]
        there = connection.execute("SELECT 1 FROM modules WHERE id = ?", (module,)).fetchone()
        if there is None or (section is not None and section not in known):
            what = f"module {module!r}" if there is None else f"section {section!r} in module {module!r}"
            raise StoreError(f"There is no {what} in the store.", "`studyapp list` shows what there is.")
        rows = [(module, s, at_ms, study_day) for s in ({*known, ""} if section is None else [section])]
        connection.executemany(
            "INSERT INTO readings (module, section, at_ms, study_day) VALUES (?, ?, ?, ?)", rows
        )


def queue_rows(session: Session, study_day: int, until_ms: int) -> list[QueueRow]:
    """Return the cards due by a study day and the steps due by an instant, in no particular order.

    Hidden, suspended and buried cards are left out.
    """
    with session.read_driver() as connection:
        rows = connection.execute(_DUE, (study_day, study_day, until_ms, study_day)).fetchall()
    return [queue_row(row) for row in rows]


def due_cards(
    session: Session, study_day: int, now_ms: int, until_ms: int | None = None, module: str | None = None
) -> DueCards:
    """Return what is due, to be counted and fetched a helping at a time.

    Args:
        session: The store.
        study_day: Reviews due by this study day.
        now_ms: Steps due by this instant, UTC milliseconds, are counted as such.
        until_ms: Steps until this instant are among them, too; None leaves them out.
        module: Only cards of this module.
    """
    return DueCards(session, study_day, now_ms, until_ms, module)


def new_rows(
    session: Session, limit: int, study_day: int = _LAST_DAY, module: str | None = None
) -> list[QueueRow]:
    """Return new cards whose section was read, in authored order; decks without sections need no reading.

    Args:
        session: The store.
        limit: At most this many.
        study_day: Cards buried beyond this study day are left out.
        module: Only cards of this module.
    """
    found: list[QueueRow] = []
    with session.read_driver() as connection:
        run = connection.execute
        for (name,) in run(_MODULES).fetchall():
            if module not in (None, name):
                continue
            found += map(queue_row, run(_NEW, (name, study_day, max(0, limit - len(found)))))
            if len(found) >= limit:
                break
    return found


def queue_row(row: Any) -> QueueRow:
    """Return a card for the queue from a row that has its columns in the order of its fields."""
    return QueueRow(
        card=row[0],
        state=State(row[1]),
        due_day=row[2],
        due_at_ms=row[3],
        ordinal=row[4],
        module=row[5],
        section=row[6],
        stability=row[7],
        last_day=row[8],
    )


def due_forecast(session: Session, study_day: int, days: int) -> dict[int, int]:
    """Return how many known cards fall due on each of the next study days, the given one first.

    What is overdue and what is on a step counts for the first day; new cards are not in it.
    """
    query = f"""
    SELECT due_day, count(*) FROM memory WHERE due_day < ? AND away_until < {AWAY} GROUP BY due_day
    UNION ALL SELECT 0, count(*) FROM memory WHERE due_at_ms IS NOT NULL AND away_until < {AWAY}
    """
    forecast = dict.fromkeys(range(study_day, study_day + days), 0)
    with session.read_driver() as connection:
        for day, count in connection.execute(query, (study_day + days,)):
            forecast[max(day, study_day)] += count
    return forecast
