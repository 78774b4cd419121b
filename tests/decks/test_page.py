"""Lesson pages not written as decks: an FAQ and recall prompts become cards, nothing else does."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.cards import Parsed
from studyapp.decks import load, page
from studyapp.decks.flat import is_flat, unflatten

CASES = Path(__file__).parent / "cases"


def read(name: str) -> Parsed:
    (parsed,) = load.load(CASES / name)
    return parsed


def faq(parsed: Parsed) -> list[tuple[str, str]]:
    return [(card.prompt, card.answer) for card in parsed.module.cards if card.kind == "faq"]


def left(parsed: Parsed) -> dict[int, str]:
    return {item.line: item.reason for item in parsed.left_out}


def test_b12_the_faq_of_a_lesson_in_all_its_layouts() -> None:
    parsed = read("B12_lesson.md")

    assert faq(parsed) == [
        (
            "How much GPU memory do I need?",
            "8GB trains most vision models; is 24GB enough for more? Comfortable, yes.",
        ),
        ("Why is my GPU only 30% utilised?", "The data loader, almost always."),
        ("Does mixed precision hurt accuracy?", "In practice no."),
        ("Should I use TPUs?", "They suit very large runs."),
    ]
    assert [card.line for card in parsed.module.cards] == [21, 22, 23, 26, 30, 31]


def test_b12_recall_prompts_are_answered_by_the_section_they_name_or_the_opening_line() -> None:
    say = [card for card in read("B12_lesson.md").module.cards if card.kind == "say"]

    assert [card.prompt for card in say] == [
        "What does “Width before speed” say about “Latency versus throughput”?",
        "What is the one-line takeaway of “Width before speed”?",
    ]
    assert say[0].answer.startswith("| Task | CPU | GPU |")
    assert say[0].section == "latency-versus-throughput"
    assert say[1].answer == "Opening paragraph, no heading. It mentions `.item()` twice."


def test_b12_tables_code_and_the_author_make_no_card_and_what_is_left_has_its_line() -> None:
    parsed = read("B12_lesson.md")

    assert len(parsed.module.cards) == 6
    assert [section.id for section in parsed.module.sections] == [
        "intro", "latency-versus-throughput", "mixed-precision", "faq",
    ]  # fmt: skip
    assert "# not a heading" in parsed.module.sections[2].body
    assert left(parsed)[29].startswith("tells the reader how to use the page")
    assert left(parsed)[33].startswith("about the author")
    assert parsed.problems == ()


def test_b12_a_flat_text_gives_its_faq_and_its_recall_prompts() -> None:
    parsed = read("B12_flat.txt")

    assert [question for question, _ in faq(parsed)] == [
        "How many ovens does a bakery need?",
        "Why does the second oven stand idle?",
        "Does a bigger oven bake faster?",
        "Can I bake in the morning?",
    ]
    assert faq(parsed)[1][1] == "The dough is late, nearly always. Is the mixer on? Look there first."
    say = [card for card in parsed.module.cards if card.kind == "say"]
    assert [card.line for card in say] == [19, 20]
    assert (
        say[0].answer
        == "A large oven is not a fast oven, it is a wide one, and that decides which orders it suits."
    )
    assert say[1].answer.startswith("Below a dozen loaves the oven waits")
    assert left(parsed)[20] == (
        "no section is called 'Loaves and waiting'; line 3 has most of its words and is the answer"
    )
    assert [problem.message for problem in parsed.problems] == [
        "no card, nothing on the page answers it: What does this module say about “Zeppelins”?"
    ]


def test_b12_code_glued_to_prose_is_taken_apart_in_flat_text() -> None:
    parsed = read("B12_flat.txt")

    body = parsed.module.sections[0].body
    assert (
        "```\noven = Oven(rows=4)\nfor tray in trays:\noven.bake(tray)\noven.empty()\n```\n\nTwice the trays"
        in body
    )
    assert "| Order | Small oven | Large oven |\n|---|---|---|\n| Ten rolls |" in body
    assert left(parsed)[9].startswith("code in 4 lines")
    assert left(parsed)[18].startswith("tells the reader how to use the page")
    assert left(parsed)[22].startswith("speaks of something to see or click")
    assert left(parsed)[23].startswith("about the author")


@pytest.mark.parametrize(
    "text",
    [
        "# T\n\n## FAQ\n\n### Is it wide?\n\nYes, it is.\n",
        "# T\n\n## Questions\n\n**Is it wide?** Yes, it is.\n",
        "# T\n\n## Q & A\n\n**Is it wide?**\n\nYes, it is.\n",
        "# T\n\n## FAQ\n\n<details>\n<summary>Is it wide?</summary>\n\nYes, it is.\n\n</details>\n",
        "# T\n\n## FAQ\n<details><summary><b>Is it wide?</b></summary>Yes, it is.</details>\n",
        "# T\n\n## Frequently asked questions\n\nIs it wide? Yes, it is.\n",
        "# T\n\n## FAQ\n\nIs it wide?\nYes, it is.\n",
        "# FAQ\n\n## Is it wide?\n\nYes, it is.\n",
        "<!doctype html><title>T</title><h2>FAQ</h2><dl><dt>Is it wide?</dt><dd>Yes, it is.</dd></dl>",
        "<html><h1>T</h1><h2>FAQ</h2><details><summary>Is it wide?</summary><p>Yes, it is.</p></details></html>",
        "<html><h1>T</h1><h2>FAQ</h2><p><strong>Is it wide?</strong> Yes, it is.</p></html>",
    ],
)
def test_b12_an_faq_in_headings_bold_details_and_html(text: str) -> None:
    parsed = page.parse(text, "m.md")

    assert faq(parsed) == [("Is it wide?", "Yes, it is.")]
    assert parsed.problems == ()


def test_an_answer_keeps_its_lists_code_and_tables() -> None:
    parsed = page.parse(
        "## FAQ\n\n**Why?** Two reasons:\n\n- one\n- two\n\n```\ncode?\n```\n\nEnd.\n\n**How?** So.\n", "m.md"
    )

    assert faq(parsed) == [("Why?", "Two reasons:\n\n- one\n- two\n\n```\ncode?\n```\n\nEnd."), ("How?", "So.")]


def test_questions_in_prose_are_no_cards() -> None:
    prose = "Why is that? Because it is so. Is it? Yes."
    text = f"# T\n\n## One\n\n{prose}\n\nMore prose.\n\n| What? | Yes |\n|---|---|\n| a? | b |\n"

    assert page.parse(text, "m.md").module.cards == ()
    assert not page.fits(text)


def test_each_section_that_nothing_asks_about_gets_a_prompt_on_request() -> None:
    text = "# Nets\n\nWide is good.\n\nMore.\n\n## Width\n\nA [try](experiment:kept).\n\n"
    text += "## Why is it so?\n\nThus.\n\n## Empty\n"

    parsed = page.parse(text, "nets.md", prompts=True)

    assert [(c.prompt, c.answer, c.section) for c in parsed.module.cards] == [
        ("What is the one-line takeaway of “Nets”?", "Wide is good.", "intro"),
        ("What does “Nets” say about “Width”?", "A [try](experiment:kept).", "width"),
        ("Why is it so?", "Thus.", "why-is-it-so"),
    ]
    assert [k.experiment for k in parsed.module.sections[1].experiments] == ["kept"]


def test_sections_of_one_name_and_of_other_scripts_get_ids_of_their_own() -> None:
    parsed = page.parse("# T\n\n## A\n\nx\n\n## A\n\ny\n\n## 幅\n\nz\n", "m.md", prompts=True)

    assert [section.id for section in parsed.module.sections] == ["a", "a-2", "section"]


def test_a_question_without_an_answer_is_reported() -> None:
    parsed = page.parse("## FAQ\n\n### Why?\n\n### How?\n\nSo.\n\n<!-- note -->\n", "m.md")

    assert [(p.line, p.message) for p in parsed.problems] == [(3, "no card, a question without an answer: Why?")]
    assert left(parsed) == {9: "an HTML comment"}


def test_html_reports_the_lines_of_the_page_itself() -> None:
    asks = "<p>What does this page say about “Width”?</p>"
    text = f"<html>\n<nav>x</nav>\n<h1>T</h1>\n\n\n{asks}\n<h2>Width</h2><p>All.</p></html>"

    parsed = page.parse(text, "m.html")

    assert [(card.line, card.answer) for card in parsed.module.cards] == [(6, "All.")]
    assert left(parsed) == {2: "<nav> is not read"}


def test_flat_text_is_told_from_wrapped_text_and_from_markdown() -> None:
    long = "A sentence that goes on for quite a while so that it fills a paragraph."

    assert is_flat([long] * 5)
    assert not is_flat([long, ""] * 5)
    assert not is_flat(["short"] * 9)
    assert not is_flat(["# T", *[long] * 9])
    assert unflatten(["- a", "- b", "", long]).lines == ["", "- a", "- b", "", long]


@given(
    st.lists(
        st.sampled_from(
            [
                "Is it? Yes.",
                "**Why?** So.",
                "## FAQ",
                "# T",
                "### Q?",
                "text",
                "",
                "| a |",
                "|---|",
                "```",
                "<details>",
                "<summary>Q?</summary>",
                "</details>",
                "What does this page say about “T”?",
                "By the author",
            ]
        ),
        max_size=14,
    ),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_no_page_raises_anything_and_every_line_number_is_in_the_file(lines: list[str], prompts: bool) -> None:
    text = "\n".join(lines)

    parsed = page.parse(text, "m.md", prompts=prompts)

    count = text.count("\n") + 1
    assert all(1 <= card.line <= count and card.prompt and card.answer for card in parsed.module.cards)
    assert all(1 <= problem.line <= count for problem in parsed.problems)
    assert all(1 <= item.line <= count for item in parsed.left_out)
    ids = [section.id for section in parsed.module.sections]
    assert len(ids) == len(set(ids))
    assert {card.section for card in parsed.module.cards} <= set(ids)


def test_a_heading_below_a_section_that_does_not_ask_stays_in_its_text() -> None:
    parsed = page.parse("# T\n\n## Width\n\nOne.\n\n### In numbers\n\nTwo.\n", "m.md", prompts=True)

    assert [(section.id, section.body) for section in parsed.module.sections] == [
        ("width", "One.\n\n### In numbers\n\nTwo.")
    ]


def test_thousands_of_headings_that_are_alike_get_numbers_of_their_own() -> None:
    sections = page.parse("# T\n\n" + "## A\n\nText of it.\n\n" * 3 + "## A-2\n\nText.\n", "m.md").module.sections

    assert [section.id for section in sections] == ["a", "a-2", "a-3", "a-2-2"]


def test_the_takeaway_is_the_first_paragraph_that_is_more_than_badges() -> None:
    text = "# Fast\n\n[![Build](https://x/y.svg)](https://x/y) ![a](b)\n\nA fast thing. \n\n## Use\n\nCall it.\n"

    assert page.parse(text, "m.md").added[0].answer == "A fast thing."


def test_a_heading_with_nothing_below_it_is_listed() -> None:
    parsed = page.parse("# T\n\n## One\n\nText.\n\n## Two\n\n## Three\n\nMore.\n", "m.md")

    assert left(parsed) == {7: "heading with nothing below it: Two"}


def test_where_links_go_stays_with_the_sections_that_use_them() -> None:
    text = "# T\n\nSee [the site][home].\n\n## One\n\nOf [Home] only.\n\n## Two\n\nNone.\n\n[home]:\n  https://x.org\n"

    found = page.parse(text, "m.md")

    assert [section.body for section in found.module.sections] == [
        "See [the site][home].\n\n[home]:\n  https://x.org",
        "Of [Home] only.\n\n[home]:\n  https://x.org",
        "None.",
    ]
    assert [card.answer for card in found.added] == ["See [the site][home].", "Of [Home] only.", "None."]
