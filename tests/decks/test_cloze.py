"""Texts with gaps: one card per gap, siblings of one note."""

from studyapp.core.cards import note_of
from studyapp.decks.cloze import find_gaps
from studyapp.decks.lesson import parse as parse_lesson
from studyapp.decks.load import parse


def test_every_gap_number_is_a_card_and_siblings_share_their_note() -> None:
    text = (
        "Q: a\nA: b\n\nC: A {{c1::warp::group}} has {{c2::32}} lanes, so a {{c1::warp}} is one. <!-- id: w -->\n"
    )

    _, first, second = parse(text, "m.md").module.cards

    assert (first.id, first.kind) == ("w:c1", "cloze")
    assert first.prompt == "A [group] has 32 lanes, so a […] is one."
    assert first.answer == "A **warp** has 32 lanes, so a **warp** is one."
    assert (second.id, second.prompt) == ("w:c2", "A warp has […] lanes, so a warp is one.")
    assert note_of(first.id) == note_of(second.id) == "w"


def test_square_brackets_and_bare_braces_are_gaps_after_c_only_outside_code_and_links() -> None:
    deck = parse("C: [One] and [a link](http://x.y) and `x[0]` and ![p](q)\n\nC: {{two}} and {{three}}\n", "m.md")

    assert [card.prompt for card in deck.module.cards] == [
        "[…] and [a link](http://x.y) and `x[0]` and ![p](q)",
        "[…] and three",
        "two and […]",
    ]
    assert [gap.number for gap in find_gaps("{{c3::a}} {{b}}")] == [3, 4]


def test_a_line_that_only_begins_with_c_is_text() -> None:
    deck = parse("Q: Which drive?\nA: Look at\n\nC: the drive\n\nT: is not a term here\n", "m.md")

    assert [card.answer for card in deck.module.cards] == ["Look at\n\nC: the drive\n\nT: is not a term here"]


def test_terms_and_definitions_are_questions_and_answers() -> None:
    deck = parse(
        "T: latency <!-- id: l -->\nD: the time of one answer\n\nT: throughput\nD:    answers a second\n", "m.md"
    )

    assert [(c.id, c.prompt, c.answer) for c in deck.module.cards] == [
        ("l", "latency", "the time of one answer"),
        ("", "throughput", "answers a second"),
    ]


def test_what_stands_below_a_text_with_gaps_is_shown_with_each_answer() -> None:
    (card,) = parse(
        "C: The bus moves [16] GB a second.\n\nMeasured.\n\n**Check:**\n\n- a\n- b\n", "m.md"
    ).module.cards

    assert card.answer == "The bus moves **16** GB a second.\n\nMeasured."
    assert card.key_points == ("a", "b")


def test_a_lesson_may_ask_to_fill_in() -> None:
    parsed = parse_lesson("---\nid: m\n---\nText.\n\n> **Fill in:** a {{c1::b}} <!-- id: x, tags: t -->\n", "m.md")

    assert [(c.id, c.prompt, c.tags) for c in parsed.module.cards] == [("m/x:c1", "a […]", ("t",))]
    assert parsed.problems == ()


def test_a_text_to_fill_in_without_a_gap_is_reported() -> None:
    parsed = parse_lesson("---\nid: m\n---\n> **Fill in:** nothing here <!-- id: x -->\n", "m.md")

    assert any("has a gap" in problem.message for problem in parsed.problems)
    assert parsed.module.cards == ()


def test_a_very_long_text_is_not_searched_and_code_keeps_its_marks() -> None:
    assert find_gaps("{{c1::a}}" + "x" * 20_001) == []
    (card,) = parse("C: Call [`item()`] rarely\n", "m.md").module.cards
    assert card.answer == "Call `item()` rarely"


def test_a_gap_inside_another_is_left_as_it_stands() -> None:
    cards = parse("C: {{c1::a {{c2::b}} c}}\n", "m.md").module.cards

    assert [card.answer for card in cards] == ["{{c1::a **b** c}}"]
