"""The points in rows: columns that do not fit stand below, never a row in two."""

from __future__ import annotations

from rich.cells import cell_len

from studyapp.chart.words import format_table
from studyapp.tui.screens.table import side_by_side

ROWS = [
    ["rows", "one core", "one core spread", "all cores", "all cores spread"],
    ["1", "186 µs", "186 µs to 224 µs", "243 µs", "243 µs to 282 µs"],
    ["10000", "2.07 ms", "2.07 ms to 2.5 ms", "1.49 ms", "1.49 ms to 1.74 ms"],
]


def test_a_table_that_fits_stays_one() -> None:
    assert side_by_side(ROWS, 80) == [ROWS]


def test_a_series_keeps_its_spread_beside_it_and_every_block_its_first_column() -> None:
    first, second = side_by_side(ROWS, 50)

    assert first[0] == ["rows", "one core", "one core spread"]
    assert second[0] == ["rows", "all cores", "all cores spread"]
    assert max(cell_len(line) for block in (first, second) for line in format_table(block)) <= 50


def test_a_narrow_window_still_shows_every_series() -> None:
    assert [block[0][1] for block in side_by_side(ROWS, 10)] == ["one core", "all cores"]
