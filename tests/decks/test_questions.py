"""Q/A decks: what is a card, what is reported, what is left out."""

from pathlib import Path

import pytest

from studyapp.core.cards import Card, Parsed
from studyapp.decks.files import read
from studyapp.decks.questions import parse

CASES = Path(__file__).parent / "cases"


def case(name: str) -> Parsed:
    return parse(read(CASES / name).text, name)


def pairs(text: str) -> list[tuple[str, str]]:
    return [(card.prompt, card.answer) for card in parse(text, "deck.md").module.cards]


def messages(text: str) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in parse(text, "deck.md").problems]


def left_out(text: str) -> list[tuple[int, str]]:
    return [(item.line, item.reason) for item in parse(text, "deck.md").left_out]


def test_b01_card_syntax_inside_code_makes_no_card() -> None:
    parsed = case("B01_fences.md")

    source = (CASES / "B01_fences.md").read_text(encoding="utf-8").split("\n")
    first, second, third = parsed.module.cards
    assert first.prompt == "How do you write a card?"
    assert first.answer == "\n".join(["Like this:", *source[4:14]]).rstrip()
    assert "Q: I am an example, not a card\nA: neither am I\n---\n```\n````" in first.answer
    assert (second.prompt, second.answer) == ("Second real card", "~~~\nQ: still code\n~~~")
    assert third.prompt == "Third real card, the fence below is never closed"
    assert third.answer == 'see\n\n```python\nx = {"Q": 1}'
    assert [card.line for card in parsed.module.cards] == [3, 16, 21]
    assert parsed.module.title == "Fences"


def test_b01_an_unclosed_fence_is_reported_with_its_line() -> None:
    (problem,) = case("B01_fences.md").problems

    assert (problem.path, problem.line) == ("B01_fences.md", 24)
    assert problem.message == "code fence is never closed: ```python"


def test_b02_tables_math_and_lists_belong_to_their_card() -> None:
    parsed = case("B02_blocks.md")

    source = (CASES / "B02_blocks.md").read_text(encoding="utf-8").split("\n")
    first, second = parsed.module.cards
    assert first.prompt == "\n".join([source[0].removeprefix("Q: "), *source[1:8]])
    assert first.answer == "\n".join([source[8].removeprefix("A: "), *source[9:22]])
    assert first.prompt.endswith("several GB |\n\n(think before you look)")
    assert first.answer.endswith("2. second\n\nPrice: between $5 and $6, so no math here.")
    assert (second.prompt, second.answer) == ("Next card?", "Yes.")
    assert (parsed.problems, parsed.left_out) == ((), ())


def test_b03_windows_line_ends_and_a_byte_order_mark_change_no_card() -> None:
    unix, windows = case("B03_lf.md").module.cards, case("B03_crlf_bom.md").module.cards

    assert unix == windows
    assert [card.text_hash for card in unix] == [card.text_hash for card in windows]
    assert [(card.prompt, card.answer) for card in unix] == [
        ("First card after a BOM?", "Yes,\ntwo lines."),
        ("Tab after the colon?", "Yes"),
    ]


def test_b03_bare_carriage_returns_are_line_ends() -> None:
    (card,) = case("B03_cr_only.md").module.cards

    assert (card.prompt, card.answer) == ("old mac?", "yes")


def test_b04_every_mistake_is_named_and_the_good_cards_stay() -> None:
    parsed = case("B04_mistakes.md")

    assert [(card.prompt, card.answer) for card in parsed.module.cards] == [
        ("good one", "fine"),
        ("the last good one", "fine too"),
    ]
    assert [(problem.line, problem.message) for problem in parsed.problems] == [
        (10, "no card, a question without an answer: no answer at all"),
        (12, "no card, the answer is empty: blank answer"),
        (15, "answer without a question: A: an answer without a question"),
        (
            17,
            "'q:' is close to a marker but none; write 'Q:' at the start of the line: "
            "q: lower case marker (lines 17 to 18)",
        ),
    ]
    assert [item.line for item in parsed.left_out] == [6, 15]
    assert "This paragraph was meant to be a card" in parsed.left_out[0].reason


def test_b06_a_card_without_an_id_is_left_to_the_stores_memory() -> None:
    before, after = case("B06_before.md").module.cards, case("B06_after_typo_fixed.md").module.cards

    assert [(card.id, card.explicit_id) for card in before] == [("", False), ("", False)]
    assert before[0].text_hash != after[0].text_hash
    assert before[1].text_hash == after[1].text_hash


def test_b10_a_thousand_items_and_a_long_line_are_two_cards() -> None:
    items, line = case("B10_long_list.md").module.cards

    assert items.answer.count("\n") == 999
    assert len(line.answer) == 200_000


def test_c01_brackets_are_kept_as_they_are() -> None:
    first, second = case("C01_brackets.md").module.cards

    assert first.prompt == "What is the type of [x for x in xs]?  [/"
    assert first.answer.endswith("[@click=app.quit]press[/], [type=x, v={'a[0]'}], [ZLEX b [+")
    assert second.answer == "[link=file:///etc/passwd]a link?[/link] and [[wiki]] and [1] and 100 % [sic]"


@pytest.mark.parametrize(
    "text",
    [
        "Q: one\nA: two",
        "Q:one\nA:two",
        "Q:\none\nA:\ntwo",
        "Q: one\n\nA: two",
        "Q: one\n\nA:\n\ntwo\n",
        "Q: one  \nA: two  \n",
        "---\nQ: one\nA: two\n---",
        "# Title\n\nQ: one\nA: two\n\n- - -\n",
    ],
)
def test_markers_may_stand_alone_or_before_their_text(text: str) -> None:
    assert pairs(text) == [("one", "two")]
    assert messages(text) == []


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n---\n", "\n\n---\n\n", "\n- - -\n", "\n\n\n\n"])
def test_cards_may_follow_each_other_in_any_way(gap: str) -> None:
    assert pairs(f"Q: a\nA: b{gap}Q: c\nA: d") == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize(
    "block", ["- item", "1. item", "> quote", "| a |\n| - |\n| b |", "```\ncode\n```", "$$\nx\n$$"]
)
def test_a_card_right_below_any_block_is_a_card_of_its_own(block: str) -> None:
    assert pairs(f"Q: a\nA:\n{block}\nQ: c\nA: d") == [("a", block), ("c", "d")]


@pytest.mark.parametrize("block", ["    Q: no", "- Q: no\n  A: no", "> Q: no\n> A: no", "text Q: no", "Q::no"])
def test_a_marker_that_does_not_begin_a_line_is_text(block: str) -> None:
    assert pairs(f"Q: a\nA: b\n\n{block}") == [("a", f"b\n\n{block}")]


def test_code_that_opens_beside_a_marker_hides_what_is_in_it() -> None:
    assert pairs("Q: ```\nA: x\n```\nA: b") == [("```\nA: x\n```", "b")]


def test_text_between_cards_is_left_out_by_line() -> None:
    text = "Hello.\n\n# Deck\n\nQ: a\nA: b\n\n---\n\n- stray\n\n[x]: http://y.z\n\n## Part\n\nQ: c\nA: d\n"

    assert pairs(text) == [("a", "b"), ("c", "d")]
    assert left_out(text) == [
        (1, "paragraph outside any card: Hello."),
        (10, "bullet list outside any card: - stray"),
        (12, "outside any card: [x]: http://y.z"),
        (14, "heading outside any card: ## Part"),
    ]


def test_a_small_heading_belongs_to_the_answer() -> None:
    assert pairs("Q: a\nA: b\n\n### More\n\nc") == [("a", "b\n\n### More\n\nc")]


def test_a_second_answer_is_reported_and_left_out() -> None:
    text = "Q: a\nA: b\nA: c\n\nQ: d\nA: e"

    assert pairs(text) == [("a", "b"), ("d", "e")]
    assert messages(text) == [(3, "answer without a question: A: c")]
    assert left_out(text) == [(3, "paragraph outside any card: A: c")]


@pytest.mark.parametrize("near", ["a: b", "A : b", "**A:** b"])
def test_a_near_miss_of_the_answer_marker_is_named(near: str) -> None:
    ((line, message),) = messages(f"Q: good\nA: one\n\nQ: a\n{near}")

    assert line == 4
    assert message.startswith("no card, a question without an answer; '")
    assert near.removesuffix(" b") in message


@pytest.mark.parametrize("near", ["q:", "Q :", "**Q:**", "**q**:"])
def test_a_near_miss_of_the_question_marker_ends_the_card_and_is_named(near: str) -> None:
    text = f"Q: good\nA: one\n\n{near} what\na: that"

    assert pairs(text) == [("good", "one")]
    assert [line for line, _ in messages(text)] == [4]
    assert f"'{near}' is close to a marker" in messages(text)[0][1]


def card(text: str) -> Card:
    (only,) = parse(text, "deck.md").module.cards
    return only


@pytest.mark.parametrize(
    "text",
    [
        "Q: a <!-- id: x-1, tags: t u -->\nA: b",
        "Q: a\n<!-- id: x-1, tags: t u -->\nA: b",
        "Q: a {#x-1 .t .u}\nA: b",
        "Q:\na\n\n<!-- tags: t u, id: x-1 -->\n\nA: b",
    ],
)
def test_an_id_ends_the_question(text: str) -> None:
    found = card(text)

    assert (found.id, found.explicit_id, found.tags) == ("x-1", True, ("t", "u"))
    assert (found.prompt, found.answer) == ("a", "b")


def test_an_id_may_end_the_first_paragraph_of_a_long_question() -> None:
    found = card("Q: a <!-- id: x -->\n\n- more\n\nA: b")

    assert (found.id, found.prompt) == ("x", "a\n\n- more")


def test_ids_are_joined_to_a_written_module_id_only() -> None:
    text = "---\nid: deck\ntitle: Memory\nsummary: s\ntags: [gpu]\n---\nQ: a <!-- id: x -->\nA: b"
    parsed = parse(text, "some/file name.md")

    assert parsed.module.cards[0].id == "deck/x"
    assert parsed.module.cards[0].tags == ("gpu",)
    assert (parsed.module.id, parsed.module.title, parsed.module.summary) == ("deck", "Memory", "s")
    assert parse("Q: a {#x}\nA: b", "some/file name.md").module.cards[0].id == "x"
    assert parse("Q: a {#x}\nA: b", "some/File name.md").module.id == "file-name"


def test_the_second_card_of_the_same_id_is_kept_without_it() -> None:
    parsed = parse("Q: a {#x}\nA: b\n\nQ: c {#x}\nA: d", "deck.md")

    assert [(card.id, card.explicit_id) for card in parsed.module.cards] == [("x", True), ("", False)]
    assert messages("Q: a {#x}\nA: b\n\nQ: c {#x}\nA: d") == [
        (4, "card id 'x' is already used in line 1; give this one another id")
    ]


def test_checks_and_experiments_work_in_a_deck_too() -> None:
    found = card("Q: a\nA: b\n\n**Check:**\n\n- one\n- two\n\n**Try:** [t](experiment:kept?side=1)\n\nmore")

    assert found.answer == "b\n\nmore"
    assert found.key_points == ("one", "two")
    assert found.experiments[0].experiment == "kept"


def test_a_deck_without_cards_says_so() -> None:
    assert messages("just text") == [
        (1, "no card in this file: a question begins with 'Q:' at the start of a line, its answer with 'A:'")
    ]


def test_an_empty_question_is_reported_with_its_answer() -> None:
    assert messages("Q:\nA: b\n\nQ: c\nA: d") == [(1, "no card, the question is empty: b (lines 1 to 2)")]
    assert messages("Q:\nA:\n\nQ: c\nA: d") == [(1, "no card, the question is empty: nothing here")]
