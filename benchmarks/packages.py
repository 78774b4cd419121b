"""Anki packages in and out, beside Anki's own library on the same package, in the same run.

    python -m benchmarks.run packages
    python -m benchmarks.packages 50000

Each side takes a package into an empty collection or record and writes all of it again; Anki in its newest form,
which it writes fastest. Where the PyPI package `anki` is missing there is nothing to compare.
"""

from __future__ import annotations

import importlib
import random
import sqlite3
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timezone
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.ratios import Figure, against, interleave, report
from studyapp.core.cards import Card
from studyapp.core.days import Moment
from studyapp.core.reviews import Memory, State
from studyapp.core.scheduling import Policy
from studyapp.decks.anki.calendar import Calendar
from studyapp.decks.anki.writer import Leaving, write_package
from studyapp.store.database import open_store
from studyapp.store.leaving import LEAVING
from studyapp.study.desk import Desk, Options
from studyapp.study.moving_anki import export_apkg, import_apkg

NOTES = 10_000
REVIEWS_EACH = 11
GOAL_IN, GOAL_OUT = 0.7, 1.2
"""Times what Anki takes."""
DAY_MS = 86_400_000
WORDS = (
    "kernel",
    "warp",
    "batch",
    "layer",
    "tensor",
    "gradient",
    "cache",
    "latency",
    "stream",
    "memory",
    "thread",
)


def now() -> Moment:
    return Moment(datetime(2026, 11, 30, 12, tzinfo=timezone.utc), timezone.utc, "UTC")


def measure(rounds: int = 3, notes: int = NOTES) -> list[Figure]:
    """Return how long both ways take, as ratios to Anki's library; none where it is missing."""
    if find_spec("anki") is None:
        return []
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        package = Path(folder) / "made.apkg"
        cards, answers = made(notes)
        reviews = write_package(
            package, cards, pour_of(answers), calendar=Calendar(now()), policy=Policy(), offset_min=0
        )
        ways = _Ways(Path(folder), package)
        found = interleave({name: getattr(ways, name) for name in ("our_import", "their_import")}, rounds)
        found |= interleave({name: getattr(ways, name) for name in ("our_export", "their_export")}, rounds)
        ways.close()
    what = f"{notes:,} notes, {reviews:,} reviews"
    return [
        against(f"{what} in, over Anki's", found["our_import"], found["their_import"], GOAL_IN),
        against(f"{what} out, over Anki's", found["our_export"], found["their_export"], GOAL_OUT),
    ]


def pour_of(answers: list[tuple[Any, ...]]) -> Callable[[Path, str], int]:
    """Return what gives answers to a package that is written."""

    def pour(database: Path, statement: str) -> int:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as raw:
            raw.execute(f"CREATE TABLE leaving ({', '.join(LEAVING)})")
            raw.executemany(f"INSERT INTO leaving VALUES ({', '.join('?' * len(LEAVING))})", answers)
            raw.execute("ATTACH ? AS package", (str(database),))
            before = raw.total_changes
            raw.execute(statement)
            return raw.total_changes - before

    return pour


def made(notes: int) -> tuple[list[Leaving], list[tuple[Any, ...]]]:
    """Return cards with a past of growing intervals, and their answers as tuples of `LEAVING`."""
    chance, end_ms, day = random.Random(2), now().at_ms, now().study_day
    cards, log = list[Leaving](), list[tuple[Any, ...]]()
    for number in range(notes):
        at_ms, last = end_ms - chance.randrange(500, 900) * DAY_MS, 0
        for turn in range(REVIEWS_EACH):
            days = min(turn * turn + 1, 40)
            log.append((f"g/{number}", at_ms, 3, "review" if turn else "learn", 4_000, last, 2, days, None, 5.5))
            last, at_ms = days, at_ms + days * DAY_MS + chance.randrange(10**7)
        card = Card(
            id=f"g/{number}",
            kind="basic",
            prompt=f"Card {number} {' '.join(chance.choices(WORDS, k=12))}",
            answer=" ".join(chance.choices(WORDS, k=25)),
        )
        memory = Memory(State.REVIEW, None, 12.5, 5.25, day + number % 50, None, day - 3, REVIEWS_EACH, 0, last)
        cards.append(Leaving(card, "g", "G", "studyapp::g", 1_700_000_000, memory))
    return cards, log


class _Ways:
    """The four things that are timed; the last import of each side is what it exports."""

    def __init__(self, folder: Path, package: Path) -> None:
        self._folder, self._package, self._numbers = folder, package, count()
        self._anki: Any = importlib.import_module("anki.collection")
        self._desk: Desk | None = None
        self._collection: Any = None

    def _new(self, name: str) -> Path:
        return self._folder / f"{next(self._numbers)}-{name}"

    def our_import(self) -> float:
        if self._desk is not None:
            self._desk.close()
        place = self._new("own")
        self._desk = desk = Desk(open_store(place / "study.db", now_ms=0), now, Options(), place / "status.json")
        return _timed(lambda: import_apkg(desk, self._package))

    def their_import(self) -> float:
        if self._collection is not None:
            self._collection.close()
        self._collection = self._anki.Collection(str(self._new("anki.anki2")))
        options = self._anki.ImportAnkiPackageOptions(with_scheduling=True)
        asked = self._anki.ImportAnkiPackageRequest(package_path=str(self._package), options=options)
        return _timed(lambda: self._collection.import_anki_package(asked))

    def our_export(self) -> float:
        desk, target = self._desk, self._new("own.apkg")
        assert desk is not None
        return _timed(lambda: export_apkg(desk, target))

    def their_export(self) -> float:
        options = self._anki.ExportAnkiPackageOptions(with_scheduling=True, legacy=False)
        target = str(self._new("anki.apkg"))
        return _timed(lambda: self._collection.export_anki_package(out_path=target, options=options, limit=None))

    def close(self) -> None:
        if self._desk is not None:
            self._desk.close()
        if self._collection is not None:
            self._collection.close()


def _timed(work: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    report(measure(notes=int(sys.argv[1]) if len(sys.argv) > 1 else NOTES))
