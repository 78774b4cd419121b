"""Cards in YAML, in shapes seen in public files."""

import pytest

from studyapp.decks.load import Form, form_of, parse

FRONT = """---
title: Warps
id: warps
tags: [gpu]
cards:
  - id: lanes
    front: >
      How many lanes
      has a warp?
    back: |
      32, in step:

      ```c
      warpSize
      ```
    tags: [basic, hardware]
  - question: "Which holds?\\nA. one\\nB. two"
    answer: ""
  - {q: When?, a: Now, note: At once.}
---

Text of a page.
"""


def test_front_matter_keeps_ids_folded_strings_and_code() -> None:
    parsed = parse(FRONT, "m.md")

    assert form_of(FRONT, "m.md") is Form.YAML
    assert (parsed.module.id, parsed.module.title) == ("warps", "Warps")
    assert [(c.id, c.line, c.prompt, c.answer, c.tags) for c in parsed.module.cards] == [
        (
            "warps/lanes",
            6,
            "How many lanes has a warp?",
            "32, in step:\n\n```c\nwarpSize\n```",
            ("gpu", "basic", "hardware"),
        ),
        ("", 19, "When?", "Now\n\nAt once.", ("gpu",)),
    ]
    assert [(p.line, p.message) for p in parsed.problems] == [
        (17, "no card, the answer is empty: Which holds? A. one B. two")
    ]
    assert [(left.line, left.reason) for left in parsed.left_out] == [
        (22, "the text below the front matter, where the cards are")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- question: Why?\n  answer: So.\n- question: When?\n  answer: Now.\n",
        "title: T\nflashcards:\n  - front: Why?\n    back: So.\n  - front: When?\n    back: Now.\n",
        "cards:\n  Why?: So.\n  When?: Now.\n",
        "---\n- {Term: Why?, Definition: So.}\n---\n- {Term: When?, Definition: Now.}\n",
    ],
)
def test_a_yaml_file_is_a_list_of_cards_under_any_of_the_usual_names(text: str) -> None:
    cards = parse(text, "m.yml").module.cards

    assert [(card.prompt, card.answer) for card in cards] == [("Why?", "So."), ("When?", "Now.")]


@pytest.mark.parametrize(
    "options",
    [
        "options: [one, two, three]\n  answer: two",
        "options: [one, two, three]\n  correct: B",
        "choices: {a: one, b: two, c: three}\n  answer: b",
        "options:\n  - text: one\n  - text: two\n    correct: true\n  - text: three",
    ],
)
def test_options_make_a_choice_when_the_right_one_is_told(options: str) -> None:
    (card,) = parse(f"- question: Which?\n  {options}\n  explanation: For it is.\n", "m.yaml").module.cards

    assert (card.kind, card.answer) == ("choice", "- [ ] one\n- [x] two\n- [ ] three\n\nFor it is.")


def test_an_index_does_not_tell_which_option_is_right() -> None:
    parsed = parse("- question: Which?\n  options: [one, two]\n  answer: 1\n", "m.yaml")

    assert [(c.kind, c.answer) for c in parsed.module.cards] == [("basic", "1")]
    assert "which of the options are right is not said" in parsed.problems[0].message


def test_gaps_make_a_cloze() -> None:
    parsed = parse("- text: A {{c1::warp}} has {{c2::32}} lanes.\n  id: w\n", "m.yaml")

    assert [(c.id, c.prompt) for c in parsed.module.cards] == [
        ("w:c1", "A […] has 32 lanes."),
        ("w:c2", "A warp has […] lanes."),
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("- question: [\n", 2, "this is no YAML"),
        ("a: &x [1]\nb: *x\n", 2, "aliases"),
        ("- just words\n", 1, "a mapping with a 'question'"),
        ("[" * 5000, 1, "no YAML"),
        ("services:\n  web: {image: x}\n", 1, "no card in this file"),
    ],
)
def test_what_is_no_card_is_said_with_its_line(text: str, line: int, words: str) -> None:
    parsed = parse(text, "m.yml")

    assert parsed.module.cards == ()
    assert parsed.problems[0].line == line
    assert words in parsed.problems[0].message
