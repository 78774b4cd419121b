"""Anki packages in and out, beside Anki's own library on the same package, in the same run.

    python -m benchmarks.run packages
    python -m benchmarks.packages 50000 5        # notes, rounds

Each side takes a package into an empty collection or record, takes it in once more and writes it again; Anki
in its newest form, which it writes fastest. Beside them stands the least that this store must do: its log written
with its indexes by a bare script. Where the PyPI package `anki` is missing there is nothing to compare.
"""

from __future__ import annotations

import contextlib
import importlib
import random
import sqlite3
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import datetime, timezone
from functools import partial
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
GOALS = (0.7, None, 1.2)
"""Times what Anki takes: in, in again, out."""
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
        steps = [("our_import", "their_import"), ("our_second", "their_second"), ("our_export", "their_export")]
        found: dict[str, list[float]] = {}
        for names in steps:
            found |= interleave({name: partial(ways.timed, name) for name in names}, rounds)
        found |= interleave({"floor": partial(ways.timed, "floor")}, rounds)
        ways.close()
    what = f"{notes:,} notes, {reviews:,} reviews"
    cpu = {name: times[-rounds:] for name, times in ways.cpu.items()}
    return [
        figure
        for names, way, goal in zip(steps, ("in", "in again, nothing new", "out"), GOALS, strict=True)
        for figure in (
            against(f"{what} {way}, over Anki's", found[names[0]], found[names[1]], goal),
            against(f"{what} {way}, processor", cpu[names[0]], cpu[names[1]], None),
        )
    ] + [
        against("its log and indexes alone, bare, over Anki's whole", found["floor"], found["their_import"], None),
        against("the same, processor", cpu["floor"], cpu["their_import"], None),
    ]


def pour_of(answers: list[tuple[Any, ...]]) -> Callable[[Path, str], int]:
    """Return what gives answers to a package that is written."""

    def pour(database: Path, statement: str) -> int:
        with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as raw:
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
    """The things that are timed; the last import of each side is what it takes again and exports."""

    def __init__(self, folder: Path, package: Path) -> None:
        self._folder, self._package, self._numbers = folder, package, count()
        self._anki: Any = importlib.import_module("anki.collection")
        self._desk: Desk | None = None
        self._collection: Any = None
        self.cpu: dict[str, list[float]] = {}
        """Seconds of the processor, all threads together, by what was timed, in order."""

    def timed(self, name: str) -> float:
        """Return the seconds that one of the things takes."""
        work = getattr(self, name)()
        began, began_cpu = time.perf_counter(), time.process_time()
        work()
        self.cpu.setdefault(name, []).append(time.process_time() - began_cpu)
        return time.perf_counter() - began

    def _new(self, name: str) -> Path:
        return self._folder / f"{next(self._numbers)}-{name}"

    def our_import(self) -> Callable[[], object]:
        if self._desk is not None:
            self._desk.close()
        place = self._new("own")
        self._desk = desk = Desk(open_store(place / "study.db", now_ms=0), now, Options(), place / "status.json")
        return lambda: import_apkg(desk, self._package)

    def their_import(self) -> Callable[[], object]:
        if self._collection is not None:
            self._collection.close()
        self._collection = self._anki.Collection(str(self._new("anki.anki2")))
        return self.their_second()

    def our_second(self) -> Callable[[], object]:
        desk = self._desk
        assert desk is not None
        return lambda: import_apkg(desk, self._package)

    def their_second(self) -> Callable[[], object]:
        options = self._anki.ImportAnkiPackageOptions(with_scheduling=True)
        asked = self._anki.ImportAnkiPackageRequest(package_path=str(self._package), options=options)
        return lambda: self._collection.import_anki_package(asked)

    def our_export(self) -> Callable[[], object]:
        desk, target = self._desk, self._new("own.apkg")
        assert desk is not None
        return lambda: export_apkg(desk, target)

    def their_export(self) -> Callable[[], object]:
        options = self._anki.ExportAnkiPackageOptions(with_scheduling=True, legacy=False)
        target = str(self._new("anki.apkg"))
        return lambda: self._collection.export_anki_package(out_path=target, options=options, limit=None)

    def floor(self) -> Callable[[], object]:
        """Write the log of the last import once more, with its indexes and nothing else, as plainly as can be."""
        desk, target = self._desk, self._new("floor.db")
        assert desk is not None
        raw = sqlite3.connect(target, isolation_level=None)
        raw.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-400000")
        raw.execute("PRAGMA wal_autocheckpoint=10000")
        raw.execute("ATTACH ? AS own", (str(desk.store.path),))
        query = "SELECT sql FROM own.sqlite_master WHERE tbl_name = 'reviews' AND type IN ('table', 'index')"
        table, *indexes = [sql for (sql,) in raw.execute(f"{query} ORDER BY type DESC") if sql]
        raw.execute("SELECT sum(duration_ms) FROM own.reviews").fetchone()  # reading is not what is timed
        # a condition, else SQLite would copy whole records
        rows = "INSERT INTO main.reviews SELECT * FROM own.reviews WHERE +rating >= 0"

        def write() -> None:
            with contextlib.closing(raw):
                for statement in ("BEGIN", table, rows, *indexes, "COMMIT"):
                    raw.execute(statement)

        return write

    def close(self) -> None:
        if self._desk is not None:
            self._desk.close()
        if self._collection is not None:
            self._collection.close()


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    report(measure(notes=given[0] if given else NOTES, rounds=given[1] if given[1:] else 3))
