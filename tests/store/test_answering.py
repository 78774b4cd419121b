from __future__ import annotations

import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from studyapp.core.errors import StaleShowingError, StoreError
from studyapp.core.reviews import Kind, Memory, ReviewRow, State
from studyapp.store.database import Store, open_store
from tests.store.build import (
    DAY,
    DAY_MS,
    NOW_MS,
    ROOT,
    a_moment,
    a_row,
    answer,
    derived,
    in_review,
    python,
    undo,
    with_cards,
)


def test_an_answer_is_kept_whole_and_leads_to_its_memory(store: Store) -> None:
    with_cards(store, "a")
    after = Memory(State.LEARNING, 1, 2.3065, 2.118104, None, NOW_MS + 600_000, DAY, 1, 0, 0)
    row = a_row(
        "a",
        after=after,
        retrievability=0.875,
        run="f" * 32,
        parameters="fsrs6/21",
        text_hash="abc",
        elapsed_days=2,
        clock_ahead=True,
    )

    stored = store.record(row, expected=Memory())

    assert store.reviews() == [stored]
    assert (len(stored.uid), stored.device, stored.counter) == (32, store.device, 1)
    found = store.card("a")
    assert found is not None
    assert found.memory == after


def test_rows_count_up_on_their_device(store: Store) -> None:
    with_cards(store, "a", "b")

    counters = [answer(store, card).counter for card in ("a", "b", "a")]

    assert counters == [1, 2, 3]


def test_a08_the_same_showing_ten_times_is_one_row(store: Store) -> None:
    with_cards(store, "a")
    row = a_row("a", showing="a@12:00:00.123")

    store.record(row, expected=Memory())
    for _ in range(9):
        with pytest.raises(StaleShowingError):
            store.record(row, expected=Memory())

    assert len(store.reviews(effective_only=False)) == 1


def test_a08_the_same_showing_is_refused_even_from_the_memory_it_led_to(store: Store) -> None:
    with_cards(store, "a")
    row = a_row("a", showing="once")
    store.record(row, expected=Memory())
    before = derived(store)

    with pytest.raises(StaleShowingError, match="not stored twice"):
        store.record(a_row("a", showing="once", before=in_review()), expected=in_review())

    assert derived(store) == before


def test_d02_an_answer_on_a_card_that_changed_in_another_window_is_not_stored(path: Path, store: Store) -> None:
    with_cards(store, "a")
    with open_store(path, now_ms=NOW_MS) as other:
        answer(other, "a")

    with pytest.raises(StaleShowingError, match="another window"):
        store.record(a_row("a"), expected=Memory())

    assert len(store.reviews()) == 1


def test_an_answer_on_an_unknown_card_is_refused_by_name(store: Store) -> None:
    with pytest.raises(StoreError, match="no card 'ghost'"):
        store.record(a_row("ghost"), expected=Memory())


def test_a_cram_answer_leaves_the_memory_alone(store: Store) -> None:
    with_cards(store, "a")
    answer(store, "a")
    before = store.card("a")

    store.record(replace(a_row("a"), kind=Kind.CRAM, before=None, after=None), expected=in_review())

    assert store.card("a") == before
    assert store.active_days() == {DAY: 2}
    assert undo(store) is not None
    assert store.card("a") == before


def _five_answers(store: Store) -> list[dict[str, list[tuple[object, ...]]]]:
    with_cards(store, "a", "b", "c", "d")
    answer(store, "b", after=in_review(DAY, lapses=7, day=DAY - 9), study_day=DAY - 9)
    answer(store, "c", after=in_review(DAY, day=DAY - 4), study_day=DAY - 4)
    dumps = [derived(store)]
    relearning = Memory(State.RELEARNING, 0, 0.75, 8.5, None, NOW_MS + 600_000, DAY, 2, 8, 0)
    for card, changes in (
        ("a", {}),
        ("b", {"after": relearning, "rating": 1, "kind": Kind.REVIEW}),  # the eighth lapse: a leech
        ("c", {"run": "e" * 32, "kind": Kind.REVIEW}),
        ("d", {"after": Memory(State.LEARNING, 0, 0.212, 6.4, None, NOW_MS + 60_000, DAY, 1), "rating": 1}),
        ("d", {"after": in_review(DAY + 1, reps=2)}),
    ):
        answer(store, card, **changes)
        dumps.append(derived(store))
    return dumps


def test_a10_undoing_five_answers_brings_back_every_state_on_the_way(store: Store) -> None:
    dumps = _five_answers(store)
    leech = store.card("b")
    assert leech is not None
    assert leech.leech

    for dump in reversed(dumps[:-1]):
        assert undo(store) is not None
        assert derived(store) == dump

    leech = store.card("b")
    assert leech is not None
    assert not leech.leech


def test_a10_undo_goes_on_after_a_restart_and_a_day_change(path: Path, store: Store) -> None:
    dumps = _five_answers(store)
    store.close()

    for dump in reversed(dumps[:-1]):
        with open_store(path, now_ms=NOW_MS) as again:
            assert undo(again, study_day=DAY + 1, at_ms=NOW_MS + 2 * DAY_MS) is not None
            assert derived(again) == dump


def test_a10_after_undo_a_card_can_be_answered_again_and_that_undone(store: Store) -> None:
    with_cards(store, "a")
    untouched = derived(store)
    for _ in range(3):
        answer(store, "a")
        undo(store)

    assert derived(store) == untouched
    assert [row.kind for row in store.reviews(effective_only=False)] == [Kind.LEARN, Kind.UNDO] * 3
    assert store.reviews() == []


def test_a10_undo_of_an_answer_keeps_the_suspension_made_since(store: Store) -> None:
    with_cards(store, "a")
    answer(store, "a")
    store.set_suspended("a", True, at=a_moment())

    voided = undo(store)

    found = store.card("a")
    assert voided is not None
    assert found is not None
    assert (found.memory, found.suspended) == (Memory(), True)


def test_a10_nothing_to_undo_is_none_and_writes_nothing(store: Store) -> None:
    with_cards(store, "a")

    assert undo(store) is None
    assert store.reviews(effective_only=False) == []


def test_a10_undo_names_the_row_it_takes_back(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a")
    last = answer(store, "b")

    assert undo(store) == last
    assert store.reviews(effective_only=False)[-1].voids == last.uid


def test_undo_after_a_reschedule_replays_what_remains(store: Store) -> None:
    with_cards(store, "a")
    first = answer(store, "a")
    answer(store, "a")
    with store.write() as connection:
        connection.exec_driver_sql("UPDATE memory SET due_day = due_day + 7")

    with pytest.raises(StoreError, match="cannot be undone alone"):
        undo(store)
    seen: list[list[ReviewRow]] = []

    def replay(rows: object) -> Memory:
        assert isinstance(rows, list)
        seen.append(rows)
        return in_review(DAY + 40)

    undo(store, replay=replay)

    assert seen == [[first]]
    found = store.card("a")
    assert found is not None
    assert found.memory == in_review(DAY + 40)


def test_a06_a_clock_set_back_does_not_change_the_order_of_answers(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", at_ms=NOW_MS)
    back = answer(store, "b", at_ms=NOW_MS - 400 * DAY_MS, study_day=DAY - 400)

    assert [row.card for row in store.reviews()] == ["a", "b"]
    assert store.reviews()[-1].at_ms == NOW_MS - 400 * DAY_MS
    assert store.reviews()[-1].study_day == DAY - 400
    assert store.newest_review_ms() == NOW_MS
    assert undo(store) == back


def test_a06_an_answer_from_a_clock_two_years_ahead_can_be_undone(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", at_ms=NOW_MS)
    before = derived(store)
    ahead = answer(store, "b", at_ms=NOW_MS + 730 * DAY_MS, study_day=DAY + 730)

    assert undo(store, at_ms=NOW_MS + DAY_MS) == ahead
    assert derived(store) == before


def test_a06_rows_flagged_for_a_clock_ahead_are_left_out_of_days_and_maxima(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", at_ms=NOW_MS)
    answer(store, "b", at_ms=NOW_MS + 730 * DAY_MS, study_day=DAY + 730, clock_ahead=True)

    assert store.active_days() == {DAY: 1}
    assert store.newest_review_ms() == NOW_MS


SEVEN = """
import os, signal, sys
from pathlib import Path
from studyapp.store.database import open_store
from tests.store.build import NOW_MS, answer, with_cards
store = open_store(Path(sys.argv[1]), now_ms=NOW_MS)
with_cards(store, *"abcdefgh")
for card in "abcdefg":
    answer(store, card)
os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


@pytest.mark.parametrize("name", ["SIGKILL", "SIGHUP"])
def test_a15_seven_answers_before_a_kill_are_exactly_seven_rows(path: Path, name: str) -> None:
    done = python(SEVEN, path, name)

    assert done.returncode == -getattr(signal, name), done.stderr
    with open_store(path, now_ms=NOW_MS) as again:
        assert [row.card for row in again.reviews()] == list("abcdefg")
        assert [row.card for row in again.new_rows(9)] == ["h"]
        assert again.integrity() == []


def test_threads_may_share_a_store(store: Store) -> None:
    cards = [f"c{number}" for number in range(20)]
    with_cards(store, *cards)
    errors: list[BaseException] = []

    def work(mine: list[str]) -> None:
        try:
            for card in mine:
                answer(store, card)
                store.active_days()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(cards[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert sorted(row.counter for row in store.reviews()) == list(range(1, 21))


WRITER = """
import sys
from pathlib import Path
from studyapp.store.database import open_store
from tests.store.build import NOW_MS, answer
with open_store(Path(sys.argv[1]), now_ms=NOW_MS) as store:
    for number in range(25):
        answer(store, f"c{sys.argv[2]}_{number}")
        store.idle()
"""


def test_d02_four_programs_write_a_hundred_answers_without_an_error(path: Path, store: Store) -> None:
    with_cards(store, *(f"c{writer}_{number}" for writer in range(4) for number in range(25)))
    command = [sys.executable, "-W", "error", "-c", WRITER, str(path)]
    writers = [
        subprocess.Popen([*command, str(writer)], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for writer in range(4)
    ]

    ends = [(writer.communicate(timeout=100)[1], writer.returncode) for writer in writers]

    assert ends == [("", 0)] * 4
    rows = store.reviews()
    assert [row.counter for row in rows] == sorted(row.counter for row in rows)
    assert sorted(row.counter for row in rows) == list(range(1, 101))
    assert store.integrity() == []


def test_suspending_and_burying_take_a_card_out_of_the_queue_and_stand_in_the_log(store: Store) -> None:
    with_cards(store, "a", "b", "c")
    for card in "abc":
        answer(store, card, after=in_review(DAY))

    store.set_suspended("a", True, at=a_moment())
    store.bury("b", DAY + 1, at=a_moment())

    assert [row.card for row in store.queue_rows(DAY, NOW_MS)] == ["c"]
    assert sorted(row.card for row in store.queue_rows(DAY + 1, NOW_MS)) == ["b", "c"]
    store.set_suspended("a", False, at=a_moment())
    assert sorted(row.card for row in store.queue_rows(DAY, NOW_MS)) == ["a", "c"]
    manual = [(row.card, row.action, row.rating) for row in store.reviews() if row.kind is Kind.MANUAL]
    assert manual == [("a", "suspend", 0), ("b", f"bury {DAY + 1}", 0), ("a", "unsuspend", 0)]
    assert store.active_days() == {DAY: 3}
