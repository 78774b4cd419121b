from __future__ import annotations

import pytest

from studyapp.core.calibration import Calibration, Share
from studyapp.core.coin import PLAIN, PREDICT, Comparison, arm, needed


def compared(first: tuple[int, int], second: tuple[int, int]) -> Comparison:
    return Comparison(Share(*first), Share(*second), 1.5, 1.4, 10)


def test_the_coin_of_a_card_always_falls_on_the_same_side_and_the_sides_are_even() -> None:
    sides = [arm(f"module/card-{i}") for i in range(4000)]

    assert [arm(f"module/card-{i}") for i in range(4000)] == sides
    assert set(sides) == {PREDICT, PLAIN}
    assert abs(sides.count(PREDICT) - 2000) < 130  # four standard deviations


def test_telling_87_from_92_per_cent_takes_587_answers_on_each_side() -> None:
    assert needed() == 587
    assert needed(0.5, 0.9) == 17


def test_nothing_is_claimed_before_there_are_enough_answers() -> None:
    early = compared((92, 100), (10, 100))

    assert early.lacking == 487
    assert early.sentence == "Too early to say: the smaller side needs 487 more answers."
    assert compared((0, 0), (600, 600)).lacking == 587


@pytest.mark.parametrize(
    ("first", "second", "start"),
    [
        ((560, 600), (500, 600), "Predicting first helps you: +10.0 points"),
        ((500, 600), (560, 600), "Predicting first does not help you"),
        ((540, 600), (540, 600), "No difference could be shown: +0.0 points"),
    ],
)
def test_the_interval_decides_what_is_said(first: tuple[int, int], second: tuple[int, int], start: str) -> None:
    assert compared(first, second).sentence.startswith(start)


def test_newcombes_interval_is_that_of_his_paper() -> None:
    # Newcombe 1998, table II, row a: 56 of 70 against 48 of 80, method 10: 0.0524 to 0.3339
    middle, low, high = compared((56, 70), (48, 80)).difference or (0, 0, 0)

    assert middle == pytest.approx(0.2)
    assert low == pytest.approx(0.0524, abs=1e-4)
    assert high == pytest.approx(0.3339, abs=1e-4)


@pytest.mark.parametrize(
    ("inside", "scored", "words"),
    [
        (0, 0, ""),
        (0, 1, ""),
        (3, 4, ""),
        (0, 5, "too sure: say guess more often"),
        (16, 20, "about as sure as you may be"),
        (5, 20, "too sure: say guess more often"),
        (40, 40, "too careful: you know more than you claim"),
    ],
)
def test_too_sure_and_too_careful_are_said_only_where_the_numbers_carry_it(
    inside: int, scored: int, words: str
) -> None:
    made = Calibration(scored, {}, inside, scored, None, {})

    assert made.leaning == words
