"""Cards that a learner may ask for beyond what is due: those of the next days, or any that were taught."""

from __future__ import annotations

from studyapp.core.queue import QueueRow
from studyapp.store.answering import NOT_VOIDED
from studyapp.store.queueing import queue_row
from studyapp.store.session import Session, scalar

_FIELDS = """
c.id, coalesce(m.state, 0), m.due_day, m.due_at_ms, c.ordinal, c.module, c.section, m.stability, m.last_day
"""
_KNOWN = "FROM memory m CROSS JOIN cards c ON c.id = m.card JOIN modules o ON o.id = c.module AND o.hidden = 0"
_EARLY = f"""
SELECT {_FIELDS} {_KNOWN}
WHERE m.due_day <= ? AND (m.due_day <= ? OR m.last_day < ?) AND c.hidden = 0 AND c.suspended = 0
  AND coalesce(c.buried_until_day, 0) <= ? AND (? IS NULL OR c.module = ?)
ORDER BY m.due_day, c.id LIMIT ?
"""
"""What is due later but was answered today is left out: it would come round again and again."""
_STEPS = f"""
SELECT {_FIELDS} {_KNOWN}
WHERE m.due_day IS NULL AND m.due_at_ms <= ? AND c.hidden = 0 AND c.suspended = 0
  AND coalesce(c.buried_until_day, 0) <= ? AND (? IS NULL OR c.module = ?)
ORDER BY m.due_at_ms LIMIT ?
"""
_TAUGHT = f"""
FROM cards c JOIN modules o ON o.id = c.module LEFT JOIN memory m ON m.card = c.id
WHERE o.hidden = 0 AND c.hidden = 0 AND c.suspended = 0 AND (?1 IS NULL OR c.module = ?1)
  AND (m.card IS NOT NULL
       OR EXISTS (SELECT 1 FROM readings r WHERE r.module = c.module AND r.section = c.section)
       OR NOT EXISTS (SELECT 1 FROM sections s WHERE s.module = c.module))
  AND NOT (coalesce(c.buried_until_day, 0) > ?2
           AND EXISTS (SELECT 1 FROM reviews r WHERE r.card = c.id AND r.kind = 'manual'
                       AND r.action = 'bury ' || c.buried_until_day AND {NOT_VOIDED}))
"""
"""Cards answered before or whose section was read. A sibling put away by an answer is among them; what the learner
put away is not."""
_ANY = f"""
WITH had (card) AS (
  SELECT r.card FROM reviews r WHERE r.study_day = ?2 AND r.kind = 'cram' AND r.rating >= 3 AND {NOT_VOIDED}
)
SELECT {_FIELDS} {_TAUGHT}
ORDER BY c.id IN (SELECT card FROM had), m.stability IS NULL,
         max(0, ?2 - m.last_day) / m.stability DESC, o.ordinal, c.ordinal, c.id LIMIT ?3
"""
"""Days since the last answer as a share of the stability: the higher, the likelier forgotten. What a cram of this
day has had comes last, so that one broken off goes on where it was."""


def early_rows(
    session: Session, study_day: int, until_day: int, now_ms: int, limit: int, module: str | None = None
) -> list[QueueRow]:
    """Return the steps due now and the review cards due by a later study day, soonest first.

    Args:
        session: The store.
        study_day: Today; later cards answered today are left out.
        until_day: The last due day wanted.
        now_ms: UTC milliseconds by which a step is due.
        limit: At most so many of each.
        module: Only cards of this module.
    """
    early = (until_day, study_day, study_day, study_day, module, module, limit)
    with session.read_driver() as connection:
        steps = connection.execute(_STEPS, (now_ms, study_day, module, module, limit)).fetchall()
        return [queue_row(values) for values in (*steps, *connection.execute(_EARLY, early))]


def taught_rows(session: Session, study_day: int, limit: int, module: str | None = None) -> list[QueueRow]:
    """Return cards whether due or not, the likeliest forgotten first, never answered ones last.

    Args:
        session: The store.
        study_day: Today.
        limit: At most so many.
        module: Only cards of this module.
    """
    with session.read_driver() as connection:
        return [queue_row(values) for values in connection.execute(_ANY, (module, study_day, limit))]


def taught_count(session: Session, study_day: int, module: str | None = None, at_most: int = 1_000_000) -> int:
    """Return how many cards `taught_rows` has without its limit.

    Args:
        session: The store.
        study_day: Today.
        module: Only cards of this module.
        at_most: Count no further.
    """
    query = f"SELECT count(*) FROM (SELECT 1 {_TAUGHT} LIMIT ?3)"
    with session.read_driver() as connection:
        return int(scalar(connection.execute(query, (module, study_day, at_most))) or 0)
