"""What the comparison of predicted and plain cards needs from log and trials."""

from __future__ import annotations

from studyapp.store.session import Session

_ANSWERS = """
SELECT r.card, r.rating, r.before_stability, r.after_stability FROM reviews r JOIN cards c ON c.id = r.card
WHERE r.kind = 'review' AND r.elapsed_days >= 1 AND r.rating > 0 AND r.clock_ahead = 0 AND r.at_ms >= ?
  AND c.experiments <> '[]' AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = r.uid)
"""


def next_day_answers(session: Session, since_ms: int) -> list[tuple[str, int, float | None, float | None]]:
    """Return the answers, a day or more after the one before, to cards that have an experiment.

    Args:
        session: The store.
        since_ms: Only answers from this instant on, UTC ms.

    Returns:
        (card, rating, stability before in days, stability after in days).
    """
    with session.read_driver() as connection:
        return [tuple(row) for row in connection.execute(_ANSWERS, (since_ms,))]


def cards_tried(session: Session, since_ms: int) -> list[str]:
    """Return the cards whose experiment was predicted and run from an instant on."""
    query = (
        "SELECT DISTINCT r.card FROM runs r JOIN predictions p ON p.run = r.uid "
        "WHERE r.card IS NOT NULL AND r.started_at_ms >= ? ORDER BY r.card"
    )
    with session.read_driver() as connection:
        return [row[0] for row in connection.execute(query, (since_ms,))]
