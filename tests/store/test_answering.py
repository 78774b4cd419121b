from __future__ import annotations

from dataclasses import replace

import pytest

from studyapp.core.errors import StaleShowingError, StoreError
from studyapp.core.reviews import Kind, Memory, State
from studyapp.store.database import Store
from tests.store.build import (
    DAY,
    DAY_MS,
    NOW_MS,
    a_moment,
    a_row,
    answer,
    derived,
    in_review,
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


def test_a06_a_clock_set_back_does_not_change_the_order_of_answers(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", at_ms=NOW_MS)
    back = answer(store, "b", at_ms=NOW_MS - 400 * DAY_MS, study_day=DAY - 400)

    assert [row.card for row in store.reviews()] == ["a", "b"]
    assert store.reviews()[-1].at_ms == NOW_MS - 400 * DAY_MS
    assert store.reviews()[-1].study_day == DAY - 400
    assert store.newest_review_ms() == NOW_MS
    assert undo(store) == back


def test_a06_rows_flagged_for_a_clock_ahead_are_left_out_of_days_and_maxima(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", at_ms=NOW_MS)
    answer(store, "b", at_ms=NOW_MS + 730 * DAY_MS, study_day=DAY + 730, clock_ahead=True)

    assert store.active_days() == {DAY: 1}
    assert store.newest_review_ms() == NOW_MS


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
