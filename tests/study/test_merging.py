from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from studyapp.core.errors import StoreError
from studyapp.core.reviews import State
from studyapp.store.database import Store
from studyapp.study.merging import merge_file
from tests.study.machine import Machine, assert_whole, copied, machines, record


def test_cards_of_a_lesson_that_only_one_side_has_come_along_hidden_and_show_with_the_lesson() -> None:
    with machines(2) as (here, there):
        here.has("a")
        there.has("x", module="other").answer("other/x")

        merged = here.merge(there)

        card = here.desk.store.card("other/x")
        assert card is not None
        assert (merged.reviews, merged.cards, card.hidden, card.memory.reps) == (1, 1, True, 1)
        assert [module.id for module in here.desk.store.modules()] == ["gpu"]
        here.has("x", module="other")
        card = here.desk.store.card("other/x")
        assert card is not None
        assert (card.hidden, card.memory.reps) == (False, 1)


def test_answers_to_one_card_on_two_machines_are_replayed_in_the_order_of_their_clocks() -> None:
    with machines(2) as (here, there):
        here.has("a").answer("gpu/a", 3)
        there.has("a")
        there.now += timedelta(days=2)
        there.answer("gpu/a", 4)

        here.merge(there)

        card = here.desk.store.card("gpu/a")
        assert card is not None
        assert (card.memory.reps, card.memory.state, card.memory.last_day) == (
            2,
            State.REVIEW,
            there.clock().study_day,
        )
        assert [row.rating for row in here.desk.store.reviews("gpu/a")] == [3, 4]
        assert_whole(here)


def test_a_card_suspended_on_one_side_is_suspended_and_keeps_the_answers_of_the_other() -> None:
    with machines(2) as (here, there):
        here.has("a").answer("gpu/a")
        there.has("a")
        there.now += timedelta(days=1)
        there.suspend("gpu/a")

        here.merge(there)
        there.merge(here)

        for machine in (here, there):
            card = machine.desk.store.card("gpu/a")
            assert card is not None
            assert (card.suspended, card.memory.reps) == (True, 1)
            assert_whole(machine)


def test_an_answer_taken_back_on_one_copy_of_a_home_counts_on_neither(tmp_path: Path) -> None:
    with machines(1) as (here,):
        here.has("a").answer("gpu/a")
        with copied(here, tmp_path / "copy").desk as desk:
            there = Machine.of(desk)
            there.undo()
            here.answer("gpu/a", 4)

            here.merge(there)

            card = here.desk.store.card("gpu/a")
            assert card is not None
            assert card.memory.reps == 1
            assert here.desk.store.active_days() == {here.clock().study_day: 1}
            assert_whole(here)


def test_a_backup_brought_back_and_merged_with_what_it_lost_has_everything(tmp_path: Path) -> None:
    with machines(1) as (here,):
        here.has("a", "b").answer("gpu/a")
        with copied(here, tmp_path / "old").desk as desk:  # the state that is brought back
            old = Machine.of(desk)
            here.answer("gpu/b")
            old.answer("gpu/b", 1)

            old.merge(here)

            assert len(old.desk.store.reviews()) == 3
            assert {row.device for row in old.desk.store.reviews()} == {
                here.desk.store.device,
                old.desk.store.device,
            }
            assert_whole(old)


def test_the_other_store_is_not_touched_and_this_one_is_copied_first() -> None:
    with machines(2) as (here, there):
        here.has("a").answer("gpu/a")
        there.has("b").answer("gpu/b")
        there.desk.close()
        before = {path.name: path.read_bytes() for path in there.path.parent.iterdir()}

        here.merge(there)

        assert {path.name: path.read_bytes() for path in there.path.parent.iterdir()} == before
        (copy,) = (here.path.parent / "backups").iterdir()
        assert copy.name.endswith("-before-merge.db")
        with closing(sqlite3.connect(copy)) as raw:
            assert raw.execute("SELECT card FROM reviews").fetchall() == [("gpu/a",)]


def test_a_second_merge_writes_nothing_and_makes_no_copy() -> None:
    with machines(2) as (here, there):
        there.has("b").answer("gpu/b")
        here.merge(there)
        before = (record(here), sorted(here.path.parent.rglob("*")))

        assert not here.merge(there).anything

        assert (record(here), sorted(here.path.parent.rglob("*"))) == before


def test_a_store_that_others_are_writing_to_is_read_as_it_stands_between_two_answers() -> None:
    with machines(2) as (here, there):
        there.has("a", "b").answer("gpu/a")  # its log is still in the WAL
        here.merge(there)
        there.answer("gpu/b")

        assert here.merge(there).reviews == 1


def _foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE songs (title TEXT)")


def _newer(path: Path) -> None:
    Machine(path).desk.close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '0999'")
        raw.commit()


def _damaged(path: Path) -> None:
    with Machine(path).has(*"abcdefgh").desk as desk:
        desk.store.idle()
    content = bytearray(path.read_bytes())
    content[20 * 4096 : 30 * 4096] = b"\xff" * (10 * 4096)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.write_bytes(b"notes" * 1000), "is not a studyapp store"),
        (lambda path: path.touch(), "but not a studyapp store"),
        (_foreign, "but not a studyapp store"),
        (_newer, "newer studyapp"),
        (_damaged, "damaged"),
    ],
)
def test_what_is_no_sound_store_is_refused_in_words_and_changes_nothing(
    tmp_path: Path, make: Any, words: str
) -> None:
    other = tmp_path / "other" / "study.db"
    other.parent.mkdir()
    make(other)
    digest = hashlib.sha256(other.read_bytes()).hexdigest()
    with machines(1) as (here,):
        here.has("a").answer("gpu/a")
        before = record(here)

        with pytest.raises(StoreError, match=words):
            merge_file(here.desk, other)

        assert record(here) == before
        assert sorted(path.name for path in here.path.parent.iterdir() if path.is_dir()) == []
    assert hashlib.sha256(other.read_bytes()).hexdigest() == digest


def test_a_store_is_not_merged_with_itself_or_with_nothing() -> None:
    with machines(1) as (here,):
        with pytest.raises(StoreError, match="is this store itself"):
            merge_file(here.desk, here.path)
        with pytest.raises(StoreError, match="There is no file"):
            merge_file(here.desk, here.path.with_name("gone.db"))


def test_a_failure_in_the_middle_leaves_the_store_as_it_was() -> None:
    class NoPatienceError(Exception):
        pass

    def impatient(what: str, done: int, total: int) -> None:
        if what == "cards" and done == total:
            raise NoPatienceError

    with machines(2) as (here, there):
        here.has("a").answer("gpu/a")
        there.has("a").answer("gpu/a", 1)
        before = record(here)

        with pytest.raises(NoPatienceError):
            merge_file(here.desk, there.path, impatient)

        assert record(here) == before
        assert here.merge(there).reviews == 1


def _edit(store: Store, query: str) -> None:
    with store.write() as connection:
        connection.exec_driver_sql(query)


@pytest.mark.parametrize(
    ("query", "table"),
    [
        ("UPDATE reviews SET rating = 1, duration_ms = 7", "log"),
        ("UPDATE runs SET because = 'Edited.'", "runs"),
        ("UPDATE predictions SET value = 1", "predictions"),
    ],
)
def test_one_id_with_two_contents_keeps_both_alike_on_every_machine(
    tmp_path: Path, query: str, table: str
) -> None:
    with machines(1) as (here,):
        here.has("a").run(9.0)
        here.answer("gpu/a")
        with copied(here, tmp_path / "copy").desk as desk, copied(here, tmp_path / "third").desk as other:
            there, third = Machine.of(desk), Machine.of(other)
            _edit(there.desk.store, query)

            merged = here.merge(there)
            there.merge(third)

            assert merged.twice == 1
            assert len(record(here)[table]) == 2
            assert record(here) == record(there)
            assert not here.merge(there).anything
            assert_whole(here)


def test_a_prediction_made_before_the_copy_takes_the_run_that_ended_elsewhere(tmp_path: Path) -> None:
    with machines(1) as (here,):
        here.has("a").run(3.0)  # committed, not run yet
        with copied(here, tmp_path / "copy").desk as desk:
            there = Machine.of(desk)
            (made,) = there.desk.store.predictions()
            there.end(made.uid)

            here.merge(there)
            there.merge(here)

            (ended,) = here.desk.store.predictions()
            assert ended.run is not None
            assert record(here) == record(there)


def test_only_the_earliest_prediction_of_two_machines_counts_for_calibration() -> None:
    with machines(2) as (here, there):
        there.now -= timedelta(days=1)
        here.has("a").run(9.0)
        there.has("a").run(8.0)

        here.merge(there)

        assert [p.prediction.value for p in here.desk.store.predictions(first_only=True)] == [8.0]


def test_one_showing_answered_on_two_clones_is_two_rows_after_a_merge(tmp_path: Path) -> None:
    with machines(1) as (here,):
        here.has("a")
        with copied(here, tmp_path / "clone").desk as desk:
            there = Machine.of(desk)
            for machine in (here, there):
                machine.answer("gpu/a")
                _edit(machine.desk.store, "UPDATE reviews SET showing = 'the same key'")

            here.merge(there)
            there.merge(here)

            assert len(here.desk.store.reviews()) == 2
            assert record(here) == record(there)
            assert not here.merge(there).anything
