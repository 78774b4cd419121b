"""Replays the stored log, card by card in one stream, and compares it with what is kept beside it.

A card whose rows follow from one another ends with its last outcome; that is seen without making an object of each
row (a million rows in seconds). Where one does not follow, as after a merge, its outcome is computed anew, still
without an object. A card with anything but answers goes through `core.replay`, which decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from studyapp.core.manual import Marks, marks
from studyapp.core.recomputing import Recomputer
from studyapp.core.replay import PolicyOf, fold, voided_uids
from studyapp.core.reviews import Kind, Memory, ReviewRow
from studyapp.store.columns import MEMORY_FIELDS
from studyapp.store.logrows import COLUMNS, IN_ORDER, ORDER, SELECT, replayed_row, row_from
from studyapp.store.memories import WIDTH, is_leech, memory_from, memory_values

if TYPE_CHECKING:
    from sqlalchemy import Connection

Values = tuple[Any, ...]
NEW = memory_values(Memory())
_FIRST_MEMORY = 8
_VOIDS = COLUMNS.index("voids")
_COLUMNS = ", ".join(f"r.{side}_{name}" for side in ("before", "after") for name in MEMORY_FIELDS)
_NARROW = (
    "SELECT r.card, r.kind, r.clock_ahead, r.voids IS NOT NULL, r.rating, r.at_ms, r.study_day, r.parameters, "
    f"{_COLUMNS}"
)
ANSWERS = frozenset({Kind.LEARN.value, Kind.REVIEW.value, Kind.RELEARN.value})


@dataclass(frozen=True, slots=True)
class Replayed:
    """What the log says of one card."""

    card: str
    memory: Values
    """As `memory_values` gives it."""
    marks: Marks | None
    """None where the card was never put away by hand."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A card whose stored memory or marks are not what its log says."""

    card: str
    stored: Memory
    replayed: Memory
    marks: bool = False
    """Whether (also) the marks differ."""


def replayed(connection: Connection, policy_of: PolicyOf, among: str = "") -> Iterator[Replayed]:
    """Yield what the log says of every card with rows, by card id.

    Args:
        connection: In a transaction of its own or the caller's.
        policy_of: Gives the policy for a row whose outcome must be computed anew.
        among: Table with a column `card` that names the only cards to replay, "" for all.
    """
    source = f"FROM {among} t CROSS JOIN reviews r ON r.card = t.card" if among else "FROM reviews r"
    by_card = "t.card" if among else "r.card"
    raw = connection.connection.driver_connection
    assert raw is not None  # the store's one connection; its own rows are tuples, which SQLAlchemy's are not
    rows = raw.execute(f"{_NARROW} {source} ORDER BY {by_card}, {IN_ORDER}")
    computed = _computed(policy_of)
    for card, own in groupby(rows, key=itemgetter(0)):
        memory = _followed(own, computed)
        if memory is not None:
            yield Replayed(card, memory, None)
        else:
            yield _replay(connection, card, policy_of)


def _computed(policy_of: PolicyOf) -> Callable[[Values, Values], Values]:
    """Return what computes the memory after a row from the memory before it."""
    known: dict[str, Recomputer] = {}

    def after(memory: Values, row: Values) -> Values:
        terms = row[7]
        if terms not in known:
            asking = ReviewRow("", "", 0, row[0], row[4], Kind(row[1]), row[5], 0, "", row[6], parameters=terms)
            known[terms] = Recomputer(policy_of(asking))
        return known[terms].after(row[0], memory, row[4], row[5], row[6])

    return after


def _followed(rows: Iterator[Values], computed: Callable[[Values, Values], Values]) -> Values | None:
    """Return the memory at the end of a card's answers, None where the core must decide.

    As `core.replay.fold`: an outcome that was worked out from the very memory it meets is taken as it stands.
    """
    memory: Values = NEW
    after_at = _FIRST_MEMORY + WIDTH
    for row in rows:
        if row[2] or row[3] or row[1] not in ANSWERS or not row[4]:
            return None
        if row[after_at] is not None and row[_FIRST_MEMORY:after_at] == memory:
            memory = row[after_at:]
        else:
            memory = computed(memory, row)
    return memory


def _replay(connection: Connection, card: str, policy_of: PolicyOf) -> Replayed:
    rows = connection.exec_driver_sql(f"{SELECT} WHERE r.card = ? {ORDER}", (card,)).all()
    undone = [row_from(values) for values in rows if values[_VOIDS] is not None]
    voided = {bytes.fromhex(uid) for uid in voided_uids(undone)}
    standing = [
        replayed_row(connection, values) for values in rows if values[0] not in voided and values[_VOIDS] is None
    ]
    put_away = any(values[5] == Kind.MANUAL.value for values in rows)
    return Replayed(card, memory_values(fold(standing, policy_of)), marks(standing) if put_away else None)


def differences(
    connection: Connection, policy_of: PolicyOf, among: str = ""
) -> Iterator[tuple[Replayed, Difference]]:
    """Yield every card whose stored memory or marks are not what the log says, with what it says.

    Args:
        connection: In a transaction.
        policy_of: As in `replayed`.
        among: As in `replayed`; memories without any row in the log are looked for only where it is "".
    """
    kept = _stored_memories(connection, among)
    put_away = _stored_marks(connection, among)
    for found in replayed(connection, policy_of, among):
        stored, leech = kept.pop(found.card, (NEW, False))
        other = found.marks is not None and put_away.get(found.card, found.marks) != found.marks
        memory = memory_from(found.memory) or Memory()
        if stored != found.memory or leech != is_leech(memory) or other:
            yield found, Difference(found.card, memory_from(stored) or Memory(), memory, other)
    if not among:
        for card, (stored, _) in kept.items():
            yield Replayed(card, NEW, None), Difference(card, memory_from(stored) or Memory(), Memory())


def _stored_memories(connection: Connection, among: str) -> dict[str, tuple[Values, bool]]:
    source = f"FROM {among} t CROSS JOIN memory m ON m.card = t.card" if among else "FROM memory m"
    rows = connection.exec_driver_sql(
        f"SELECT m.card, m.leech, {', '.join('m.' + f for f in MEMORY_FIELDS)} {source}"
    )
    return {row[0]: (tuple(row[2:]), bool(row[1])) for row in rows}


def _stored_marks(connection: Connection, among: str) -> dict[str, Marks]:
    source = f"FROM {among} t CROSS JOIN cards c ON c.id = t.card" if among else "FROM cards c"
    rows = connection.exec_driver_sql(f"SELECT c.id, c.suspended, c.buried_until_day {source}")
    return {row[0]: Marks(bool(row[1]), row[2]) for row in rows}


def put_right(connection: Connection, found: Sequence[Replayed]) -> None:
    """Store what the log says of cards, inside the caller's write transaction."""
    from studyapp.store.answering import keep_memory

    for replay in found:
        keep_memory(connection, replay.card, memory_from(replay.memory) or Memory())
        if replay.marks is not None:
            connection.exec_driver_sql(
                "UPDATE cards SET suspended = ?, buried_until_day = ? WHERE id = ?",
                (int(replay.marks.suspended), replay.marks.buried_until_day, replay.card),
            )
