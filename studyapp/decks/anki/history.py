"""The review log of a package as rows of ours, and each card's memory.

A row says what Anki's log says and nothing more: it is the same whichever export it comes from. What Anki knows
besides (stability, difficulty, the due day) is one more row, made by hand as it were, right after a card's last
review; replaying the rows ends in the memory that Anki had.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from studyapp.core.policy import Policy
from studyapp.core.reviews import Memory, State
from studyapp.core.scheduling import MAX_STABILITY_DAYS, MIN_STABILITY_DAYS
from studyapp.core.sm2 import memory_from_history, memory_from_sm2
from studyapp.decks.anki.calendar import FIRST_MS, LAST_MS, Calendar
from studyapp.decks.anki.quick_json import loads
from studyapp.decks.anki.reader import AnkiCard

IMPORTED = "import"
"""Action of the row that sets what Anki knew."""
_NEW: tuple[Any, ...] = (0, None, None, None, None, 0, 0, 0)
"""A new card's memory as a row has it."""
_NONE: tuple[None, ...] = (None,) * len(_NEW)
SCALED_LOW, SCALED_HIGH = 100, 1100
"""A factor in this range is an FSRS difficulty. Source: Anki 26.9.3."""
_STATES = {int(state): state for state in State}
_NO_STRENGTH = (0.0, 0.0)
"""Of a new card: it is not looked at."""
_SM2_LOW = 1300
_FILTERED, _MANUAL, _RESCHEDULED = 3, 4, 5
_KINDS = ("learn", "review", "relearn", "review")
AHEAD_MS = 86_400_000
"""Reviews more than a day ahead of the clock are left out."""
MOST_DAYS = 36_500
MOST_STEP_S = 86_400 * 365
_MOST_REPS = 1_000_000
MOST_SPENT_MS = 86_400_000


Row = tuple[Any, ...]
"""A review to come: (uid, at_ms, card, rating, kind, offset_min, study_day, elapsed_days, memory before, memory
after, duration_ms, action, zone), each memory as (state, difficulty, due_day, due_at_ms, last_day, reps, lapses,
interval_days), all None for none. Flat tuples, for there may be a million. `uid` is 16 bytes, the same for the
same review on every machine."""


class Mark(NamedTuple):
    """A row of another kind: what Anki knows besides its log."""

    uid: bytes
    """16 bytes made of the content."""
    at_ms: int
    offset_min: int
    study_day: int
    after: Memory | None
    action: str


class Story(NamedTuple):
    """A card's past and where it stands."""

    rows: list[Row]
    """Its reviews, by time."""
    marks: list[Mark]
    """What to append after them: the memory that Anki had, and whether the card was put away."""
    memory: Memory
    left_out: int
    """Reviews with a time that cannot be."""
    suspended: bool
    buried_until_day: int | None


NOTHING_NEW = Story([], [], Memory(), 0, False, None)
"""Of a card whose past is all here."""


def prefix_of(card: str) -> bytes:
    """Return what the ids of a card's rows begin with; the rest is the time."""
    return hashlib.blake2b(card.encode(), digest_size=10).digest()


class Historian:
    """Tells the stories of the cards of one collection."""

    def __init__(self, calendar: Calendar, policy: Policy, first_day: int) -> None:
        self._calendar = calendar
        self._policy = policy
        self._first_day = first_day
        self._latest_ms = min(calendar.now_ms + AHEAD_MS, LAST_MS)

    def story(self, card: str, row: AnkiCard, log: Sequence[tuple[Any, ...]]) -> Story:
        """Return a card's past.

        Args:
            card: Its id.
            row: As Anki has it.
            log: Its entries in the review log by time: (card, then the fields of `reader.Log`).
        """
        kept = [entry for entry in log if FIRST_MS <= entry[1] <= self._latest_ms]
        rows, reached = self._rows(card, kept)
        answered = next((entry[1] for entry in reversed(kept) if 1 <= entry[2] <= 4), None)
        data = _data(row)
        memory = self._memory(row, data, answered, lambda: self._strength(row, kept, data))
        last_ms = kept[-1][1] if kept else None
        return self._standing(card, row, data, memory, last_ms, reached != _NEW, rows, len(log) - len(kept))

    def told(self, card: str, row: AnkiCard, last_ms: int | None) -> Story | None:
        """Return where a card stands whose answers are told by `telling`; None where its log must be read for it.

        Args:
            card: Its id.
            row: As Anki has it.
            last_ms: When it was answered last, None if never.
        """
        data = _data(row)
        known = _known(data) if row.type else _NO_STRENGTH
        if known is None:
            return None
        memory = self._memory(row, data, last_ms, lambda: known)
        return self._standing(card, row, data, memory, last_ms, last_ms is not None, [], 0)

    def _standing(
        self,
        card: str,
        row: AnkiCard,
        data: dict[str, Any],
        memory: Memory,
        last_ms: int | None,
        begun: bool,
        rows: list[Row],
        left_out: int,
    ) -> Story:
        suspended, buried = row.queue == -1, self._buried(row)
        at_ms = self._last_ms(row, data) if last_ms is None else last_ms
        marks = []
        if begun or memory.state is not State.NEW:
            marks.append(self._mark(card, at_ms + 1, IMPORTED, memory))
        if suspended:
            marks.append(self._mark(card, at_ms + 2, "suspend", None))
        if buried is not None:
            marks.append(self._mark(card, at_ms + 2, f"bury {buried}", None))
        return Story(rows, marks, memory, left_out, suspended, buried)

    def _rows(self, card: str, log: Iterable[tuple[Any, ...]]) -> tuple[list[Row], tuple[Any, ...]]:
        """Return the rows of a card, and the memory in which they end."""
        prefix = prefix_of(card)
        rows: list[Row] = []
        at, zone, memory, last_day = self._calendar.at, self._calendar.zone_name, _NEW, None
        for _, at_ms, ease, ivl, _, factor, time_ms, kind in log:
            offset, day = at(at_ms)
            elapsed = 0 if last_day is None or day < last_day else day - last_day
            uid = prefix + at_ms.to_bytes(6, "big")
            spent = time_ms if 0 <= time_ms <= MOST_SPENT_MS else 0
            if not 1 <= ease <= 4 or kind >= _MANUAL:
                reset = kind == _MANUAL and not factor
                after, action = (_NEW, "reset") if reset else (_NONE, "reschedule")
                rows.append((uid, at_ms, card, 0, "manual", offset, day, 0, *memory, *after, 0, action, zone))
                memory, last_day = (_NEW, None) if reset else (memory, last_day)
            elif kind == _FILTERED and not factor:
                rows.append(
                    (uid, at_ms, card, ease, "cram", offset, day, elapsed, *memory, *_NONE, spent, "", zone)
                )
            else:
                last_day = day if last_day is None or day > last_day else last_day
                after = _after(memory, at_ms, last_day, ease, ivl, factor, kind)
                rows.append(
                    (uid, at_ms, card, ease, _KINDS[kind], offset, day, elapsed, *memory, *after, spent, "", zone)
                )
                memory = after
        return rows, memory

    def _mark(self, card: str, at_ms: int, action: str, after: Memory | None) -> Mark:
        offset, day = self._calendar.at(at_ms)
        content = repr((card, at_ms, action, after and _values(after), offset, day, self._calendar.zone_name))
        return Mark(hashlib.blake2b(content.encode(), digest_size=16).digest(), at_ms, offset, day, after, action)

    def _last_ms(self, row: AnkiCard, data: dict[str, Any]) -> int:
        seconds = _number(data.get("lrt")) or row.mod
        return min(max(int(seconds * 1000), FIRST_MS), self._calendar.now_ms)

    def _buried(self, row: AnkiCard) -> int | None:
        """Return the first day on which a buried card may be shown again: the day after it was buried."""
        if row.queue not in (-2, -3):
            return None
        return self._calendar.at(min(max(row.mod * 1000, FIRST_MS), self._latest_ms))[1] + 1

    def _memory(
        self,
        row: AnkiCard,
        data: dict[str, Any],
        answered_ms: int | None,
        strength: Callable[[], tuple[float, float]],
    ) -> Memory:
        state = _STATES.get(row.type, State.NEW)
        if state is State.NEW:
            return Memory()
        due = row.odue if row.odid and row.odue else row.due
        on_step = state is not State.REVIEW
        due_day = None if on_step else _bounded_day(self._first_day + due)
        due_at_ms = self._step_ms(due) if on_step else None
        last_day = self._last_day(row, answered_ms, data, due_day)
        stability, difficulty = strength()
        return Memory(
            state=state,
            step=_step(row, len(self._policy.learning_steps)) if on_step else None,
            stability=stability,
            difficulty=difficulty,
            due_day=due_day,
            due_at_ms=due_at_ms,
            last_day=last_day,
            reps=min(max(row.reps, 1), _MOST_REPS),
            lapses=min(max(row.lapses, 0), _MOST_REPS),
            interval_days=0 if on_step else min(max(row.ivl, 0), MOST_DAYS),
        )

    def _step_ms(self, due: int) -> int:
        """Return when a step is due: Anki counts steps of a day or more in days, shorter ones in seconds."""
        if due > 1_000_000_000:
            return min(due * 1000, LAST_MS)
        return self._calendar.starts_ms(_bounded_day(self._first_day + due))

    def _last_day(self, row: AnkiCard, answered_ms: int | None, data: dict[str, Any], due_day: int | None) -> int:
        lrt = _number(data.get("lrt"))
        if lrt is not None and FIRST_MS < lrt * 1000 <= self._latest_ms:
            return self._calendar.at(int(lrt * 1000))[1]
        if answered_ms is not None:
            return self._calendar.at(answered_ms)[1]
        return self._calendar.today if due_day is None else min(due_day - max(row.ivl, 0), self._calendar.today)

    def _strength(
        self, row: AnkiCard, log: Sequence[tuple[Any, ...]], data: dict[str, Any]
    ) -> tuple[float, float]:
        """Return stability (days) and difficulty: Anki's own, else from the log, else from the SM-2 ease."""
        known = _known(data)
        if known is not None:
            return known
        replayed = self._replayed(log)
        if replayed is not None:
            return replayed
        return memory_from_sm2(max(row.factor, _SM2_LOW) / 1000, max(row.ivl, 1), 0.9, self._policy.parameters)

    def _replayed(self, log: Sequence[tuple[Any, ...]]) -> tuple[float, float] | None:
        """Return stability and difficulty after the log as FSRS reads it, None where it tells nothing."""
        entries: list[tuple[Any, ...]] = []
        for entry in log:
            kind, ease, factor = entry[7], entry[2], entry[5]
            if kind == _MANUAL and not factor:
                entries = []  # a reset: what came before counts no more
            elif 1 <= ease <= 4 and kind not in (_MANUAL, _RESCHEDULED) and not (kind == _FILTERED and not factor):
                entries.append(entry)
        if not entries:
            return None
        first, start = entries[0], None
        days = [self._calendar.at(entry[1])[1] for entry in entries]
        if first[7] != 0 and first[5] >= _SM2_LOW and first[3] > 0:
            start = memory_from_sm2(first[5] / 1000, first[3], 0.9, self._policy.parameters)
            history = [
                (entry[2], max(0, day - earlier))
                for entry, day, earlier in zip(entries[1:], days[1:], days, strict=False)
            ]
        else:
            history = [
                (entry[2], max(0, day - earlier))
                for entry, day, earlier in zip(entries, days, [days[0], *days], strict=False)
            ]
        return memory_from_history(history, self._policy, start)


def _after(
    memory: tuple[Any, ...], at_ms: int, day: int, ease: int, ivl: int, factor: int, kind: int
) -> tuple[Any, ...]:
    """Return the memory after an answer, as far as the log tells it: no stability."""
    difficulty = (factor / 1000 - 0.1) * 9 + 1 if SCALED_LOW <= factor <= SCALED_HIGH else None
    lapses = memory[6] + 1 if kind == 1 and ease == 1 else memory[6]
    if ivl > 0:
        days = min(ivl, MOST_DAYS)
        return (2, difficulty, day + days, None, day, memory[5] + 1, lapses, days)
    state = 3 if kind in (1, 2) else 1
    return (state, difficulty, None, at_ms + 1000 * min(-ivl, MOST_STEP_S), day, memory[5] + 1, lapses, 0)


def _values(memory: Memory) -> tuple[Any, ...]:
    return (
        int(memory.state),
        memory.step,
        memory.stability,
        memory.difficulty,
        memory.due_day,
        memory.due_at_ms,
        memory.last_day,
        memory.reps,
        memory.lapses,
        memory.interval_days,
    )


def _data(row: AnkiCard) -> dict[str, Any]:
    if len(row.data) < 3:
        return {}
    try:
        found = loads(row.data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _exact(data: dict[str, Any]) -> tuple[float, float] | None:
    """Return the unrounded numbers that our own export left with the card; Anki rounds its own."""
    try:
        own = loads(data.get("cd") or "{}")
        return float(own["S"]), float(own["D"])
    except (ValueError, TypeError, KeyError):
        return None


def _known(data: dict[str, Any]) -> tuple[float, float] | None:
    """Return the stability and difficulty that Anki keeps with a card."""
    stability, difficulty = _number(data.get("s")), _number(data.get("d"))
    if stability is None or difficulty is None or stability <= 0:
        return None
    exact = _exact(data)
    if exact and abs(exact[0] - stability) <= 5e-5 * max(1, stability) and abs(exact[1] - difficulty) <= 6e-4:
        return exact  # not reviewed since: the rounded numbers are these
    return min(max(stability, MIN_STABILITY_DAYS), MAX_STABILITY_DAYS), min(max(difficulty, 1.0), 10.0)


def _number(value: object) -> float | None:
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _step(row: AnkiCard, steps: int) -> int:
    """Return the index of the step a card is on; Anki keeps how many are left."""
    if row.type == int(State.RELEARNING):
        return 0
    return min(max(steps - row.left % 1000, 0), max(steps - 1, 0))


def _bounded_day(day: int) -> int:
    return min(max(day, 1), 3_000_000)
