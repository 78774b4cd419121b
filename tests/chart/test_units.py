from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from studyapp.chart import quantity, tick_values


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (45e-6, "s", "45 µs"),
        (4.5e-8, "s", "45 ns"),
        (999.7e-6, "s", "1 ms"),
        (0.0012345, "s", "1.23 ms"),
        (120.0, "s", "120 s"),
        (5.5e9, "B", "5.5 GB"),
        (102_228_128, "B", "102 MB"),
        (512, "B", "512 B"),
        (107e9, "FLOP/s", "107 GFLOP/s"),
        (1.8, "x", "1.8×"),
        (96.15, "x", "96.2×"),
        (64, "", "64"),
        (64, "rows", "64 rows"),
        (1024, "", "1024"),
        (131072, "", "131k"),
        (12_345, "rows", "12345 rows"),
        (12_345.6, "rows/s", "12.3k rows/s"),
        (25_557_032, "", "25.6M"),
        (40, "%", "40 %"),
        (0.001, "h", "0.001 h"),
        (1e-5, "", "1e-5"),
        (10_960, "rows/s", "11k rows/s"),
        (0, "s", "0 s"),
        (-2.5e-3, "s", "-2.5 ms"),
        (1e-300, "s", "1e-300 s"),
        (1e300, "", "1e300"),
        (math.nan, "s", "n/a"),
        (math.inf, "s", "inf"),
        (-math.inf, "", "-inf"),
    ],
)
def test_quantities_carry_a_fitting_unit_and_few_digits(value: float, unit: str, expected: str) -> None:
    assert quantity(value, unit) == expected


def test_ascii_quantities_use_letters_only() -> None:
    assert (quantity(45e-6, "s", ascii=True), quantity(1.8, "x", ascii=True)) == ("45 us", "1.8x")


@given(st.floats(), st.sampled_from(["s", "B", "FLOP/s", "x", "", "rows", "%"]))
def test_e09_no_number_breaks_a_quantity(value: float, unit: str) -> None:
    text = quantity(value, unit)

    assert text
    assert text == text.strip()
    assert len(text) <= 20


@given(st.floats(min_value=1e-11, max_value=1e3))
def test_quantities_stay_within_half_a_percent(seconds: float) -> None:
    number, unit = quantity(seconds, "s").split()

    shown = float(number) * {"ps": 1e-12, "ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}[unit]

    assert shown == pytest.approx(seconds, rel=0.00501)


@pytest.mark.parametrize(
    ("low", "high", "scale", "count", "expected"),
    [
        (1, 1024, "log2", 11, [2**k for k in range(11)]),
        (1, 1024, "log2", 6, [1, 4, 16, 64, 256, 1024]),
        (1e-5, 1e-2, "log10", 4, [1e-5, 1e-4, 1e-3, 1e-2]),
        (1e-5, 1e-2, "log10", 8, [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2]),
        (1e-5, 1e-3, "log10", 8, [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3]),
        (1e-9, 1e3, "log10", 5, [1e-9, 1e-6, 1e-3, 1.0, 1e3]),
        (110, 190, "log10", 5, [120, 140, 160, 180]),
        (0, 4, "linear", 5, [0, 1, 2, 3, 4]),
        (0, 1, "linear", 6, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 100, "linear", 4, [0, 50, 100]),
        (3, 3, "linear", 4, [3]),
    ],
)
def test_ticks_are_the_round_values_a_reader_expects(
    low: float, high: float, scale: str, count: int, expected: list[float]
) -> None:
    assert tick_values(low, high, scale, count) == pytest.approx(expected)


def test_whole_ticks_have_no_half_threads() -> None:
    assert tick_values(1, 4, "linear", 12, whole=True) == [1, 2, 3, 4]


@given(
    st.floats(min_value=1e-300, max_value=1e300),
    st.floats(min_value=1e-300, max_value=1e300),
    st.sampled_from(["linear", "log2", "log10"]),
    st.integers(2, 12),
)
@example(9.999999999980002e299, 9.999999999995e299, "linear", 2)
def test_e09_ticks_are_few_ascending_and_inside(one: float, other: float, scale: str, count: int) -> None:
    low, high = min(one, other), max(one, other)

    ticks = tick_values(low, high, scale, count)

    assert 1 <= len(ticks) <= count + 2
    assert ticks == sorted(set(ticks))
    slack = 1e-6 * (high - low) if scale == "linear" else 0
    assert all(low * (1 - 1e-6) - slack <= tick <= high * (1 + 1e-6) + slack for tick in ticks)
