"""A machine of a learner: a store with a clock of its own, and what can be done on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from studyapp.core.cards import Card, Module
from studyapp.core.cram import CRAM
from studyapp.core.days import Moment
from studyapp.core.predictions import Prediction, Sure
from studyapp.core.replay import replay_all
from studyapp.core.reviews import Memory, Rating
from studyapp.core.scheduling import Policy
from studyapp.core.verdicts import Facts
from studyapp.store.database import NewRun, open_store
from studyapp.study.cramming import sit_down
from studyapp.study.desk import Desk, Options
from studyapp.study.merging import merge_file
from studyapp.study.rebuilding import policies, rebuild
from studyapp.study.reviewing import Sitting

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
CARDS = ("a", "b", "c")


class Machine:
    """A desk with a clock of its own, which may stand wrong."""

    def __init__(self, path: Path, *, retention: float = 0.9) -> None:
        self.path, self.now = path, START
        policy = Policy(desired_retention=retention)
        store = open_store(path, now_ms=0)
        self.desk = Desk(store, self.clock, Options(policy), path.with_name(f"{path.stem}.json"))

    @classmethod
    def of(cls, desk: Desk) -> Machine:
        """Return the machine whose desk this is."""
        found: Machine = desk.clock.__self__  # type: ignore[attr-defined]
        return found

    def clock(self) -> Moment:
        return Moment(self.now, timezone.utc, "UTC")

    def has(self, *cards: str, module: str = "gpu") -> Machine:
        authored = tuple(Card(f"{module}/{name}", "basic", f"{name}?", f"{name}.") for name in cards)
        self.desk.store.save_module(Module(module, module, cards=authored), source_hash=module, now_ms=0)
        return self

    def answer(self, card: str, rating: int = 3, run: str | None = None) -> None:
        sitting = Sitting(self.desk)
        showing = sitting.show(card)
        assert showing is not None
        sitting.grade(showing, Rating(rating), duration_ms=1000, run=run)

    def cram(self, card: str, rating: int) -> None:
        sitting = sit_down(self.desk, wish=CRAM)
        showing = sitting.show(card)
        assert showing is not None
        sitting.grade(showing, Rating(rating), duration_ms=1000)

    def undo(self) -> None:
        Sitting(self.desk).undo()

    def suspend(self, card: str) -> None:
        found = self.desk.store.card(card)
        assert found is not None
        self.desk.store.set_suspended(card, not found.suspended, at=self.clock())

    def bury(self, card: str) -> None:
        self.desk.store.bury(card, self.clock().study_day + 1, at=self.clock())

    def run(self, value: float) -> None:
        made = Prediction(value, Sure.GUESS, self.clock().at_ms)
        uid = self.desk.store.save_prediction(made, experiment="kept", controls={}, device="cpu")
        if value > 5:
            self.end(uid)

    def end(self, prediction: str) -> None:
        self.desk.store.save_run(NewRun("kept", {}, Facts(), self.clock().at_ms, 1), [], None, prediction)

    def read(self, section: int) -> None:
        with self.desk.store.write() as connection:
            connection.exec_driver_sql(
                "INSERT INTO readings (module, section, at_ms, study_day) VALUES ('gpu', ?, ?, ?)",
                (f"s{section}", self.clock().at_ms, self.clock().study_day),
            )

    def note(self, number: int) -> None:
        now = self.clock()
        kind, value = ("rest", "on" if number % 3 else "off") if number < 7 else ("neutral", "")
        self.desk.store.put_day_note(now.study_day + number % 2, kind, value, at_ms=now.at_ms)

    def merge(self, other: Machine) -> Any:
        return merge_file(self.desk, other.path)


def record(machine: Machine) -> dict[str, list[tuple[Any, ...]]]:
    """Return the record: rows by id, derived state, figures; not what belongs to the place alone."""
    with machine.desk.store.read() as connection:

        def rows(query: str) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in connection.exec_driver_sql(query)]

        return {
            "log": rows("SELECT * FROM reviews ORDER BY uid"),
            "memory": rows("SELECT * FROM memory ORDER BY card"),
            "marks": rows("SELECT id, suspended, buried_until_day FROM cards ORDER BY id"),
            "runs": rows("SELECT * FROM runs ORDER BY uid"),
            "points": rows("SELECT * FROM points ORDER BY run, seq"),
            "predictions": rows("SELECT * FROM predictions ORDER BY uid"),
            "readings": rows("SELECT DISTINCT module, section, at_ms, study_day FROM readings ORDER BY 1, 2, 3"),
            "notes": rows("SELECT * FROM day_notes ORDER BY 1, 2"),
            "days": rows("SELECT * FROM days WHERE n <> 0 ORDER BY 1, 2, 3, 4, 5"),
        }


@contextmanager
def machines(count: int, **more: Any) -> Iterator[list[Machine]]:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        found = []
        for number in range(count):
            found.append(Machine(Path(folder) / str(number) / "study.db", **more))
            stack.enter_context(found[-1].desk)
        yield found


def copied(machine: Machine, folder: Path, **more: Any) -> Machine:
    """Return the machine as a copied home has it."""
    machine.desk.store.idle()
    folder.mkdir()
    shutil.copy(machine.path, folder / "study.db")
    return Machine(folder / "study.db", **more)


def assert_whole(machine: Machine) -> None:
    """The stored memory is what the whole log says, as the core replays it; figures and file are sound."""
    found = rebuild(machine.desk)
    assert found.equal, found
    rows = machine.desk.store.reviews(effective_only=False)
    memories = replay_all(rows, policies(machine.desk))
    for card in machine.desk.store.cards(include_hidden=True):
        assert card.memory == memories.get(card.id, Memory())
    assert machine.desk.store.integrity() == []
