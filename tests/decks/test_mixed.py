"""Lesson pages with a few cards in another convention: still pages, nothing of their text is lost."""

import pytest

from studyapp.decks import mixed
from studyapp.decks.load import Form, form_of, parse

PAGE = """# Memory of a GPU

A GPU has several kinds of memory, and each has its own size and speed.

## Registers

Every thread has its own registers, the fastest place of all.

## Words to know

{}

## Global memory

It is big and far away. Reads of a warp are joined into as few transactions as possible.
"""


@pytest.mark.parametrize(
    ("inside", "cards"),
    [
        ("| Term | Meaning |\n| --- | --- |\n| bank | a slice |", [("bank", "a slice")]),
        ("warp\n: 32 lanes\n\nlane\n: one of them", [("warp", "32 lanes"), ("lane", "one of them")]),
        ("warp :: 32 lanes\nlane :: one of them", [("warp", "32 lanes"), ("lane", "one of them")]),
        ("> [!question] Why wait?\n> The bank is busy.", [("Why wait?", "The bank is busy.")]),
        ("A warp has {{c1::32}} lanes.", [("A warp has […] lanes.", "A warp has **32** lanes.")]),
    ],
)
def test_a_page_keeps_its_sections_and_gives_the_cards_in_them(inside: str, cards: list[tuple[str, str]]) -> None:
    text = PAGE.format(inside)

    found = parse(text, "memory.md")

    assert form_of(text, "memory.md") is Form.MIXED
    assert [(card.prompt, card.answer) for card in found.module.cards] == cards
    assert {card.section for card in found.module.cards} == {"words-to-know"}
    assert [section.id for section in found.module.sections] == [
        *("intro", "registers", "words-to-know", "global-memory")
    ]
    assert (found.problems, found.left_out) == ((), ())
    assert len(mixed.parse(text, "memory.md", prompts=True).module.cards) == len(cards) + 4


@pytest.mark.parametrize("inside", ["Crash on start :: see #12", "map :: (a -> b) -> [a] -> [b]\nid :: a -> a"])
def test_one_separator_in_prose_and_types_of_functions_are_no_cards(inside: str) -> None:
    assert form_of(PAGE.format(inside), "m.md") is Form.PLAIN


def test_a_deck_with_remarks_and_a_file_that_says_it_holds_cards_stay_decks() -> None:
    rows = "\n".join(f"word number {n} :: what it means, in some words" for n in range(20))

    assert form_of(PAGE.format(rows), "m.md") is Form.CONVENTION
    assert form_of("#flashcards\n\n" + PAGE.format("a::b"), "m.md") is Form.CONVENTION


def test_a_question_of_the_page_itself_is_asked_once() -> None:
    inside = (
        "**Why wait?** The bank is busy.\n\n| Question | Answer |\n|---|---|\n| Why wait? | Busy. |\n| b | c |"
    )

    found = parse(PAGE.format(inside), "m.md")

    assert sorted(card.prompt for card in found.module.cards) == ["Why wait?", "b"]
