"""Examines and puts right what is derived from the log: memory, marks, figures, rows of a wrong clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studyapp.core.replay import PolicyOf
from studyapp.store.replaying import Difference, differences, put_right
from studyapp.store.rollups import fill_rollups
from studyapp.store.session import Session

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Examined:
    """What a replay of the log found; see `study.rebuilding.Rebuilt`."""

    reviews: int
    cards: int
    different: tuple[Difference, ...]
    ahead: int


def examine(
    session: Session,
    policy_of: PolicyOf,
    *,
    ahead_of_ms: int,
    progress: Callable[[int], None] | None = None,
) -> Examined:
    """Replay the whole log and compare, writing nothing.

    Args:
        session: The store.
        policy_of: Gives the policy for rows whose outcome must be computed anew.
        ahead_of_ms: Rows dated after this, UTC milliseconds, are counted as ahead of the clock.
        progress: Hears how many cards differ so far.

    Raises:
        StoreError: If SQLite or the disk fails.
    """
    with session.read() as connection:
        one = connection.exec_driver_sql
        found = []
        for _, difference in differences(connection, policy_of):
            found.append(difference)
            if progress is not None:
                progress(len(found))
        return Examined(
            reviews=int(one("SELECT count(*) FROM reviews").scalar() or 0),
            cards=int(one("SELECT count(DISTINCT card) FROM reviews").scalar() or 0),
            different=tuple(found),
            ahead=_ahead(connection, ahead_of_ms),
        )


def _ahead(connection: Connection, ahead_of_ms: int) -> int:
    query = "SELECT count(*) FROM reviews WHERE clock_ahead = 0 AND at_ms > ?"
    return int(connection.exec_driver_sql(query, (ahead_of_ms,)).scalar() or 0)


def repair(session: Session, policy_of: PolicyOf, *, ahead_of_ms: int | None = None) -> tuple[Difference, ...]:
    """Put right everything that is derived from the log, in one transaction; return the cards that changed.

    Args:
        session: The store.
        policy_of: As in `examine`.
        ahead_of_ms: Flag the rows dated after this, UTC milliseconds; None flags none.

    Raises:
        StoreError: If the lock, SQLite or the disk fails; nothing was changed.
    """
    with session.write() as connection:
        if ahead_of_ms is not None:
            connection.exec_driver_sql(
                "UPDATE reviews SET clock_ahead = 1 WHERE clock_ahead = 0 AND at_ms > ?", (ahead_of_ms,)
            )
        found = list(differences(connection, policy_of))
        put_right(connection, [replay for replay, _ in found])
        fill_rollups(connection)
    return tuple(difference for _, difference in found)
