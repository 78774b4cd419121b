"""A synthetic history as a store file: cards answered over years, with the outcomes a scheduler gave.

    python -m benchmarks.history PATH CARDS REVIEWS_PER_CARD

Two hundred histories are really scheduled; every card repeats one of them, on days of its own, so that a million
reviews take a minute to write and still follow from one another.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import replace
from pathlib import Path

from studyapp.core.cards import Card, Module
from studyapp.core.reviews import Memory, Rating, ReviewRow
from studyapp.core.scheduling import Policy, kind_of, preview
from studyapp.store.columns import MEMORY_FIELDS
from studyapp.store.database import Store, open_store
from studyapp.store.logrows import INSERT, row_values
from studyapp.store.memories import is_leech, memory_values

PROTOTYPES = 200
FIRST_DAY = 738_000
DAY_MS = 86_400_000
EPOCH_DAY = 719_163
TODAY = FIRST_DAY + 4000
"""The study day up to which the histories reach."""
POLICY = Policy(maximum_interval=180)
"""Keeps ten answers within five years."""


def prototypes(length: int, seed: int = 7) -> list[list[ReviewRow]]:
    """Return histories of so many answers that begin on day 0: recalled nine times of ten, answered when due."""
    chance = random.Random(seed)
    found = []
    for number in range(PROTOTYPES):
        rows, memory, day = [], Memory(), FIRST_DAY
        for _ in range(length):
            rating = Rating(chance.choices((1, 2, 3, 4), (10, 10, 70, 10))[0])
            at_ms = (day - EPOCH_DAY) * DAY_MS + 12 * 3_600_000
            outcome = preview(f"card{number}", memory, at_ms, day, POLICY)[rating]
            rows.append(_row(memory, outcome.after, int(rating), at_ms, day, outcome.elapsed_days))
            rows[-1] = replace(rows[-1], retrievability=outcome.retrievability)
            memory = outcome.after
            day = max(day + (memory.due_at_ms is not None), memory.due_day or 0)
        found.append(rows)
    return found


def _row(before: Memory, after: Memory, rating: int, at_ms: int, day: int, elapsed: int) -> ReviewRow:
    kind = kind_of(before)
    return ReviewRow("", "", 0, "", rating, kind, at_ms, 0, "UTC", day, elapsed, before, after, duration_ms=6000)


def shifted(row: ReviewRow, card: str, days: int) -> ReviewRow:
    """Return a prototype's row as that of a card that began some days later."""
    at_ms = row.at_ms + days * DAY_MS
    later = {"card": card, "at_ms": at_ms, "study_day": row.study_day + days, "showing": f"{card}/{at_ms}"}
    return replace(row, **later, before=_later(row.before, days), after=_later(row.after, days))  # type: ignore[arg-type]


def _later(memory: Memory | None, days: int) -> Memory | None:
    if memory is None or memory.last_day is None:
        return memory
    return replace(
        memory,
        last_day=memory.last_day + days,
        due_day=None if memory.due_day is None else memory.due_day + days,
        due_at_ms=None if memory.due_at_ms is None else memory.due_at_ms + days * DAY_MS,
    )


def fill(
    store: Store, cards: int, length: int, *, name: str = "card", seed: int = 7, due_share: float = 0.02
) -> None:
    """Add a module of cards with their histories to an open store, so many of them due on `TODAY`."""
    module = Module(
        name,
        name,
        cards=tuple(Card(f"{name}{n}", "basic", f"Question {n}?", f"Answer {n}.") for n in range(cards)),
    )
    store.save_module(module, source_hash=name, now_ms=0)
    drawn = prototypes(length, seed)
    chance = random.Random(seed)
    log, last = [], []
    for number in range(cards):
        history = drawn[number % PROTOTYPES]
        interval = history[-1].after.interval_days if history[-1].after else 0
        late = chance.random() < due_share or not interval
        answered = TODAY - (interval + chance.randrange(30) if late else chance.randrange(interval))
        days = answered - history[-1].study_day
        rows = [shifted(row, f"{name}{number}", days) for row in history]
        log += rows
        last.append(rows[-1])
    log.sort(key=lambda row: row.at_ms)
    with store.write() as connection:
        first = connection.exec_driver_sql("SELECT coalesce(max(counter), 0) FROM reviews").scalar() or 0
        connection.exec_driver_sql(INSERT, _numbered(log, store.device, first, seed))
        names = ("card", *MEMORY_FIELDS, "leech")
        memories = [(row.card, *memory_values(row.after), int(is_leech(row.after or Memory()))) for row in last]
        places = ", ".join("?" * len(names))
        connection.exec_driver_sql(f"INSERT INTO memory ({', '.join(names)}) VALUES ({places})", memories)


def _numbered(log: list[ReviewRow], device: str, first: int, seed: int) -> list[tuple[object, ...]]:
    ids = random.Random(f"{device}{seed}")
    found, so_far = [], 0
    for counter, row in enumerate(log, first + 1):
        so_far = max(so_far, row.at_ms)
        found.append(row_values(replace(row, uid=ids.randbytes(16).hex(), device=device, counter=counter), so_far))
    return found


if __name__ == "__main__":
    began = time.perf_counter()
    with open_store(Path(sys.argv[1]), now_ms=0) as opened:
        fill(opened, int(sys.argv[2]), int(sys.argv[3]))
    print(f"{sys.argv[1]} written in {time.perf_counter() - began:.1f} s")
