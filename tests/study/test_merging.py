"""Two stores become one, whoever merges first and however often: what learners do on two machines, by chance."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta, timezone
from itertools import permutations
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from studyapp.core.cards import Card, Module
from studyapp.core.days import Moment
from studyapp.core.predictions import Prediction, Sure
from studyapp.core.replay import replay_all
from studyapp.core.reviews import Memory, Rating
from studyapp.core.scheduling import Policy
from studyapp.core.verdicts import Facts
from studyapp.store.database import NewRun, open_store
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
            self.desk.store.save_run(NewRun("kept", {}, Facts(), self.clock().at_ms, 1), [], None, uid)

    def read(self, section: int) -> None:
        with self.desk.store.write() as connection:
            connection.exec_driver_sql(
                "INSERT INTO readings (module, section, at_ms, study_day) VALUES ('gpu', ?, ?, ?)",
                (f"s{section}", self.clock().at_ms, self.clock().study_day),
            )

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
            "readings": rows("SELECT module, section, at_ms, study_day FROM readings ORDER BY 1, 2, 3"),
            "days": rows("SELECT * FROM days WHERE n <> 0 ORDER BY 1, 2, 3, 4, 5"),
        }


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("answer"), st.sampled_from(CARDS), st.integers(1, 4)),
        st.tuples(st.sampled_from(["undo", "suspend", "bury"]), st.sampled_from(CARDS), st.just(0)),
        st.tuples(st.just("clock"), st.just(""), st.sampled_from([-400, -1, 1, 3, 40, 400])),
        st.tuples(st.sampled_from(["run", "read"]), st.just(""), st.integers(1, 9)),
    ),
    max_size=7,
)


def live(machine: Machine, steps: list[tuple[str, str, int]]) -> None:
    for what, card, number in steps:
        machine.now += timedelta(minutes=7)
        if what == "answer":
            machine.answer(f"gpu/{card}", number)
        elif what == "undo":
            machine.undo()
        elif what in ("suspend", "bury"):
            getattr(machine, what)(f"gpu/{card}")
        elif what == "clock":
            machine.now += timedelta(days=number)
        else:
            getattr(machine, what)(float(number) if what == "run" else number)


@contextmanager
def machines(count: int, **more: Any) -> Iterator[list[Machine]]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        found = []
        for number in range(count):
            found.append(Machine(Path(folder) / str(number) / "study.db", **more))
            stack.enter_context(found[-1].desk)
        yield found


def close(machine: Machine) -> None:
    machine.desk.close()


def copied(machine: Machine, folder: Path, **more: Any) -> Machine:
    """Return the machine as a copied home has it."""
    machine.desk.store.idle()
    folder.mkdir()
    shutil.copy(machine.path, folder / "study.db")
    return Machine(folder / "study.db", **more)


QUICK = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)


@QUICK
@given(shared=STEPS, lives=st.tuples(STEPS, STEPS, STEPS), taken=st.integers(0, 5))
def test_a_merge_is_commutative_associative_and_idempotent(
    shared: list[tuple[str, str, int]], lives: tuple[list[tuple[str, str, int]], ...], taken: int
) -> None:
    """Three machines begin as copies of one home; one has other settings; then all merge in some order."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        origin = Machine(folder / "origin" / "study.db").has(*CARDS)
        live(origin, shared)
        homes = [copied(origin, folder / str(n), retention=(0.9, 0.9, 0.8)[n]) for n in range(3)]
        for machine in (origin, *homes):
            stack.enter_context(machine.desk)
        for machine, steps in zip(homes, lives, strict=True):
            live(machine, steps)
        expected = None
        for order in list(permutations(range(3)))[taken], (0, 1, 2):
            first, second, third = (copied(homes[n], folder / f"m{n}{len(list(folder.iterdir()))}") for n in order)
            for machine in (first, second, third):
                stack.enter_context(machine.desk)
            first.merge(second)
            first.merge(third)  # (first + second) + third
            second.merge(third)
            second.merge(homes[order[0]])  # (second + third) + first
            again = first.merge(second)
            assert not again.anything
            assert record(first) == record(second)
            expected = expected or record(first)
            assert record(first) == expected
            assert_whole(first)


def assert_whole(machine: Machine) -> None:
    """The stored memory is what the whole log says, as the core replays it; figures and file are sound."""
    found = rebuild(machine.desk)
    assert found.equal, found
    rows = machine.desk.store.reviews(effective_only=False)
    memories = replay_all(rows, policies(machine.desk))
    for card in machine.desk.store.cards(include_hidden=True):
        assert card.memory == memories.get(card.id, Memory())
    assert machine.desk.store.integrity() == []
