"""What this record has and another lacks, as JSON lines; and what came since a mark was set."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from studyapp.store.latest import LATEST, latest_marks
from studyapp.store.lines import header, rows_as_lines
from studyapp.store.revision import SHIPPED
from studyapp.store.session import Session

if TYPE_CHECKING:
    from sqlalchemy import Connection

MARKED = ("runs", "predictions", "readings", "passports", "corrections", "challenges", "reviews")
"""Tables whose new rows have ever greater row numbers."""


FLAGGED = "flagged"
"""Where a mark holds how many rows of a clock set ahead were known."""
_AHEAD = "r.rowid IN (SELECT f.rowid FROM reviews f INDEXED BY reviews_by_day WHERE f.clock_ahead = 1)"
"""The rows of a clock set ahead. They are few, and the repair that flagged them must reach those who have them."""


def have(session: Session) -> dict[str, Any]:
    """Return what another machine must know to send only what is lacking here.

    `devices` gives the last counter and the number of rows of each device; a device's rows are written and merged
    in the order of its counter, so equal numbers mean that no row before it is lacking.
    """
    with session.read() as connection:
        devices = connection.exec_driver_sql("SELECT device, max(counter), count(*) FROM reviews GROUP BY device")
        runs = connection.exec_driver_sql("SELECT uid FROM runs")
        return {
            "devices": {row[0].hex(): [row[1], row[2]] for row in devices},
            "runs": [row[0] for row in runs],
        }


def lacking(session: Session, there: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines, header first, that bring a record which has `there` level with this one.

    Raises:
        ValueError: If `there` is not what `have` returns.
    """
    devices = {str(device): (int(last), int(count)) for device, (last, count) in dict(there["devices"]).items()}
    runs = {str(uid) for uid in there["runs"]}
    yield header(SHIPPED.head)
    with session.read() as connection:
        wanted = []
        for row in connection.exec_driver_sql("SELECT DISTINCT device FROM reviews").all():
            last, count = devices.get(row[0].hex(), (0, 0))
            wanted.append((row[0], last if last == count else 0))
        condition = "r.device = ? AND r.counter > ?"
        cards: set[str] = set()
        for values in wanted:
            query = f"SELECT DISTINCT r.card FROM reviews r WHERE {condition}"
            cards |= {row[0] for row in connection.exec_driver_sql(query, values)}
        yield from _cards(connection, cards)
        yield from rows_as_lines(connection, "parameters")
        new = [row[0] for row in connection.exec_driver_sql("SELECT uid FROM runs") if row[0] not in runs]
        yield from _runs(connection, new)
        yield from rows_as_lines(connection, "predictions")
        yield from rows_as_lines(connection, "readings")
        yield from rows_as_lines(connection, "passports")
        yield from rows_as_lines(connection, "corrections")
        yield from rows_as_lines(connection, "challenges")
        for table in LATEST:
            yield from rows_as_lines(connection, table)
        for values in wanted:
            yield from rows_as_lines(connection, "reviews", f"{condition} ORDER BY r.counter", values)
        yield from rows_as_lines(connection, "reviews", _AHEAD)


def marks(connection: Connection) -> dict[str, int]:
    """Return how far each table reaches now: the mark for `since`."""
    found = latest_marks(connection)
    for table in MARKED:
        found[table] = int(
            connection.exec_driver_sql(f"SELECT coalesce(max(rowid), 0) FROM {table}").scalar() or 0
        )
    return found


def since(
    connection: Connection, pushed: Mapping[str, int], came: Collection[tuple[str, int, int]]
) -> Iterator[str]:
    """Yield the lines, header first, of what was added since a mark; nothing where nothing was.

    Args:
        connection: In a transaction.
        pushed: The mark, from `marks`; a table that is missing counts from its beginning.
        came: (table, above, up to) row numbers that came from where the lines go, and need not go back.
    """
    first = True
    for table in (*LATEST, *MARKED):
        where = f"r.{'at_ms' if table in LATEST else 'rowid'} > {int(pushed.get(table, 0))}"
        for name, above, last in came:
            if name == table:
                where += f" AND NOT (r.rowid > {int(above)} AND r.rowid <= {int(last)})"
        if connection.exec_driver_sql(f"SELECT 1 FROM {table} r WHERE {where} LIMIT 1").first() is None:
            continue
        if first:
            first = False
            yield header(SHIPPED.head)
        yield from _with_what_they_need(connection, table, where)


def flagged(connection: Connection) -> int:
    """Return how many rows are known to carry a clock set ahead."""
    query = "SELECT count(*) FROM reviews INDEXED BY reviews_by_day WHERE clock_ahead = 1"
    return int(connection.exec_driver_sql(query).scalar() or 0)


def flagged_since(connection: Connection, pushed: Mapping[str, int]) -> Iterator[str]:
    """Yield the lines, header first, of the rows of a clock set ahead where more are known than at a mark.

    Args:
        connection: In a transaction.
        pushed: The mark, with `FLAGGED`; without any rows before it there is nothing to send again.
    """
    if "reviews" in pushed and flagged(connection) > int(pushed.get(FLAGGED, 0)):
        yield header(SHIPPED.head)
        yield from rows_as_lines(connection, "reviews", _AHEAD)


def _with_what_they_need(connection: Connection, table: str, where: str) -> Iterator[str]:
    if table == "reviews":
        cards = {
            row[0] for row in connection.exec_driver_sql(f"SELECT DISTINCT r.card FROM reviews r WHERE {where}")
        }
        yield from _cards(connection, cards)
    if table == "runs":
        new = [row[0] for row in connection.exec_driver_sql(f"SELECT r.uid FROM runs r WHERE {where}")]
        yield from _runs(connection, new)
        for uid in new:  # committed, and perhaps pushed, before its run
            yield from rows_as_lines(connection, "predictions", "r.run = ?", (uid,))
    else:
        yield from rows_as_lines(connection, table, where)


def _cards(connection: Connection, cards: Collection[str]) -> Iterator[str]:
    modules = set()
    lines: list[str] = []
    for card in sorted(cards):
        query = "SELECT module FROM cards WHERE id = ?"
        modules |= {row[0] for row in connection.exec_driver_sql(query, (card,))}
        lines += rows_as_lines(connection, "cards", "r.id = ?", (card,))
    for module in sorted(modules):
        yield from rows_as_lines(connection, "modules", "r.id = ?", (module,))
    yield from lines


def _runs(connection: Connection, runs: Collection[str]) -> Iterator[str]:
    for uid in runs:
        yield from rows_as_lines(connection, "runs", "r.uid = ?", (uid,))
        yield from rows_as_lines(connection, "points", "r.run = ? ORDER BY r.seq", (uid,))
