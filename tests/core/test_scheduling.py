"""The adapter: study days, wrong clocks, the order of the buttons, and what a button shows."""

from __future__ import annotations

import random
import subprocess
import sys
from datetime import date, datetime, timedelta, timezone
from itertools import pairwise

import pytest

from studyapp.core.days import study_day
from studyapp.core.fuzz import fuzz_bounds
from studyapp.core.reviews import Answered, Kind, Memory, Rating, State
from studyapp.core.scheduling import (
    DEFAULT_PARAMETERS,
    MAX_STABILITY_DAYS,
    MIN_STABILITY_DAYS,
    Policy,
    answer,
    kind_of,
    preview,
    retrievability,
)

DAY = 739_000
NOW_MS = 1_768_000_000_000
PLAIN = Policy(fuzz=False)
PASSING = (Rating.HARD, Rating.GOOD, Rating.EASY)


def reviewed(stability: float = 10.0, difficulty: float = 5.0, interval_days: int = 10) -> Memory:
    return Memory(
        state=State.REVIEW,
        stability=stability,
        difficulty=difficulty,
        due_day=DAY + interval_days,
        last_day=DAY,
        reps=4,
        lapses=1,
        interval_days=interval_days,
    )


def test_importing_the_adapter_does_not_import_fsrs() -> None:
    code = "import sys, studyapp.core.replay as r; r.Policy(); print('fsrs' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"


def test_an_evening_and_the_next_morning_are_one_day_apart() -> None:
    evening = datetime(2026, 1, 14, 22, 0, tzinfo=timezone.utc)
    first = answer("card", Memory(), Rating.EASY, 0, study_day(evening, timezone.utc), PLAIN).after

    def next_good(hours: float) -> Answered:
        day = study_day(evening + timedelta(hours=hours), timezone.utc)
        return answer("card", first, Rating.GOOD, 0, day, PLAIN)

    assert [next_good(hours).elapsed_days for hours in (5.5, 10)] == [0, 1]
    assert next_good(5.5).after.stability == pytest.approx(8.2956, abs=1e-4)
    assert next_good(10).after.stability == pytest.approx(13.4851, abs=1e-4)


def test_a_day_interval_gives_a_due_day_and_a_step_gives_an_instant() -> None:
    outcomes = preview("card", reviewed(), NOW_MS, DAY + 10, PLAIN)
    good, again = outcomes[Rating.GOOD], outcomes[Rating.AGAIN]

    assert good.after.due_day == DAY + 10 + good.interval_days
    assert (good.after.due_at_ms, good.delay_ms, good.after.interval_days) == (None, 0, good.interval_days)
    assert (again.after.due_day, again.after.due_at_ms) == (None, NOW_MS + 600_000)
    assert (again.interval_days, again.after.interval_days, again.delay_ms) == (0, 0, 600_000)


def test_an_answer_counts_and_only_again_on_a_review_card_is_a_lapse() -> None:
    outcomes = preview("card", reviewed(), NOW_MS, DAY + 10, PLAIN)
    relearning = outcomes[Rating.AGAIN].after

    assert [outcome.after.lapses for outcome in outcomes.values()] == [2, 1, 1, 1]
    assert {outcome.after.reps for outcome in outcomes.values()} == {5}
    assert answer("card", relearning, Rating.AGAIN, NOW_MS, DAY + 10, PLAIN).after.lapses == 2
    assert answer("card", Memory(), Rating.AGAIN, NOW_MS, DAY, PLAIN).after.lapses == 0


def test_the_outcome_carries_what_was_before_and_the_predicted_recall() -> None:
    outcome = answer("card", reviewed(), Rating.GOOD, NOW_MS, DAY + 10, PLAIN)

    assert outcome.before == reviewed()
    assert outcome.elapsed_days == 10
    assert outcome.retrievability == pytest.approx(0.9)
    assert answer("card", Memory(), Rating.GOOD, NOW_MS, DAY, PLAIN).retrievability is None
    assert retrievability(Memory(), DAY, PLAIN) is None


@pytest.mark.parametrize("state", [State.LEARNING, State.RELEARNING])
def test_a_step_answered_days_later_uses_the_days_that_passed(state: State) -> None:
    memory = Memory(state=state, step=0, stability=2.3, difficulty=5.0, due_at_ms=0, last_day=DAY, reps=1)

    same_day = answer("card", memory, Rating.EASY, NOW_MS, DAY, PLAIN).after
    later = answer("card", memory, Rating.EASY, NOW_MS, DAY + 5, PLAIN).after

    assert (later.state, later.last_day) == (State.REVIEW, DAY + 5)
    assert (later.stability or 0) > (same_day.stability or 0)


def test_a_step_beyond_the_ones_that_are_left_graduates() -> None:
    memory = Memory(state=State.LEARNING, step=4, stability=2.3, difficulty=5.0, last_day=DAY, reps=1)
    outcomes = preview("card", memory, NOW_MS, DAY, PLAIN)

    assert [outcome.after.state for outcome in outcomes.values()] == [State.LEARNING, *[State.REVIEW] * 3]


def test_a06_a_clock_set_back_gives_no_negative_time_and_no_due_day_before_the_last_answer() -> None:
    for rating, outcome in preview("card", reviewed(), NOW_MS, DAY - 400, PLAIN).items():
        after = outcome.after

        assert outcome.elapsed_days == 0
        assert outcome.retrievability == 1.0
        assert after.last_day == DAY
        assert rating is Rating.AGAIN or (after.due_day or 0) > DAY


def test_a06_a_clock_far_ahead_neither_crashes_nor_leaves_the_calendar() -> None:
    last_day_of_all = date.max.toordinal()

    ahead = answer("card", reviewed(), Rating.GOOD, NOW_MS, last_day_of_all, PLAIN)

    assert ahead.elapsed_days == last_day_of_all - DAY
    assert ahead.after.due_day == last_day_of_all


def test_a06_after_a_far_forward_answer_the_next_one_counts_no_time() -> None:
    ahead = answer("card", reviewed(), Rating.GOOD, NOW_MS, DAY + 730, PLAIN).after

    corrected = answer("card", ahead, Rating.GOOD, NOW_MS, DAY + 1, PLAIN)

    assert corrected.elapsed_days == 0
    assert corrected.after.stability == ahead.stability
    assert corrected.after.last_day == DAY + 730


def random_history(seed: int) -> tuple[Policy, list[tuple[Memory, dict[Rating, Answered], Answered]]]:
    """Answer one card a dozen times after random pauses, often of a night or a few minutes."""
    draw = random.Random(seed)
    policy = Policy(maximum_interval=365, desired_retention=draw.choice((0.7, 0.8, 0.9, 0.97)))
    now = datetime(2026, 1, 1, 20, 0, tzinfo=timezone.utc)
    memory, shown = Memory(), []
    for _ in range(12):
        day, now_ms = study_day(now, timezone.utc), int(now.timestamp() * 1000)
        buttons = preview(f"card-{seed}", memory, now_ms, day, policy)
        rating = draw.choices(list(Rating), weights=(2, 1, 6, 1))[0]
        chosen = answer(f"card-{seed}", memory, rating, now_ms, day, policy)
        shown.append((memory, buttons, chosen))
        memory = chosen.after
        on_time = timedelta(days=max(0, (memory.due_day or day) - day))
        now += draw.choice((timedelta(minutes=10), timedelta(hours=14), on_time, on_time * draw.uniform(0.3, 4)))
    return policy, shown


def waits(buttons: dict[Rating, Answered]) -> list[tuple[int, int]]:
    return [(outcome.interval_days, outcome.delay_ms) for outcome in buttons.values()]


def test_a09_two_thousand_random_histories_keep_order_maximum_and_promise() -> None:
    for seed in range(2000):
        policy, shown = random_history(seed)
        for memory, buttons, chosen in shown:
            assert list(buttons) == list(Rating)
            assert waits(buttons) == sorted(waits(buttons))
            assert chosen == buttons[chosen.rating]
            days = [outcome.interval_days for outcome in buttons.values()]
            assert max(days) <= policy.maximum_interval
            passing = [n for n in days[1:] if n]
            assert all(a < b or b == policy.maximum_interval for a, b in pairwise(passing))
            assert all((buttons[rating].after.stability or 0) >= (memory.stability or 0) for rating in PASSING)


def test_a09_the_same_question_gets_the_same_answer_every_time() -> None:
    policy = Policy()
    memory = reviewed(stability=50.0, interval_days=50)

    first = preview("card", memory, NOW_MS, DAY + 50, policy)

    assert all(preview("card", memory, NOW_MS, DAY + 50, policy) == first for _ in range(60))


def test_a09_fuzz_differs_between_cards_and_stays_near_the_plain_interval() -> None:
    memory = reviewed(stability=20.0, interval_days=20)
    plain = answer("card", memory, Rating.GOOD, NOW_MS, DAY + 20, PLAIN).interval_days

    days = {answer(f"c{n}", memory, Rating.GOOD, NOW_MS, DAY + 20, Policy()).interval_days for n in range(200)}

    assert len(days) > 3
    assert min(days) < plain < max(days)
    assert all(abs(n - plain) <= 1 + 0.675 + 1.3 + 0.05 * (plain - 20) + 0.5 for n in days)


def test_one_draw_moves_all_buttons_the_same_way() -> None:
    memory = reviewed(stability=100.0, interval_days=30)
    plain = preview("card", memory, NOW_MS, DAY + 100, PLAIN)
    moves = set()
    for n in range(50):
        buttons = preview(f"c{n}", memory, NOW_MS, DAY + 100, Policy())
        shifts = [buttons[rating].interval_days - plain[rating].interval_days for rating in PASSING]
        assert all(shift >= 0 for shift in shifts) or all(shift <= 0 for shift in shifts)
        moves.add(sum(shifts) > 0)

    assert moves == {True, False}


def test_fuzz_never_shortens_a_passing_interval_that_grows() -> None:
    plain = answer("card", reviewed(stability=20.0), Rating.HARD, NOW_MS, DAY + 4, PLAIN).interval_days
    memory = reviewed(stability=20.0, interval_days=plain - 1)

    hard = [answer(f"c{n}", memory, Rating.HARD, NOW_MS, DAY + 4, Policy()).interval_days for n in range(200)]

    assert min(hard) == plain
    assert fuzz_bounds(plain, 1, 36_500)[0] < plain - 1


def test_good_waits_longer_than_hard_where_the_model_sees_no_difference() -> None:
    buttons = preview("card", reviewed(), NOW_MS, DAY, PLAIN)

    assert buttons[Rating.HARD].after.stability == buttons[Rating.GOOD].after.stability
    assert [buttons[rating].interval_days for rating in (Rating.HARD, Rating.GOOD)] == [10, 11]


def test_at_the_maximum_all_passing_buttons_agree() -> None:
    buttons = preview("card", reviewed(stability=1000.0), NOW_MS, DAY + 10, Policy(maximum_interval=30))

    assert [buttons[rating].interval_days for rating in PASSING] == [30, 30, 30]


def test_without_relearning_steps_again_gives_days_and_never_more_than_hard() -> None:
    policy = Policy(relearning_steps=(), fuzz=False)
    again, hard, *_ = preview("card", reviewed(stability=300.0), NOW_MS, DAY + 300, policy).values()

    assert (again.after.state, again.after.lapses, again.delay_ms) == (State.REVIEW, 2, 0)
    assert 1 <= again.interval_days <= hard.interval_days


def test_a09_the_buttons_keep_their_order_under_parameters_that_do_not() -> None:
    upside_down = (40.0, 30.0, 20.0, 10.0, *DEFAULT_PARAMETERS[4:])
    policy = Policy(parameters=upside_down, learning_steps=(), fuzz=False)

    buttons = preview("card", Memory(), NOW_MS, DAY, policy)

    assert [outcome.interval_days for outcome in buttons.values()] == [30, 30, 31, 32]


@pytest.mark.parametrize(("stability", "clamped"), [(50_000.0, MAX_STABILITY_DAYS), (0.0, MIN_STABILITY_DAYS)])
def test_a_stability_out_of_bounds_is_brought_back(stability: float, clamped: float) -> None:
    outcome = answer("card", reviewed(stability=stability), Rating.HARD, NOW_MS, DAY, PLAIN)

    assert retrievability(reviewed(stability=stability), DAY, PLAIN) == 1.0
    assert clamped <= (outcome.after.stability or 0) <= MAX_STABILITY_DAYS


def test_stability_stops_growing_after_a_hundred_years() -> None:
    memory = reviewed(stability=MAX_STABILITY_DAYS, interval_days=36_500)

    assert answer("card", memory, Rating.EASY, NOW_MS, DAY + 36_500, PLAIN).after.stability == MAX_STABILITY_DAYS


def test_the_log_names_an_answer_after_the_state_it_was_given_in() -> None:
    kinds = [kind_of(Memory(state=state)) for state in State]

    assert kinds == [Kind.LEARN, Kind.LEARN, Kind.REVIEW, Kind.RELEARN]
