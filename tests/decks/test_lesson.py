"""Lessons: sections, prompts, FAQ, and what is reported."""

from dataclasses import replace
from pathlib import Path

import pytest

from studyapp.core.cards import Card, ExperimentLink, Parsed
from studyapp.decks.files import read
from studyapp.decks.lesson import parse

CASES = Path(__file__).parent / "cases"
LESSON = """\
---
id: gpus
title: GPUs
summary: One sentence.
tags: [gpu]
---

# GPUs

Before everything.

## The shape <!-- id: shape, tags: basics -->

Running text with `code`.

**Try:** [one row](experiment:layer-batch?width=512&device=cpu)

> **Say it first:** One row, then 256.
> Which two costs? <!-- id: first-row -->
>
> The launch, and:
>
> ```python
> > quoted = 1
> **Check:**
> ```
>
> **Check:**
>
> - a launch costs microseconds
> - weights are read
>   once
>
> **Try:** [watch it](experiment:layer-batch?width=512)
> and [count](experiment:kept)

After the prompt.

> An ordinary quote.

## Questions <!-- id: questions, faq -->

Some words first.

### How much memory? <!-- id: how-much, tags: memory -->

As much as it takes.

#### Really

Yes.

**Check:**

1. one
2. two

**Try:** [count it](experiment:kept?side=224)

### Why? {#why}

Because.
"""


def body(text: str) -> str:
    """Put text into a section of an otherwise faultless lesson."""
    return f"---\nid: m\n---\n## S\n\n{text}\n\n> **Say it first:** last {{#last}}\n>\n> yes\n"


def messages(text: str) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in parse(text, "m.md").problems]


def first_card(text: str) -> Card:
    return parse(body(text), "m.md").module.cards[0]


def test_a_lesson_gives_its_module_and_sections() -> None:
    parsed = parse(LESSON, "gpus.md")

    module = parsed.module
    assert (module.id, module.title, module.summary, module.path) == ("gpus", "GPUs", "One sentence.", "gpus.md")
    assert [(section.id, section.title, section.line) for section in module.sections] == [
        ("intro", "GPUs", 8),
        ("shape", "The shape", 12),
        ("questions", "Questions", 41),
    ]
    assert (parsed.problems, parsed.left_out) == ((), ())


def test_a_sections_text_is_the_source_without_the_prompts() -> None:
    intro, shape, questions = parse(LESSON, "gpus.md").module.sections

    assert intro.body == "Before everything."
    assert shape.body == (
        "Running text with `code`.\n\n**Try:** [one row](experiment:layer-batch?width=512&device=cpu)\n\n"
        "After the prompt.\n\n> An ordinary quote."
    )
    assert shape.experiments == (ExperimentLink("layer-batch", {"width": "512", "device": "cpu"}, "one row", 16),)
    assert questions.body == (
        "Some words first.\n\n### How much memory?\n\nAs much as it takes.\n\n#### Really\n\nYes.\n\n"
        "### Why?\n\nBecause."
    )
    assert questions.experiments == ()


def test_a_prompt_in_a_quote_is_a_card_with_all_its_parts() -> None:
    card = parse(LESSON, "gpus.md").module.cards[0]

    assert card == Card(
        id="gpus/first-row",
        kind="say",
        prompt="One row, then 256.\nWhich two costs?",
        answer="The launch, and:\n\n```python\n> quoted = 1\n**Check:**\n```",
        key_points=("a launch costs microseconds", "weights are read once"),
        experiments=(
            ExperimentLink("layer-batch", {"width": "512"}, "watch it", 34),
            ExperimentLink("kept", {}, "count", 35),
        ),
        section="shape",
        tags=("gpu", "basics"),
        line=18,
        explicit_id=True,
    )


def test_every_small_heading_of_a_flagged_section_is_a_card() -> None:
    memory, why = parse(LESSON, "gpus.md").module.cards[1:]

    assert (memory.id, memory.kind, memory.prompt, memory.line) == ("gpus/how-much", "faq", "How much memory?", 45)
    assert memory.answer == "As much as it takes.\n\n#### Really\n\nYes."
    assert memory.key_points == ("one", "two")
    assert memory.tags == ("gpu", "memory")
    assert memory.experiments[0].controls == {"side": "224"}
    assert (why.id, why.prompt, why.answer, why.section) == ("gpus/why", "Why?", "Because.", "questions")


def test_b03_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    wanted = parse(LESSON, "gpus.md")

    assert parse("\ufeff" + LESSON.replace("\n", "\r\n"), "gpus.md") == wanted
    assert parse(LESSON.replace("\n", "\r"), "gpus.md") == wanted


def test_b12_prose_tables_and_code_make_no_cards() -> None:
    parsed = parse(read(CASES / "B12_lesson.md").text, "B12.md")

    assert parsed.module.cards == ()
    assert [section.title for section in parsed.module.sections] == [
        "Width before speed",
        "Latency versus throughput",
        "Mixed precision",
        "FAQ",
    ]
    assert "# not a heading" in parsed.module.sections[2].body


def test_a_question_may_have_blocks_up_to_the_answer_label() -> None:
    card = first_card(
        "> **Say it first**: What prints? {#p}\n>\n>     x = 1\n>\n> **Answer:** It\n> does.\n>\n>\t- not a tab"
    )

    assert card.id == "m/p"
    assert card.prompt == "What prints?\n\n    x = 1"
    assert card.answer == "It\ndoes.\n\n  - not a tab"


def test_two_prompts_in_one_quote_are_two_cards() -> None:
    cards = parse(
        body("> **Say it first:** a {#a}\n>\n> b\n>\n> __say it first:__ c {#c}\n>\n> d"), "m.md"
    ).module.cards

    assert [(card.prompt, card.answer, card.line) for card in cards[:2]] == [("a", "b", 6), ("c", "d", 10)]


def test_a_quote_without_space_or_with_lazy_lines_is_read_alike() -> None:
    card = first_card(">**Say it first:** a\nb {#a}\n>\n>c\nd")

    assert (card.prompt, card.answer) == ("a\nb", "c\nd")


def test_words_after_the_checks_stay_in_the_answer() -> None:
    card = first_card("> **Say it first:** a {#a}\n>\n> b\n>\n> **Check:**\n>\n> - x\n> - y\n>\n> c")

    assert (card.answer, card.key_points) == ("b\n\nc", ("x", "y"))


def test_an_experiment_in_the_answers_prose_goes_with_the_card() -> None:
    card = first_card(
        "> **Say it first:** a {#a}\n>\n> | t |\n> | - |\n> | [see][k] |\n>\n> [k]: experiment:kept?side=1"
    )

    assert card.experiments == (ExperimentLink("kept", {"side": "1"}, "see", 10),)
    assert "[see][k]" in card.answer


def test_a_prompt_inside_a_flagged_section_is_cut_out_of_the_answer_around_it() -> None:
    text = (
        "---\nid: m\n---\n## F <!-- faq, id: f -->\n### q {#q}\none\n\n> **Say it first:** a {#a}\n>\n> b\n\ntwo\n"
    )

    faq, say = parse(text, "m.md").module.cards

    assert (faq.kind, faq.answer) == ("faq", "one\n\ntwo")
    assert (say.kind, say.answer) == ("say", "b")


def test_text_before_the_first_section_may_hold_a_prompt() -> None:
    parsed = parse("---\nid: m\n---\nText.\n\n> **Say it first:** a {#a}\n>\n> b\n", "m.md")

    assert [section.id for section in parsed.module.sections] == ["intro"]
    assert parsed.module.cards[0].section == "intro"
    assert parsed.problems == ()


def test_cards_with_nothing_to_read_wait_for_no_section() -> None:
    parsed = parse("---\nid: m\n---\n# T\n\n> **Question:** a {#a}\n>\n> b\n", "m.md")

    assert parsed.module.sections == ()
    assert [(card.id, card.kind, card.section) for card in parsed.module.cards] == [("m/a", "basic", "")]
    assert parsed.problems == ()


def test_a_lesson_without_front_matter_takes_heading_and_file_name() -> None:
    parsed = parse("# A title\n## S\n> **Say it first:** a {#a}\n>\n> b\n", "dir/My lesson.md")

    assert (parsed.module.id, parsed.module.title) == ("my-lesson", "A title")
    assert [section.id for section in parsed.module.sections] == ["s"]
    assert parsed.module.cards[0].id == "a"
    assert [problem.message[:27] for problem in parsed.problems] == ["no 'id:' in the front matte"]


def test_a_heading_underlined_or_a_second_main_heading_begins_a_section() -> None:
    parsed = parse("# T\n\nOne\n---\na\n\n# Two\nb\n", "m.md")

    assert [(section.id, section.body) for section in parsed.module.sections] == [("one", "a"), ("two", "b")]


def test_a_heading_other_than_the_title_is_not_lost() -> None:
    parsed = parse(LESSON.replace("# GPUs\n", "# Something else\n", 1), "m.md")

    assert parsed.module.title == "GPUs"
    assert [(item.line, item.reason) for item in parsed.left_out] == [
        (8, "heading 'Something else': the front matter's title is used")
    ]


CARD = "> **Say it first:** a {#a}\n>\n> b"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            "> **Say it first:** a\n>\n> b",
            6,
            "no id: add '<!-- id: ... -->' at the end of 'a' to keep its history",
        ),
        ("> **Say it first:** a {#a}", 6, "no card, the answer is empty: a"),
        ("> **Say it first:** {#a}\n>\n> b", 6, "no card, the question is empty: b (lines 6 to 8)"),
        (
            "> **Say it first:** a {#last}\n>\n> b",
            10,
            "card id 'last' is already used in line 6; give this one another id",
        ),
        ("> **Say it first:** a {#ä}\n>\n> b", 6, "'ä' cannot be an id; use letters, digits, '-', '_' and '.'"),
        (f"{CARD}\n>\n> **Check:**\n>\n> - one", 10, "'Check:' has 1 item; 2 to 4 can be kept in mind"),
        (
            f"{CARD}\n>\n> **Check:**\n> - 1\n> - 2\n> -\n> - 4\n> - 5\n> - 6",
            10,
            "'Check:' has 5 items; 2 to 4 can be kept in mind",
        ),
        (
            f"{CARD}\n>\n> **Check:** one, two",
            10,
            "'Check:' needs a list below it; the paragraph stays in the answer",
        ),
        (
            f"{CARD}\n>\n> **Try:** [x](http://y.z)",
            10,
            "'Try:' names no experiment (experiment:NAME): [x](http://y.z)",
        ),
        (
            f"{CARD}\n> **Try:** [x](experiment:kept)",
            9,
            "**Try:** needs a blank line before it, or it belongs to the text above",
        ),
        (f"{CARD}\n>\n> **Try:** [x](experiment:)", 10, "'' is not the name of an experiment"),
        (f"{CARD}\n>\n> **Try:** a\n> [x](experiment:Kept?x=1)", 11, "'Kept' is not the name of an experiment"),
        (
            f"{CARD}\n>\n> **Try:** [x](experiment:kept?side)",
            10,
            "'side' in the link to kept is not control=value",
        ),
        (f"{CARD}\n>\n> **Try:** [x](experiment:kept?a=)", 10, "'a=' in the link to kept is not control=value"),
        (f"{CARD}\n>\n> **Try:** [x](experiment:kept?=1)", 10, "'=1' in the link to kept is not control=value"),
        (f"{CARD}\n>\n> **Try:** [x](experiment:kept?a=1&a=2)", 10, "'a=2' in the link to kept is given twice"),
        ("[a](experiment:" * 1400, 6, "text of over 20000 characters is not searched for experiments"),
        ("```python\nx", 6, "code fence is never closed: ```python"),
        ("- ```\n  x\n\ntext", 6, "code fence is never closed: - ```"),
        ("<!-- note", 6, "comment is never closed: <!-- note"),
        (
            "> Say it first: a",
            6,
            "no card, for a prompt is a quote (>) that begins with '**Say it first:**': Say it first: a",
        ),
        (
            "**Say it first:** a",
            6,
            "no card, for a prompt is a quote (>) that begins with '**Say it first:**': **Say it first:** a",
        ),
        ("**Check:**\n\n- a", 6, "belongs to no prompt, so it stays in the running text: **Check:**"),
        ("**Answer:** a", 6, "belongs to no prompt, so it stays in the running text: **Answer:** a"),
        ("Q: a\nA: b", 6, "'Q:' and 'A:' make no cards in a lesson: Q: a A: b"),
        ("text <!-- id: x -->", 6, "an id stands at the end of a heading or question; this one is without effect"),
        ("<!-- id: x -->", 6, "an id stands at the end of a heading or question; this one is without effect"),
        ("## S", 6, "section id 's' is already used in line 4; give this one another id"),
        ("##", 6, "a section heading is empty"),
        (
            "## T <!-- id: t,, level: 3, faq -->\n### q {#q}\na",
            6,
            "'level: 3' in the comment is not understood; id:, tags: and faq are",
        ),
        ("## T <!-- faq -->\n### q {#q}", 7, "no card, the answer is empty: q"),
    ],
)
def test_a_mistake_is_reported_by_line_and_hides_nothing_else(text: str, line: int, message: str) -> None:
    parsed = parse(body(text), "m.md")

    assert (line, message) in [(problem.line, problem.message) for problem in parsed.problems]
    if "never closed" not in message:
        assert len(parsed.problems) == 1
        assert parsed.module.cards[-1].prompt == "last"


def test_sections_of_the_same_name_are_both_kept() -> None:
    sections = parse(body("a\n\n## S\n\nb"), "m.md").module.sections

    assert [(section.id, section.body) for section in sections] == [("s", "a"), ("s-2", "b")]


def test_words_beside_links_and_checks_are_left_out_by_line() -> None:
    parsed = parse(
        body(f"{CARD}\n>\n> **Check:** these\n> - x\n> - y\n>\n> **Try:** first [x](experiment:kept), slowly"),
        "m.md",
    )

    assert [(item.line, item.reason) for item in parsed.left_out] == [
        (10, "words beside 'Check:': these"),
        (14, "words beside the links of a 'Try:' line: Try: first , slowly"),
    ]


def known(link: ExperimentLink) -> str | None:
    return None if link.experiment == "kept" else f"there is no experiment '{link.experiment}'"


def test_an_unknown_experiment_is_reported_and_the_card_kept() -> None:
    parsed = parse(LESSON, "gpus.md", known)

    assert [(problem.line, problem.message) for problem in parsed.problems] == [
        (16, "there is no experiment 'layer-batch'"),
        (34, "there is no experiment 'layer-batch'"),
    ]
    assert len(parsed.module.cards) == 3


def test_a_file_without_cards_says_so() -> None:
    assert messages("# T\n\ntext") == [
        (
            1,
            "no card in this file: no quote begins with '**Say it first:**', no section is marked faq; "
            "brought in with `studyapp import`, each section gets a prompt",
        )
    ]
    assert parse("", "m.md").module.sections == ()


def test_reading_a_lesson_twice_gives_the_same_cards() -> None:
    def plain(parsed: Parsed) -> list[Card]:
        return [replace(card, line=0) for card in parsed.module.cards]

    assert plain(parse(LESSON, "a.md")) == plain(parse("\n" * 0 + LESSON, "b.md"))
