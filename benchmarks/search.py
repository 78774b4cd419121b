"""Search as one types, over 100,000 cards: each letter until its cards are found and a page of them is read.

    python -m benchmarks.run search

The cards are made of the words of the shipped lesson; two thirds have been answered. There is no peer in the run:
the goal is a time, since a list must follow the fingers.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

from benchmarks.ratios import Figure, quantile
from studyapp.core.cards import Card, Module
from studyapp.core.days import Moment
from studyapp.core.errors import StudyError
from studyapp.core.queries import SORTS
from studyapp.store.database import Store, open_store
from studyapp.study.browsing import Browsing
from studyapp.study.desk import Desk, Options
from studyapp.study.lessons import shipped

CARDS = 100_000
MODULES = 100
PAGE = 20
NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
QUERIES = (
    "batch size",
    '"batch size"',
    "utilisation memory",
    "gradient -batch",
    "is:due warp",
    "is:new layer",
    "tag:gpu prop:s<5 net",
    "prop:r<80% layer",
    "zebra OR loader",
)
GOAL_MS = 30.0


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


def now() -> Moment:
    return Moment(NOW, timezone.utc, "UTC")


def fill(store: Store) -> None:
    words = [word for page in shipped().glob("*.md") for word in page.read_text(encoding="utf-8").split()]
    chance = random.Random(1)
    for module in range(MODULES):
        cards = tuple(
            Card(
                f"m{module}/{number}",
                "basic",
                " ".join(chance.choices(words, k=12)),
                " ".join(chance.choices(words, k=25)),
                tags=("gpu",) if number % 10 == 0 else (),
            )
            for number in range(CARDS // MODULES)
        )
        store.save_module(Module(f"m{module}", f"Module {module}", cards=cards), source_hash="1", now_ms=0)
    today = now().study_day
    with store.write() as connection:
        connection.exec_driver_sql(
            "INSERT INTO memory (card, state, stability, difficulty, due_day, last_day, reps, lapses, "
            "interval_days, leech) SELECT id, 2, 1 + rowid * 7919 % 400, 5.0, ? + rowid * 31 % 300, "
            "? - rowid * 17 % 60, 3, rowid % 9, 10, rowid % 9 = 8 FROM cards WHERE rowid % 3 < 2",
            (today - 10, today),
        )


def type_out(browsing: Browsing, query: str) -> list[tuple[float, float]]:
    """Return the seconds that each letter took, on the wall and of the processor.

    From the search line emptied, as after an answer. The thread that searches has read what most terms need by
    then, as it does whenever the list stands.
    """
    browsing.shelf.forget()
    browsing.search("")
    browsing.warm_up()
    taken = []
    for end in range(1, len(query) + 1):
        began, worked = time.perf_counter(), time.process_time()
        try:
            browsing.search(query[:end])
        except StudyError:
            continue  # half a term: the list stays
        browsing.found(browsing.ids(browsing.places[:PAGE]))
        taken.append((time.perf_counter() - began, time.process_time() - worked))
    return taken


def order_s(browsing: Browsing, sort: str) -> float:
    """Return the seconds that an order takes the first time."""
    began = time.perf_counter()
    browsing.sort_by(sort)
    browsing.look()
    taken = time.perf_counter() - began
    browsing.sort_by("lesson")
    return taken


def measure(rounds: int = 5) -> list[Figure]:
    """Return the milliseconds of a letter, and of opening the list."""
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        path = Path(folder) / "study.db"
        with open_store(path, now_ms=0) as store:
            fill(store)
            desk = Desk(store, now, Options(), path.with_name("status.json"))
            began = time.perf_counter()
            browsing = Browsing(desk)
            opened_s = time.perf_counter() - began
            orders = [order_s(browsing, sort) for sort in SORTS if sort != "lesson"]
            typed = [[pair for query in QUERIES for pair in type_out(browsing, query)] for _ in range(rounds)]
    letters = [s * 1e3 for one in typed for s, _ in one]
    wall, cpu = (
        max(statistics.median(pair[of] * 1e3 for pair in letter) for letter in zip(*typed, strict=True))
        for of in (0, 1)
    )
    median = statistics.median(letters)
    detail = f"{CARDS} cards, {len(letters)} letters, median {median:.1f} ms"
    slow = quantile(sorted(letters), 0.95)
    return [
        Figure("search: a letter until its cards are read", median, "ms", GOAL_MS, detail),
        Figure("search: slowest of twenty letters", slow, "ms", GOAL_MS, f"{max(letters):.0f} ms at most"),
        Figure("search: slowest letter, each the median of its rounds", wall, "ms", GOAL_MS, load()),
        Figure("search: the same, CPU time", cpu, "ms", GOAL_MS),
        Figure("search: an order the first time", statistics.median(orders) * 1e3, "ms", None, "in a thread"),
        Figure("search: texts read when the list opens", opened_s, "s", None, f"{CARDS} cards"),
    ]
