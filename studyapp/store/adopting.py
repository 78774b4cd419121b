"""Cards that left their file, and how their history goes on under another card.

The log is append-only, so no row changes its card. A card that took the place of another gets a manual row with
the memory of the other ("adopt ORPHAN"): from then on it is scheduled as the other was, one undo takes that back,
and the history is found by following the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studyapp.core.days import Moment
from studyapp.core.errors import StoreError
from studyapp.core.reviews import Memory
from studyapp.store.answering import NOT_VOIDED, append, keep_memory
from studyapp.store.lookup import card as find_card
from studyapp.store.relinking import ALIKE, card_text, ratio
from studyapp.store.session import Session
from studyapp.store.starting_over import manual_row, memory_now

if TYPE_CHECKING:
    from sqlalchemy import Connection

ADOPT = "adopt"
"""The action of a manual row, followed by the id of the card whose memory came; see `core.manual`."""
_ORPHANS = f"""
SELECT c.id, c.prompt, c.answer, c.module, m.reps FROM cards c JOIN memory m ON m.card = c.id
WHERE c.hidden = 1 AND c.prompt <> '' AND NOT EXISTS (
  SELECT 1 FROM reviews r WHERE r.kind = 'manual' AND r.action = '{ADOPT} ' || c.id AND {NOT_VOIDED})
ORDER BY c.module, c.ordinal, c.id
"""
_FRESH = """
SELECT c.id, c.prompt, c.answer FROM cards c
WHERE c.hidden = 0 AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.card = c.id) ORDER BY c.id
"""
_MOST_PAIRS = 50_000
"""Pairs compared at most; the first of either side are."""


@dataclass(frozen=True, slots=True)
class Orphan:
    """A card that left its file and has a history, with the card that may have taken its place."""

    card: str
    prompt: str
    module: str
    answers: int
    alike: str | None = None
    """Id of the unanswered card with the most similar text, None where none is similar."""
    likeness: float = 0.0
    """0 to 1."""


def orphans(session: Session) -> list[Orphan]:
    """Return the answered cards that left their files and went on nowhere, with likely successors."""
    with session.read_driver() as connection:
        gone = connection.execute(_ORPHANS).fetchall()
        fresh = connection.execute(_FRESH).fetchall() if gone else []
    texts = [(row[0], card_text(row[1], row[2])) for row in fresh[: max(1, _MOST_PAIRS // max(1, len(gone)))]]
    found = []
    for card, prompt, answer, module, answers in gone:
        alike, near = _nearest(card_text(prompt, answer), texts)
        found.append(Orphan(card, prompt, module, answers, near, alike))
    return found


def _nearest(text: str, others: Sequence[tuple[str, str]]) -> tuple[float, str | None]:
    best, near = 0.0, None
    for card, other in others:
        alike = ratio(text, other)
        if alike >= ALIKE and alike > best:
            best, near = alike, card
    return best, near


def adopt(session: Session, orphan: str, card: str, *, at: Moment) -> bool:
    """Let a card go on with the history of one that left its file.

    A card without an id of its own becomes the other one, its log included. One with an id gets the memory.

    Returns:
        Whether a row of the log says so, which one undo takes back.

    Raises:
        StoreError: If the first is still in a file, or the second is unknown, gone, or was answered already.
    """
    gone, new = find_card(session, orphan), find_card(session, card)
    if gone is None or not gone.hidden:
        raise StoreError(f"{orphan} has not left its file.", "`studyapp orphans` lists the cards that have.")
    if new is None or new.hidden:
        raise StoreError(f"There is no card {card} in any file.", "`studyapp list` shows the cards.")
    if new.memory != Memory():
        raise StoreError(f"{card} was answered already and has a history of its own.", "It keeps that.")
    if not new.explicit_id:
        from studyapp.store.saving import link_cards

        link_cards(session, orphan, card)
        return False
    with session.write() as connection:
        memory = memory_now(connection, orphan)
        if memory == Memory() or _has_gone_on(connection, orphan):
            raise StoreError(f"{orphan} has no history that could go on.", "`studyapp orphans` lists those.")
        append(connection, session.device_bytes, manual_row(card, Memory(), memory, f"{ADOPT} {orphan}", at))
        keep_memory(connection, card, memory)
    return True


def _has_gone_on(connection: Connection, orphan: str) -> bool:
    query = f"SELECT 1 FROM reviews r WHERE r.kind = 'manual' AND r.action = ? AND {NOT_VOIDED} LIMIT 1"
    return connection.exec_driver_sql(query, (f"{ADOPT} {orphan}",)).first() is not None


def adopted(session: Session, card: str) -> list[str]:
    """Return the cards whose history goes on under a card, the earliest first."""
    query = (
        f"SELECT substr(r.action, {len(ADOPT) + 2}) FROM reviews r "
        f"WHERE r.card = ? AND r.kind = 'manual' AND r.action LIKE '{ADOPT} %' AND {NOT_VOIDED}"
    )
    found: list[str] = []
    with session.read_driver() as connection:
        here = card
        while (row := connection.execute(query, (here,)).fetchone()) is not None and row[0] not in found:
            here = row[0]
            found.append(here)
    return found[::-1]
