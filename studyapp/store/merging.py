"""Two records become one: the union of their rows by id, then the log decides memory and marks.

In whatever order and however often stores are merged, they end with the same record. Everything is driven by the
other store's new rows, so that a small piece merges fast into a long record. `other` is a private copy (see
`staging`), attached; what both sides have under one id with other content is kept twice (see `both_kept`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.replay import PolicyOf
from studyapp.store import both_kept
from studyapp.store.bulk import in_bulk
from studyapp.store.challenges import merge_challenges
from studyapp.store.exporting import MARKED, marks
from studyapp.store.latest import LATEST, merge_latest, newer
from studyapp.store.origins import ORIGIN
from studyapp.store.replaying import differences, put_right
from studyapp.store.rollups import fill_rollups
from studyapp.store.schema import metadata
from studyapp.store.session import Session
from studyapp.store.twins import void_twins

if TYPE_CHECKING:
    from sqlalchemy import Connection

Progress = Callable[[str, int, int], None]
"""Called with what is merged, how many are done, and of how many. It may raise to give up: nothing is stored."""

_CHUNK = 10_000
_GO_NOT_BACK = tuple(table for table in MARKED if table != "challenges")
"""Tables whose rows stay what they were when they came; a challenge may hold answers of both sides by then."""
_SCRATCH = ("fresh", "touched")


@dataclass(frozen=True, slots=True)
class Merged:
    """What came from the other record."""

    reviews: int = 0
    """Rows of the log, undo and manual rows included."""
    cards: int = 0
    runs: int = 0
    predictions: int = 0
    readings: int = 0
    moved: int = 0
    """Cards whose memory or marks are other than before."""
    twice: int = 0
    """Rows that had the same id and other content on the two sides; both were kept."""
    notes: int = 0
    """Notes on study days, tags and flags."""
    challenges: int = 0
    """Challenges that were opened there, or answered further."""
    came: tuple[tuple[str, int, int], ...] = ()
    """(table, above, up to): the row numbers that were given out."""

    @property
    def anything(self) -> bool:
        """Whether anything was new."""
        kinds = (self.reviews, self.cards, self.runs, self.predictions, self.readings, self.notes)
        return any((*kinds, self.challenges, self.moved, self.twice))


def merge_staged(
    session: Session,
    draft: Path,
    policy_of: PolicyOf,
    *,
    first: Callable[[], object] = lambda: None,
    progress: Progress = lambda what, done, total: None,
) -> Merged:
    """Take over what a staged record has and this one lacks, in one transaction.

    Args:
        session: The store.
        draft: The other record, from `staging`; it is used up.
        policy_of: Gives the policy for rows whose outcome must be computed anew.
        first: Called before the first change, where there is one: the place for a backup.
        progress: Hears how far it is.

    Raises:
        StoreError: If the lock, SQLite or the disk fails; nothing was stored.
    """
    with _attached(session, draft), session.write() as connection:
        try:
            return _merge(connection, policy_of, first, progress)
        finally:
            for name in _SCRATCH:
                connection.exec_driver_sql(f"DROP TABLE IF EXISTS temp.{name}")


@contextlib.contextmanager
def _attached(session: Session, draft: Path) -> Iterator[None]:
    with session.alone() as raw:
        raw.execute("ATTACH ? AS other", (str(draft),))
        try:
            yield
        finally:
            raw.execute("DETACH other")


def _merge(connection: Connection, policy_of: PolicyOf, first: Callable[[], object], progress: Progress) -> Merged:
    run = connection.exec_driver_sql
    run("CREATE TEMP TABLE touched (card TEXT PRIMARY KEY) WITHOUT ROWID")
    if not _differ(connection):
        return Merged()
    first()
    above = marks(connection)
    cards = _cards(connection)
    runs = _runs(connection)
    twice = both_kept.runs(connection) + both_kept.predictions(connection) + both_kept.reviews(connection)
    predictions, readings = _predictions(connection), _readings(connection)
    notes = merge_latest(connection)
    run("INSERT OR IGNORE INTO main.parameters SELECT * FROM other.parameters")
    _copy(connection, "passports", _lacking("passports"))
    _copy(connection, "corrections", _lacking("corrections"))
    challenges = merge_challenges(connection)
    reviews = _reviews(connection, progress)
    void_twins(connection)
    ahead = _flags(connection)
    moved = _replay(connection, policy_of, progress)
    if ahead or twice:
        fill_rollups(connection)  # its triggers count rows that come, not rows that change
    below = marks(connection)
    came = tuple((table, above[table], below[table]) for table in _GO_NOT_BACK if below[table] > above[table])
    return Merged(reviews, cards, runs, predictions, readings, moved, twice, notes, challenges, came)


def _differ(connection: Connection) -> bool:
    """Return whether the other record has anything that this one lacks."""
    lacks = [
        *(
            f"SELECT 1 FROM other.{name} o WHERE {_lacking(name)}"
            for name in ("reviews", "runs", "predictions", "passports", "corrections")
        ),
        f"SELECT 1 FROM other.cards o WHERE {_lacking('cards', 'id')}",
        f"SELECT 1 FROM other.parameters o WHERE {_lacking('parameters', 'key')}",
        f"SELECT 1 FROM other.readings o WHERE {_UNREAD}",
        *(newer(table) for table in LATEST),
        "SELECT 1 FROM other.reviews o JOIN main.reviews m ON m.uid = o.uid WHERE o.clock_ahead > m.clock_ahead",
    ]
    if any(connection.exec_driver_sql(f"{query} LIMIT 1").first() for query in lacks):
        return True
    return bool(merge_challenges(connection, keep=False)) or both_kept.differ(connection)


def _lacking(table: str, key: str = "uid") -> str:
    return f"NOT EXISTS (SELECT 1 FROM main.{table} m WHERE m.{key} = o.{key})"


_UNREAD = """NOT EXISTS (
  SELECT 1 FROM main.readings m WHERE m.module = o.module AND m.section = o.section AND m.at_ms = o.at_ms)"""


def _columns(table: str) -> tuple[str, ...]:
    return tuple(column.name for column in metadata.tables[table].columns)


def _copy(connection: Connection, table: str, where: str, **changed: str) -> int:
    """Copy the other store's rows that are lacking here; return how many."""
    names = _columns(table)
    values = ", ".join(changed.get(name, f"o.{name}") for name in names)
    query = f"INSERT INTO main.{table} ({', '.join(names)}) SELECT {values} FROM other.{table} o WHERE {where}"
    return int(connection.exec_driver_sql(query).rowcount)


_HIDDEN = f"CASE WHEN substr(o.path, 1, {len(ORIGIN)}) = '{ORIGIN}' THEN o.hidden ELSE 1 END"


def _cards(connection: Connection) -> int:
    """Bring along the cards that only the other side has, hidden until their lesson is here.

    Cards from Anki have no lesson file to wait for.
    """
    last = connection.exec_driver_sql("SELECT coalesce(max(ordinal), -1) FROM main.modules").scalar() or 0
    place = f"{last} + row_number() OVER (ORDER BY o.ordinal, o.id)"
    _copy(connection, "modules", _lacking("modules", "id"), ordinal=place, hidden=_HIDDEN, source_hash="''")
    known = "EXISTS (SELECT 1 FROM main.modules d WHERE d.id = o.module)"
    where = f"{_lacking('cards', 'id')} AND {known}"
    connection.exec_driver_sql(f"INSERT OR IGNORE INTO temp.touched SELECT o.id FROM other.cards o WHERE {where}")
    return _copy(connection, "cards", where, hidden=_HIDDEN)


def _runs(connection: Connection) -> int:
    points = "SELECT p.* FROM other.runs o CROSS JOIN other.points p ON p.run = o.uid"
    connection.exec_driver_sql(f"CREATE TEMP TABLE fresh AS {points} WHERE {_lacking('runs')}")
    count = _copy(connection, "runs", _lacking("runs"))
    connection.exec_driver_sql("INSERT INTO main.points SELECT * FROM temp.fresh")
    connection.exec_driver_sql("DROP TABLE temp.fresh")
    return count


def _predictions(connection: Connection) -> int:
    run = connection.exec_driver_sql
    there = "EXISTS (SELECT 1 FROM main.runs r WHERE r.uid = o.run)"
    settled = {name: f"CASE WHEN {there} THEN o.{name} END" for name in both_kept.SETTLED}
    count = _copy(connection, "predictions", _lacking("predictions"), **settled)
    # committed before a run that the other side has seen end
    values = ", ".join(
        f"{name} = (SELECT o.{name} FROM other.predictions o WHERE o.uid = predictions.uid)"
        for name in both_kept.SETTLED
    )
    count += run(
        f"UPDATE main.predictions SET {values} WHERE run IS NULL AND uid IN "
        f"(SELECT o.uid FROM other.predictions o WHERE {there})"
    ).rowcount
    trial = ("experiment", "device", "controls")
    same = " AND ".join(f"p.{name} = predictions.{name}" for name in trial)
    earliest = f"SELECT p.uid FROM main.predictions p WHERE {same} ORDER BY p.made_at_ms, p.uid LIMIT 1"
    run(
        f"UPDATE main.predictions SET first = (uid = ({earliest})) WHERE (experiment, device, controls) IN "
        "(SELECT experiment, device, controls FROM other.predictions)"
    )
    return int(count)


def _readings(connection: Connection) -> int:
    found = connection.exec_driver_sql(
        "INSERT INTO main.readings (module, section, at_ms, study_day) "
        "SELECT o.module, o.section, o.at_ms, min(o.study_day) FROM other.readings o "
        f"WHERE {_UNREAD} GROUP BY 1, 2, 3"
    )
    return int(found.rowcount)


def _reviews(connection: Connection, progress: Progress) -> int:
    run = connection.exec_driver_sql
    run("CREATE TEMP TABLE fresh (id INTEGER PRIMARY KEY, uid BLOB NOT NULL)")
    run(
        f"INSERT INTO temp.fresh (uid) SELECT o.uid FROM other.reviews o WHERE {_lacking('reviews')} "
        "ORDER BY o.ordered_ms, o.device, o.counter, o.uid"
    )
    run(
        "INSERT OR IGNORE INTO temp.touched "
        "SELECT o.card FROM temp.fresh f CROSS JOIN other.reviews o ON o.uid = f.uid"
    )
    _showings(connection)
    total = run("SELECT count(*) FROM temp.fresh").scalar() or 0
    with in_bulk(connection, total):
        _take_reviews(connection, total, progress)
    progress("answers", total, total)
    return int(total)


def _take_reviews(connection: Connection, total: int, progress: Progress) -> None:
    names = _columns("reviews")
    for start in range(0, total, _CHUNK):
        progress("answers", start, total)
        connection.exec_driver_sql(
            f"INSERT INTO main.reviews ({', '.join(names)}) SELECT {', '.join('o.' + name for name in names)} "
            "FROM temp.fresh f CROSS JOIN other.reviews o ON o.uid = f.uid "
            "WHERE f.id > ? AND f.id <= ? ORDER BY f.id",
            (start, start + _CHUNK),
        )


def _showings(connection: Connection) -> None:
    """Let one row keep the key of a showing that was answered on two machines; the key says no more by then."""
    twice = connection.exec_driver_sql(
        "SELECT m.uid, o.uid FROM temp.fresh f CROSS JOIN other.reviews o ON o.uid = f.uid "
        "CROSS JOIN main.reviews m ON m.card = o.card AND m.showing = o.showing WHERE o.showing IS NOT NULL"
    ).all()
    for ours, theirs in twice:
        side, uid = ("main", ours) if theirs < ours else ("other", theirs)
        connection.exec_driver_sql(f"UPDATE {side}.reviews SET showing = NULL WHERE uid = ?", (uid,))


def _flags(connection: Connection) -> int:
    """Flag the rows that the other side knows to carry a clock set ahead; return how many."""
    found = connection.exec_driver_sql(
        "SELECT m.uid, m.card FROM other.reviews o CROSS JOIN main.reviews m ON m.uid = o.uid "
        "WHERE o.clock_ahead > m.clock_ahead"
    ).all()
    for uid, card in found:
        connection.exec_driver_sql("UPDATE main.reviews SET clock_ahead = 1 WHERE uid = ?", (uid,))
        connection.exec_driver_sql("INSERT OR IGNORE INTO temp.touched VALUES (?)", (card,))
    return len(found)


def _replay(connection: Connection, policy_of: PolicyOf, progress: Progress) -> int:
    total = connection.exec_driver_sql("SELECT count(*) FROM temp.touched").scalar() or 0
    progress("cards", 0, total)
    found = [replay for replay, _ in differences(connection, policy_of, "temp.touched")]
    put_right(connection, found)
    progress("cards", total, total)
    return len(found)
