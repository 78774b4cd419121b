"""Cards written as a lesson file read back as the same cards, whatever their text."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.cards import Card, ExperimentLink, Module, Section
from studyapp.decks import lesson, load
from studyapp.decks.clean import settle
from studyapp.decks.write import link_text, markdown

LINK = ExperimentLink("kept", {"batch": "8", "word": "a b&c"}, "count [them]")


def card(name: str = "x", kind: str = "basic", prompt: str = "Why?", answer: str = "So.", **more: object) -> Card:
    return replace(Card(f"m/{name}", kind, prompt, answer), **more)  # type: ignore[arg-type]


def there_and_back(*cards: Card, sections: tuple[Section, ...] = ()) -> tuple[list[Card], list[str]]:
    module = Module("m", "A 'title'", "Sum: of it", sections, cards)
    written = markdown(module)
    parsed = load.parse(written.text, "m.md")
    assert (parsed.module.id, parsed.module.title, parsed.module.summary) == ("m", "A 'title'", "Sum: of it")
    return list(parsed.module.cards), written.altered


def text_of(one: Card) -> tuple[object, ...]:
    links = [(k.experiment, dict(k.controls)) for k in one.experiments]
    return one.id, one.kind, one.prompt, one.answer, one.key_points, links, one.tags


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("Why?", "So."),
        ("two\nlines", "- a\n- b\n\n| t |\n|---|\n| u |"),
        ("first\n\n```\ncode\n```\n\nlast", "    indented\n\nmore"),
        ("- a list\n- asks", "# a heading\n\n---\n\nQ: x\nA: y"),
        ("```\nonly code\n```", "$$\nx\n$$"),
        ("ends in {#marks}", "> quoted\n\n**Bold:** words"),
        ("ends in <!-- id: y -->", "unclosed\n\n```\nfence"),
        ("<div>html</div>", "<!-- a comment -->\n\ntext"),
        ("1. one", "\ttab"),
    ],
)
@pytest.mark.parametrize("kind", ["basic", "say"])
def test_texts_of_all_shapes_come_back_as_they_were(kind: str, prompt: str, answer: str) -> None:
    one = card(kind=kind, prompt=prompt, answer=answer, tags=("a", "b"))

    (back,), altered = there_and_back(one)

    assert (text_of(back), altered) == (text_of(one), [])


def test_key_points_experiments_and_tags_come_back() -> None:
    one = card(key_points=("a point", "another, with `code`"), experiments=(LINK,), tags=("gpu",))

    (back,), _ = there_and_back(one)

    assert text_of(back) == text_of(one)
    assert link_text(LINK) == r"[count \[them\]](experiment:kept?batch=8&word=a%20b%26c)"


def test_text_that_reads_like_a_part_of_the_file_gets_a_backslash_and_is_named() -> None:
    one = card(prompt="**Check:** what?", answer="**Try:** it\n\n**Answer:** z\n\n**Check:**\n\n- a")

    (back,), altered = there_and_back(one)

    assert altered == ["m/x"]
    assert back.answer == one.answer.replace("**T", r"\**T").replace("**A", r"\**A").replace("**C", r"\**C")


def test_an_faq_is_written_as_headings_and_what_no_heading_can_hold_as_a_quote() -> None:
    plain = card("a", "faq", "Is it?", "Yes.\n\n- really", section="q")
    odd = card("b", "faq", "Is this?", "## No\n\nheading", section="q")
    sections = (Section("q", "Questions", "### Is it?\n\nYes.\n\n- really"),)

    back, altered = there_and_back(plain, odd, sections=sections)

    assert [(c.id, c.kind, c.answer) for c in back] == [
        ("m/a", "faq", "Yes.\n\n- really"),
        ("m/b", "basic", "## No\n\nheading"),
    ]
    assert altered == []


def test_sections_keep_their_text_and_their_cards() -> None:
    sections = (Section("intro", "T", "Opening."), Section("one", "One", "Text\n\n- list"))

    module = Module("m", "T", "", sections, (card(section="one"), card("y", section="gone")))
    parsed = lesson.parse(markdown(module, tags=("all",)).text, "m.md")

    assert [(s.id, s.body) for s in parsed.module.sections] == [
        ("intro", "Opening."),
        ("one", "Text\n\n- list"),
        ("questions", ""),
    ]
    assert [(c.id, c.section, c.tags) for c in parsed.module.cards] == [
        ("m/x", "one", ("all",)),
        ("m/y", "questions", ("all",)),
    ]
    assert parsed.problems == ()


def test_a_free_name_is_found_for_the_section_of_loose_cards() -> None:
    back, _ = there_and_back(card(), sections=(Section("questions", "Q", "text"),))

    assert [c.section for c in back] == ["questions-2"]


def test_a_sentence_with_gaps_is_written_once_for_all_its_cards() -> None:
    text = "---\nid: m\n---\nC: A {{c1::warp}} has {{c2::32}} lanes. <!-- id: w -->\n\nMore.\n"
    cards = load.parse(text, "m.md").module.cards

    back, altered = there_and_back(*cards)

    assert [text_of(c) for c in back] == [text_of(c) for c in cards]
    assert altered == []


def test_a_gap_card_whose_sentence_is_lost_becomes_a_question() -> None:
    (back,), _ = there_and_back(replace(card(kind="cloze", prompt="A […]"), id="m/w:c1"))

    assert (back.id, back.kind, back.prompt) == ("m/w-c1", "basic", "A […]")


def test_ids_of_other_modules_and_cards_without_an_id_are_kept_as_they_are() -> None:
    back, _ = there_and_back(replace(card(), id="other/x"), replace(card(prompt="Q2"), id=""))

    assert [c.id for c in back] == ["other/x", ""]


LINES = [
    "",
    "text",
    "Q: a",
    "A: b",
    "---",
    "# h",
    "- i",
    "  j",
    "```",
    "> q",
    "**Check:**",
    "**Answer:** z",
    "| a |",
    "|---|",
    "<!-- x -->",
    "{#y}",
    "\\*",
    "$$",
    "1. n",
    "<div>",
    "    k",
]
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=6).map(lambda rows: "\n".join(rows).strip("\n"))
ANY = st.text(st.characters(codec="utf-8"), max_size=60).map(settle)


@given(TEXTS | ANY, TEXTS | ANY, st.sampled_from(["basic", "say", "faq"]))
@settings(max_examples=250, deadline=None)
def test_nothing_is_lost_on_a_round_trip_unless_it_is_named(prompt: str, answer: str, kind: str) -> None:
    prompt, answer = prompt.strip(), answer.strip("\n").rstrip()
    if not prompt or not answer.strip():
        return
    one = card(kind=kind, prompt=prompt, answer=answer)

    written = markdown(Module("m", "T", "", (), (one, card("last"))))
    back = {c.id: c for c in lesson.parse(written.text, "m.md").module.cards}

    assert "m/last" in back
    if "m/x" not in written.altered:
        assert (back["m/x"].prompt, back["m/x"].answer) == (prompt, answer)
