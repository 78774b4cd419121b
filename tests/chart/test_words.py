from __future__ import annotations

import math

from studyapp.chart import format_table, render_text, table, table_words
from studyapp.core.figures import Axis, Lane, Plot, draw
from studyapp.core.points import Basis, Point
from tests.chart.figures import copy_bars, paper_race

PLOT = Plot(Axis("batch size", "", "log2"), Axis("time", "s", "log10"), (Lane("a", "CPU"),))


def test_words_name_what_was_not_measured() -> None:
    words = render_text(paper_race())

    assert any(line.startswith("paper GPU (assumed): ") for line in words)
    assert "paper GPU: assumed, not measured here." in words
    assert "You predicted batch size 128." in words
    assert paper_race().sentence in words


def test_e09_points_left_out_are_counted_in_words() -> None:
    figure = draw(
        "t", PLOT, [Point("a", 1, math.nan), Point("a", 2, math.inf), Point("a", 4, -1.0), Point("a", 8, 1e-3)]
    )

    words = render_text(figure)

    assert "3 of 4 points are not finite or cannot stand on this axis." in words
    assert "CPU: 1 ms at batch size 8, one point." in words


def test_an_empty_figure_says_so() -> None:
    assert "Nothing measured yet." in render_text(paper_race(0))
    assert table(paper_race(0)) == [["batch size"]]


def test_the_course_of_a_series_is_told() -> None:
    def course(*ys: float) -> str:
        return render_text(draw("t", PLOT, [Point("a", 2.0**k, y) for k, y in enumerate(ys)]))[1]

    assert (
        course(1e-3, 2e-3, 8e-3) == "CPU: rises from 1 ms at batch size 1 to 8 ms at batch size 4 (8×), 3 points."
    )
    assert course(8e-3, 1e-3) == "CPU: falls from 8 ms at batch size 1 to 1 ms at batch size 2 (8×), 2 points."
    assert course(1e-3, 1.05e-3, 1e-3) == "CPU: stays near 1 ms from batch size 1 to 4, 3 points."
    assert course(2e-3, 9e-3, 1e-3, 3e-3) == (
        "CPU: from 2 ms at batch size 1 to 3 ms at batch size 8, lowest 1 ms at batch size 4, "
        "highest 9 ms at batch size 2, 4 points."
    )


def test_timings_that_did_not_settle_are_told() -> None:
    figure = draw("t", PLOT, [Point("a", 1, 1e-3, settled=False), Point("a", 2, 4e-3)])

    assert any(line.endswith("1 of 2 did not settle.") for line in render_text(figure))


def test_the_table_has_units_a_basis_and_the_spread() -> None:
    assert table(copy_bars()) == [
        ["way", "epoch", "epoch spread", "epoch basis"],
        ["plain", "12.3 ms", "", "measured"],
        ["pin in the loop", "24.1 ms", "23 ms to 26 ms, did not settle", "measured"],
        ["pinned by loader", "7.1 ms", "", "recorded"],
    ]


def test_a_series_measured_here_needs_no_basis_column() -> None:
    assert table(draw("t", PLOT, [Point("a", 64, 45e-6)])) == [["batch size", "CPU"], ["64", "45 µs"]]


def test_counted_points_say_so_in_the_table() -> None:
    assert table(draw("t", PLOT, [Point("a", 1, 2.0, basis=Basis.COUNTED)]))[1] == ["1", "2 s", "counted"]


def test_numbers_line_up_at_the_right_and_words_at_the_left() -> None:
    lines = format_table([["n", "time", "basis"], ["8", "9 ms", "measured"], ["16", "10 ms", "assumed"]])

    assert lines == [" n   time  basis", " 8   9 ms  measured", "16  10 ms  assumed"]


def test_a_table_in_chinese_lines_up_by_cells() -> None:
    assert format_table([["名", "t"], ["a", "1 s"]]) == ["名    t", "a   1 s"]


def test_an_empty_table_prints_nothing() -> None:
    assert format_table([]) == []


def test_a_row_in_words_names_every_column_and_has_no_blanks_to_line_up() -> None:
    rows = [["rows", "cpu", "cpu spread", "gpu", "gpu basis"], ["8", "9 µs", "8 µs to 11 µs", "1 µs", "assumed"]]

    assert table_words([*rows, ["16", "", "", "2 µs", "assumed"]], ascii=True) == [
        "rows 8: cpu 9 us, 8 us to 11 us; gpu 1 us, assumed.",
        "rows 16: gpu 2 us, assumed.",
    ]


def test_a_row_with_a_name_begins_with_it() -> None:
    assert table_words([["how", "rate"], ["copy on host", "4 /s"]]) == ["copy on host: rate 4 /s."]
    assert table_words([]) == []
