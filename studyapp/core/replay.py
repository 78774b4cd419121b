"""From the review log back to memory: the log is the truth, and everything else can be rebuilt from it.

Two stores that hold the same rows, in whatever order they came by, rebuild the same memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timezone

from studyapp.core.days import DEFAULT_ROLLOVER, instant_of, study_day
from studyapp.core.reviews import Kind, Memory, Rating, ReviewRow, State
from studyapp.core.scheduling import Policy, answer

NEIGHBOURS = 500
"""Rows before one whose clock was ahead that say when it was answered (a busy day's; our choice)."""
PolicyOf = Callable[[ReviewRow], Policy]
"""Which policy to answer a row with, usually by its `parameters` key."""


def replay(rows: Iterable[ReviewRow], policy_of: PolicyOf, *, recompute: bool = False) -> Memory:
    """Return the memory of one card after its rows, in replay order, without what was taken back.

    Where a row was answered from the very memory the fold has reached, its stored outcome is taken as it stands:
    it is what the learner was shown, and a setting changed since then moves no due date.

    Args:
        rows: All rows of one card, in any order, undo rows included.
        policy_of: Gives the policy for a row whose outcome must be computed anew.
        recompute: Compute every outcome anew, whatever was stored.
    """
    return fold(standing_rows(rows), policy_of, recompute=recompute)


def replay_all(rows: Iterable[ReviewRow], policy_of: PolicyOf, *, recompute: bool = False) -> dict[str, Memory]:
    """Return the memory of every card with a standing row, by card id. Arguments as in `replay`."""
    by_card: dict[str, list[ReviewRow]] = defaultdict(list)
    for row in standing_rows(rows):
        by_card[row.card].append(row)
    return {card: fold(own, policy_of, recompute=recompute) for card, own in by_card.items()}


def standing_rows(rows: Iterable[ReviewRow]) -> list[ReviewRow]:
    """Return the rows that count, in replay order: neither taken back nor an undo themselves."""
    rows = list(rows)
    voided = voided_uids(rows)
    return [
        put_back(row, trusted_ms)
        for _, trusted_ms, row in _keyed(rows)
        if row.uid not in voided and row.kind is not Kind.UNDO
    ]


def _keyed(rows: Iterable[ReviewRow]) -> list[tuple[int, int | None, ReviewRow]]:
    """Return the rows by their place in the replay order, device and counter, each with that place.

    A row without a place gets its time, made monotone along the device's counter; one known to carry a clock set
    ahead does not push the later rows of its device ahead with it, and comes with a time to trust. The id decides
    last: a store put back unnoticed may have used a counter twice.
    """
    by_device: dict[str, list[ReviewRow]] = defaultdict(list)
    for row in rows:
        by_device[row.device].append(row)
    keyed = []
    for own in by_device.values():
        own.sort(key=lambda row: (row.counter, row.uid))
        for place_ms, row in _monotone(own):
            trusted_ms = _trusted_ms(own, row) if row.clock_ahead else None
            keyed.append((place_ms if row.ordered_ms is None else row.ordered_ms, trusted_ms, row))
    keyed.sort(key=lambda found: (found[0], found[2].device, found[2].counter, found[2].uid))
    return keyed


def _trusted_ms(own: list[ReviewRow], row: ReviewRow) -> int | None:
    """Return when a row of a clock set ahead was answered, judged by its neighbours on the device.

    Of those before it the latest: the nearest of them may come from a clock that was set back.
    """
    before = [other.at_ms for other in own if not other.clock_ahead and other.counter < row.counter]
    after = [other.at_ms for other in own if not other.clock_ahead and other.counter > row.counter]
    return max(before[-NEIGHBOURS:]) if before else after[0] if after else None


def put_back(row: ReviewRow, trusted_ms: int | None) -> ReviewRow:
    """Return a row whose clock was ahead as if answered when the rows around it were; others as they are.

    Its stored outcome stands on the wrong day, so it is left out and computed anew.

    Args:
        row: A row of the log.
        trusted_ms: When it was answered, UTC milliseconds, by its neighbours; None where there are none.
    """
    if not row.clock_ahead or trusted_ms is None or trusted_ms >= row.at_ms:
        return row
    wall = instant_of(trusted_ms + row.offset_min * 60_000)
    day = study_day(wall, timezone.utc, DEFAULT_ROLLOVER)
    return replace(row, at_ms=trusted_ms, study_day=day, before=None, after=None, clock_ahead=False)


def voided_uids(rows: Iterable[ReviewRow]) -> frozenset[str]:
    """Return the ids of the rows taken back. An undo that was itself taken back takes nothing back.

    Settled from the last undo of a chain down to the first, whatever the clocks said.
    """
    rows = {row.uid: row for row in rows}.values()
    undecided: dict[str, int] = defaultdict(int)
    for row in rows:
        if row.voids is not None:
            undecided[row.voids] += 1
    by_uid = {row.uid: row for row in rows}
    ready = [row for row in rows if not undecided[row.uid]]
    voided: set[str] = set()
    while ready:
        row = ready.pop()
        if row.voids is None:
            continue
        if row.uid not in voided:
            voided.add(row.voids)
        undecided[row.voids] -= 1
        if not undecided[row.voids] and row.voids in by_uid:
            ready.append(by_uid[row.voids])
    return frozenset(voided)


def fold(standing: Iterable[ReviewRow], policy_of: PolicyOf, *, recompute: bool = False) -> Memory:
    """Return the memory after the rows of one card that count, which are in replay order already.

    Arguments otherwise as in `replay`; a store that keeps the order of the whole log hands its rows in here.
    """
    memory = Memory()
    for row in standing:
        if row.kind is Kind.MANUAL:
            memory = _set_by_hand(memory, row)
        elif row.kind is Kind.CRAM:
            continue
        elif row.after is not None and row.before == memory and not recompute:
            memory = row.after
        else:
            rating = Rating(row.rating)
            memory = answer(row.card, memory, rating, row.at_ms, row.study_day, policy_of(row)).after
    return memory


def _set_by_hand(memory: Memory, row: ReviewRow) -> Memory:
    """Return the memory after a manual row.

    Putting a card away leaves its memory alone, even where another machine answered it in between. A new due day
    holds for the memory it was worked out from; a reset holds always.
    """
    if row.after is None or row.after == row.before:
        return memory
    fits = row.before is None or row.before == memory or row.after.state is State.NEW
    return row.after if fits else memory


def _monotone(rows: list[ReviewRow]) -> list[tuple[int, ReviewRow]]:
    """Return the rows of one device, in counter order, each with a time in ms that never falls."""
    first_trusted_ms = next((row.at_ms for row in rows if not row.clock_ahead), None)
    keyed: list[tuple[int, ReviewRow]] = []
    so_far_ms: int | None = None
    for row in rows:
        at_ms = row.at_ms
        if row.clock_ahead and first_trusted_ms is not None:
            at_ms = min(at_ms, first_trusted_ms)
        so_far_ms = at_ms if so_far_ms is None else max(so_far_ms, at_ms)
        keyed.append((so_far_ms, row))
    return keyed
