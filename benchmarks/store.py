"""The store beside Anki's, on histories of the same size: answer and next, undo, opening, counts, backup.

    python -m benchmarks.store [CARDS ...] [--merge] [--keep FOLDER]

Ten answers a card. Both write durably (WAL, full sync) into the same folder; rounds alternate. Where the PyPI
package `anki` is missing, its column stays empty. Ours are the calls that a sitting makes for a key press. Beside
the time on the wall stands the processor's, which other programs disturb less, and from two sizes on how each
figure grows: the exponent of the number of cards. `--merge` merges two stores of 100,000 answers to the same
cards; `--keep` leaves the stores in a folder and takes them from there the next time.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import math
import os
import random
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.history import TODAY, fill
from benchmarks.ratios import Figure, against
from studyapp.core.days import Moment
from studyapp.core.reviews import Rating
from studyapp.store.database import open_store
from studyapp.study.desk import Desk, Options
from studyapp.study.merging import merge_file
from studyapp.study.rebuilding import rebuild
from studyapp.study.reviewing import Sitting
from studyapp.study.statistics import gather
from studyapp.study.today import counts_today, overview, streak_today

GOALS = {
    "open + first card": 0.15,
    "answer + next": 1.8,
    "answer + next, p99": 0.5,
    "undo": 1.5,
    "counts of today": 0.06,
    "statistics": 0.35,
    "backup": 1.4,
}
"""Meant for 100,000 cards with a million answers."""
ANSWERS = 200
UNDONE = 25
"""Anki keeps about thirty steps; ours goes back as far as wanted, past every row already taken back."""
LEAST_DUE = 700
"""Enough for three rounds of answers that are taken back in part."""
REVIEWS_PER_CARD = 10
NOW = datetime.fromordinal(TODAY).replace(hour=12, tzinfo=timezone.utc)


def now() -> Moment:
    return Moment(NOW, timezone.utc, "UTC")


def desk_of(path: Path) -> Desk:
    options = Options(reviews_per_day=99_999)
    return Desk(open_store(path, now_ms=0), now, options, path.with_name("status.json"))


class Cost(NamedTuple):
    """What something takes."""

    wall_s: float
    cpu_s: float
    """Seconds of the processor, all threads and programs that it called together."""


Costs = dict[str, Cost]


def timed(work: Callable[[], object]) -> Cost:
    """Return what a call takes."""
    began, used = time.perf_counter(), _used_s()
    work()
    return Cost(time.perf_counter() - began, _used_s() - used)


def _used_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def middle(costs: Iterable[Cost]) -> Cost:
    """Return the median of each."""
    walls, cpus = zip(*costs, strict=True)
    return Cost(statistics.median(walls), statistics.median(cpus))


def ours(path: Path) -> Costs:
    """Return costs by what is done, for our store."""
    found: Costs = {}
    opened: list[Any] = []

    def begin() -> None:
        desk = desk_of(path)
        sitting = Sitting(desk)
        opened.extend((desk, sitting, sitting.next()))

    found["open + first card"] = timed(begin)
    desk, sitting, showing = opened

    def answer_and_next() -> None:
        nonlocal showing
        sitting.grade(showing, Rating.GOOD, duration_ms=4000)
        showing = sitting.next()

    times = []
    for number in range(ANSWERS):
        times.append(timed(answer_and_next))
        if number % 50 == 0:
            desk.store.idle()  # the learner thinks
    found |= spread("answer + next", times)
    take_back = desk.store.undo
    stamp: dict[str, Any] = {"at_ms": now().at_ms, "offset_min": 0, "zone": "UTC", "study_day": now().study_day}
    found |= spread("undo", [timed(lambda: take_back(**stamp)) for _ in range(UNDONE)], p99=False)
    today = now().study_day
    found["next card alone"] = middle(timed(sitting.next) for _ in range(20))
    found["counts of today"] = middle(timed(lambda: counts_today(desk)) for _ in range(5))
    found["heatmap + streak"] = middle(timed(lambda: streak_today(desk)) for _ in range(5))
    found["retention, 30 days"] = middle(timed(lambda: desk.store.retention(today - 29, today)) for _ in range(5))
    found["all of Home"] = middle(timed(lambda: overview(desk)) for _ in range(3))
    found["statistics"] = timed(lambda: gather(desk))
    found["backup"] = timed(lambda: desk.store.backup(path.with_name("copy.db")))
    found["rebuild"] = timed(lambda: rebuild(desk))
    desk.close()
    return found


def spread(name: str, costs: list[Cost], *, p99: bool = True) -> Costs:
    found = {name: middle(costs)}
    if p99:
        last = int(len(costs) * 0.99)
        found[f"{name}, p99"] = Cost(sorted(c.wall_s for c in costs)[last], sorted(c.cpu_s for c in costs)[last])
    return found


def fill_anki(path: Path, cards: int, due_share: float) -> None:
    """Write as many cards and log rows into a collection: notes by its library, the rest by its tables."""
    from anki.collection import AddNoteRequest, Collection

    col = Collection(str(path))
    model = col.models.by_name("Basic")
    for start in range(0, cards, 5000):
        requests = []
        for number in range(start, min(start + 5000, cards)):
            note = col.new_note(model)
            note.fields = [f"Question {number}?", f"Answer {number}."]
            requests.append(AddNoteRequest(note, 1))
        col.add_notes(requests)
    config = col.decks.config_dict_for_deck_id(1)
    config["rev"]["perDay"] = config["new"]["perDay"] = 9999
    col.decks.update_config(config)
    col.set_config("fsrs", True)
    col.close()
    _give_history(path, due_share)


def _give_history(path: Path, due_share: float) -> None:
    chance, span, now_s = random.Random(7), 2000, int(time.time())
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute("update col set crt = ?", (now_s - now_s % 86_400 - span * 86_400,))
        ids = [row[0] for row in raw.execute("select id from cards order by id")]
        rows = []
        for card in ids:
            interval = chance.randrange(1, 200)
            due = span + (-chance.randrange(60) if chance.random() < due_share else 1 + chance.randrange(300))
            last_s = now_s - (span - due + interval) * 86_400
            memory = {"s": float(interval), "d": 5.0, "dr": 0.9, "decay": 0.1542, "lrt": min(last_s, now_s)}
            rows.append((due, interval, json.dumps(memory), card))
        raw.executemany(
            "update cards set type=2, queue=2, due=?, ivl=?, factor=2500, reps=10, data=? where id=?", rows
        )
        first = (now_s - span * 86_400) * 1000
        log = (
            (first + index * 1000 + chance.randrange(999), card, 3, 10, 5, 500, 6000)
            for index, card in enumerate(card for _ in range(REVIEWS_PER_CARD) for card in ids)
        )
        raw.executemany("insert into revlog values (?, ?, -1, ?, ?, ?, ?, ?, 1)", log)
        raw.commit()


def anki(path: Path) -> Costs:
    """Return costs by what is done, for Anki's own library."""
    from anki.collection import Collection
    from anki.scheduler.v3 import CardAnswer

    found: Costs = {}
    opened: list[Any] = []

    def begin() -> None:
        col = Collection(str(path))
        opened.extend((col, col.sched.get_queued_cards(fetch_limit=1)))

    found["open + first card"] = timed(begin)
    col, queue = opened

    def answer_and_next() -> Cost:
        nonlocal queue
        top = queue.cards[0]
        given = CardAnswer(
            card_id=top.card.id,
            current_state=top.states.current,
            new_state=top.states.good,
            rating=CardAnswer.GOOD,
            answered_at_millis=int(time.time() * 1000),
            milliseconds_taken=4000,
        )

        def work() -> None:
            nonlocal queue
            col.sched.answer_card(given)
            queue = col.sched.get_queued_cards(fetch_limit=1)

        return timed(work)

    found |= spread("answer + next", [answer_and_next() for _ in range(ANSWERS)])
    found |= spread("undo", [timed(col.undo) for _ in range(UNDONE)], p99=False)
    found["counts of today"] = middle(timed(col.sched.deck_due_tree) for _ in range(5))
    found["statistics"] = timed(lambda: col._backend.graphs(search="", days=365))
    place = path.parent / "backups"
    place.mkdir(exist_ok=True)
    found["backup"] = timed(
        lambda: col.create_backup(backup_folder=str(place), force=True, wait_for_completion=True)
    )
    col.close()
    return found


def has_anki() -> bool:
    try:
        import anki.collection  # noqa: F401
    except ImportError:
        return False
    return True


def stores(cards: int, folder: Path) -> tuple[Path, Path, int]:
    """Return our store and Anki's of one size, made unless they are there, and how many cards are due in both."""
    mine, theirs = folder / "ours" / "study.db", folder / "anki" / "collection.anki2"
    fresh = not mine.exists()
    theirs.parent.mkdir(parents=True, exist_ok=True)
    with open_store(mine, now_ms=0) as store:
        if fresh:
            fill(store, cards, REVIEWS_PER_CARD, due_share=max(0.02, LEAST_DUE / cards))
        due = sum(store.due_cards(now().study_day, now().at_ms).counted())
    gc.collect()
    if fresh and has_anki():
        fill_anki(theirs, cards, due / cards)
    return mine, theirs, due


def table(cards: int, folder: Path) -> Costs:
    """Print the table for one size; return our costs."""
    mine, theirs, due = stores(cards, folder)
    before = os.getloadavg()[0]
    rounds = [(ours(mine), anki(theirs) if has_anki() else {}) for _ in range(3)]
    print(
        f"{cards} cards, {cards * REVIEWS_PER_CARD} reviews, {due} due: median of 3 rounds, ms; "
        f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"
    )
    print(f"  {'':22} {'wall':>10} {'cpu':>10} {'Anki wall':>10} {'cpu':>10} {'x wall':>8} {'x cpu':>8}")
    found = {}
    for name in rounds[0][0]:
        us = found[name] = middle(round_[0][name] for round_ in rounds)
        line = f"  {name:22} {us.wall_s * 1e3:10.3f} {us.cpu_s * 1e3:10.3f}"
        if them := [round_[1][name] for round_ in rounds if name in round_[1]]:
            other = middle(them)
            line += f" {other.wall_s * 1e3:10.3f} {other.cpu_s * 1e3:10.3f}"
            line += f" {us.wall_s / other.wall_s:7.2f}x {us.cpu_s / other.cpu_s:7.2f}x"
        print(line, flush=True)
    return found


def measure(rounds: int = 3, cards: int = 10_000) -> list[Figure]:
    """Return our figures against Anki's; none without its package.

    A tenth of the cards that the goals are meant for, so that it takes half a minute; there opening, counts and
    statistics gain less on Anki's.
    """
    if not has_anki():
        return []
    us, them = [], []
    with tempfile.TemporaryDirectory() as place:
        mine, theirs, _ = stores(cards, Path(place))
        for number in range(rounds):
            if number % 2:
                them.append(anki(theirs))
            us.append(ours(mine))
            if not number % 2:
                them.append(anki(theirs))
    return [
        against(
            f"{name}, {cards:,} cards / Anki", [a[name].wall_s for a in us], [b[name].wall_s for b in them], goal
        )
        for name, goal in GOALS.items()
    ]


def grow(sizes: list[int], found: list[Costs]) -> None:
    """Print the exponent with which each figure's processor time grows, from the smallest size to the largest."""
    span = math.log(sizes[-1] / sizes[0])
    print(f"growth from {sizes[0]} to {sizes[-1]} cards: exponent of the processor's time")
    for name in found[0]:
        print(f"  {name:22} {math.log(found[-1][name].cpu_s / found[0][name].cpu_s) / span:6.2f}")


def merge_two(folder: Path, cards: int = 10_000) -> None:
    """Print what it costs to merge two stores that answered the same cards on days of their own."""
    for name, seed in (("here", 7), ("there", 8)):
        with open_store(folder / name / "study.db", now_ms=0) as store:
            fill(store, cards, REVIEWS_PER_CARD, seed=seed)
    with desk_of(folder / "here" / "study.db") as desk:
        cost = timed(lambda: merge_file(desk, folder / "there" / "study.db"))
        equal = rebuild(desk).equal
    print(f"merge of two stores of {cards * REVIEWS_PER_CARD} reviews on the same {cards} cards, copy included:")
    print(f"  {cost.wall_s:.2f} s wall, {cost.cpu_s:.2f} s cpu; the replayed log agrees: {equal}")


def main() -> None:
    """Measure what the command line names."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("cards", nargs="*", type=int, default=[1_000, 10_000])
    words.add_argument("--merge", action="store_true")
    words.add_argument("--keep", type=Path)
    asked = words.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = asked.keep or Path(place)
        found = [table(size, folder / str(size)) for size in sorted(asked.cards)]
        if len(found) > 1:
            grow(sorted(asked.cards), found)
        if asked.merge:
            merge_two(Path(place))


if __name__ == "__main__":
    main()
