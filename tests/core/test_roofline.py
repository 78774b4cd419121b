"""The roofline: what a passport's points make of it, and what it expects of work."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.points import Point
from studyapp.core.roofline import ALL, DEVICE, ONE, Load, Roof, factor_off

POINTS = [
    Point("rate float32 one", 256, 1e11),
    Point("rate float32 one", 1024, 8e10),
    Point("rate bfloat16 one", 512, 4e11),
    Point("ladder one", 2**15, 6e10),
    Point("ladder one", 2**18, 2e11),
    Point("ladder one", 2**27, 4e10),
    Point("call one", 0, 1e-6),
    Point("rate float32 device", 4096, 5e13),
    Point("ladder device", 2**27, 3e12),
    Point("call device", 0, 5e-6),
    Point("answer device", 0, 2e-5),
    Point("bus trip", 0, 3e-5),
    Point("bus pageable", 2**26, 8e9),
    Point("bus pinned", 2**26, 2.5e10),
    Point("machine cores", 0, 8),
    Point("call all", 0, math.nan),
]
ROOF = Roof.of(POINTS)


def test_the_peak_is_the_best_product_of_any_size() -> None:
    assert ROOF.peaks["float32", ONE] == 1e11


def test_much_arithmetic_on_few_bytes_takes_the_time_of_the_arithmetic() -> None:
    assert ROOF.seconds(Load("t", 1, flop=1e11, bytes=1e6, calls=0)) == pytest.approx(1.0)


def test_little_arithmetic_on_many_bytes_takes_the_time_of_the_bytes() -> None:
    assert ROOF.seconds(Load("t", 1, flop=1e3, bytes=4e10, calls=0)) == pytest.approx(1.0)


def test_every_call_costs_its_time_on_top() -> None:
    assert ROOF.seconds(Load("t", 1, calls=50)) == pytest.approx(50e-6)


def test_bytes_that_fit_a_cache_come_at_the_caches_rate_and_others_at_that_of_the_far_memory() -> None:
    assert ROOF.bandwidth(ONE, 2**16) == 2e11  # not the small copy's own rate, which is mostly call
    assert ROOF.bandwidth(ONE, 2**20) == 4e10
    assert ROOF.bandwidth(ONE, 2**40) == 4e10


def test_bytes_used_in_turn_count_for_the_rung_not_for_the_time() -> None:
    near = ROOF.seconds(Load("t", 1, bytes=2**16, calls=0))
    far = ROOF.seconds(Load("t", 1, bytes=2**16, calls=0, touched=2**28))

    assert near is not None
    assert far == pytest.approx(5 * near)


def test_a_trip_over_the_bus_costs_its_delay_and_its_bytes_at_the_better_rate() -> None:
    load = Load("trip", 0, DEVICE, calls=0, trips=1, moved=2.5e10)

    assert ROOF.seconds(load) == pytest.approx(1.00003)


def test_an_answer_costs_more_than_a_queued_call() -> None:
    queued, answered = (Load("t", 1, DEVICE, call=call) for call in ("", "answered"))

    assert (ROOF.seconds(queued), ROOF.seconds(answered)) == (5e-6, 2e-5)


@pytest.mark.parametrize(
    "load",
    [
        Load("t", 1, flop=1.0, dtype="float64"),
        Load("t", 1, ALL),  # its call is not finite
        Load("t", 1, ALL, bytes=1.0, calls=0),
    ],
)
def test_nothing_is_expected_where_the_passport_lacks_a_figure(load: Load) -> None:
    assert ROOF.expects(load) is None


def test_without_a_bus_nothing_is_expected_of_a_trip() -> None:
    cpu = Roof.of([point for point in POINTS if point.series.endswith("one")])

    assert cpu.expects(Load("trip", 0, calls=0, trips=1)) is None
    assert cpu.expects(Load("trip", 0, calls=0, moved=1.0)) is None


def test_a_rate_is_the_work_over_its_time_and_a_ratio_the_other_time_over_this_one() -> None:
    slow = Load("t", 1, flop=1e11, calls=0)
    fast = Load("t", 1, flop=1e11, calls=0, dtype="bfloat16", over=slow)

    assert ROOF.expects(Load("t", 1, flop=1e11, calls=0, amount=1e11)) == pytest.approx(1e11)
    assert ROOF.expects(fast) == pytest.approx(4.0)


@given(st.floats(1, 1e15), st.floats(1, 1e12), st.integers(0, 1000))
def test_more_of_anything_never_takes_less_time(flop: float, touched: float, calls: int) -> None:
    def took(**more: float) -> float:
        given_ = {"flop": flop, "bytes": touched, "calls": calls} | more
        found = ROOF.seconds(Load("t", 1, **given_))  # type: ignore[arg-type]
        assert found is not None
        return found

    base = took()
    assert took(flop=2 * flop) >= base
    assert took(bytes=2 * touched) >= base
    assert took(calls=calls + 1) > base


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_being_off_is_the_same_in_both_directions(said: float, measured: float) -> None:
    assert factor_off(said, measured) == factor_off(measured, said)


@pytest.mark.parametrize(
    ("said", "measured"), [(None, 1.0), (1.0, None), (0.0, 1.0), (math.inf, 1.0), (-1.0, 1.0)]
)
def test_numbers_without_a_ratio_are_not_compared(said: float | None, measured: float | None) -> None:
    assert factor_off(said, measured) is None
