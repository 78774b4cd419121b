"""One id, two contents: no writer makes that, but a damaged or edited copy can. Both are kept.

The content whose hash is smaller keeps the id, on whichever side it was; the other gets an id made of both. So two
stores end alike whoever merges first, and merging again changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from studyapp.store.origins import ANKI_SQL
from studyapp.store.schema import metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

SETTLED = ("run", "closeness", "factor", "inside")
"""What a prediction gets when its run has ended; until then it is the same prediction, only earlier."""
_DERIVED = {
    "reviews": ("uid", "showing", "clock_ahead"),
    "runs": ("uid",),
    "points": ("run", "seq"),
    "predictions": ("uid", "first"),
}
"""Columns that are no content: they may differ between two stores that hold the same row."""
CONTENT = {
    table: tuple(c.name for c in metadata.tables[table].columns if c.name not in left_out)
    for table, left_out in _DERIVED.items()
}
_MADE = tuple(name for name in CONTENT["predictions"] if name not in SETTLED)


def _same(names: Sequence[str]) -> str:
    return " AND ".join(f"m.{name} IS o.{name}" for name in names)


_BOTH = "other.{0} o CROSS JOIN main.{0} m ON m.uid = o.uid"
_REVIEWS = (
    f"SELECT o.uid FROM {_BOTH.format('reviews')} WHERE NOT ({_same(CONTENT['reviews'])}) "
    f"AND m.device <> {ANKI_SQL}"  # imported here and there, in two zones: one review all the same
)
_RUNS = f"""
SELECT o.uid FROM {_BOTH.format("runs")} WHERE NOT ({_same(CONTENT["runs"])})
UNION SELECT o.run FROM other.points o CROSS JOIN main.points m ON m.run = o.run AND m.seq = o.seq
  WHERE NOT ({_same(CONTENT["points"])})
UNION SELECT o.uid FROM {_BOTH.format("runs")}
  WHERE (SELECT count(*) FROM main.points p WHERE p.run = o.uid)
     <> (SELECT count(*) FROM other.points p WHERE p.run = o.uid)
"""
_PREDICTIONS = f"""
SELECT o.uid FROM {_BOTH.format("predictions")} WHERE NOT ({_same(_MADE)})
  OR (m.run IS NOT NULL AND o.run IS NOT NULL AND NOT ({_same(SETTLED)}))
"""
_LATER = f"SELECT 1 FROM {_BOTH.format('predictions')} WHERE m.run IS NULL AND o.run IS NOT NULL LIMIT 1"


def differ(connection: Connection) -> bool:
    """Return whether the two sides hold anything different under one id, or a prediction has ended there."""
    queries = (_REVIEWS, _RUNS, _PREDICTIONS, _LATER)
    return any(connection.exec_driver_sql(query).first() is not None for query in queries)


def reviews(connection: Connection) -> int:
    """Give the greater of two log rows with one id an id of its own, on its side; return how many there were."""
    found = [row[0] for row in connection.exec_driver_sql(_REVIEWS)]
    for uid in found:
        ours = _content(connection, "main", "reviews", uid)
        theirs = _content(connection, "other", "reviews", uid)
        side, content = ("main", ours) if _hash(ours) > _hash(theirs) else ("other", theirs)
        # where an earlier merge gave this content its own id, the two are one again
        connection.exec_driver_sql(
            f"UPDATE OR REPLACE {side}.reviews SET uid = ?, showing = NULL WHERE uid = ?",
            (own_id(uid, content), uid),
        )
    return len(found)


def runs(connection: Connection) -> int:
    """Do the same for runs, each with its points; call it when both sides' runs are in place but for these."""
    found = [row[0] for row in connection.exec_driver_sql(_RUNS)]
    for uid in found:
        ours, theirs = (_run(connection, side, uid) for side in ("main", "other"))
        lesser, greater = sorted((ours, theirs), key=_hash)
        _put_run(connection, own_id(uid.encode(), greater).hex(), greater)
        _put_run(connection, uid, lesser)
    return len(found)


def _run(connection: Connection, side: str, uid: str) -> tuple[Any, ...]:
    points = connection.exec_driver_sql(
        f"SELECT {', '.join(CONTENT['points'])} FROM {side}.points WHERE run = ? ORDER BY seq", (uid,)
    )
    return (_content(connection, side, "runs", uid), tuple(tuple(row) for row in points))


def _put_run(connection: Connection, uid: str, content: tuple[Any, ...]) -> None:
    row, points = content
    names = CONTENT["runs"]
    connection.exec_driver_sql(
        f"INSERT INTO main.runs (uid, {', '.join(names)}) VALUES ({', '.join('?' * (len(names) + 1))}) "
        f"ON CONFLICT (uid) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in names)}",
        (uid, *row),
    )
    connection.exec_driver_sql("DELETE FROM main.points WHERE run = ?", (uid,))
    named = CONTENT["points"]
    for seq, point in enumerate(points):
        connection.exec_driver_sql(
            f"INSERT INTO main.points (run, seq, {', '.join(named)}) VALUES ({', '.join('?' * (len(named) + 2))})",
            (uid, seq, *point),
        )


def predictions(connection: Connection) -> int:
    """Do the same for predictions: a copied home may have ended one prediction with two runs."""
    found = [row[0] for row in connection.exec_driver_sql(_PREDICTIONS)]
    names = CONTENT["predictions"]
    for uid in found:
        ours, theirs = (_content(connection, side, "predictions", uid) for side in ("main", "other"))
        lesser, greater = sorted((ours, theirs), key=_made_first)
        for own, content in ((uid, lesser), (own_id(uid.encode(), greater).hex(), greater)):
            connection.exec_driver_sql(
                f"INSERT OR REPLACE INTO main.predictions (uid, first, {', '.join(names)}) "
                f"VALUES ({', '.join('?' * (len(names) + 2))})",
                (own, 0, *content),
            )
        connection.exec_driver_sql("DELETE FROM other.predictions WHERE uid = ?", (uid,))
    return len(found)


def _made_first(content: tuple[Any, ...]) -> tuple[bytes, bytes]:
    by_name = dict(zip(CONTENT["predictions"], content, strict=True))
    return _hash(tuple(by_name[n] for n in _MADE)), _hash(tuple(by_name[n] for n in SETTLED))


def _content(connection: Connection, side: str, table: str, uid: bytes | str) -> tuple[Any, ...]:
    row = connection.exec_driver_sql(
        f"SELECT {', '.join(CONTENT[table])} FROM {side}.{table} WHERE uid = ?", (uid,)
    )
    return tuple(row.one())


def _hash(content: tuple[Any, ...]) -> bytes:
    return hashlib.blake2b(repr(content).encode(), digest_size=16).digest()


def own_id(uid: bytes, content: tuple[Any, ...]) -> bytes:
    """Return the 16 bytes under which the greater of two contents is kept; equal wherever they meet."""
    return hashlib.blake2b(uid + repr(content).encode(), digest_size=16).digest()
