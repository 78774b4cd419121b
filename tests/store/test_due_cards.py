"""What is kept beside a memory by triggers is what the cards say, whatever happens to them."""

from __future__ import annotations

import random

import pytest

from studyapp.core.reviews import Memory, State
from studyapp.store.columns import AWAY, HIDDEN
from studyapp.store.database import Store
from tests.store.build import DAY, NOW_MS, a_card, a_moment, answer, in_review, save, undo, with_cards

IDS = tuple("abcdefgh")
_PLACED = f"""
SELECT m.card, m.away_until, m.module,
       CASE WHEN c.id IS NULL OR c.hidden THEN {HIDDEN} WHEN c.suspended THEN {AWAY}
            ELSE coalesce(c.buried_until_day, 0) END, coalesce(c.module, '')
FROM memory m LEFT JOIN cards c ON c.id = m.card
"""
_UNSEEN = "SELECT module, ordinal, id FROM cards WHERE id NOT IN (SELECT card FROM memory)"


def _check(store: Store) -> None:
    with store.read() as connection:
        for card, *kept, away, module in connection.exec_driver_sql(_PLACED):
            assert (card, kept) == (card, [away, module])
        unseen = {tuple(row) for row in connection.exec_driver_sql("SELECT * FROM unseen")}
        assert unseen == {tuple(row) for row in connection.exec_driver_sql(_UNSEEN)}
    assert store.check_rollups() == []


def _act(store: Store, draw: random.Random) -> None:
    card = draw.choice(IDS)
    match draw.randrange(7):
        case 0 | 1:
            answer(store, card, study_day=DAY, after=in_review(DAY + draw.randrange(-2, 3)))
        case 2:
            undo(store)
        case 3:
            store.set_suspended(card, draw.random() < 0.5, at=a_moment())
        case 4:
            store.bury(card, DAY + draw.randrange(3), at=a_moment())
        case 5:
            here = draw.sample(IDS, draw.randrange(1, len(IDS)))
            save(store, *(a_card(name) for name in here), name="gpu")
            save(store, *(a_card(name) for name in IDS if name not in here), name="other")
        case 6:
            store.hide_missing({"gpu"})


@pytest.mark.parametrize("seed", range(4))
def test_what_is_due_and_what_is_unseen_follow_every_change_of_a_card(store: Store, seed: int) -> None:
    draw = random.Random(seed)
    with_cards(store, *IDS)

    for _ in range(60):
        _act(store, draw)
        _check(store)
        due = store.due_cards(DAY, NOW_MS)
        rows = store.queue_rows(DAY, NOW_MS)
        assert due.counted() == (sum(r.state is State.REVIEW for r in rows), 0)
        assert {row.card for row in due.reviews(99)} == {row.card for row in rows}


def test_steps_are_counted_by_their_time_and_fetched_in_its_order(store: Store) -> None:
    with_cards(store, *IDS)
    for number, card in enumerate(IDS):
        on_step = Memory(State.LEARNING, 0, 1.0, 5.0, due_at_ms=NOW_MS - 3 + number, last_day=DAY, reps=1)
        answer(store, card, after=on_step)

    due = store.due_cards(DAY, NOW_MS, NOW_MS + 2)

    assert due.counted() == (0, 4)
    assert [row.card for row in due.steps(3)] == ["a", "b", "c"]
    assert due.soon() == [NOW_MS + 1, NOW_MS + 2]
    assert [row.card for row in due.steps(9)] == ["a", "b", "c", "d", "e", "f"]
    assert store.due_cards(DAY, NOW_MS).soon() == []
    assert due.row("b") == due.steps(2)[1]
    assert due.row("h") is None


def test_the_queue_of_one_module_holds_only_its_cards(store: Store) -> None:
    save(store, a_card("a"), a_card("b"), name="gpu")
    save(store, a_card("c"), a_card("d"), name="other")
    for card in "ac":
        answer(store, card, after=in_review(DAY))

    assert store.due_cards(DAY, NOW_MS, module="other").counted() == (1, 0)
    assert [row.card for row in store.due_cards(DAY, NOW_MS, module="other").reviews(9)] == ["c"]
    assert [row.card for row in store.new_rows(9, module="other")] == ["d"]


def test_progress_of_modules_is_counted_anew_when_their_cards_change(store: Store) -> None:
    save(store, a_card("a"), a_card("b"), name="gpu")
    save(store, a_card("c"), name="other")
    answer(store, "a", after=in_review(DAY))
    assert [tuple(line) for line in store.module_progress(DAY)] == [
        ("gpu", "GPU", 2, 1, 1, 0, 0, 0),
        ("other", "GPU", 1, 0, 0, 0, 0, 0),
    ]

    save(store, a_card("a"), name="gpu")
    store.set_suspended("a", True, at=a_moment())

    assert next(tuple(line) for line in store.module_progress(DAY)) == ("gpu", "GPU", 1, 1, 0, 0, 0, 0)


def test_progress_of_a_module_counts_what_falls_due_tomorrow(store: Store) -> None:
    save(store, a_card("a"), a_card("b"), a_card("c"), name="gpu")
    save(store, a_card("d"), name="other")
    for card, due in (("a", DAY), ("b", DAY + 1), ("c", DAY + 2), ("d", DAY + 1)):
        answer(store, card, after=in_review(due))

    assert [(line.id, line.due, line.tomorrow) for line in store.module_progress(DAY)] == [
        ("gpu", 1, 1),
        ("other", 0, 1),
    ]

    store.set_suspended("d", True, at=a_moment())

    assert [line.tomorrow for line in store.module_progress(DAY)] == [1, 0]
