"""The public FSRS-6 test vectors, as literals, through our adapter.

Tolerances are those of the printed digits; fsrs-rs computes in float32, hence 1e-6 of the value at best.

Sources: py-fsrs tests/test_basic.py, fsrs-rs src/{inference,model}.rs, ts-fsrs packages/fsrs/__tests__.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from studyapp.core.reviews import Answered, Memory, Rating, State
from studyapp.core.scheduling import DEFAULT_PARAMETERS, Policy, answer, interval_at, preview, retrievability

DAY = 739_000
PLAIN = Policy(fuzz=False)
MINUTE_MS = 60_000
OLD_19 = (
    *(0.6845422, 1.6790825, 4.7349424, 10.042885, 7.4410233, 0.64219797, 1.071918, 0.0025195254, 1.432437, 0.1544),
    *(0.8692766, 2.0696752, 0.0953, 0.2975, 2.4691248, 0.19542035, 3.201072, 0.18046261, 0.121442534),
)
FSRS_5_LONG_TERM = (
    *(0.4197, 1.1869, 3.0412, 15.2441, 7.1434, 0.6477, 1.0007, 0.0674, 1.6597, 0.1712, 1.1178, 2.0225, 0.0904),
    *(0.3025, 2.1214, 0.2498, 2.9466, 0.0, 0.0, 0.0, 0.5),
)


def reviewed(stability: float, difficulty: float) -> Memory:
    return Memory(state=State.REVIEW, stability=stability, difficulty=difficulty, last_day=DAY, reps=3)


def four(memory: Memory, elapsed_days: int, policy: Policy = PLAIN) -> list[Answered]:
    return list(preview("card", memory, 0, DAY + elapsed_days, policy).values())


def stabilities(outcomes: Sequence[Answered]) -> list[float]:
    return [outcome.after.stability or 0.0 for outcome in outcomes]


def difficulties(outcomes: Sequence[Answered]) -> list[float]:
    return [outcome.after.difficulty or 0.0 for outcome in outcomes]


def answered_at_due(ratings: str, policy: Policy) -> list[Answered]:
    """Answer one rating after another, each on the day the card is due."""
    memory, day, outcomes = Memory(), DAY, []
    for rating in ratings:
        outcomes.append(answer("card", memory, Rating(int(rating)), 0, day, policy))
        memory = outcomes[-1].after
        day = day if memory.due_day is None else memory.due_day
    return outcomes


def answered_after(history: Sequence[tuple[int, int]], policy: Policy) -> list[Answered]:
    """Answer (rating, days since the answer before) one after another."""
    memory, day, outcomes = Memory(), DAY, []
    for rating, elapsed_days in history:
        day += elapsed_days
        outcomes.append(answer("card", memory, Rating(rating), 0, day, policy))
        memory = outcomes[-1].after
    return outcomes


def test_vector_1_intervals_of_a_learner_who_forgets_once() -> None:
    outcomes = answered_at_due("3333331133333", PLAIN)

    assert [outcome.interval_days for outcome in outcomes] == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]
    assert outcomes[-1].after.stability == pytest.approx(20.77036, abs=5e-6)
    assert outcomes[-1].after.difficulty == pytest.approx(9.05576, abs=5e-6)


HISTORY_2 = ((1, 0), (3, 0), (3, 1), (3, 3), (3, 8), (3, 21))


def test_vector_2_memory_after_a_first_failure_with_each_step_on_the_way() -> None:
    outcomes = answered_after(HISTORY_2, PLAIN)

    assert stabilities(outcomes) == pytest.approx([0.212, 0.24669, 2.02148, 7.8637, 21.91771, 53.62691], abs=1e-5)
    assert difficulties(outcomes) == pytest.approx(
        [6.4133, 6.40212, 6.39094, 6.37978, 6.36863, 6.3574867], abs=5e-6
    )


def test_vector_2_without_the_same_day_parameters() -> None:
    parameters = (*DEFAULT_PARAMETERS[:17], 0.0, 0.0, 0.0, DEFAULT_PARAMETERS[20])
    last = answered_after(HISTORY_2, Policy(parameters=parameters, fuzz=False))[-1].after

    assert last.stability == pytest.approx(53.335106, rel=1e-6)
    assert last.difficulty == pytest.approx(6.3574867, abs=5e-7)


def test_vector_3_the_first_answer() -> None:
    outcomes = four(Memory(), 0)

    assert stabilities(outcomes) == [0.212, 1.2931, 2.3065, 8.2956]
    assert difficulties(outcomes) == pytest.approx([6.4133, 5.1121707, 2.118104, 1.0], abs=5e-7)
    assert [outcome.interval_days for outcome in outcomes] == [0, 0, 0, 8]


def test_vector_4_the_next_difficulty() -> None:
    assert difficulties(four(reviewed(10.0, 5.0), 10)) == pytest.approx(
        [8.341762, 6.665995, 4.990228, 3.314461], abs=5e-7
    )


def bent_to(wanted: float, stability: float, elapsed_days: int) -> Policy:
    """Return the policy whose forgetting curve passes through the wanted chance of recall after so many days."""
    low, high = 0.1, 0.8
    for _ in range(60):
        decay = (low + high) / 2
        policy = Policy(parameters=(*DEFAULT_PARAMETERS[:20], decay), fuzz=False)
        recall = retrievability(reviewed(stability, 5.0), DAY + elapsed_days, policy)
        assert recall is not None
        # Beyond the stability a larger decay falls less; both ends bracket the wanted value.
        low, high = (decay, high) if (recall > wanted) == (elapsed_days > stability) else (low, decay)
    assert recall == pytest.approx(wanted, abs=1e-9)
    return policy


@pytest.mark.parametrize(
    ("difficulty", "recall", "elapsed_days", "passing", "passed", "forgotten"),
    [
        (1.0, 0.9, 5, Rating.GOOD, 25.6025, 1.0525396),
        (2.0, 0.8, 16, Rating.HARD, 28.2266, 1.1894329),
        (3.0, 0.7, 40, Rating.GOOD, 58.6560, 1.3680838),
        (4.0, 0.6, 100, Rating.EASY, 127.2267, 1.584989),
    ],
)
def test_vector_5_stability_after_recall_and_after_forgetting(
    difficulty: float, recall: float, elapsed_days: int, passing: Rating, passed: float, forgotten: float
) -> None:
    policy = PLAIN if elapsed_days == 5 else bent_to(recall, 5.0, elapsed_days)

    outcomes = preview("card", reviewed(5.0, difficulty), 0, DAY + elapsed_days, policy)

    assert outcomes[passing].after.stability == pytest.approx(passed, abs=5e-5)
    assert outcomes[Rating.AGAIN].after.stability == pytest.approx(forgotten, abs=5e-7)


def test_vector_5_stability_on_the_same_day() -> None:
    for difficulty in (1.0, 2.0, 3.0, 4.0):
        outcomes = four(reviewed(5.0, difficulty), 0)

        assert stabilities(outcomes) == pytest.approx([1.596818, 5.0, 5.0, 8.12961], abs=5e-6)


def test_vector_6_intervals_for_every_retention() -> None:
    retentions = [tenth / 10 for tenth in range(1, 11)]
    days = [max(1, round(interval_at(1.0, retention, 0.1542))) for retention in retentions]

    assert days == [3116769, 34793, 2508, 387, 90, 27, 9, 3, 1, 1]


def test_vector_7_the_forgetting_curve() -> None:
    def recall(stability: float, elapsed_days: int, policy: Policy = PLAIN) -> float | None:
        return retrievability(reviewed(stability, 5.0), DAY + elapsed_days, policy)

    slower = Policy(parameters=(*DEFAULT_PARAMETERS[:20], 0.2))
    assert [recall(1.0, t) for t in range(4)] == pytest.approx([1.0, 0.9, 0.84588465, 0.8093881], abs=5e-8)
    assert [recall(s, t) for t, s in ((1, 2), (2, 3), (3, 4), (5, 2))] == pytest.approx(
        [0.9403443, 0.9253786, 0.9185229, 0.8261359], abs=5e-8
    )
    assert [recall(1.0, t, slower) for t in (1, 2, 3)] == pytest.approx([0.9, 0.84028935, 0.7985001], abs=1e-7)


def test_vector_8_a_history_under_an_old_set_of_19_parameters() -> None:
    policy = Policy(parameters=OLD_19, fuzz=False)
    last = answered_after(((1, 0), (3, 1), (3, 3), (3, 8), (3, 21)), policy)[-1]

    assert last.after.stability == pytest.approx(31.722992, rel=1e-6)
    assert last.after.difficulty == pytest.approx(7.382128, rel=1e-6)
    assert last.before.last_day is not None
    outcomes = four(last.before, last.before.last_day - DAY + 21, policy)
    assert stabilities(outcomes) == pytest.approx([2.96915, 17.09145, 31.72299, 71.7502], rel=2e-6)
    assert difficulties(outcomes) == pytest.approx([8.00066, 7.69139, 7.38213, 7.07286], abs=1e-5)


def test_vector_8_one_answer_from_a_given_state() -> None:
    good = four(reviewed(20.925528, 7.005062), 21, Policy(parameters=OLD_19, fuzz=False))[2].after

    assert good.stability == pytest.approx(40.87456, rel=1e-6)
    assert good.difficulty == pytest.approx(6.9913807, rel=1e-6)


@pytest.mark.parametrize(
    ("stability", "difficulty", "elapsed_days", "expected"),
    [
        (2.3065, 2.118104, 0, [0.7751, 2.3065, 2.3065, 3.9461]),
        (2.3065, 2.118104, 2, [0.6076, 7.5133, 10.9643, 18.5218]),
        (2.3065, 2.118104, 10, [0.7592, 16.0198, 25.1087, 45.0128]),
        (10.0, 5.0, 10, [1.392, 23.2469, 32.0267, 51.2539]),
        (10.0, 5.0, 30, [1.6162, 36.1955, 53.5576, 91.5791]),
        (100.0, 8.0, 60, [3.4585, 130.6858, 151.0239, 195.5626]),
    ],
)
def test_vector_11_the_grid(stability: float, difficulty: float, elapsed_days: int, expected: list[float]) -> None:
    assert stabilities(four(reviewed(stability, difficulty), elapsed_days)) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("stability", "expected"), [(10.0, [93, 33, 19, 10, 4, 2]), (100.0, [929, 332, 191, 100, 40, 22])]
)
def test_vector_12_intervals_by_wanted_retention(stability: float, expected: list[int]) -> None:
    retentions = (0.7, 0.8, 0.85, 0.9, 0.95, 0.97)
    # On the day of the last answer Hard leaves the stability alone, so its interval is the stability's.
    intervals = [
        four(reviewed(stability, 5.0), 0, Policy(desired_retention=retention, fuzz=False))[1].interval_days
        for retention in retentions
    ]

    assert intervals == expected


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ("3333331133333", [3, 13, 48, 155, 445, 1158, 17, 3, 11, 37, 112, 307, 773]),
        ("41234123", [15, 3, 6, 27, 240, 10, 17, 60]),
        ("34123412", [3, 33, 4, 7, 26, 193, 9, 14]),
    ],
)
def test_vector_13_without_steps_every_answer_gives_days(ratings: str, expected: list[int]) -> None:
    policy = Policy(parameters=FSRS_5_LONG_TERM, learning_steps=(), relearning_steps=(), fuzz=False)

    assert [outcome.interval_days for outcome in answered_at_due(ratings, policy)] == expected


def minutes(*lengths: float) -> tuple[timedelta, ...]:
    return tuple(timedelta(minutes=length) for length in lengths)


def places(outcomes: Sequence[Answered]) -> list[tuple[float, State, int | None]]:
    return [(outcome.delay_ms / MINUTE_MS, outcome.after.state, outcome.after.step) for outcome in outcomes]


def on_step(state: State, step: int) -> Memory:
    return Memory(state=state, step=step, stability=2.3, difficulty=2.1, last_day=DAY, due_at_ms=0, reps=1)


LEARNING, REVIEW, RELEARNING = State.LEARNING, State.REVIEW, State.RELEARNING


@pytest.mark.parametrize(
    ("policy", "memory", "again_hard_good"),
    [
        (PLAIN, Memory(), [(1, LEARNING, 0), (5.5, LEARNING, 0), (10, LEARNING, 1)]),
        (PLAIN, on_step(LEARNING, 1), [(1, LEARNING, 0), (10, LEARNING, 1), (0, REVIEW, None)]),
        (
            Policy(learning_steps=minutes(1), fuzz=False),
            Memory(),
            [(1, LEARNING, 0), (1.5, LEARNING, 0), (0, REVIEW, None)],
        ),
        (PLAIN, on_step(RELEARNING, 0), [(10, RELEARNING, 0), (15, RELEARNING, 0), (0, REVIEW, None)]),
        (
            Policy(relearning_steps=minutes(1, 10), fuzz=False),
            on_step(RELEARNING, 0),
            [(1, RELEARNING, 0), (5.5, RELEARNING, 0), (10, RELEARNING, 1)],
        ),
    ],
)
def test_vector_14_steps(
    policy: Policy, memory: Memory, again_hard_good: list[tuple[float, State, int | None]]
) -> None:
    outcomes = four(memory, 0, policy)

    assert places(outcomes[:3]) == again_hard_good
    assert outcomes[3].after.state is State.REVIEW
    assert outcomes[3].interval_days >= 1
