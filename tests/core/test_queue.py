"""The queue of a sitting: its order, its limits, its counts, and its end."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.queue import Counts, Done, Limits, Queue, QueueRow, new_allowance, relative_overdueness
from studyapp.core.reviews import Memory, Rating, State
from studyapp.core.scheduling import Policy, answer

TODAY = 739_000
NOW = 1_768_000_000_000
MINUTE = 60_000
LIMITS = Limits(new_per_day=5)
DONE_TODAY = Memory(state=State.REVIEW, due_day=TODAY + 3, last_day=TODAY)


def a_review(card: str, *, late: int = 0, stability: float | None = 10.0, last: int = 10) -> QueueRow:
    return QueueRow(card, State.REVIEW, due_day=TODAY - late, stability=stability, last_day=TODAY - last)


def a_step(card: str, minutes: float, state: State = State.LEARNING) -> QueueRow:
    return QueueRow(card, state, due_at_ms=NOW + int(minutes * MINUTE))


def a_new(card: str, ordinal: int = 0, module: str = "gpu") -> QueueRow:
    return QueueRow(card, State.NEW, ordinal=ordinal, module=module)


def a_queue(
    reviews: list[QueueRow] | None = None,
    steps: list[QueueRow] | None = None,
    new: list[QueueRow] | None = None,
    *,
    limits: Limits = LIMITS,
    done: Done | None = None,
    first: str | None = None,
) -> Queue:
    return Queue(reviews or [], steps or [], new or [], limits=limits, today=TODAY, done=done, first=first)


def on_step(minutes: float, state: State = State.LEARNING) -> Memory:
    return Memory(state=state, step=0, due_at_ms=NOW + int(minutes * MINUTE), last_day=TODAY)


def played(queue: Queue, after: Memory = DONE_TODAY, now_ms: int = NOW) -> list[str]:
    """Answer every card as it comes; return their ids."""
    seen = []
    while (row := queue.next(now_ms)) is not None:
        seen.append(row.card)
        queue.answered(row.card, after, now_ms)
    return seen


def card_next(queue: Queue, minutes: float = 0) -> str | None:
    row = queue.next(NOW + int(minutes * MINUTE))
    return None if row is None else row.card


def test_an_empty_queue_ends_the_sitting() -> None:
    queue = a_queue()

    assert queue.next(NOW) is None
    assert queue.counts(NOW) == Counts(0, 0, 0, 0, None, 0)


def test_asking_twice_gives_the_same_card() -> None:
    queue = a_queue([a_review("a"), a_review("b")])

    assert queue.next(NOW) == queue.next(NOW)
    assert queue.counts(NOW).due == 2


def test_a_step_that_is_due_comes_before_everything_else() -> None:
    queue = a_queue([a_review("review")], [a_step("late", -1), a_step("later", -5)], [a_new("new")])

    assert played(queue)[:2] == ["later", "late"]


def test_a_step_that_is_not_due_yet_waits_until_nothing_else_is_left() -> None:
    queue = a_queue([a_review("review")], [a_step("step", 5)], [a_new("new")])

    assert played(queue) == ["review", "new", "step"]


def test_a_step_becomes_due_while_reviews_go_on() -> None:
    queue = a_queue([a_review("a"), a_review("b")], [a_step("step", 5)])

    assert card_next(queue, minutes=4) in ("a", "b")
    assert card_next(queue, minutes=5) == "step"


def test_steps_beyond_the_learn_ahead_time_let_the_sitting_end_and_say_until_when() -> None:
    queue = a_queue(steps=[a_step("soon", 25), a_step("later", 90)])

    assert card_next(queue) is None
    assert queue.counts(NOW) == Counts(0, 0, 0, 0, NOW + 5 * MINUTE, 0)
    assert card_next(queue, minutes=4.99) is None
    assert card_next(queue, minutes=5) == "soon"
    assert queue.counts(NOW + 5 * MINUTE) == Counts(0, 0, 1, 1, None, 0)


def test_reviews_least_overdue_for_their_stability_come_first() -> None:
    rows = [
        a_review("forgotten", stability=1.0, last=400),
        a_review("unknown", stability=None),
        a_review("fresh", stability=100.0, last=90),
        a_review("late", stability=10.0, last=20),
    ]

    assert played(a_queue(rows)) == ["fresh", "late", "forgotten", "unknown"]
    assert [relative_overdueness(row, TODAY) for row in rows] == [400.0, float("inf"), 0.9, 2.0]


def test_equal_reviews_come_in_a_fixed_shuffle_whatever_order_they_were_handed_in() -> None:
    rows = [a_review(f"card-{n:02}") for n in range(30)]
    shuffled = random.Random(1).sample(rows, len(rows))

    assert played(a_queue(rows)) == played(a_queue(shuffled))
    assert played(a_queue(rows)) != [row.card for row in rows]


def test_reviews_due_tomorrow_stay_out() -> None:
    assert played(a_queue([a_review("tomorrow", late=-1), a_review("today")])) == ["today"]


def test_new_cards_are_spread_evenly_in_the_order_written() -> None:
    new = [a_new("b1", 1, "second"), a_new("a2", 2, "first"), a_new("b0", 0, "second")]
    cards = played(a_queue([a_review(f"r{n}") for n in range(9)], new=new))

    assert [card for card in cards if not card.startswith("r")] == ["b0", "b1", "a2"]
    assert [place for place, card in enumerate(cards) if not card.startswith("r")] == [2, 6, 9]


def test_limits_count_what_the_day_has_had() -> None:
    reviews = [a_review(f"r{n}") for n in range(10)]
    new = [a_new(f"n{n}", n) for n in range(10)]
    limits = Limits(new_per_day=5, reviews_per_day=8)

    queue = a_queue(reviews, new=new, limits=limits, done=Done(new=3, reviews=2))
    assert queue.counts(NOW) == Counts(6, 2, 0, 8, None, 4)
    assert len(played(queue)) == 8

    spent = a_queue(reviews, new=new, limits=limits, done=Done(new=9, reviews=90))
    assert spent.counts(NOW) == Counts(0, 0, 0, 0, None, 10)
    assert spent.next(NOW) is None


def test_steps_are_not_limited() -> None:
    queue = a_queue(steps=[a_step(f"s{n}", 0) for n in range(9)], limits=Limits(0, 0))

    assert queue.counts(NOW).learning == 9


def test_a12_a_backlog_is_cut_to_the_limit_with_the_likeliest_known_first() -> None:
    rows = [a_review(f"c{n}", late=400, stability=1.0 + n, last=400) for n in range(10_000)]
    queue = a_queue(rows, limits=Limits(new_per_day=0, reviews_per_day=50))

    assert queue.counts(NOW) == Counts(50, 0, 0, 50, None, 9_950)
    assert played(queue) == [f"c{n}" for n in range(9_999, 9_949, -1)]


def test_again_on_a_review_moves_it_to_learning_and_leaves_the_count_whole() -> None:
    queue = a_queue([a_review("a"), a_review("b")])
    failed = card_next(queue)
    assert failed is not None

    queue.answered(failed, on_step(10, State.RELEARNING), NOW)

    assert queue.counts(NOW) == Counts(1, 0, 1, 2, None, 0)
    assert played(queue) == [{"a": "b", "b": "a"}[failed], failed]


def test_the_card_just_answered_does_not_come_again_while_another_is_ready() -> None:
    queue = a_queue(steps=[a_step("a", 0), a_step("b", 15)])

    queue.answered("a", on_step(1), NOW)

    assert card_next(queue) == "b"
    assert card_next(queue, minutes=2) == "b"
    queue.answered("b", on_step(30), NOW)
    assert card_next(queue, minutes=2) == "a"


def test_the_card_just_answered_comes_again_when_it_is_the_only_one() -> None:
    queue = a_queue(steps=[a_step("only", 0)])

    queue.answered("only", on_step(1), NOW)

    assert card_next(queue) == "only"


def test_the_card_just_answered_waits_for_the_reviews_even_when_its_step_is_due() -> None:
    queue = a_queue([a_review("review")], [a_step("step", 0)])

    queue.answered("step", on_step(0), NOW)

    assert card_next(queue, minutes=1) == "review"


def test_a_step_without_a_time_is_due_at_once() -> None:
    queue = a_queue(new=[a_new("new")])

    queue.answered("new", Memory(state=State.LEARNING), NOW)

    assert card_next(queue) == "new"
    assert queue.counts(NOW).learning == 1


def test_a_card_answered_out_of_turn_or_from_elsewhere_is_taken_as_it_comes() -> None:
    queue = a_queue([a_review("a"), a_review("b"), a_review("c")])

    queue.answered("c", DONE_TODAY, NOW)
    queue.answered("stranger", DONE_TODAY, NOW)
    queue.answered("newcomer", on_step(1), NOW)

    assert queue.counts(NOW) == Counts(2, 0, 1, 3, None, 0)
    assert sorted(played(queue)) == ["a", "b", "newcomer"]


def test_a_dropped_card_is_gone_from_order_and_counts() -> None:
    queue = a_queue([a_review("a")], [a_step("s", 0), a_step("t", 0)], [a_new("n")])

    dropped = [queue.drop(card) for card in ("a", "s", "n", "nobody")]

    assert [row.card if row else None for row in dropped] == ["a", "s", "n", None]
    assert queue.counts(NOW) == Counts(0, 0, 1, 1, None, 0)
    assert played(queue) == ["t"]


def test_a10_the_card_whose_answer_was_taken_back_comes_first_and_once() -> None:
    queue = a_queue([a_review(f"r{n}") for n in range(5)], [a_step("step", 0)], first="r3")

    cards = played(queue)

    assert cards[:2] == ["r3", "step"]
    assert Counter(cards)["r3"] == 1


def test_a_first_card_that_is_not_there_is_ignored() -> None:
    assert played(a_queue([a_review("a")], first="gone")) == ["a"]


def test_a_first_card_that_goes_back_on_a_step_waits_its_turn() -> None:
    queue = a_queue([a_review("a"), a_review("b")], first="b")

    queue.answered("b", on_step(1), NOW)

    assert card_next(queue) == "a"


def test_two_steps_handed_in_for_one_card_are_one() -> None:
    queue = a_queue(steps=[a_step("s", 5), a_step("s", 1)])

    assert queue.counts(NOW).learning == 1


@pytest.mark.parametrize(
    ("budget_s", "seconds_per_card", "cards"),
    [(600, 120, 5), (599, 120, 4), (0, 120, 0), (-5, 120, 0), (60, 0, 60)],
)
def test_new_cards_follow_the_time_budget(budget_s: int, seconds_per_card: int, cards: int) -> None:
    assert new_allowance(budget_s, seconds_per_card) == cards


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    reviews=st.integers(0, 12),
    new=st.integers(0, 8),
    steps=st.lists(st.integers(-30, 60), max_size=5),
    seed=st.integers(),
)
def test_a_sitting_ends_shows_everything_and_counts_truly_whatever_is_answered(
    reviews: int, new: int, steps: list[int], seed: int
) -> None:
    draw, now_ms, last = random.Random(seed), NOW, None
    queue = a_queue(
        [a_review(f"r{n}") for n in range(reviews)],
        [a_step(f"s{n}", minutes) for n, minutes in enumerate(steps)],
        [a_new(f"n{n}", n) for n in range(new)],
    )
    memories: dict[str, Memory] = {}
    expected = {f"r{n}" for n in range(reviews)} | {f"n{n}" for n in range(min(new, 5))}
    for _ in range(2_000):
        counts, row = queue.counts(now_ms), queue.next(now_ms)
        assert counts.due == counts.review + counts.new + counts.learning
        assert (counts.due == 0) == (row is None)
        if row is None and counts.waiting_until_ms is None:
            break
        if row is None:
            assert counts.waiting_until_ms is not None
            now_ms = max(now_ms, counts.waiting_until_ms)
            continue
        assert row.card != last or counts.due == 1
        before = memories.get(row.card, Memory(state=row.state, step=0, stability=3.0, difficulty=5.0))
        rating = draw.choices(list(Rating), weights=(1, 1, 4, 2))[0]
        memories[row.card] = answer(row.card, before, rating, now_ms, TODAY, Policy()).after
        queue.answered(row.card, memories[row.card], now_ms)
        last, now_ms = row.card, now_ms + draw.randrange(90_000)
    else:
        pytest.fail("the sitting never ended")
    assert expected <= set(memories)


def test_what_may_come_next_is_the_card_after_this_one() -> None:
    queue = a_queue([a_review("r1"), a_review("r2")], [], [a_new("n1"), a_new("n2", 1)])
    coming: list[str | None] = []
    seen: list[str] = []
    while (row := queue.next(NOW)) is not None:
        coming.append(queue.coming(row.card))
        seen.append(row.card)
        queue.answered(row.card, DONE_TODAY, NOW)

    assert coming == [*seen[1:], None]
    assert len(seen) == 4
