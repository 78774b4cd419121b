"""An Anki package taken in all at once: the same store as row by row, whole or not at all."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studyapp.core.errors import DeckError
from studyapp.store import arrivals, bulk
from studyapp.study.desk import Desk, Options, open_desk
from studyapp.study.moving_anki import import_apkg
from studyapp.study.rebuilding import rebuild
from tests.decks.anki.build import CREATED_S, card, log, note, package
from tests.study.conftest import Watch

DAY_MS = 86_400_000
FSRS = {"s": 12.5, "d": 5.25}
Desks = Callable[..., Desk]
TABLES = ("reviews", "memory", "days", "forecasts", "unseen", "card_marks", "meta", "sqlite_master")


def at(day: int, more: int = 0) -> int:
    return CREATED_S * 1000 + day * DAY_MS + 43_200_000 + more


def any_package(path: Path, seed: int, cards: int = 40) -> Path:
    """Write a package of three decks with logs of every kind: answers, steps, lapses, cram, resets, none."""
    chance = random.Random(seed)
    notes = [note(n, [f"q{n}", "a"]) for n in range(1, cards + 1)]
    logs, held = [], []
    for n in range(1, cards + 1):
        kind = chance.choice(["new", "plain", "plain", "plain", "lapses", "any"])
        for day in sorted(chance.sample(range(1, 300), 0 if kind == "new" else chance.randrange(9))):
            ease, ivl = chance.randint(2, 4), chance.choice([1, 12, 40, -600])
            entry = (chance.choice([0, 1, 1, 2]), chance.choice([0, 500, 2300]))
            if kind == "lapses":
                ease, entry = chance.randint(1, 4), (1, 400)
            elif kind == "any":
                ease, entry = chance.randint(0, 4), (chance.randrange(6), chance.choice([0, 500]))
            logs.append(log(at(day, n), n, ease, ivl, entry[0], factor=entry[1], time=chance.randrange(90_000)))
        state = 0 if kind == "new" else chance.choice([1, 2, 2, 2, 3])
        queue = chance.choice([state, state, state, -1, -2])
        data = FSRS if chance.random() < 0.7 else {}
        more: dict[str, Any] = {
            "due": 400,
            "ivl": 5,
            "reps": 4,
            "factor": 2500,
            "flags": chance.randrange(3),
            "data": data,
        }
        held.append(card(n, n, did=chance.randint(1, 3), type=state, queue=queue, **more))
    return package(path, notes, held, logs, decks={1: "One", 2: "Two", 3: "Three::Below"})


def everything(desk: Desk) -> dict[str, list[Any]]:
    """Return what a store holds, in an order that does not depend on the way in."""
    with desk.store.alone() as raw:
        found = {name: sorted(raw.execute(f"SELECT * FROM {name}"), key=repr) for name in TABLES}
    found["sqlite_master"] = sorted((row[0], row[1], row[4]) for row in found["sqlite_master"] if row[4])
    found["meta"] = [row for row in found["meta"] if row[0].startswith("anki-mods")]
    return found


def desk_in(folder: Path, watch: Watch) -> Desk:
    return open_desk(folder / "study.db", clock=watch, options=Options(), status_path=folder / "status.json")


@pytest.mark.parametrize("seed", range(6))
def test_all_at_once_leaves_the_store_that_row_by_row_leaves(
    seed: int, desk_of: Desks, tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.set("2026-12-02T10:00", zone=("UTC", "Europe/Paris", "America/St_Johns")[seed % 3])
    path = any_package(tmp_path / "x.apkg", seed)
    slow, fast = desk_of(), desk_in(tmp_path / "fast", watch)
    expected = import_apkg(slow, path)
    monkeypatch.setattr(bulk, "MANY", 10)
    monkeypatch.setattr(bulk, "MANY_CARDS", 10)

    with fast:
        assert import_apkg(fast, path) == expected

        assert everything(fast) == everything(slow)
        assert fast.store.check_rollups() == []
        assert fast.store.integrity() == []
        assert rebuild(fast).equal
        assert import_apkg(fast, path).reviews == 0
        assert everything(fast) == everything(slow)


def test_more_than_there_is_comes_all_at_once_beside_it(
    desk_of: Desks, tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.set("2026-12-02T10:00")
    small, large = any_package(tmp_path / "s.apkg", 1, 12), any_package(tmp_path / "l.apkg", 2, 60)
    slow, fast = desk_of(), desk_in(tmp_path / "fast", watch)
    for path in (small, large):
        import_apkg(slow, path)

    with fast:
        import_apkg(fast, small)
        monkeypatch.setattr(bulk, "MANY", 10)
        monkeypatch.setattr(bulk, "MANY_CARDS", 10)
        import_apkg(fast, large)

        assert everything(fast) == everything(slow)
        assert fast.store.check_rollups() == []


def test_a_rehearsal_counts_what_would_come(desk_of: Desks, tmp_path: Path, watch: Watch) -> None:
    watch.set("2026-12-02T10:00")
    desk, path = desk_of(), any_package(tmp_path / "x.apkg", 3)
    before = everything(desk)

    rehearsed = import_apkg(desk, path, dry_run=True)

    assert everything(desk) == before
    done = import_apkg(desk, path)
    assert rehearsed.reviews == done.reviews > 50
    assert rehearsed.count_line == done.count_line


KILLED = """
import os, signal, sys
from pathlib import Path
from studyapp.store import arrivals, bulk
from studyapp.study.desk import Options, open_desk
from studyapp.study.moving_anki import import_apkg
from tests.study.conftest import Watch

bulk.MANY = bulk.MANY_CARDS = 10
place = Path(sys.argv[1])
watch = Watch("2026-12-02T10:00")
desk = open_desk(place / "study.db", clock=watch, options=Options(), status_path=place / "s.json")


def die(raw, last):
    raw.execute("PRAGMA cache_size = 1")  # what was written goes to the disk
    os.kill(os.getpid(), signal.SIGKILL)


arrivals.count_new = die
import_apkg(desk, Path(sys.argv[2]))
"""


def test_a_killed_import_leaves_nothing_behind_in_the_store(tmp_path: Path, watch: Watch) -> None:
    watch.set("2026-12-02T10:00")
    path = any_package(tmp_path / "x.apkg", 4)
    with desk_in(tmp_path, watch) as desk:
        before = everything(desk)

    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(path)], check=False)

    assert done.returncode == -signal.SIGKILL
    with desk_in(tmp_path, watch) as desk:
        assert everything(desk) == before
        assert desk.store.integrity() == []
        assert len(list(tmp_path.glob(".anki-*"))) == 1
        assert import_apkg(desk, path).reviews > 50
        assert desk.store.check_rollups() == []
        assert list(tmp_path.glob(".anki-*")) == []


def test_what_fails_while_sqlite_pours_takes_everything_back(
    desk_of: Desks, tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.set("2026-12-02T10:00")
    monkeypatch.setattr(bulk, "MANY", 10)
    desk, path = desk_of(), any_package(tmp_path / "x.apkg", 5)
    before = everything(desk)

    def fail(*_: object) -> None:
        raise ValueError("too odd")

    with monkeypatch.context() as patch:
        patch.setattr("studyapp.study.anki_pasts.Historian.told", fail)
        with pytest.raises(DeckError, match="too odd"):
            import_apkg(desk, path)

    assert everything(desk) == before
    assert import_apkg(desk, path).reviews > 50


def test_a_card_answered_in_another_window_meanwhile_keeps_that_answer(
    desk_of: Desks, tmp_path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.set("2026-12-02T10:00")
    logs = [log(at(20), 1, 3, 9), log(at(29), 1, 3, 30)]
    path = package(
        tmp_path / "x.apkg", [note(1, ["q", "a"])], [card(1, 1, type=2, queue=2, reps=2, data=FSRS)], logs
    )
    desk, looks = desk_of(), list[int]()
    plain = arrivals.bring

    def late(store: Any, *given: Any, **more: Any) -> Any:
        if not looks:
            with sqlite3.connect(store.path) as other:
                columns = (
                    "uid, device, counter, card, rating, kind, at_ms, ordered_ms, offset_min, zone, study_day"
                )
                other.execute(
                    f"INSERT INTO reviews ({columns}, elapsed_days, duration_ms, parameters, text_hash, "
                    "clock_ahead, action) VALUES (x'01', x'02', 1, 'anki-guid1:1', 0, 'manual', ?, ?, 0, 'UTC', "
                    "739000, 0, 0, '', '', 0, 'suspend')",
                    (at(100), at(100)),
                )
            other.close()
        looks.append(1)
        return plain(store, *given, **more)

    monkeypatch.setattr(type(desk.store), "bring", late)
    report = import_apkg(desk, path)

    assert (len(looks), report.new, report.reviews) == (2, 1, 2)
    assert [row.action for row in desk.store.reviews("anki-guid1:1")] == ["", "", "import", "suspend"]
    assert rebuild(desk).equal
