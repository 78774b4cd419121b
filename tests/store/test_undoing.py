from __future__ import annotations

from pathlib import Path

import pytest

from studyapp.core.errors import StoreError
from studyapp.core.reviews import Kind, Memory, ReviewRow, State
from studyapp.store import undoing
from studyapp.store.database import Store, open_store
from studyapp.store.session import driver
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


def test_a10_one_undo_takes_back_one_action_the_latest_first(store: Store) -> None:
    with_cards(store, "a", "b")
    untouched = derived(store)
    answer(store, "a")
    answered = derived(store)
    store.set_suspended("a", True, at=a_moment())
    suspended = derived(store)
    store.bury("b", DAY + 1, at=a_moment())

    for action, dump in ((f"bury {DAY + 1}", suspended), ("suspend", answered), ("", untouched)):
        voided = undo(store)
        assert voided is not None
        assert voided.action == action
        assert _without_rows(derived(store)) == _without_rows(dump)
    assert undo(store) is None


def _without_rows(dump: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    return {name: rows for name, rows in dump.items() if name != "rows"}


def test_a10_what_went_with_an_answer_goes_with_its_undo(path: Path, store: Store) -> None:
    with_cards(store, "a", "b", "c")
    store.bury("c", DAY + 3, at=a_moment())
    before = derived(store)
    found = store.card("a")
    assert found is not None
    effects = [("b", f"bury {DAY + 1}"), ("c", f"bury {DAY + 1}"), ("a", "suspend")]
    head = store.record(a_row("a"), expected=found.memory, effects=effects)
    put_away = {card.id: (card.suspended, card.buried_until_day) for card in store.cards()}
    assert put_away == {"a": (True, None), "b": (False, DAY + 1), "c": (False, DAY + 1)}
    store.close()

    with open_store(path, now_ms=NOW_MS) as again:
        assert undo(again) == head
        assert derived(again) == before
        voided = undo(again)
        assert voided is not None
        assert voided.action == f"bury {DAY + 3}"


def test_a10_several_cards_put_away_at_once_are_one_action(store: Store) -> None:
    with_cards(store, "a", "b")
    before = derived(store)
    store.put_away([("a", "suspend"), ("b", "suspend")], at=a_moment())
    assert all(card.suspended for card in store.cards())

    undo(store)

    assert derived(store) == before
    assert undo(store) is None


def test_a10_a_reschedule_of_many_cards_is_one_action(store: Store) -> None:
    with_cards(store, "a", "b")
    for card in "ab":
        answer(store, card)
    before = derived(store)
    moves = [(card, in_review(), in_review(DAY + 9)) for card in "ab"]
    assert store.reschedule(moves, at=a_moment(), terms={"a": "set", "b": "set"}) == 2

    voided = undo(store)

    assert voided is not None
    assert voided.action == "reschedule"
    assert derived(store) == before


def test_a10_an_effect_on_an_unknown_card_stores_nothing_at_all(store: Store) -> None:
    with_cards(store, "a")

    with pytest.raises(StoreError, match="no card 'ghost'"):
        store.record(a_row("a"), expected=Memory(), effects=[("ghost", "suspend")])

    assert store.reviews(effective_only=False) == []


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


def test_a06_an_answer_from_a_clock_two_years_ahead_can_be_undone(store: Store) -> None:
    with_cards(store, "a", "b")
    answer(store, "a", at_ms=NOW_MS)
    before = derived(store)
    ahead = answer(store, "b", at_ms=NOW_MS + 730 * DAY_MS, study_day=DAY + 730)

    assert undo(store, at_ms=NOW_MS + DAY_MS) == ahead
    assert derived(store) == before


def test_a10_with_one_device_the_short_way_finds_the_action_that_the_long_way_finds(store: Store) -> None:
    def both() -> list[object]:
        with store.read() as connection:
            device = (store.device_bytes,)
            found = [driver(connection).execute(undoing._LATEST).fetchone()]
            found.append(driver(connection).execute(undoing._LATEST_HERE, device).fetchone())
            return [row and row[0] for row in found]

    with_cards(store, "a", "b", "c")
    heads = [both()]
    for step in ("a", "suspend", "b", "undo", "effects", "undo", "undo", "c", "cram", "undo", "undo", "undo"):
        if step == "undo":
            undo(store)
        elif step == "suspend":
            store.put_away([("a", "suspend"), ("b", "bury 739630")], at=a_moment())
        elif step == "effects":
            store.record(a_row("c"), expected=Memory(), effects=[("b", f"bury {DAY + 1}")])
        elif step == "cram":
            store.record(a_row("b", kind=Kind.CRAM, after=None), expected=Memory())
        else:
            answer(store, step)
        heads.append(both())

    assert all(long == short for long, short in heads)
    assert [head[0] is None for head in heads] == [True, *[False] * 11, True]
