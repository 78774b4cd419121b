"""Kill a scripted review at random instants and look whether anything was lost or counted twice.

    python -m benchmarks.kills [KILLS]

Each time a child opens the store and reviews through the same code as the screens: answers, undo, cards put away,
an idle moment. It says what it has stored, as a screen would, and dies by SIGKILL at a random instant, opening and
checkpoint included. Then the store is opened: everything that was said must be there, once, at most one action
more than was said, and memory, marks and daily figures must be what the log says.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from studyapp.core.cards import Card, Module
from studyapp.core.days import Moment
from studyapp.core.reviews import Memory, Rating
from studyapp.core.scheduling import Policy, preview
from studyapp.store.database import open_store
from studyapp.study.desk import Desk, Options
from studyapp.study.rebuilding import rebuild
from studyapp.study.reviewing import Sitting

CARDS = 40
LONGEST_S = 0.25
"""The latest instant of a kill; a child opens the store in the first tenth of that (measured, 2 EPYC cores)."""


@dataclass
class Tally:
    """What the kills have done so far."""

    kills: int = 0
    said: int = 0
    """Actions that a child had shown as stored."""
    unsaid: int = 0
    """Kills after which one action more was in the store: it died between the commit and the word."""
    lost: int = 0
    doubled: int = 0
    unsound: int = 0
    """Kills after which memory, marks, figures or file were not what the log says."""


def desk_of(path: Path) -> Desk:
    """Open the store as the program does."""
    store = open_store(path, now_ms=0)
    return Desk(store, _now, Options(), path.with_name("status.json"))


def _now() -> Moment:
    return Moment(datetime.now(timezone.utc), timezone.utc, "UTC")


def review(path: Path, say: int, seed: int) -> None:
    """Review until killed; write the id of every row once it is stored."""
    chance = random.Random(seed)
    with desk_of(path) as desk:
        sitting = Sitting(desk)
        while True:
            card = f"c{chance.randrange(CARDS)}"
            what = chance.random()
            if what < 0.1 and (row := sitting.undo()) is not None:
                uid = next(r.uid for r in desk.store.reviews(row.card, effective_only=False) if r.voids == row.uid)
            elif what < 0.2:
                desk.store.set_suspended(card, chance.random() < 0.5, at=_now())
                uid = desk.store.reviews(card)[-1].uid
            elif what < 0.25:
                desk.store.idle()
                continue
            else:
                showing = sitting.show(card)
                assert showing is not None
                uid = sitting.grade(showing, Rating(chance.randint(1, 4)), duration_ms=500).row.uid
            os.write(say, bytes.fromhex(uid))


def kill_once(path: Path, tally: Tally, chance: random.Random) -> None:
    """Let one child review, kill it, and compare the store with what it said."""
    with desk_of(path) as desk:
        before = [row.uid for row in desk.store.reviews(effective_only=False)]
    hear, say = os.pipe()
    seed = chance.randrange(2**32)
    child = os.fork()
    if not child:
        os.close(hear)
        try:
            review(path, say, seed)
        finally:
            os._exit(1)
    os.close(say)
    time.sleep(chance.uniform(0, LONGEST_S))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(hear, "rb") as pipe:
        heard = pipe.read()
    _compare(path, tally, before, [heard[i : i + 16].hex() for i in range(0, len(heard), 16)])


def _compare(path: Path, tally: Tally, before: list[str], said: list[str]) -> None:
    with desk_of(path) as desk:
        rows = desk.store.reviews(effective_only=False)
        after = [row.uid for row in rows]
        showings = [row.showing for row in rows if row.showing]
        tally.kills += 1
        tally.said += len(said)
        tally.lost += len({*before, *said} - set(after))
        more = len(set(after) - {*before, *said})
        tally.unsaid += more == 1
        tally.doubled += len(after) - len(set(after)) + len(showings) - len(set(showings)) + max(0, more - 1)
        tally.unsound += not (rebuild(desk).equal and desk.store.integrity() == [])


def run(kills: int, folder: Path, seed: int = 1) -> Tally:
    """Kill so many times, with a new store every fifty, so that each look at the log stays short."""
    preview("warm", Memory(), 0, 1, Policy())  # imports fsrs here rather than in every child
    tally, chance = Tally(), random.Random(seed)
    for number in range(kills):
        path = folder / str(number // 50) / "study.db"
        if number % 50 == 0:
            with desk_of(path) as desk:
                cards = tuple(Card(f"c{n}", "basic", f"{n}?", f"{n}.") for n in range(CARDS))
                desk.store.save_module(Module("m", "m", cards=cards), source_hash="m", now_ms=0)
        kill_once(path, tally, chance)
    return tally


def main(words: list[str]) -> int:
    kills = int(words[0]) if words else 500
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        tally = run(kills, Path(folder))
    print(f"{tally.kills} kills in {time.perf_counter() - began:.0f} s, {tally.said} actions said to be stored:")
    print(f"{tally.lost} lost, {tally.doubled} doubled, {tally.unsound} stores unsound; {tally.unsaid} kills fell")
    print("between a commit and its word (stored once, not yet shown).")
    return int(bool(tally.lost or tally.doubled or tally.unsound))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
