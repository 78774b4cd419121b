"""Whatever the text: nothing is raised, nothing is lost, the shape of a file changes nothing."""

import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from studyapp.core.cards import Parsed
from studyapp.decks import lesson, load, questions
from studyapp.decks.clean import settle

PARSERS = [lesson.parse, questions.parse, load.parse]
ANY_TEXT = st.text(st.characters(codec=None), max_size=200)
PIECES = (
    """
--- | id: m | title: t | # T | ## S <!-- id: s --> | ## F {#f .faq} | ### q {#q} | == | Q: a | A: b | A: | Q:
q: c | > **Say it first:** p <!-- id: p --> | > | > answer | > **Check:** | > - one | > - two | > **Answer:** z
**Check:** | - one | - two | **Try:** [x](experiment:kept?side=1) | > **Try:** [y](experiment:a?) | ```
~~~ | > ``` | - ``` | $$ | <!-- | --> | <details> | [r]: experiment:kept | [x][r] | <!-- id: y --> | 1. n | words
&#27; | \\
""".strip()
    .replace("\n", " | ")
    .split(" | ")
)
ODD_PIECES = ["", "", "|a|", "|-|", "    code", "\t- tab", ">\tquoted", "   Q: in", "\x1b[2J", "\u202e"]
MARKDOWN = st.lists(st.sampled_from([*PIECES, *ODD_PIECES]), max_size=24).map("\n".join)
SHAPES = (
    """
{w} # - {w} # 1. {w} # > {w} # ### {w} # | {w} |~| - |~| x | # ```~{w}~``` #     {w} # $$~{w}~$$ # <div>{w}</div>
[{w}]: http://x.y # Q: {w} # A: {w} # q: {w} # a: {w} # --- # ## {w} # **Check:** {w} # **Check:**~~- {w}~- x
**Try:** {w} # **Try:** [{w}](experiment:kept) # <!-- {w} --> # > **Answer:** {w} # > **Say it first:** {w}~>~> x
> **Say it first:** x~>~> {w} # > **Say it first:** x~> {w}~>~> **Answer:** x
""".strip()
    .replace("\n", " # ")
    .split(" # ")
)


@pytest.mark.parametrize("parse", PARSERS)
@given(text=ANY_TEXT | MARKDOWN)
@example(text="Q: a\nA: ```\n```")
@settings(max_examples=150, deadline=None)
def test_no_text_raises_anything(parse: load.Parse, text: str) -> None:
    parsed = parse(text, "any.md")

    line_count = settle(text).count("\n") + 1
    assert all(1 <= problem.line <= line_count for problem in parsed.problems)
    assert all(1 <= item.line <= line_count for item in parsed.left_out)
    assert all(card.prompt and card.answer for card in parsed.module.cards)
    ids = [card.id for card in parsed.module.cards if card.explicit_id]
    assert len(ids) == len(set(ids))
    names = [section.id for section in parsed.module.sections]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("parse", PARSERS)
@given(shapes=st.lists(st.sampled_from(SHAPES), max_size=12), faq=st.booleans())
@settings(max_examples=150, deadline=None)
def test_every_block_is_in_a_card_a_section_a_problem_or_left_out(
    parse: load.Parse, shapes: list[str], faq: bool
) -> None:
    blocks = [shape.format(w=f"word{at}w").replace("~", "\n") for at, shape in enumerate(shapes)]
    text = "\n\n".join([*["## F {#f .faq}", "### q {#q}"] * faq, *blocks])

    parsed = parse(text, "any.md")

    kept, reported = repr(asdict(parsed)), _reported(parsed)
    for number, line in enumerate(text.split("\n"), 1):
        for word in re.findall(r"word\d+w", line):
            assert word in kept or number in reported


def _reported(parsed: Parsed) -> set[int]:
    """Return the lines that problems and left-out text speak of."""
    lines = set[int]()
    remarks = [(problem.line, problem.message) for problem in parsed.problems]
    for line, words in [*remarks, *((item.line, item.reason) for item in parsed.left_out)]:
        reach = re.search(r"\(lines \d+ to (\d+)\)\Z", words)
        lines.update(range(line, int(reach[1]) + 1 if reach else line + 1))
    return lines


@given(text=MARKDOWN)
@settings(max_examples=100, deadline=None)
def test_b03_line_ends_and_a_byte_order_mark_never_change_a_card(text: str) -> None:
    wanted = load.parse(text, "any.md")

    assert load.parse("\ufeff" + text.replace("\n", "\r\n"), "any.md") == wanted
    assert load.parse(text.replace("\n", "\r"), "any.md") == wanted


@given(text=MARKDOWN)
@settings(max_examples=100, deadline=None)
def test_lines_put_before_a_lesson_move_its_cards_and_change_nothing_else(text: str) -> None:
    front = "---\nid: m\n---\n"
    before, after = lesson.parse(front + text, "any.md"), lesson.parse(front + "\n\n" + text, "any.md")

    assert [replace(card, line=card.line + 2, experiments=()) for card in before.module.cards] == [
        replace(card, experiments=()) for card in after.module.cards
    ]


def _shipped() -> list[Parsed]:
    return load.load(Path(__file__).parents[2] / "data" / "modules")


def test_the_shipped_lessons_have_no_problems_and_every_card_an_id() -> None:
    for parsed in _shipped():
        assert parsed.problems == ()
        assert parsed.left_out == ()
        assert all(card.explicit_id for card in parsed.module.cards)
