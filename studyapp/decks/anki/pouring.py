"""The answers that leave for Anki, poured into its review log by SQLite: a million never pass through Python.

The statements read `leaving` (see `writer.Pour`) and `package.keys`, which has the id of each card in Anki.
"""

from __future__ import annotations

import sqlite3

KEYS = """
CREATE TABLE keys (card text primary key, id integer not null) without rowid;
CREATE TABLE counted (answers integer not null);
CREATE TABLE late AS SELECT * FROM revlog;
"""
_FACTOR = "CAST(round((l.after_difficulty - 1) / 0.009 + 100) AS INTEGER)"
"""FSRS difficulty as Anki's log has it. Source: Anki 26.9.3."""
_STEP = "-max((coalesce(l.after_due_at_ms, l.at_ms) - l.at_ms) / 1000, 1)"
"""A step in seconds, as a negative number."""
_ROWS = f"""
SELECT l.at_ms AS id, k.id AS cid, 0 AS usn, l.rating AS ease,
  CASE WHEN l.rating = 0 THEN 0 WHEN l.kind = 'cram' OR l.after_state = 2 THEN coalesce(l.after_interval_days, 0)
    ELSE {_STEP} END AS ivl,
  coalesce(l.before_interval_days, 0) AS lastIvl,
  CASE WHEN l.rating = 0 OR l.kind = 'cram' OR l.after_difficulty IS NULL THEN 0 ELSE {_FACTOR} END AS factor,
  CASE WHEN l.rating = 0 THEN 0 ELSE l.duration_ms END AS time,
  CASE WHEN l.rating = 0 THEN 4 WHEN l.kind = 'learn' THEN 0 WHEN l.kind = 'review' THEN 1
    WHEN l.kind = 'relearn' THEN 2 ELSE 3 END AS type
FROM leaving l JOIN package.keys k ON k.card = l.card
"""
_ORDER = "ORDER BY id, cid, ease, ivl"
LOG = f"INSERT OR IGNORE INTO package.revlog SELECT * FROM ({_ROWS}) {_ORDER}"
"""Fills the log; of two answers in one millisecond it takes one, for the time is Anki's key."""
COUNT = "INSERT INTO package.counted SELECT 1 FROM leaving l JOIN package.keys k ON k.card = l.card"
"""Tells, by the rows it writes, how many answers there are."""
_TWICE = "SELECT at_ms FROM leaving GROUP BY at_ms HAVING count(*) > 1"
LATE = f"INSERT INTO package.late SELECT * FROM ({_ROWS}) WHERE id IN ({_TWICE}) {_ORDER}"
"""Fills `late` with all answers that share a millisecond with another."""


def settle(raw: sqlite3.Connection) -> int:
    """Give late answers the next free milliseconds, drop what helped, return how many answers there are."""
    taken: set[int] = set()
    for row in raw.execute("SELECT * FROM late ORDER BY id, cid, ease, ivl").fetchall():
        at = row[0]
        if at not in taken:
            taken.add(at)  # the first of a millisecond is in the log
            continue
        while raw.execute("SELECT 1 FROM revlog WHERE id = ?", (at,)).fetchone():
            at += 1
        raw.execute("INSERT INTO revlog VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (at, *row[1:]))
    for table in ("keys", "counted", "late"):
        raw.execute(f"DROP TABLE {table}")
    return int(raw.execute("SELECT count(*) FROM revlog").fetchone()[0])


def last_answers(raw: sqlite3.Connection) -> dict[int, int]:
    """Return when each card was answered last, UTC milliseconds, by key."""
    return dict(raw.execute("SELECT cid, max(id) FROM revlog WHERE ease > 0 GROUP BY cid"))
