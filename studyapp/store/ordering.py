"""The replay order of the log: each row's time made monotone along its device, as `core.replay` has it."""

from __future__ import annotations

from sqlalchemy import Connection

# A row flagged for a clock ahead counts at most as late as its device's first trusted row, so that it does not
# push the later ones ahead with it (`core.replay._monotone`).
_TRUSTED = """(
  SELECT t.at_ms FROM reviews t WHERE t.device = r.device AND t.clock_ahead = 0
  ORDER BY t.counter, t.uid LIMIT 1)"""
_SHOULD = f"""
SELECT r.uid, r.card, r.ordered_ms, max(?, max(
    CASE WHEN r.clock_ahead = 0 THEN r.at_ms ELSE coalesce(min(r.at_ms, {_TRUSTED}), r.at_ms) END
  ) OVER (ORDER BY r.counter, r.uid ROWS UNBOUNDED PRECEDING)) AS should
FROM reviews r WHERE r.device = ? AND r.counter >= ?
"""
_SEED = """
SELECT ordered_ms FROM reviews WHERE device = ? AND counter < ? ORDER BY counter DESC, uid DESC LIMIT 1
"""
_LONG_AGO_MS = -(2**62)


def out_of_order(connection: Connection, device: bytes, since: int = 0) -> list[tuple[bytes, str, int]]:
    """Return the rows of a device that are not in their place, as (uid, card, the milliseconds they should have).

    Args:
        connection: In a transaction.
        device: Whose rows.
        since: Counter from which to look; the rows before it are taken as they are.
    """
    seed = connection.exec_driver_sql(_SEED, (device, since)).scalar()
    rows = connection.exec_driver_sql(
        f"SELECT uid, card, should FROM ({_SHOULD}) WHERE ordered_ms <> should",
        (_LONG_AGO_MS if seed is None else seed, device, since),
    )
    return [(row[0], row[1], row[2]) for row in rows]


def keep_order(connection: Connection, device: bytes, since: int = 0) -> list[str]:
    """Put the rows of a device in their place; return the cards of those that moved. Arguments as above."""
    moved = out_of_order(connection, device, since)
    for uid, _, should in moved:
        connection.exec_driver_sql("UPDATE reviews SET ordered_ms = ? WHERE uid = ?", (should, uid))
    return [card for _, card, _ in moved]
