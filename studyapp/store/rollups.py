"""Roll-ups of the log: what `days` and `forecasts` hold, and the check that they hold exactly that.

Triggers keep them in the transaction of the row itself, so no answer, undo or merge can forget them.

`days` counts the answers that stand by (study day, kind, spell, rating, clock ahead, module) with their time, each
capped at a minute. Its `spell` tells true retention: 0 = no recall after a day or more, 1 = the last interval was
under 21 days (young), 2 = longer (mature). `forecasts` counts, by week and by the chance of recall foretold, the
next-day reviews that passed and failed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from studyapp.store.history import LONGEST_ANSWER_MS
from studyapp.store.session import Handle, Session, driver

if TYPE_CHECKING:
    from sqlalchemy import Connection

MATURE_DAYS = 21
"""Source: Anki's line between young and mature cards."""
_ROUNDING = 1e-6
"""How far a sum of chances may drift by adding and taking away."""

_STANDS = "r.rating > 0 AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.voids = r.uid)"
_SPELL = f"""
       CASE WHEN r.kind <> 'review' OR r.elapsed_days < 1 OR coalesce(r.before_interval_days, 0) < 1 THEN 0
            WHEN r.before_interval_days < {MATURE_DAYS} THEN 1 ELSE 2 END"""
_DAYS = f"""
SELECT r.study_day, r.kind, {_SPELL}, r.rating, r.clock_ahead <> 0, module_of(r.card),
       count(*), sum(min(r.duration_ms, {LONGEST_ANSWER_MS}))
FROM reviews r WHERE {_STANDS} GROUP BY 1, 2, 3, 4, 5, 6
"""
_FORECASTS = f"""
SELECT r.study_day / 7,
       CASE WHEN r.retrievability >= 0.99 THEN CAST(r.retrievability * 1000 AS INTEGER)
            ELSE CAST(r.retrievability * 100 AS INTEGER) * 10 END,
       r.rating > 1, count(*), sum(r.retrievability)
FROM reviews r
WHERE {_STANDS} AND r.kind = 'review' AND r.elapsed_days >= 1 AND r.clock_ahead = 0
  AND r.retrievability IS NOT NULL
GROUP BY 1, 2, 3
"""


def check_rollups(session: Session) -> list[str]:
    """Return what the roll-ups have that the log has not, in sentences; empty when they agree."""
    with session.read() as connection:
        _know_modules(connection)
        apart = _days(connection, _DAYS) ^ _days(connection, "SELECT * FROM days WHERE n <> 0")
        days = {row[0] for row in apart}
        weeks = _weeks_apart(connection)
    found = []
    if days:
        found.append(f"The figures of {len(days)} study day{'s'[: len(days) != 1]} differ from the log.")
    if weeks:
        found.append(f"The forecasts of {len(weeks)} weeks differ from the log.")
    return found


def _days(connection: Connection, query: str) -> set[tuple[object, ...]]:
    return {tuple(row) for row in connection.exec_driver_sql(query)}


def _weeks_apart(connection: Connection) -> list[int]:
    def by_key(query: str) -> dict[tuple[int, int, int], tuple[int, float]]:
        return {(r[0], r[1], r[2]): (r[3], r[4]) for r in connection.exec_driver_sql(query)}

    truth, kept = by_key(_FORECASTS), by_key("SELECT * FROM forecasts WHERE n <> 0")
    apart = [
        key
        for key in truth.keys() | kept.keys()
        if key not in truth
        or key not in kept
        or truth[key][0] != kept[key][0]
        or abs(truth[key][1] - kept[key][1]) > _ROUNDING * max(1, truth[key][0])
    ]
    return sorted({key[0] for key in apart})


def rebuild_rollups(session: Session) -> None:
    """Count the whole log anew: after rows were repaired in place, or where the check found a difference."""
    with session.write() as connection:
        fill_rollups(connection)


def _know_modules(connection: Handle) -> None:
    """Let SQL ask for a card's module: a join looks up a million rows in three times the time."""
    raw = driver(connection)
    known = dict(raw.execute("SELECT id, module FROM main.cards").fetchall())
    raw.create_function("module_of", 1, lambda card: known.get(card, ""), deterministic=True)


def fill_rollups(connection: Handle) -> None:
    """Count the whole log anew inside the caller's transaction."""
    _know_modules(connection)
    raw = driver(connection)
    for table, query in (("days", _DAYS), ("forecasts", _FORECASTS)):
        raw.execute(f"DELETE FROM main.{table}")
        raw.execute(f"INSERT INTO main.{table} {query}")


_KINDS = ("review", "learn", "relearn", "cram")
"""Kinds of answers, the most frequent first."""
_PACK = " ".join(f"WHEN '{kind}' THEN {at}" for at, kind in enumerate(_KINDS))
_UNPACK = " ".join(f"WHEN {at} THEN '{kind}'" for at, kind in enumerate(_KINDS))
_PACKED = f"(((r.study_day * 4 + CASE r.kind {_PACK} END) * 3 + {_SPELL}) * 5 + r.rating) * ?1 + "
_COUNTED = f"""
SELECT key / ?1 / 60, CASE key / ?1 / 15 % 4 {_UNPACK} END, key / ?1 / 5 % 3, key / ?1 % 5, key % ?1, n, ms
FROM (SELECT {_PACKED}{{place}} AS key, count(*) AS n, sum(min(r.duration_ms, {LONGEST_ANSWER_MS})) AS ms
      FROM {{rows}} GROUP BY 1)
"""
_ADD = """
INSERT INTO days SELECT ?1, ?2, ?3, ?4, 0, ?5, ?6, ?7 WHERE true
ON CONFLICT DO UPDATE SET n = n + excluded.n, ms = ms + excluded.ms
"""
Counted = tuple[int, str, int, int, int, int, int]
"""(study day, kind, spell, rating, place of the module, answers, ms)."""


def counted(rows: str, place: str, places: int) -> str:
    """Return a SELECT of `Counted` of answers that Anki recorded.

    The keys are packed into one number, by which grouping takes half the time (measured).

    Args:
        rows: A source of such rows with the log's columns, named `r`.
        place: What gives the place of a row's module.
        places: How many modules there are.
    """
    return _COUNTED.format(rows=rows, place=place).replace("?1", str(max(1, places)))


def add_counted(raw: sqlite3.Connection, found: Iterable[Counted], modules: Sequence[str]) -> None:
    """Add to the roll-ups as the triggers would: answers from Anki foretell nothing.

    Args:
        raw: In the caller's write transaction.
        found: What was counted.
        modules: By place.
    """
    raw.executemany(_ADD, [(*row[:4], modules[row[4]], *row[5:]) for row in found])


def count_new(raw: sqlite3.Connection, last: int) -> None:
    """Count the answers after a rowid of the log that Anki recorded, whose cards are here."""
    known = raw.execute("SELECT id, module FROM main.cards").fetchall()
    modules = sorted({module for _, module in known})
    place = "0"
    if len(modules) > 1:
        at = {module: place for place, module in enumerate(modules)}
        places = {card: at[module] for card, module in known}
        raw.create_function("place_of", 1, places.get, deterministic=True)
        place = "place_of(r.card)"
    rows = f"reviews r WHERE r.rowid > {last} AND {_STANDS}"
    add_counted(raw, raw.execute(counted(rows, place, len(modules))).fetchall(), modules)
