"""Prose on the screen: what needs no Markdown parser is drawn as the parser would have it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.tui.widgets.prose import _PLAIN, _blocks, _parser, prose

WORDS = st.text(st.sampled_from("abZé5 .,;:!?()'\"-+=#>|/@$%^{}\t]☃"), max_size=60)


def parsed(text: str, width: int) -> list[str]:
    lines = [line.plain for line in _blocks(_parser().parse(text), width)]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


@given(WORDS, st.integers(4, 40))
def test_a_plain_line_is_drawn_without_the_parser_as_with_it(text: str, width: int) -> None:
    if _PLAIN.fullmatch(text):
        assert [line.plain for line in prose(text, width)] == parsed(text, width)


@pytest.mark.parametrize(
    "text", ["# head", "- item", "1. item", "a *b*", "a `b`", "a\nb", "  code", "a &amp; b", "a ~~b~~", "a \\* b"]
)
def test_whatever_markdown_reads_goes_to_the_parser(text: str) -> None:
    assert not _PLAIN.fullmatch(text)


@pytest.mark.parametrize("text", ["16.", "16)", "+", "-"])
def test_an_answer_that_markdown_takes_for_an_empty_list_is_shown(text: str) -> None:
    assert [line.plain for line in prose(text, 40)] == [text]


def test_a_table_breaks_between_words_as_long_as_they_fit() -> None:
    table = "| a | b | c |\n|---|---|---|\n| an epoch of pictures | hours on it | arithmetic |\n"

    rows = [line.plain for line in prose(table, 27)][2:]

    assert rows == ["an epoch  hours  arithmetic", "of        on it", "pictures"]
    assert [line.plain for line in prose(table, 26)][2:4] == ["an epoch  hours  arithmeti", "of        on it  c"]
