"""Fuzz: Anki's bounds as literals, and a draw that repeats."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.fuzz import fuzz_bounds, fuzz_factor, fuzzed


@pytest.mark.parametrize(
    ("interval", "minimum", "maximum", "expected"),
    [
        (1.0, 1, 1000, (1, 1, 1)),
        (2.49, 1, 1000, (2, 2, 2)),
        (2.5, 1, 1000, (2, 3, 4)),
        (7.0, 1, 1000, (5, 7, 9)),
        (17.0, 1, 1000, (14, 17, 20)),
        (19.9, 1, 1000, (17, 20, 23)),
        (20.0, 1, 1000, (17, 20, 23)),
        (20.1, 1, 1000, (17, 20, 23)),
        (37.0, 1, 1000, (33, 37, 41)),
        (100.0, 101, 1000, (101, 105, 108)),
        (100.0, 1, 99, (92, 96, 99)),
        (100.0, 97, 103, (97, 100, 103)),
        (2.0, 3, 1000, (3, 4, 4)),
        (2.0, 3, 3, (3, 3, 3)),
    ],
)
def test_vector_15_low_middle_and_high_draws_give_ankis_intervals(
    interval: float, minimum: int, maximum: int, expected: tuple[int, int, int]
) -> None:
    assert tuple(fuzzed(interval, factor, minimum, maximum) for factor in (0.0, 0.5, 0.99)) == expected


def test_without_a_draw_halves_round_up_within_the_limits() -> None:
    assert [fuzzed(days, None, 2, 9) for days in (0.4, 2.5, 3.49, 40.0)] == [2, 3, 3, 9]


def test_a_minimum_above_the_maximum_bows_to_it() -> None:
    assert fuzz_bounds(10.0, 30, 20) == (20, 20)
    assert fuzzed(10.0, None, 30, 20) == 20


def test_a_minimum_above_the_interval_becomes_the_middle_of_the_range() -> None:
    assert fuzz_bounds(3.0, 4, 1000) == (4, 5)
    assert fuzz_bounds(3.0, 1000, 2000) == (1000, 1052)


def test_the_draw_is_fixed_by_card_and_review_count() -> None:
    assert fuzz_factor("small-net", 3) == fuzz_factor("small-net", 3)
    assert len({fuzz_factor("small-net", reps) for reps in range(100)}) == 100
    assert fuzz_factor("small-net", 3) != fuzz_factor("core-race", 3)


def test_the_draws_fill_the_unit_interval_evenly() -> None:
    draws = [fuzz_factor(f"card-{n}", n % 7) for n in range(10_000)]
    tenths = [sum(n / 10 <= draw < (n + 1) / 10 for draw in draws) for n in range(10)]

    assert sum(tenths) == 10_000
    assert all(850 < tenth < 1150 for tenth in tenths)


@settings(deadline=None, derandomize=True)
@given(
    interval=st.floats(min_value=0, max_value=1e6),
    factor=st.floats(min_value=0, max_value=1, exclude_max=True),
    limits=st.tuples(st.integers(1, 40_000), st.integers(1, 40_000)).map(sorted),
)
def test_fuzz_never_leaves_its_limits(interval: float, factor: float, limits: list[int]) -> None:
    low, high = limits

    assert low <= fuzzed(interval, factor, low, high) <= high
