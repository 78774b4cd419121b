"""The log replayed from its beginning: whether everything derived from it is right, and putting it right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.replay import fold
from studyapp.core.terms import policy_of_terms
from studyapp.study.backing_up import make_copy

if TYPE_CHECKING:
    from studyapp.core.replay import PolicyOf
    from studyapp.core.reviews import ReviewRow
    from studyapp.core.scheduling import Policy
    from studyapp.store.replaying import Difference
    from studyapp.study.desk import Desk

DAY_MS = 86_400_000
AHEAD_MS = DAY_MS
"""How far ahead of the clock a row must lie to be taken for one of a clock that was set wrong."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a replay of the whole log found."""

    reviews: int
    """Rows of the log."""
    cards: int
    """Cards with any."""
    different: tuple[Difference, ...] = ()
    """Cards whose stored memory or marks are not what the log says."""
    figures: tuple[str, ...] = ()
    """Daily figures that differ from the log, in sentences."""
    ahead: int = 0
    """Rows dated more than a day after the clock, not yet known as such."""
    copy: Path | None = None
    """The copy made before anything was put right; None where nothing was written."""

    @property
    def equal(self) -> bool:
        """Whether everything kept beside the log is what the log says."""
        return not (self.different or self.figures)


def policies(desk: Desk) -> PolicyOf:
    """Return which policy a row was answered under, as far as it says and the parameter sets are known."""
    sets = {known.key: tuple(known.numbers) for known in desk.store.parameter_sets()}
    now = desk.options.policy
    known: dict[str, Policy] = {}

    def policy_of(row: ReviewRow) -> Policy:
        if row.parameters not in known:
            known[row.parameters] = policy_of_terms(row.parameters, sets, now)
        return known[row.parameters]

    return policy_of


def undo_the_log(desk: Desk) -> ReviewRow | None:
    """Take back the latest action of the log, with all that went with it; None when there is none."""
    moment, policy_of = desk.clock(), policies(desk)
    return desk.store.undo(
        at_ms=moment.at_ms,
        offset_min=moment.offset_min,
        zone=moment.zone_name,
        study_day=moment.study_day,
        replay=lambda rows: fold(rows, policy_of),
    )


def present_policy(retention: float, fuzz: bool) -> PolicyOf:
    """Return the same before a store is open: what rows say, with default parameters for unknown sets."""
    from studyapp.core.policy import Policy

    now = Policy(desired_retention=retention, fuzz=fuzz)
    return lambda row: policy_of_terms(row.parameters, {}, now)


def rebuild(
    desk: Desk, *, write: bool = False, clock: bool = False, progress: Callable[[int], None] | None = None
) -> Rebuilt:
    """Replay the whole log and compare; put right what differs where asked to, after a copy was made.

    Args:
        desk: The open desk.
        write: Put right what differs.
        clock: Take the clock as right, and put answers dated more than a day after it back in their place: they
            leave streaks and maxima, and their cards come when they should.
        progress: Hears how many cards were replayed.

    Raises:
        StoreError: If the copy or the store cannot be written; nothing was changed then.
    """
    from studyapp.store import repairing

    policy_of = policies(desk)
    limit_ms = desk.clock().at_ms + AHEAD_MS
    found = repairing.examine(desk.store, policy_of, ahead_of_ms=limit_ms, progress=progress)
    rebuilt = Rebuilt(
        reviews=found.reviews,
        cards=found.cards,
        different=found.different,
        figures=tuple(desk.store.check_rollups()),
        ahead=found.ahead,
    )
    flag = clock and bool(found.ahead)
    if not write or (rebuilt.equal and not flag):
        return rebuilt
    copy = make_copy(desk, "before-rebuild")
    moved = repairing.repair(desk.store, policy_of, ahead_of_ms=limit_ms if flag else None)
    different = rebuilt.different or moved
    return Rebuilt(rebuilt.reviews, rebuilt.cards, different, rebuilt.figures, rebuilt.ahead, copy)
