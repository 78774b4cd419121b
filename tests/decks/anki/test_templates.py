"""Templates decide what asks and what answers."""

from __future__ import annotations

import pytest

from studyapp.decks.anki.templates import answer_part, gap_numbers, render

VALUES = {"Front": "What?", "Back": "That.", "Empty": " "}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("Q: {{Front}}", "Q: What?"),
        ("{{ Front }} {{text:Back}} {{hint:Back}}", "What? That. That."),
        ("{{#Back}}yes{{/Back}}{{^Back}}no{{/Back}}", "yes"),
        ("{{#Empty}}yes{{#Back}}in{{/Back}}{{/Empty}}{{^Empty}}no{{/Empty}}", "no"),
        ("{{Unknown}}<!-- {{Front}} -->", ""),
        ("{{type:Back}}", ""),
        ("{{#Open}} {{Front", ""),
        ("{{/Never}}{{Front}}", "What?"),
    ],
)
def test_a_template_is_filled(template: str, expected: str) -> None:
    assert render(template, VALUES).html == expected


def test_a_side_without_a_filled_field_says_so() -> None:
    assert render("Only words {{Empty}}", VALUES).filled is False
    assert render("{{Front}}", VALUES).filled is True


def test_the_answer_is_what_follows_ankis_line() -> None:
    assert answer_part("{{FrontSide}}\n<hr id=answer>\n{{Back}}") == "\n{{Back}}"
    assert answer_part('{{Front}}<hr class="x" id="answer">{{Back}}') == "{{Back}}"
    assert answer_part("{{Back}}") == "{{Back}}"


def test_a_gap_asks_and_its_siblings_are_shown() -> None:
    text = "A GPU is {{c1::wider}}, not {{c2::faster::adjective}}; {{c1::again}}"

    assert gap_numbers(text) == {1, 2}
    assert render("{{cloze:T}}", {"T": text}, gap=1).html == "A GPU is […], not faster; […]"
    assert render("{{cloze:T}}", {"T": text}, gap=2).html == "A GPU is wider, not [adjective]; again"
    answered = render("{{cloze:T}}", {"T": text}, gap=2, answer=True).html
    assert answered == "A GPU is wider, not <b>faster</b>; again"


def test_a_gap_inside_a_gap_is_a_gap_of_its_own() -> None:
    text = "{{c1::outer {{c2::inner}} end}} rest"

    assert render("{{cloze:T}}", {"T": text}, gap=1).html == "[…] rest"
    assert render("{{cloze:T}}", {"T": text}, gap=2).html == "outer […] end rest"


def test_braces_that_never_close_are_text() -> None:
    assert render("{{cloze:T}}", {"T": "a {{c1::open"}, gap=1).html == "a {{c1::open"


def test_ten_thousand_open_gaps_are_read_in_a_moment() -> None:
    text = "{{c1::" * 10_000

    assert render("{{cloze:T}}", {"T": text}, gap=1).html == text


def test_cloze_only_and_conditions_on_a_gap_are_known() -> None:
    values = {"T": "{{c1::a}} and {{c2::b}} and {{c1::c}}"}

    assert render("{{cloze-only:T}}", values, gap=1).html == "a, c"
    assert render("{{#c1}}one{{/c1}}{{#c2}}two{{/c2}}", values, gap=2).html == "two"


@pytest.mark.parametrize(
    ("name", "expected"), [("furigana", "日本(にほん)"), ("kanji", "日本"), ("kana", "にほん")]
)
def test_readings_are_shown_as_their_filter_says(name: str, expected: str) -> None:
    assert render(f"{{{{{name}:T}}}}", {"T": "日本[にほん]"}).html == expected
