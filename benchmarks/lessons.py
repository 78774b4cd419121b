"""A folder of lessons brought in for the first time, and again when nothing in it changed.

    python -m benchmarks.run lessons

10,000 cards in 500 Markdown files, beside the shipped lesson. The first time has a goal in seconds; the second is
set against a `stat` of each file, the least that anybody must do who wants to know.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

from benchmarks.ratios import Figure, against, spread, words
from studyapp.core.days import Moment
from studyapp.store.database import open_store
from studyapp.study.desk import Desk, Options
from studyapp.study.lessons import bring_in, shipped

FILES, CARDS_EACH = 500, 20
GOAL_FIRST_S, GOAL_AGAIN = 2.0, 3.0
AGAIN = 20
"""Times that the folder is looked at again in each round."""


def later() -> Moment:
    """Return tomorrow: a file that changed a moment ago is read again, for it may change once more."""
    return Moment(datetime.now(timezone.utc) + timedelta(days=1), timezone.utc, "UTC")


def fill(folder: Path) -> None:
    """Write the lessons, made of the words of the shipped one."""
    known = [word for page in shipped().glob("*.md") for word in page.read_text(encoding="utf-8").split()]
    plain = [word for word in known if word.isalpha()]
    chance = random.Random(3)

    def some(count: int) -> str:
        return " ".join(chance.choices(plain, k=count))

    for number in range(FILES):
        parts = [f"---\nid: m{number}\ntitle: Lesson {number}\n---\n\n# Lesson {number}"]
        for card in range(CARDS_EACH):
            if card % 10 == 0:
                parts.append(f"## Part {card} <!-- id: part-{card} -->\n\n{some(60)}.")
            points = f"\n>\n> **Check:**\n>\n> - {some(4)}\n> - {some(4)}" if card % 3 == 0 else ""
            parts.append(f"> **Say it first:** What is {some(8)}? <!-- id: c{card} -->\n>\n> {some(25)}.{points}")
        (folder / f"lesson-{number:03}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def measure(rounds: int = 3) -> list[Figure]:
    """Return the first time, on the wall and of the processor, and an unchanged folder over a stat of each."""
    first: list[float] = []
    cpu: list[float] = []
    again: list[float] = []
    stats: list[float] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "lessons"
        folder.mkdir()
        fill(folder)
        paths = [os.fspath(path) for path in folder.iterdir()]
        for number in range(rounds):
            own = Path(place) / str(number)
            desk = Desk(open_store(own / "study.db", now_ms=0), later, Options(), own / "status.json")
            began, worked = time.perf_counter(), time.process_time()
            bring_in(desk, [folder])
            first.append(time.perf_counter() - began)
            cpu.append(time.process_time() - worked)
            for _ in range(AGAIN):
                began = time.perf_counter()
                bring_in(desk, [folder])
                looked = time.perf_counter()
                for path in paths:
                    os.stat(path)  # noqa: PTH116 - the least that tells a change
                stats.append(time.perf_counter() - looked)
                again.append(looked - began)
            count = len(desk.store.cards())
            desk.close()
    what = f"{count:,} cards in {FILES} lessons"
    found, worked_s = spread(first), spread(cpu)
    return [
        Figure(f"{what}, first time", found.median, "s", GOAL_FIRST_S, words(found, 1, "s")),
        Figure("the same, CPU time", worked_s.median, "s", None, words(worked_s, 1, "s")),
        against("the same unchanged, over a stat of each file", again, stats, GOAL_AGAIN),
    ]
