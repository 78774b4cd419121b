from __future__ import annotations

from studyapp.store.card_marks import Mark, Marked, marks_of, set_marks
from studyapp.store.database import Store
from studyapp.store.exporting import marks, since
from tests.store.build import NOW_MS
from tests.study.machine import machines, record


def test_a06_a_mark_taken_off_after_the_clock_was_set_back_is_off(store: Store) -> None:
    set_marks(store, [Mark("a", "tag:x", True)], at_ms=NOW_MS)
    set_marks(store, [Mark("a", "tag:x", False)], at_ms=NOW_MS - 86_400_000)
    assert marks_of(store, ["a"]) == {}
    with store.read() as connection:
        assert connection.exec_driver_sql("SELECT at_ms FROM card_marks").scalar() == NOW_MS + 1


def test_two_flags_set_on_two_machines_show_as_the_later_one(store: Store) -> None:
    set_marks(store, [Mark("a", "flag:red", True)], at_ms=NOW_MS)
    set_marks(store, [Mark("a", "flag:blue", True)], at_ms=NOW_MS)
    assert marks_of(store, ["a"]) == {"a": Marked((), "blue")}


def test_marks_travel_and_the_later_one_wins_whoever_merges_first() -> None:
    with machines(2) as (here, there):
        here.has("a", "b")
        there.has("a", "b")
        at_ms = here.clock().at_ms
        set_marks(here.desk.store, [Mark("gpu/a", "tag:x", True), Mark("gpu/b", "flag:red", True)], at_ms=at_ms)
        set_marks(there.desk.store, [Mark("gpu/a", "tag:y", True), Mark("gpu/b", "flag:red", True)], at_ms=at_ms)
        set_marks(there.desk.store, [Mark("gpu/b", "flag:red", False)], at_ms=at_ms + 5)
        here.merge(there)
        there.merge(here)
        for machine in (here, there):
            assert marks_of(machine.desk.store, ["gpu/a", "gpu/b"]) == {"gpu/a": Marked(("x", "y"))}
        assert record(here) == record(there)
        assert not here.merge(there).anything


def test_marks_since_the_last_push_are_pushed_once(store: Store) -> None:
    set_marks(store, [Mark("a", "tag:x", True)], at_ms=NOW_MS)
    with store.read() as connection:
        mark = marks(connection)
        assert any(line.startswith('{"card_marks"') for line in since(connection, {}, []))
        assert list(since(connection, mark, [])) == []
    set_marks(store, [Mark("b", "tag:x", True)], at_ms=NOW_MS)
    with store.read() as connection:
        again = [line for line in since(connection, mark, []) if line.startswith('{"card_marks"')]
    assert len(again) == 1
