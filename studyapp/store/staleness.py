"""Cards that were made due because a run changed their verdict, and were not answered since."""

from __future__ import annotations

from studyapp.store.answering import NOT_VOIDED
from studyapp.store.session import Session

MARK = "reschedule after "
"""How the action of such a manual row begins; the run's uid follows."""
_BACK = f"""
SELECT r.card, r.action FROM reviews r
WHERE r.kind = 'manual' AND substr(r.action, 1, {len(MARK)}) = '{MARK}' AND {NOT_VOIDED} AND NOT EXISTS (
  SELECT 1 FROM reviews l WHERE l.card = r.card AND l.rating > 0
    AND (l.ordered_ms, l.counter) > (r.ordered_ms, r.counter)
    AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = l.uid)
)
"""


def came_back(session: Session, card: str | None = None) -> list[tuple[str, str]]:
    """Return (card, uid of the run) of the cards that came back and wait for their answer, latest first.

    Args:
        session: The store.
        card: Only this one.
    """
    where, values = (" AND r.card = ?", (card,)) if card is not None else ("", ())
    with session.read_driver() as connection:
        rows = connection.execute(f"{_BACK}{where} ORDER BY r.ordered_ms DESC", values).fetchall()
    found: dict[str, str] = {}
    for name, action in rows:
        found.setdefault(name, action.removeprefix(MARK).partition(" ")[0])
    return list(found.items())
