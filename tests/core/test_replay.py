"""Replay: the log rebuilds what answering one by one gave, in whatever order its rows arrive."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.replay import replay, replay_all, standing_rows, voided_uids
from studyapp.core.reviews import Kind, Memory, Rating, ReviewRow, State
from studyapp.core.scheduling import Policy, answer, kind_of

DAY = 739_000
DAY_MS = 86_400_000
POLICY = Policy()


def policy_of(_: ReviewRow) -> Policy:
    return POLICY


def unreachable_policy(row: ReviewRow) -> Policy:
    raise AssertionError(f"{row.uid} was computed anew")


def a_row(
    counter: int,
    *,
    device: str = "aa",
    at_ms: int | None = None,
    kind: Kind = Kind.LEARN,
    voids: str | None = None,
    clock_ahead: bool = False,
) -> ReviewRow:
    return ReviewRow(
        uid=f"{device}{counter}",
        device=device,
        counter=counter,
        card="card",
        rating=0 if kind in (Kind.UNDO, Kind.MANUAL) else 3,
        kind=kind,
        at_ms=counter * 60_000 if at_ms is None else at_ms,
        offset_min=0,
        zone="UTC",
        study_day=DAY,
        voids=voids,
        clock_ahead=clock_ahead,
    )


def an_undo(counter: int, voids: str, *, device: str = "aa", at_ms: int | None = None) -> ReviewRow:
    return a_row(counter, device=device, at_ms=at_ms, kind=Kind.UNDO, voids=voids)


def study(answers: list[tuple[int, int]], policy: Policy = POLICY) -> tuple[list[ReviewRow], list[Memory]]:
    """Answer (rating, days later) one by one; return the rows written and the memory after each."""
    rows, memories, day, memory = [], [], DAY, Memory()
    for counter, (rating, days_later) in enumerate(answers):
        day += days_later
        row = replace(a_row(counter), rating=rating, study_day=day, at_ms=day * DAY_MS + counter)
        outcome = answer(row.card, memory, Rating(rating), row.at_ms, day, policy)
        rows.append(replace(row, kind=kind_of(memory), before=memory, after=outcome.after))
        memory = outcome.after
        memories.append(memory)
    return rows, memories


ANSWERS = st.lists(st.tuples(st.integers(1, 4), st.integers(-3, 60)), min_size=1, max_size=12)


@settings(deadline=None, derandomize=True)
@given(answers=ANSWERS, seed=st.integers(0, 99))
def test_replaying_the_log_in_any_order_gives_the_memory_of_answering_one_by_one(
    answers: list[tuple[int, int]], seed: int
) -> None:
    rows, memories = study(answers)
    random.Random(seed).shuffle(rows)

    assert replay(rows, policy_of, recompute=True) == memories[-1]
    assert replay(rows, unreachable_policy) == memories[-1]


@settings(deadline=None, derandomize=True)
@given(answers=ANSWERS, data=st.data())
def test_a10_taking_back_the_last_answers_gives_the_memory_before_them(
    answers: list[tuple[int, int]], data: st.DataObject
) -> None:
    rows, memories = study(answers)
    taken_back = data.draw(st.integers(0, len(rows)))
    undos = [an_undo(100 + n, row.uid) for n, row in enumerate(reversed(rows[len(rows) - taken_back :]))]
    expected = [Memory(), *memories][len(rows) - taken_back]

    assert replay(rows + undos, policy_of) == expected
    assert replay(rows + undos, policy_of, recompute=True) == expected


@settings(deadline=None, derandomize=True)
@given(answers=ANSWERS, data=st.data())
def test_a10_taking_back_an_answer_in_the_middle_is_as_if_it_had_never_been_given(
    answers: list[tuple[int, int]], data: st.DataObject
) -> None:
    rows, _ = study(answers)
    place = data.draw(st.integers(0, len(rows) - 1))
    expected = Memory()
    for row in rows[:place] + rows[place + 1 :]:
        expected = answer("card", expected, Rating(row.rating), row.at_ms, row.study_day, POLICY).after

    assert replay([*rows, an_undo(100, rows[place].uid)], policy_of) == expected


def test_answering_again_after_an_undo_is_replayed_from_the_earlier_memory() -> None:
    rows, memories = study([(3, 0), (3, 0), (1, 5)])
    again = answer("card", memories[1], Rating.GOOD, 6 * DAY_MS, DAY + 5, POLICY)
    row = replace(a_row(4), at_ms=9**15, study_day=DAY + 5, before=memories[1], after=again.after)

    assert replay([*rows, an_undo(3, rows[2].uid, at_ms=9**14), row], unreachable_policy) == again.after


def test_a_setting_changed_later_moves_no_due_date_unless_asked_to_compute_anew() -> None:
    rows, memories = study([(4, 0), (3, 9)])

    def stricter(_: ReviewRow) -> Policy:
        return Policy(desired_retention=0.97)

    assert replay(rows, stricter) == memories[-1]
    assert (replay(rows, stricter, recompute=True).due_day or 0) < (memories[-1].due_day or 0)


def test_rows_without_stored_states_are_computed() -> None:
    rows, memories = study([(3, 0), (3, 0), (3, 4)])
    bare = [replace(row, before=None, after=None) for row in rows]

    assert replay(bare, policy_of) == memories[-1]


def test_cram_rows_leave_the_memory_alone() -> None:
    rows, memories = study([(4, 0), (3, 9)])
    cram = replace(a_row(9), kind=Kind.CRAM, rating=1, study_day=DAY + 20, at_ms=(DAY + 20) * DAY_MS)

    assert replay([*rows, cram], policy_of) == memories[-1]


def test_a_manual_row_sets_the_memory_it_carries() -> None:
    rows, memories = study([(4, 0), (3, 9)])
    by_hand = Memory(state=State.REVIEW, stability=5.0, difficulty=5.0, due_day=DAY + 99, last_day=DAY, reps=2)
    setting = replace(a_row(9, kind=Kind.MANUAL), at_ms=9**15, after=by_hand)
    note = a_row(10, kind=Kind.MANUAL, at_ms=9**15)

    assert replay([*rows, setting], policy_of) == by_hand
    assert replay([*rows, note], policy_of) == memories[-1]


def test_no_rows_are_a_new_card() -> None:
    assert replay([], policy_of) == Memory()
    assert replay_all([], policy_of) == {}


def test_all_cards_are_replayed_each_from_its_own_rows() -> None:
    rows, memories = study([(3, 0), (3, 0), (4, 3)])
    other = replace(a_row(50), card="other")
    gone = replace(a_row(51), card="gone")

    replayed = replay_all([*rows, other, gone, an_undo(52, gone.uid)], policy_of)

    assert set(replayed) == {"card", "other"}
    assert replayed["card"] == memories[-1]
    assert replayed["other"] == replay([other], policy_of)


def uids(rows: list[ReviewRow]) -> list[str]:
    return [row.uid for row in rows]


def test_rows_of_one_device_keep_their_counter_order_when_its_clock_goes_back() -> None:
    rows = [a_row(1, at_ms=5_000), a_row(2, at_ms=1_000), a_row(3, at_ms=6_000)]

    assert all(uids(standing_rows(order)) == ["aa1", "aa2", "aa3"] for order in permutations(rows))


def test_rows_of_two_devices_are_merged_by_time_then_device() -> None:
    ours = [a_row(1, at_ms=1_000), a_row(2, at_ms=3_000)]
    theirs = [a_row(1, device="bb", at_ms=2_000), a_row(2, device="bb", at_ms=3_000)]

    assert uids(standing_rows(theirs + ours)) == ["aa1", "bb1", "aa2", "bb2"]


def test_a_row_known_to_be_ahead_does_not_drag_the_later_rows_along() -> None:
    ours = [a_row(1, at_ms=1_000), a_row(2, at_ms=10**9, clock_ahead=True), a_row(3, at_ms=3_000)]
    theirs = [a_row(1, device="bb", at_ms=2_000), a_row(2, device="bb", at_ms=4_000)]

    assert uids(standing_rows(ours + theirs)) == ["aa1", "aa2", "bb1", "aa3", "bb2"]
    assert uids(standing_rows(ours)) == ["aa1", "aa2", "aa3"]
    assert uids(standing_rows([ours[1], *theirs])) == ["bb1", "bb2", "aa2"]


def test_an_undo_voids_a_row_and_an_undo_of_the_undo_brings_it_back() -> None:
    rows = [a_row(1), an_undo(2, "aa1"), an_undo(3, "aa2"), an_undo(4, "aa3")]

    for order in permutations(rows[:3]):
        assert voided_uids(order) == {"aa2"}
        assert uids(standing_rows(order)) == ["aa1"]
    assert voided_uids(rows) == {"aa1", "aa3"}
    assert standing_rows(rows) == []


def test_an_undo_counts_even_if_the_other_machines_clock_put_it_earlier() -> None:
    rows = [a_row(1, at_ms=9_000), an_undo(1, "aa1", device="bb", at_ms=1_000)]

    assert voided_uids(rows) == {"aa1"}


def test_two_machines_that_took_the_same_answer_back_agree() -> None:
    undos = [an_undo(2, "aa1"), an_undo(1, "aa1", device="bb")]

    assert voided_uids([a_row(1), *undos]) == {"aa1"}
    assert voided_uids([a_row(1), *undos, an_undo(3, "aa2")]) == {"aa1", "aa2"}


def test_a_hundred_thousand_undos_of_undos_are_settled() -> None:
    chain = [a_row(0), *(an_undo(n, f"aa{n - 1}") for n in range(1, 100_001))]

    assert len(voided_uids(chain)) == 50_000


def test_undos_that_name_each_other_or_nothing_known_harm_nothing() -> None:
    rows = [a_row(1), an_undo(2, "aa3"), an_undo(3, "aa2"), an_undo(4, "elsewhere")]

    assert uids(standing_rows(rows)) == ["aa1"]
