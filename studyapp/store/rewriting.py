"""Cards that were rewritten past recognition: whether their progress still fits is the learner's to say.

An edit keeps the progress. One that changes most of a text may have made another question of it; such a card
stands in `rewrites` until the learner keeps the progress or starts over. Until then it is kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studyapp.store.session import Session

ALIKE = 0.5
"""Likeness below which a text counts as another one (our choice)."""
_MOST_WORDS = 400
"""Words compared at most: the cost grows with the square of their number."""
_PENDING = """
SELECT r.card, r.old_prompt, r.old_answer, c.prompt, c.answer, r.likeness
FROM rewrites r JOIN cards c ON c.id = r.card
WHERE c.hidden = 0 AND EXISTS (SELECT 1 FROM memory m WHERE m.card = r.card) ORDER BY r.at_ms, r.card
"""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A card with the text its progress comes from, and the one it has now."""

    card: str
    old_prompt: str
    old_answer: str
    prompt: str
    answer: str
    likeness: float
    """0 to 1."""


def likeness(old: str, new: str) -> float:
    """Return how alike two texts are, 0 to 1: the share of their words that stand in both in the same order.

    Source: `difflib.SequenceMatcher.ratio` over words; case, accents and white space say nothing.

    >>> likeness("What is a warp?", "What is a WARP?"), likeness("What is a warp?", "Name four colours.")
    (1.0, 0.0)
    """
    import difflib

    from studyapp.core.queries import fold  # 10 ms with its tables: only a text that changed is compared

    ours, theirs = (fold(text).split()[:_MOST_WORDS] for text in (old, new))
    return difflib.SequenceMatcher(None, ours, theirs, autojunk=False).ratio()


def note_rewrite(
    connection: sqlite3.Connection, old: Mapping[str, Any], new: Mapping[str, Any], *, now_ms: int
) -> None:
    """Remember, or forget, that a card was rewritten, while its new text is being saved.

    Args:
        connection: In a write transaction.
        old: The stored row: id, prompt, answer, text_hash.
        new: What is about to be stored, with the same names.
        now_ms: UTC milliseconds.
    """
    if old["text_hash"] == new["text_hash"]:
        return
    run = connection.execute
    if run("SELECT 1 FROM memory WHERE card = ?", (new["id"],)).fetchone() is None:
        return
    found = run("SELECT old_prompt, old_answer FROM rewrites WHERE card = ?", (new["id"],)).fetchone()
    prompt, answer = found or (old["prompt"], old["answer"])  # what the progress was earned on
    alike = likeness(f"{prompt} {answer}", f"{new['prompt']} {new['answer']}")
    if alike >= ALIKE:
        run("DELETE FROM rewrites WHERE card = ?", (new["id"],))
        return
    run(
        "INSERT INTO rewrites (card, old_prompt, old_answer, new_hash, likeness, at_ms) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (card) DO UPDATE SET new_hash = excluded.new_hash, likeness = excluded.likeness, "
        "at_ms = excluded.at_ms",
        (new["id"], prompt, answer, new["text_hash"], alike, now_ms),
    )


def pending_rewrites(session: Session) -> list[Rewrite]:
    """Return the rewritten cards that were answered before, and of which the learner has said nothing yet."""
    with session.read_driver() as connection:
        return [Rewrite(*row) for row in connection.execute(_PENDING)]


def keep_progress(session: Session, card: str) -> bool:
    """Note that a rewritten card keeps its progress; return whether that was still open."""
    with session.write_driver() as connection:
        return connection.execute("DELETE FROM rewrites WHERE card = ?", (card,)).rowcount > 0
