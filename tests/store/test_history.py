from __future__ import annotations

from dataclasses import replace

import pytest

from studyapp.core.reviews import Kind, Memory, State
from studyapp.store.database import Store
from tests.store.build import DAY, DAY_MS, NOW_MS, a_moment, a_row, answer, in_review, save, undo, with_cards
from tests.store.build import a_card as card_of


def _step(due_at_ms: int, **changes: object) -> Memory:
    return Memory(State.LEARNING, 0, 1.0, 5.0, None, due_at_ms, DAY, 1, **changes)  # type: ignore[arg-type]


def test_rows_can_be_asked_for_by_card_by_day_and_with_what_was_undone(store: Store) -> None:
    with_cards(store, "a", "b")
    old = answer(store, "a", study_day=DAY - 2)
    other = answer(store, "b", study_day=DAY)
    undone = answer(store, "a", study_day=DAY)
    undo(store)

    assert store.reviews() == [old, other]
    assert store.reviews("a") == [old]
    assert store.reviews(since_day=DAY) == [other]
    assert [row.uid for row in store.reviews("a", effective_only=False)][:2] == [old.uid, undone.uid]
    assert len(store.reviews(effective_only=False)) == 4


def test_today_counts_new_cards_reviews_and_seconds_without_what_was_undone(store: Store) -> None:
    with_cards(store, "a", "b", "c")
    answer(store, "c", after=in_review(DAY, day=DAY - 5), study_day=DAY - 5)
    answer(store, "a", after=_step(NOW_MS), duration_ms=2500)
    answer(store, "a", kind=Kind.LEARN, duration_ms=500)
    answer(store, "c", kind=Kind.REVIEW, duration_ms=3_600_000)
    answer(store, "b", duration_ms=9000)
    undo(store)

    assert store.done_today(DAY) == (1, 1, 63.0)
    assert store.done_today(DAY + 1) == (0, 0, 0.0)


def test_active_days_count_answers_that_stand(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", study_day=DAY - 3)
    answer(store, "b", study_day=DAY - 3)
    store.set_suspended("b", True, at=a_moment(DAY + 1))
    answer(store, "a", study_day=DAY)
    undo(store, study_day=DAY + 2)

    assert store.active_days() == {DAY - 3: 2}


def test_a_voided_row_counts_once_even_when_two_machines_undid_it(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "b")
    answer(store, "a")
    undo(store)
    with store.write() as connection:  # a merge brought a second undo of the same row
        columns = [row[1] for row in connection.exec_driver_sql("PRAGMA table_info(reviews)")]
        kept = ", ".join("randomblob(16)" if name == "uid" else name for name in columns)
        connection.exec_driver_sql(f"INSERT INTO reviews SELECT {kept} FROM reviews WHERE kind = 'undo'")

    assert store.active_days() == {DAY: 1}


def test_retention_takes_each_cards_first_answer_of_a_day_on_a_grown_interval(store: Store) -> None:
    with_cards(store, "a", "b", "c", "d")
    grown = in_review(DAY, day=DAY - 5)
    for card in "abc":
        answer(store, card, after=grown, study_day=DAY - 5)
    answer(store, "a", kind=Kind.REVIEW, rating=3, elapsed_days=5)  # passed
    relearning = replace(_step(NOW_MS), state=State.RELEARNING)
    answer(store, "b", kind=Kind.REVIEW, rating=1, after=relearning, elapsed_days=5)  # failed
    answer(store, "b", kind=Kind.RELEARN, rating=3)  # the same day again: left out
    answer(store, "b", kind=Kind.REVIEW, rating=3)  # and again
    answer(store, "d", after=_step(NOW_MS))  # learning: left out
    cram = replace(a_row("c"), kind=Kind.CRAM, before=None, after=None, rating=1)
    store.record(cram, expected=grown)  # left out, and does not hide the answer after it
    answer(store, "c", kind=Kind.REVIEW, rating=2, elapsed_days=5)  # passed

    assert store.retention(DAY, DAY) == (2, 3)
    assert store.retention(DAY + 1, DAY + 9) == (0, 0)
    undo(store)
    assert store.retention(DAY - 9, DAY) == (1, 2)


def test_the_queue_holds_due_cards_and_due_steps_only(store: Store) -> None:
    with_cards(store, "overdue", "today", "tomorrow", "step", "later", "new")
    answer(store, "overdue", after=in_review(DAY - 2, day=DAY - 9))
    answer(store, "today", after=in_review(DAY, day=DAY - 9))
    answer(store, "tomorrow", after=in_review(DAY + 1))
    answer(store, "step", after=_step(NOW_MS + 60_000))
    answer(store, "later", after=_step(NOW_MS + 600_000))

    rows = {row.card: row for row in store.queue_rows(DAY, NOW_MS + 60_000)}

    assert sorted(rows) == ["overdue", "step", "today"]
    due = rows["overdue"]
    assert (due.state, due.due_day, due.due_at_ms, due.stability, due.last_day) == (
        State.REVIEW,
        DAY - 2,
        None,
        3.25,
        DAY - 9,
    )
    assert (due.ordinal, due.module, due.section) == (0, "gpu", "")
    assert rows["step"].due_at_ms == NOW_MS + 60_000


def test_a_hidden_card_waits_in_no_queue_and_no_forecast(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", after=in_review(DAY, day=DAY - 9))
    answer(store, "b", after=in_review(DAY, day=DAY - 9))

    save(store, card_of("b"))

    assert [row.card for row in store.queue_rows(DAY, NOW_MS)] == ["b"]
    assert store.due_forecast(DAY, 1) == {DAY: 1}


def test_the_forecast_puts_overdue_cards_and_steps_on_its_first_day(store: Store) -> None:
    with_cards(store, "a", "b", "c", "d", "e")
    answer(store, "a", after=in_review(DAY - 2, day=DAY - 9))
    answer(store, "b", after=_step(NOW_MS))
    answer(store, "c", after=in_review(DAY + 2))
    answer(store, "d", after=in_review(DAY + 3))

    assert store.due_forecast(DAY, 3) == {DAY: 2, DAY + 1: 0, DAY + 2: 1}


def test_a_buried_new_card_stays_away_until_its_day(store: Store) -> None:
    with_cards(store, "a", "b")
    store.bury("a", DAY + 1, at=a_moment())

    assert [row.card for row in store.new_rows(9, study_day=DAY)] == ["b"]
    assert [row.card for row in store.new_rows(9, study_day=DAY + 1)] == ["a", "b"]


def test_an_empty_log_has_no_days_and_no_newest_row(store: Store) -> None:
    assert (store.active_days(), store.newest_review_ms(), store.retention(0, DAY)) == ({}, None, (0, 0))


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT study_day, count(*) FROM reviews WHERE clock_ahead = 0 GROUP BY study_day", "reviews_by_day"),
        ("SELECT counter FROM reviews WHERE device = x'00' ORDER BY counter DESC LIMIT 1", "reviews_by_device"),
    ],
)
def test_frequent_questions_are_answered_from_an_index_alone(store: Store, query: str, index: str) -> None:
    with store.read() as connection:
        plan = " ".join(str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}"))

    assert f"COVERING INDEX {index}" in plan


def test_the_next_undo_and_the_queue_are_found_without_reading_whole_tables(store: Store) -> None:
    from studyapp.store.queueing import _DUE
    from studyapp.store.undoing import _LATEST

    with store.read() as connection:
        for query, values in ((_LATEST, ()), (_DUE, (DAY, DAY, NOW_MS, DAY))):
            plan = [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values)]
            whole = [step for step in plan if step.startswith("SCAN") and step not in ("SCAN known", "SCAN last")]
            assert whole == [], plan


def test_answers_of_two_machines_are_replayed_in_the_order_of_their_clocks(store: Store) -> None:
    with_cards(store, "a", "b", "c")
    answer(store, "a", at_ms=NOW_MS)
    late = answer(store, "b", at_ms=NOW_MS + DAY_MS)
    with store.write() as connection:  # as a merge brings it
        connection.exec_driver_sql(
            "UPDATE reviews SET device = x'00112233445566778899aabbccddeeff', counter = 1 WHERE card = 'b'"
        )
    answer(store, "c", at_ms=NOW_MS + 1000)

    assert [row.card for row in store.reviews()] == ["a", "c", "b"]
    voided = undo(store, at_ms=NOW_MS + 2 * DAY_MS)
    assert voided is not None
    assert voided.uid == late.uid
