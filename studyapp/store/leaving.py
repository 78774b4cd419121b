"""What leaves the store for another program: cards with their memory, modules, and the answers that count.

The answers may be a million. They are poured from file to file by SQLite itself, by a statement of the format that
they go to, which reads them as the table `leaving`.
"""

from __future__ import annotations

import json
from pathlib import Path

from studyapp.core.cards import Card
from studyapp.core.reviews import Memory
from studyapp.store.lookup import links_from
from studyapp.store.memories import COLUMNS, WIDTH, memory_from
from studyapp.store.session import Session

LEAVING = (
    *("card", "at_ms", "rating", "kind", "duration_ms", "before_interval_days", "after_state"),
    *("after_interval_days", "after_due_at_ms", "after_difficulty"),
)
"""Columns of the table `leaving`."""
_TEXTS = ("id", "kind", "prompt", "answer", "key_points", "experiments", "tags")


def leaving_cards(session: Session, module: str | None = None) -> list[tuple[Card, str, Memory, bool, int | None]]:
    """Return the cards that are not hidden, modules in order of arrival, in authored order.

    Args:
        session: The store.
        module: Only this module, None for all.

    Returns:
        For each card: its text, the module's id, its memory, whether it is suspended, the first study day on which
        it may be shown again. A card has no place: section and line stay at home.
    """
    names = ", ".join(f"c.{name}" for name in (*_TEXTS, "module", "suspended", "buried_until_day"))
    query = (
        f"SELECT {names}, {COLUMNS} FROM cards c JOIN modules o ON o.id = c.module "
        f"LEFT JOIN memory m ON m.card = c.id WHERE c.hidden = 0 {'' if module is None else 'AND c.module = ?'} "
        "ORDER BY o.ordinal, c.ordinal, c.id"
    )
    with session.alone() as raw:  # a hundred thousand cards: the driver's own tuples
        rows = raw.execute(query, () if module is None else (module,)).fetchall()
    return [
        (_card(*row[: len(_TEXTS)]), row[7], memory_from(row[-WIDTH:]) or Memory(), bool(row[8]), row[9])
        for row in rows
    ]


def _card(name: str, kind: str, prompt: str, answer: str, points: str, links: str, tags: str) -> Card:
    return Card(
        id=name,
        kind=kind,
        prompt=prompt,
        answer=answer,
        key_points=() if points == "[]" else tuple(json.loads(points)),
        experiments=() if links == "[]" else links_from(links),
        tags=() if tags == "[]" else tuple(json.loads(tags)),
    )


def pour_reviews(session: Session, database: Path, statement: str, module: str | None = None) -> int:
    """Pour the answers and resets that count into another file; return how many rows that wrote.

    Args:
        session: The store.
        database: A SQLite file that nobody else has open.
        statement: An INSERT that reads the table `leaving` (columns `LEAVING`, in no order) and writes into a
            table of `package`.
        module: Only the cards of this module, None for all.
    """
    among = "" if module is None else "AND r.card IN (SELECT id FROM main.cards WHERE module = ?)"
    names = ", ".join(f"r.{name}" for name in LEAVING)
    voided = "SELECT voids FROM main.reviews WHERE voids IS NOT NULL"
    query = (
        f"SELECT {names} FROM main.reviews r WHERE (r.rating > 0 OR r.action LIKE 'reset%') AND r.voids IS NULL "
        f"AND r.uid NOT IN ({voided}) {among}"
    )
    given = () if module is None else (module,)
    with session.alone() as raw:
        raw.execute("ATTACH ? AS package", (str(database),))
        try:
            raw.execute("PRAGMA package.journal_mode = OFF")  # a private file: it is thrown away if this fails
            raw.execute("PRAGMA package.synchronous = OFF")
            raw.execute("BEGIN")
            before = raw.total_changes
            raw.execute(f"WITH leaving AS ({query}) {statement}", given)
            written = raw.total_changes - before
            raw.execute("COMMIT")
        finally:
            if raw.in_transaction:
                raw.rollback()
            raw.execute("DETACH package")
    return written


def leaving_modules(session: Session) -> dict[str, tuple[str, str, int]]:
    """Return (title, path, seconds since 1970 when it was last saved) of every module, by id."""
    with session.read() as connection:
        rows = connection.exec_driver_sql("SELECT id, title, path, saved_at_ms / 1000 FROM modules")
        return {row[0]: (row[1], row[2], row[3]) for row in rows}
