"""Markdown as plain lines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.decks.md_plain import plain_line, plain_lines


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("# A **bold** _word_", ["A bold word"]),
        ("one\ntwo\\\nthree", ["one", "two", "three"]),
        ("one\n\ntwo", ["one", "", "two"]),
        ("`x*y*z` and ``a`b``", ["`x*y*z` and ``a`b``"]),
        ("```python\nx = 1\n\n**y**\n```", ["    x = 1", "    ", "    **y**"]),
        ("- a\n  - b\n\n    c\n- d\n-", ["- a", "  - b", "    c", "- d", "-"]),
        ("3. x\n4. y\n   z", ["3. x", "4. y", "   z"]),
        ("> a\n>\n> - b", ["> a", ">", "> - b"]),
        ("| a | **b** |\n| - | - |\n| `c\\|d` | e |", ["a | b", "`c|d` | e"]),
        ("$a_b c_d$ and $$x$$ from $5 to $6", ["$a_b c_d$ and $$x$$ from $5 to $6"]),
        ("$$\nM \\approx *x*\n$$", ["$$", "M \\approx *x*", "$$"]),
        ("---", ["---"]),
        ("[x](experiment:kept?side=1)", ["x"]),
        ("[x](https://y.z) <https://y.z>", ["x (https://y.z) https://y.z"]),
        ("![alt](x.png) ~~old~~ <b>new</b> <!-- id: x -->", ["[picture: alt] old <b>new</b> "]),
        ("<!-- only -->", []),
        ("<div>\na\n</div>", ["<div>", "a", "</div>"]),
        ("a &amp; b \\* [/red]", ["a & b * [/red]"]),
        ("", []),
    ],
)
def test_marks_go_and_words_stay(markdown: str, lines: list[str]) -> None:
    assert plain_lines(markdown) == lines


def test_one_line_names_a_card_in_a_list() -> None:
    assert plain_line("What does **this**\nprint?") == "What does this print?"
    assert plain_line("What?\n\n| a |") == "What? …"
    assert plain_line("") == ""


def test_b10_a_very_long_text_is_shown_as_it_was_written() -> None:
    text = "**x**\x07 " * 10_000 + "\nend"

    assert plain_lines(text) == ["**x**␇ " * 10_000, "end"]
    assert plain_line(text).endswith("end")


@given(st.text(st.characters(codec=None)) | st.text("*_`~$[]()<>#-+|\n 1.&;x\t\\", max_size=80))
def test_any_text_becomes_harmless_lines(markdown: str) -> None:
    lines = plain_lines(markdown)

    assert not re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(lines))
    assert "\n" not in plain_line(markdown)


def test_a_spoken_table_names_the_column_of_every_cell_and_draws_nothing() -> None:
    text = "| net | bytes |\n|---|---|\n| small | 2 GB |\n| wide | |\n\n---\n\n> quoted"

    assert plain_lines(text, spoken=True) == ["net: small; bytes: 2 GB.", "net: wide.", "", "quoted"]


@pytest.mark.parametrize("text", ["16.", "+", "*"])
def test_an_answer_that_markdown_takes_for_an_empty_list_is_kept(text: str) -> None:
    assert plain_lines(text) == [text]
