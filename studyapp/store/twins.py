"""Answers that went to Anki and came back by two ways: once in this record, once as a review that Anki recorded.

An export goes to Anki without the ids of its rows. Where it is imported beside this record, its reviews are known
by their time; where it is imported elsewhere and the two are merged later, both rows are there. The one from Anki
is then voided by a row made of it alone, so that every machine that notices writes the very same row.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from studyapp.store.logrows import COLUMNS
from studyapp.store.origins import ANKI_SQL
from studyapp.store.session import driver

if TYPE_CHECKING:
    from sqlalchemy import Connection

SAME_MS = 1000
"""A review comes back within so many ms: Anki uses a time only once. Nobody answers one card twice that fast."""
_TWINS = f"""
SELECT a.uid FROM temp.touched t CROSS JOIN main.reviews a ON a.card = t.card
WHERE a.device = {ANKI_SQL} AND a.rating > 0
  AND NOT EXISTS (SELECT 1 FROM main.reviews v WHERE v.voids = a.uid)
  AND EXISTS (SELECT 1 FROM main.reviews n WHERE n.card = a.card AND n.device <> {ANKI_SQL}
              AND n.rating = a.rating AND abs(n.at_ms - a.at_ms) <= {SAME_MS})
"""
_SAME = frozenset(["device", "counter", "card", "at_ms", "ordered_ms", "offset_min", "zone", "study_day"])
_SET = {"kind": "'undo'", "rating": "0", "elapsed_days": "0", "duration_ms": "0", "clock_ahead": "0"}
_SET |= {"uid": "twin_of(r.uid)", "voids": "r.uid", "action": "''", "parameters": "''", "text_hash": "''"}
_VOID = (
    f"INSERT OR IGNORE INTO main.reviews ({', '.join(COLUMNS)}) SELECT "
    + ", ".join(f"r.{name}" if name in _SAME else _SET.get(name, "NULL") for name in COLUMNS)
    + " FROM main.reviews r WHERE r.uid = ?"
)


def void_twins(connection: Connection) -> int:
    """Void the reviews of the cards in `temp.touched` that came back from Anki; return how many."""
    raw = driver(connection)
    raw.create_function("twin_of", 1, _twin_of, deterministic=True)
    found = raw.execute(_TWINS).fetchall()
    raw.executemany(_VOID, found)
    return len(found)


def _twin_of(uid: bytes) -> bytes:
    return hashlib.blake2b(b"twin" + uid, digest_size=16).digest()
