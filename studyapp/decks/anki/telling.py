"""The review log of a package as rows of ours, told by SQLite: a million reviews never pass through Python.

Only cards whose log holds nothing but answers are told here, which are nearly all; `history.Historian` tells the
others, and would tell these just so (a test compares the two).
"""

from __future__ import annotations

import contextlib
import sqlite3
import struct
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from studyapp.decks.anki.calendar import DAY_MS, FIRST_MS, LAST_MS, Calendar
from studyapp.decks.anki.history import (
    AHEAD_MS,
    MOST_DAYS,
    MOST_SPENT_MS,
    MOST_STEP_S,
    SCALED_HIGH,
    SCALED_LOW,
)

_CACHE_KIB = 100_000
_PLAIN = """
ease IN (1, 2, 3, 4) AND (type IN (0, 1, 2) OR (type = 3 AND factor <> 0)) AND typeof(ease) = 'integer'
AND typeof(type) = 'integer' AND typeof(ivl) = 'integer' AND typeof(factor) = 'integer'
AND typeof(time) = 'integer' AND typeof(id) = 'integer' AND id BETWEEN ?1 AND ?2 AND ivl > -1000000000000
"""
"""An answer that counts, at a time that can be, in numbers."""
_DAYS = f"""
WITH RECURSIVE found (day) AS (
  SELECT min(id) / {DAY_MS} FROM c.revlog WHERE id BETWEEN ?1 AND ?2
  UNION ALL
  SELECT (SELECT min(id) / {DAY_MS} FROM c.revlog WHERE id >= (found.day + 1) * {DAY_MS} AND id <= ?2)
  FROM found WHERE found.day IS NOT NULL)
SELECT day FROM found WHERE day IS NOT NULL
"""
"""The UTC days of the log, by one search in its primary key for each."""
_TABLES = """
CREATE TEMP TABLE odd (cid INTEGER PRIMARY KEY);
CREATE TEMP TABLE calendar (utc_day INTEGER PRIMARY KEY, offset_min INTEGER, shift INTEGER);
CREATE TEMP TABLE instants (id INTEGER PRIMARY KEY, offset_min INTEGER NOT NULL, day INTEGER NOT NULL);
CREATE TABLE told (n INTEGER PRIMARY KEY, id INTEGER, ease INTEGER, ivl INTEGER, factor INTEGER, time INTEGER,
  type INTEGER, offset_min INTEGER, day INTEGER);
CREATE TABLE spans (cid INTEGER PRIMARY KEY, base INTEGER NOT NULL, count INTEGER NOT NULL,
  last_ms INTEGER NOT NULL, lapsed INTEGER NOT NULL);
CREATE TABLE lapses (n INTEGER PRIMARY KEY, number INTEGER NOT NULL);
"""
_ODD = f"INSERT OR IGNORE INTO odd SELECT cid FROM c.revlog NOT INDEXED WHERE NOT ({_PLAIN})"
_OWN = "r.cid NOT IN (SELECT cid FROM temp.odd)"
_TOLD = f"""
INSERT INTO told (id, ease, ivl, factor, time, type, offset_min, day)
SELECT r.id, r.ease, r.ivl, r.factor, r.time, r.type,
  CASE WHEN c.shift IS NULL THEN (SELECT i.offset_min FROM temp.instants i WHERE i.id = r.id)
    ELSE c.offset_min END,
  CASE WHEN c.shift IS NULL THEN (SELECT i.day FROM temp.instants i WHERE i.id = r.id)
    ELSE (r.id + c.shift) / {DAY_MS} END
FROM c.revlog r {{how}} CROSS JOIN temp.calendar c ON c.utc_day = r.id / {DAY_MS} WHERE {_OWN}
ORDER BY r.cid, r.id
"""
_BY_CARD = "ix_revlog_cid"
"""Anki's own index of its log, if it is there: cheaper than sorting the log."""
_SPANS = f"""
INSERT INTO spans SELECT cid, sum(count) OVER (ORDER BY cid ROWS UNBOUNDED PRECEDING) - count, count, last_ms, 0
FROM (SELECT r.cid, count(*) AS count, max(r.id) AS last_ms FROM c.revlog r WHERE {_OWN} GROUP BY r.cid)
"""
_LAPSES = """
INSERT INTO lapses SELECT n, row_number() OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) FROM told
WHERE type = 1 AND ease = 1
"""
_LAPSED = """
UPDATE spans SET lapsed = 1 WHERE cid IN (SELECT r.cid FROM c.revlog r NOT INDEXED WHERE r.type = 1 AND r.ease = 1)
"""


@dataclass(frozen=True, slots=True)
class Told:
    """Whose answers are told."""

    spans: dict[int, tuple[int, int]]
    """(answers, time of the last, UTC ms) of each card that is told, by its key."""
    odd: frozenset[int]
    """Keys of the cards that are not."""


class Telling:
    """A log that is being told, by SQLite in a thread of its own: it holds nobody up while no row comes back."""

    def __init__(
        self, raw: sqlite3.Connection, pool: ThreadPoolExecutor, database: Path, believed: tuple[int, int]
    ) -> None:
        self.database = database
        """A file for `ROWS`."""
        self._raw, self._pool = raw, pool
        self._how = f"INDEXED BY {_BY_CARD}" if _is_by_card(raw) else "NOT INDEXED"
        self._spans = self._begin(
            _ODD.replace("?1", str(believed[0])).replace("?2", str(believed[1])), _SPANS, _LAPSED
        )
        self._answers: Future[object] | None = None

    def _begin(self, *statements: str) -> Future[object]:
        return self._pool.submit(self._raw.executescript, f"BEGIN; {'; '.join(statements)}; COMMIT")

    def spans(self) -> Told:
        """Return whose answers are told.

        Raises:
            sqlite3.Error: If the collection is damaged.
        """
        self._spans.result()
        found = self._raw.execute("SELECT cid, count, last_ms FROM spans")
        spans = {cid: (count, last) for cid, count, last in found}
        return Told(spans, frozenset(cid for (cid,) in self._raw.execute("SELECT cid FROM odd")))

    def begin_answers(self) -> None:
        """Begin to tell the answers themselves."""
        if self._answers is None:
            self._answers = self._begin(_TOLD.format(how=self._how), _LAPSES)

    def answers(self) -> Path:
        """Return the file for `ROWS`, told to the end.

        Raises:
            sqlite3.Error: If the collection is damaged.
        """
        self.begin_answers()
        assert self._answers is not None
        self._answers.result()
        return self.database


@contextlib.contextmanager
def telling(file: Path, database: Path, calendar: Calendar) -> Iterator[Telling]:
    """Tell a collection's log into a new file while the block runs.

    Args:
        file: A private collection file.
        database: The file to make.
        calendar: The learner's days.

    Raises:
        sqlite3.Error: If the collection is damaged.
    """
    raw = sqlite3.connect(database, uri=True, isolation_level=None, check_same_thread=False)
    with contextlib.closing(raw), ThreadPoolExecutor(1) as pool:
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "trusted_schema = OFF", "temp_store = MEMORY"):
            raw.execute(f"PRAGMA {pragma}")  # a private file: it is thrown away if this fails
        raw.execute("ATTACH ? AS c", (f"{file.resolve().as_uri()}?mode=ro&immutable=1",))
        for name in ("main", "c"):
            raw.execute(f"PRAGMA {name}.cache_size = {-_CACHE_KIB}")
        raw.executescript(_TABLES)
        believed = (FIRST_MS, min(calendar.now_ms + AHEAD_MS, LAST_MS))
        _know_days(raw, calendar, believed)
        yield Telling(raw, pool, database, believed)


def _is_by_card(raw: sqlite3.Connection) -> bool:
    columns = [name for _, _, name in raw.execute(f"PRAGMA c.index_info({_BY_CARD})")]
    query = "SELECT 1 FROM c.sqlite_master WHERE name = ? AND tbl_name = 'revlog' AND sql NOT LIKE '% WHERE %'"
    return columns == ["cid"] and raw.execute(query, (_BY_CARD,)).fetchone() is not None


def _know_days(raw: sqlite3.Connection, calendar: Calendar, believed: tuple[int, int]) -> None:
    days = [day for (day,) in raw.execute(_DAYS, believed).fetchall()]
    raw.executemany(
        "INSERT INTO calendar VALUES (?, ?, ?)", ((day, *(calendar.shift_of(day) or (None, None))) for day in days)
    )
    for day in days:
        if calendar.shift_of(day) is None:
            query = "SELECT id FROM c.revlog WHERE id BETWEEN ? AND ?"
            times = raw.execute(query, (day * DAY_MS, (day + 1) * DAY_MS - 1)).fetchall()
            raw.executemany("INSERT INTO instants VALUES (?, ?, ?)", ((at, *calendar.at(at)) for (at,) in times))


def _lapses_before(row: str) -> str:
    """Return how many lapses of the card come before a row of `told`, or with it where `row` is n + 1."""
    up_to = "coalesce((SELECT l.number FROM {past}.lapses l WHERE l.n < %s ORDER BY l.n DESC LIMIT 1), 0)"
    return f"CASE WHEN s.lapsed THEN {up_to % row} - {up_to % '(s.base + 1)'} ELSE 0 END"


def _memory(row: str, reps: str, lapses: str) -> dict[str, str]:
    """Return the memory after a row of `told`, as `history` has it: as far as the log tells, no stability."""
    on_day = f"{row}.ivl > 0"
    return {
        "state": f"CASE WHEN {on_day} THEN 2 WHEN {row}.type IN (1, 2) THEN 3 ELSE 1 END",
        "difficulty": f"CASE WHEN {row}.factor BETWEEN {SCALED_LOW} AND {SCALED_HIGH} "
        f"THEN ({row}.factor / 1000.0 - 0.1) * 9 + 1 END",
        "due_day": f"CASE WHEN {on_day} THEN {row}.day + min({row}.ivl, {MOST_DAYS}) END",
        "due_at_ms": f"CASE WHEN {row}.ivl <= 0 THEN {row}.id + 1000 * min(-{row}.ivl, {MOST_STEP_S}) END",
        "last_day": f"{row}.day",
        "reps": reps,
        "lapses": lapses,
        "interval_days": f"CASE WHEN {on_day} THEN min({row}.ivl, {MOST_DAYS}) ELSE 0 END",
    }


_BYTES = "substr(?1, 2 * (r.id >> 32 & 65535) + 1, 2) || substr(?1, 2 * (r.id >> 16 & 65535) + 1, 2)"
_UID = f"CAST(k.prefix || {_BYTES} || substr(?1, 2 * (r.id & 65535) + 1, 2) AS BLOB)"
"""The id of a row: what the card's rows begin with, then the time in six bytes."""


def _rows() -> str:
    value = {
        "uid": _UID,
        "at_ms": "r.id",
        "card": "k.card",
        "rating": "r.ease",
        "kind": "CASE r.type WHEN 0 THEN 'learn' WHEN 2 THEN 'relearn' ELSE 'review' END",
        "offset_min": "r.offset_min",
        "study_day": "r.day",
        "elapsed_days": "coalesce(r.day - p.day, 0)",
    }
    before = _memory("p", "r.n - s.base - 1", _lapses_before("r.n"))
    for name in ("state", "interval_days"):  # of a new card
        before[name] = f"CASE WHEN p.n IS NULL THEN 0 {before[name].removeprefix('CASE ')}"
    value |= {f"before_{name}": how for name, how in before.items()}
    after = _memory("r", "r.n - s.base", _lapses_before("(r.n + 1)"))
    value |= {f"after_{name}": how for name, how in after.items()}
    value["duration_ms"] = f"CASE WHEN r.time BETWEEN 0 AND {MOST_SPENT_MS} THEN r.time ELSE 0 END"
    value |= {"action": "''", "zone": "?2"}
    return (
        f"SELECT {', '.join(f'{how} AS {name}' for name, how in value.items())} "
        "FROM {keys} k CROSS JOIN {past}.spans s ON s.cid = k.key "
        "CROSS JOIN {past}.told r ON r.n > s.base AND r.n <= s.base + s.count "
        "LEFT JOIN {past}.told p ON p.n = r.n - 1 AND p.n > s.base"
    )


ROWS = _rows()
"""Gives the answers of the cards in a table `{keys}` (prefix of their rows' ids, key in Anki, card), in its order,
then by time, from the file `{past}`. Its columns are those of `history.Row`; it takes `given`."""


IDS = f"SELECT {_UID} AS uid, r.id AS at_ms, k.card FROM {{log}}.revlog r CROSS JOIN {{keys}} k ON k.key = r.cid"
"""Gives the ids of these rows, their times and cards, from the collection `{log}` itself; it takes the first of
`given`."""


def given(calendar: Calendar) -> tuple[bytes, str]:
    """Return what `ROWS` takes: every number of 16 bits as bytes, and the name of the zone."""
    return struct.pack(">65536H", *range(2**16)), calendar.zone_name
