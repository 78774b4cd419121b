"""What the learner found wrong on a card: rows that are only ever added; taking one back is a row of its own."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from studyapp.store.session import Session


@dataclass(frozen=True, slots=True)
class StoredCorrection:
    """One correction that stands."""

    uid: str
    card: str
    run: str | None
    """The run that contradicts the card."""
    text: str
    prompt: str
    """The card as it was then."""
    answer: str
    written_at_ms: int


def add_correction(
    session: Session, card: str, text: str, *, prompt: str, answer: str, run: str | None, at_ms: int
) -> str:
    """Store a correction and return its uid."""
    uid = secrets.token_hex(16)
    with session.write_driver() as connection:
        connection.execute(
            "INSERT INTO corrections (uid, card, run, text, prompt, answer, written_at_ms, withdraws) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
            (uid, card, run, text, prompt, answer, at_ms),
        )
    return uid


def withdraw_correction(session: Session, correction: StoredCorrection, *, at_ms: int) -> None:
    """Take a correction back."""
    with session.write_driver() as connection:
        connection.execute(
            "INSERT INTO corrections (uid, card, run, text, prompt, answer, written_at_ms, withdraws) "
            "VALUES (?, ?, NULL, '', '', '', ?, ?)",
            (secrets.token_hex(16), correction.card, at_ms, correction.uid),
        )


def corrections(session: Session, card: str | None = None) -> list[StoredCorrection]:
    """Return the corrections that stand, of one card or of all, in the order of writing."""
    query = (
        "SELECT uid, card, run, text, prompt, answer, written_at_ms FROM corrections c WHERE withdraws IS NULL "
        "AND NOT EXISTS (SELECT 1 FROM corrections w WHERE w.withdraws = c.uid)"
    )
    values: tuple[str, ...] = ()
    if card is not None:
        query, values = f"{query} AND card = ?", (card,)
    with session.read_driver() as connection:
        rows = connection.execute(f"{query} ORDER BY written_at_ms, uid", values)
        return [StoredCorrection(*row) for row in rows]
