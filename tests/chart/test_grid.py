from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from studyapp.chart.grid import CURVE, Canvas, clean, cut


def test_half_of_a_wide_character_is_never_left_standing() -> None:
    canvas = Canvas(6, 2)
    canvas.write(0, 0, "显卡", "label")
    canvas.write(0, 1, "显卡", "label")

    canvas.put(1, 0, "x", "cpu", CURVE)
    canvas.put(2, 1, "y", "cpu", CURVE)

    assert canvas.finish().plain() == " x卡  \n显y   "


def test_a_wide_character_that_would_cross_the_edge_is_dropped() -> None:
    canvas = Canvas(3, 1)

    canvas.write(0, 0, "显卡", "label")

    assert canvas.finish().plain() == "显 "
    assert canvas.level(3, 0) > CURVE  # outside nothing can be placed


def test_writing_outside_the_canvas_changes_nothing() -> None:
    canvas = Canvas(4, 1)

    canvas.write(-2, 0, "abcd", "label")
    canvas.write(0, 5, "abcd", "label")
    canvas.put(9, 9, "x", "cpu", CURVE)

    assert canvas.finish().plain() == "cd  "


def test_blanks_join_the_span_before_them() -> None:
    canvas = Canvas(7, 1)
    canvas.write(1, 0, "a", "cpu")
    canvas.write(4, 0, "b", "gpu")

    assert canvas.finish().rows == (((" a  ", "cpu"), ("b  ", "gpu")),)


def test_cleaning_keeps_words_and_drops_what_moves_the_cursor() -> None:
    assert clean("a\tb\x1b[2J\u202ec\u200d\ufe0f") == "a b [2Jc"
    assert clean("512 → 512, 1.8×, 45 µs", ascii=True) == "512 -> 512, 1.8x, 45 us"
    assert clean("显", ascii=True) == "?"


@given(st.text(max_size=40), st.integers(0, 30))
def test_cut_text_fits_and_uncut_text_is_whole(text: str, width: int) -> None:
    cleaned = clean(text)

    shown = cut(cleaned, width)

    assert cell_len(shown) <= width
    assert shown == cleaned or shown == "" or shown.endswith("…")


@given(st.text(max_size=60), st.integers(0, 60), st.integers(-5, 50))
def test_any_text_anywhere_keeps_the_row_s_width(text: str, width: int, col: int) -> None:
    canvas = Canvas(width, 1)

    canvas.write(col, 0, clean(text), "label")

    assert cell_len(canvas.finish().plain()) == width
