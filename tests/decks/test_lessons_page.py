"""The page that teaches the format is right: its example is parsed here."""

import re
from pathlib import Path

from studyapp.core.quantities import TOLERANCE
from studyapp.decks import lesson, questions
from studyapp.decks.files import MAX_BYTES, SUFFIXES
from studyapp.decks.lint import BREATH_WORDS
from studyapp.decks.parts import KEY_POINTS

PAGE = (Path(__file__).parents[2] / "docs" / "lessons.md").read_text(encoding="utf-8")


def example(number: int) -> str:
    """Return a fenced Markdown example of the page."""
    return [found[2] for found in re.finditer(r"^(`{3,})markdown\n(.*?)^\1$", PAGE, re.MULTILINE | re.DOTALL)][
        number
    ]


def test_the_complete_lesson_of_the_page_is_faultless() -> None:
    parsed = lesson.parse(example(0), "loaders.md")

    assert (parsed.problems, parsed.left_out) == ((), ())
    assert [card.id for card in parsed.module.cards] == ["loaders/one-line-test", "loaders/how-many-workers"]
    assert [section.id for section in parsed.module.sections] == ["intro", "cached-batch", "questions"]
    assert parsed.module.cards[0].experiments[0].controls == {"unpack": "4"}
    assert [len(card.key_points) for card in parsed.module.cards] == [2, 2]
    assert parsed.module.cards[1].tags == ("loader", "cpu")


def test_the_long_question_and_the_deck_of_the_page_are_cards() -> None:
    (card,) = lesson.parse(example(1), "m.md").module.cards
    deck = questions.parse(example(4), "m.md")

    assert (card.prompt, card.answer) == (
        "What does this print, and why?\n\n    x.half() + 1e-5",
        "The same numbers: float16 rounds the sum back.",
    )
    assert [card.id for card in deck.module.cards] == ["conv-keeps", ""]
    assert deck.module.cards[1].answer.endswith("- weights stay as they are")
    assert (deck.problems, deck.left_out) == ((), ())


def test_the_sentence_with_gaps_of_the_page_is_two_cards() -> None:
    cards = lesson.parse(example(2), "m.md").module.cards

    assert [(card.id, card.kind, card.prompt) for card in cards] == [
        ("warp:c1", "cloze", "A [group of lanes] has 32 lanes."),
        ("warp:c2", "cloze", "A warp has […] lanes."),
    ]


def test_the_number_the_typed_answer_and_the_choice_of_the_page_are_cards() -> None:
    parsed = lesson.parse(example(3), "m.md")

    assert [(card.id, card.kind) for card in parsed.module.cards] == [
        ("weights", "numeric"),
        ("pin", "typed"),
        ("grow", "choice"),
    ]
    assert f"right within {TOLERANCE:.0%}".replace("%", " %") in PAGE


def test_the_numbers_and_messages_of_the_page_are_the_programs() -> None:
    assert f"up to {MAX_BYTES >> 20} MiB" in PAGE
    assert all(f"`{suffix}`" in PAGE for suffix in SUFFIXES)
    assert KEY_POINTS == (2, 4)
    assert f"one breath ({BREATH_WORDS} words)" in PAGE
    assert "two to four points" in PAGE
    broken = (
        example(0)
        .replace(" <!-- id: one-line-test -->", "")
        .replace("> - unchanged means launches, waits or arithmetic\n", "")
    )
    messages = {problem.message for problem in lesson.parse(broken + "\n```python\n", "loaders.md").problems}
    assert messages == {line.partition(": ")[2] for line in PAGE.split("\n") if line.startswith("loaders.md:")} - {
        "card id 'one-line-test' is already used in line 17; give this one another id"
    }
