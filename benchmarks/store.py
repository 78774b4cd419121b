"""An answer stored and the next card fetched: our store against Anki's library, answer by answer, on one disk.

Both keep the answer durably (a write-ahead log, synchronised at every commit). Without an interpreter that has the
`anki` package nothing is measured: name one in BENCH_ANKI_PYTHON. It is a peer to measure against, nothing more.

    BENCH_ANKI_PYTHON=.anki/bin/python python -m benchmarks.run store
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks import setting
from benchmarks.ratios import Figure, against
from studyapp.core.cards import Card, Module
from studyapp.core.reviews import Rating
from studyapp.settings import load
from studyapp.study.desk import Desk
from studyapp.study.opening import open_desk_from
from studyapp.study.reviewing import Sitting

CARDS = 10_000
WARM_UP = 20
MOST = 280
"""The store lets in 300 new cards on a day at most."""


def measure(rounds: int = 250) -> list[Figure]:
    """Return the ratios of the medians and of the slowest percents; nothing where there is no Anki."""
    python = os.environ.get("BENCH_ANKI_PYTHON") or (sys.executable if find_spec("anki") else "")
    if not python:
        print("store: no interpreter with anki; set BENCH_ANKI_PYTHON")
        return []
    rounds = min(rounds, MOST - WARM_UP)
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory(prefix="studyapp-bench-") as name:
        folder = Path(name)
        peer = subprocess.Popen(
            [python, str(setting.PROGRAMS / "anki_answers.py"), name, str(CARDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with peer, _desk(folder) as desk:
            assert peer.stdin is not None
            assert peer.stdout is not None
            peer.stdout.readline()
            sitting = Sitting(desk)
            showing = sitting.next()
            for _ in range(rounds + WARM_UP):
                assert showing is not None
                begin = time.perf_counter()
                sitting.grade(showing, Rating.EASY, duration_ms=4000)
                showing = sitting.next()
                ours.append(time.perf_counter() - begin)
                peer.stdin.write("\n")
                peer.stdin.flush()
                theirs.append(float(peer.stdout.readline()))
            peer.stdin.close()
    ours, theirs = ours[WARM_UP:], theirs[WARM_UP:]
    what = f"answer + next card, {CARDS:,} cards"
    return [
        against(f"{what} / Anki", ours, theirs, 1.8),
        against(f"{what}, p99 / Anki", ours, theirs, 0.5, pick=lambda found: found.p99),
    ]


def _desk(folder: Path) -> Desk:
    """Return an open desk with a deck of new cards, all of them released, without a daily limit."""
    flags: dict[str, str | None] = {"data_dir": str(folder / "data"), "new_minutes": "600", "release": "all"}
    desk = open_desk_from(load(flags, environ={"HOME": str(folder), "TZ": "UTC"}))
    cards = tuple(
        Card(f"c{n}", "basic", f"question-{n:05d}", f"answer-{n:05d}", explicit_id=True) for n in range(CARDS)
    )
    moment = desk.clock()
    desk.store.save_module(
        Module("bench", "Bench", "", (), cards, "bench.md"), source_hash="bench", now_ms=moment.at_ms
    )
    desk.store.mark_read("bench", None, at_ms=moment.at_ms, study_day=moment.study_day)
    return desk
