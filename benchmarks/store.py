"""The store beside Anki's, on histories of the same size: answer and next, undo, opening, counts, backup.

    python -m benchmarks.store [CARDS ...]

Ten answers a card. Both write durably (WAL, full sync) into the same folder; rounds alternate. Where the PyPI
package `anki` is missing, its column stays empty. Ours are the calls that a sitting makes for a key press.
"""

from __future__ import annotations

import contextlib
import gc
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from benchmarks.history import TODAY, fill
from studyapp.core.days import Moment
from studyapp.core.reviews import Rating
from studyapp.store.database import open_store
from studyapp.study.desk import Desk, Options
from studyapp.study.rebuilding import rebuild
from studyapp.study.reviewing import Sitting
from studyapp.study.statistics import gather
from studyapp.study.today import counts_today, streak_today

ANSWERS = 200
LEAST_DUE = 700
"""Enough for three rounds of answers that are taken back in part."""
REVIEWS_PER_CARD = 10
NOW = datetime.fromordinal(TODAY).replace(hour=12, tzinfo=timezone.utc)


def now() -> Moment:
    return Moment(NOW, timezone.utc, "UTC")


def desk_of(path: Path) -> Desk:
    options = Options(reviews_per_day=99_999)
    return Desk(open_store(path, now_ms=0), now, options, path.with_name("status.json"))


def timed(work: Callable[[], object]) -> float:
    """Return the seconds a call takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ours(path: Path) -> dict[str, float]:
    """Return seconds by what is done, for our store."""
    found: dict[str, float] = {}
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
    found |= spread("undo", [timed(lambda: take_back(**stamp)) for _ in range(100)], p99=False)
    found["counts of today"] = statistics.median(timed(lambda: counts_today(desk)) for _ in range(5))
    found["heatmap + streak"] = statistics.median(timed(lambda: streak_today(desk)) for _ in range(5))
    found["statistics"] = timed(lambda: gather(desk))
    found["backup"] = timed(lambda: desk.store.backup(path.with_name("copy.db")))
    found["rebuild"] = timed(lambda: rebuild(desk))
    desk.close()
    return found


def spread(name: str, times: list[float], *, p99: bool = True) -> dict[str, float]:
    ordered = sorted(times)
    found = {name: statistics.median(ordered)}
    if p99:
        found[f"{name}, p99"] = ordered[int(len(ordered) * 0.99)]
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


def anki(path: Path) -> dict[str, float]:
    """Return seconds by what is done, for Anki's own library."""
    from anki.collection import Collection
    from anki.scheduler.v3 import CardAnswer

    found: dict[str, float] = {}
    opened: list[Any] = []

    def begin() -> None:
        col = Collection(str(path))
        opened.extend((col, col.sched.get_queued_cards(fetch_limit=1)))

    found["open + first card"] = timed(begin)
    col, queue = opened

    def answer_and_next() -> float:
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
        began = time.perf_counter()
        col.sched.answer_card(given)
        queue = col.sched.get_queued_cards(fetch_limit=1)
        return time.perf_counter() - began

    found |= spread("answer + next", [answer_and_next() for _ in range(ANSWERS)])
    found |= spread("undo", [timed(col.undo) for _ in range(25)], p99=False)
    found["counts of today"] = statistics.median(timed(col.sched.deck_due_tree) for _ in range(5))
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


def measure(cards: int, folder: Path) -> None:
    """Print the table for one size."""
    mine, theirs = folder / "ours" / "study.db", folder / "anki" / "collection.anki2"
    theirs.parent.mkdir(parents=True)
    with open_store(mine, now_ms=0) as store:
        fill(store, cards, REVIEWS_PER_CARD, due_share=max(0.02, LEAST_DUE / cards))
        due = len(store.queue_rows(now().study_day, now().at_ms))
    gc.collect()
    if has_anki():
        fill_anki(theirs, cards, due / cards)
    rounds = [(ours(mine), anki(theirs) if has_anki() else {}) for _ in range(3)]
    print(f"{cards} cards, {cards * REVIEWS_PER_CARD} reviews, {due} due: median of 3 rounds, ms")
    for name in rounds[0][0]:
        us = statistics.median(round_[0][name] for round_ in rounds) * 1e3
        them = [round_[1][name] for round_ in rounds if name in round_[1]]
        other = statistics.median(them) * 1e3 if them else None
        ratio = f"{other:10.2f}  {us / other:5.2f}x" if other else ""
        print(f"  {name:22} {us:10.2f} {ratio}")


if __name__ == "__main__":
    for size in [int(word) for word in sys.argv[1:]] or [1_000, 10_000]:
        with tempfile.TemporaryDirectory(dir=Path.cwd() if "--here" in sys.argv else None) as place:
            measure(size, Path(place))
