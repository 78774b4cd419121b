from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.points import Point
from studyapp.experiments.judging import (
    Crossing,
    against,
    band,
    compare,
    crossing,
    fastest,
    in_bytes,
    in_flops,
    in_seconds,
    ratio,
    times,
)

positive = st.floats(1e-9, 1e9)


@given(positive, positive, st.floats(0, 2))
def test_against_is_symmetric(a: float, b: float, noise: float) -> None:
    assert against(a / b, 1.0, noise) == -against(b / a, 1.0, noise)


@pytest.mark.parametrize(("number", "side"), [(2.0, 0), (2.39, 0), (2.41, 1), (1.67, 0), (1.66, -1)])
def test_a_difference_must_exceed_twice_the_noise(number: float, side: int) -> None:
    assert against(number, 2.0, 0.1) == side


@pytest.mark.parametrize("number", [0.0, -1.0, float("nan"), float("inf")])
def test_a_number_that_is_none_is_never_clear(number: float) -> None:
    assert against(number, 1.0, 0.0) == 0


def test_comparison_takes_the_larger_spread() -> None:
    quiet, noisy = Point("a", 1, 1.0, 1.0, 1.01), Point("b", 1, 1.5, 1.5, 2.0)

    assert compare(noisy, quiet) == 0
    assert compare(Point("b", 1, 1.5, 1.5, 1.51), quiet) == 1


def test_dividing_by_nothing_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="nothing to divide by"):
        ratio(Point("a", 1, 1.0), Point("b", 1, 0.0))
    with pytest.raises(ValueError, match="no finite value"):
        ratio(Point("a", 1, None), Point("b", 1, 1.0))
    with pytest.raises(ValueError):
        fastest([])


def test_an_interval_for_scoring_stays_narrow_on_a_noisy_machine() -> None:
    low, high = band(10.0, [Point("a", 1, 1.0, 1.0, 9.0)])

    assert (low, high) == (8.0, 12.5)


def lane(*ys: float, spread: float = 0.01) -> dict[float, Point]:
    return {2.0**i: Point("s", 2.0**i, y, y, y * (1 + spread)) for i, y in enumerate(ys)}


def test_a_crossing_is_where_the_lead_is_kept() -> None:
    assert crossing(lane(1, 1, 1, 1), lane(0.5, 2, 0.5, 0.5)) == Crossing(4, 2, 4)


def test_a_challenger_behind_at_the_end_never_crosses() -> None:
    assert crossing(lane(1, 1, 1), lane(0.5, 0.5, 2)) is None
    assert crossing({}, lane(1)) is None


def test_a_challenger_ahead_from_the_start_crosses_at_the_first() -> None:
    assert crossing(lane(2, 2), lane(1, 1)) == Crossing(1, 1, 1)


def test_ties_widen_a_crossing_by_one_step() -> None:
    assert crossing(lane(1, 1, 1, 1, 1), lane(2, 2, 1.01, 0.99, 0.5)) == Crossing(8, 2, 16)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (in_seconds(0.9999), "1 s"),
        (in_seconds(0.000999999), "1 ms"),
        (in_seconds(123.4), "123 s"),
        (in_seconds(3e-10), "0.3 ns"),
        (in_bytes(0), "0 B"),
        (in_bytes(999_900), "1 MB"),
        (in_flops(5e3), "0.005 MFLOP/s"),
        (times(0.999), "1.0×"),
        (times(1234.5), "1,234×"),
    ],
)
def test_numbers_read_well(words: str, expected: str) -> None:
    assert words == expected
