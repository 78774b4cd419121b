"""Challenges that were opened here, with what was predicted for them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from studyapp.store.session import Session


def keep_challenge(
    session: Session, uid: str, sender: str, content: Mapping[str, Any], answers: Mapping[str, Any], *, at_ms: int
) -> None:
    """Store the predictions for a challenge, in place of fewer that were stored before."""
    with session.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO challenges (uid, sender, opened_at_ms, content, answers) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (uid) DO UPDATE SET answers = excluded.answers",
            (uid, sender, at_ms, json.dumps(dict(content)), json.dumps(dict(answers))),
        )


def challenge_answers(session: Session, uid: str) -> dict[str, Any] | None:
    """Return what was predicted for a challenge, by experiment id, or None if it was never opened."""
    with session.read() as connection:
        row = connection.exec_driver_sql("SELECT answers FROM challenges WHERE uid = ?", (uid,)).first()
    if row is None:
        return None
    found: dict[str, Any] = json.loads(row[0])
    return found
