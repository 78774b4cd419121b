"""Rules asked only where they can fit find the same blocks as rules asked everywhere."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from studyapp.decks import blocks
from studyapp.decks.by_first import unneeded
from tests.decks.test_properties import ANY_TEXT, MARKDOWN

STARTS = ("", "> ", ">\t", "- ", "12. ", "   ", "    ", "\t", "> - ", "- > ", "* * *", "$$", "\u0663. ")
WORDS = ("", "a", "a | b", "--- | ---", "---", "===", "- x", "# h", "```", "~~~", "<div>", "[r]: x", "$$", "1) x")
NESTED = st.lists(st.tuples(st.sampled_from(STARTS), st.sampled_from(WORDS)), max_size=12).map(
    lambda rows: "\n".join(start + words for start, words in rows)
)


def everywhere(text: str, deck: bool) -> list[Token]:
    """Return the tokens of a parser as it comes, set up as ours is."""
    parser = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)
    parser.core.ruler.disable(["inline", "text_join"])
    if deck:
        parser.disable("lheading")
        alt = ["paragraph", "reference", "blockquote", "list"]
        parser.block.ruler.before("table", "marker", blocks._marker, {"alt": alt})
    return parser.parse(text, {})


def by_first(text: str, deck: bool) -> list[Token]:
    parser = blocks._tokenizer(deck, *unneeded(text))
    return parser.parse(text, {})


@pytest.mark.parametrize("deck", [False, True])
@given(text=ANY_TEXT | MARKDOWN | NESTED)
@example(text="> a\n---\n")
@example(text="- a\n  ===\n")
@example(text="Q: # a\nA: - b\n")
@settings(max_examples=400, deadline=None)
def test_the_same_blocks_come_out(deck: bool, text: str) -> None:
    assert by_first(text, deck) == everywhere(text, deck)


def test_a_block_is_walked_in_reading_order() -> None:
    tree = blocks.read_blocks(["> a", ">", "> - b", ">", ">   c", "", "d"]).blocks
    assert [block.content for top in tree for block in top.walk() if block.kind == "paragraph"] == list("abcd")
