"""Memory for cards that come from elsewhere."""

from __future__ import annotations

import pytest

from studyapp.core.policy import DEFAULT_PARAMETERS, Policy
from studyapp.core.sm2 import memory_from_history, memory_from_sm2


@pytest.mark.parametrize(
    ("ease", "interval_days", "retention", "stability", "difficulty"),
    [
        (2.5, 10, 0.9, 10, 6.91406),
        (2.5, 10, 0.8, 3.01572, 9.39343),
        (2.5, 10, 0.95, 24.8411, 1.29744),
        (1.3, 20, 0.9, 20, 10),
    ],
)
def test_an_sm2_card_gets_the_memory_that_fsrs_rs_gives_it(
    ease: float, interval_days: float, retention: float, stability: float, difficulty: float
) -> None:
    found = memory_from_sm2(ease, interval_days, retention, DEFAULT_PARAMETERS)

    assert found == pytest.approx((stability, difficulty), rel=1e-5)


def test_answers_alone_give_the_memory_of_the_reference() -> None:
    history = [(1, 0), (3, 0), (3, 1), (3, 3), (3, 8), (3, 21)]

    assert memory_from_history(history, Policy()) == pytest.approx((53.62691, 6.3574867), rel=1e-6)


def test_no_answers_and_no_start_give_no_memory() -> None:
    assert memory_from_history([], Policy()) is None


def test_a_start_stands_where_no_answer_follows() -> None:
    assert memory_from_history([], Policy(), (10.0, 5.0)) == (10.0, 5.0)
