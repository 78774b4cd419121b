from __future__ import annotations

from studyapp.core.cards import Card, Parsed
from studyapp.decks import lesson, load, questions, table, write
from studyapp.decks.kinds import plain_sides
from studyapp.decks.lint import lint

LESSON = """---
id: k
title: Kinds
---

# Kinds

## Memory <!-- id: mem -->

Some text.

> **Number:** How much do the weights need? <!-- id: weights -->
>
> About 5.6 GB: four bytes each.

> **Type it:** Which argument pins memory? <!-- id: pin, tags: loader -->
>
> `pin_memory`, together with `non_blocking`.

> **Choose:** What grows with the batch? <!-- id: grow -->
>
> - [x] activations
> - [ ] weights
>
> One set per image.
>
> **Check:**
>
> - one per image
> - not the weights
"""


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(card.id, card.kind) for card in parsed.module.cards]


def messages(parsed: Parsed) -> str:
    return "\n".join(f"{problem.line}: {problem.message}" for problem in parsed.problems)


def test_a_label_says_how_a_card_is_asked() -> None:
    parsed = lesson.parse(LESSON, "k.md")

    assert kinds(parsed) == [("k/weights", "numeric"), ("k/pin", "typed"), ("k/grow", "choice")]
    assert parsed.module.cards[2].answer == "- [x] activations\n- [ ] weights\n\nOne set per image."
    assert parsed.module.cards[2].key_points == ("one per image", "not the weights")
    assert parsed.problems == ()


def test_a_lesson_with_every_kind_is_written_as_it_was_read() -> None:
    parsed = lesson.parse(LESSON, "k.md")

    written = write.markdown(parsed.module)

    assert written.altered == []
    assert written.text == LESSON


def test_a_deck_has_the_same_kinds_and_a_ticked_list_is_a_choice() -> None:
    parsed = questions.parse(
        "Q: **Number:** How many lanes? {#lanes}\nA: Exactly 32.\n\n"
        "Q: **Type it:** The flag? {#flag}\nA: `pin_memory`\n\n"
        "Q: Which one? {#which}\nA:\n- [ ] this\n- [x] that\n\n"
        "Q: What is to do? {#todo}\nA:\n- [ ] this\n- [ ] that\n",
        "deck.md",
    )

    assert kinds(parsed) == [("lanes", "numeric"), ("flag", "typed"), ("which", "choice"), ("todo", "basic")]


def test_a_table_names_kinds_in_a_column() -> None:
    parsed = table.parse(
        "id,question,answer,kind\na,How many?,32,numeric\nb,Which?,pin_memory,typed\n"
        'c,One?,"- [x] yes\n- [ ] no",\nd,What?,this,riddle\n',
        "t.csv",
    )

    assert kinds(parsed) == [("a", "numeric"), ("b", "typed"), ("c", "choice"), ("d", "basic")]
    assert "'riddle' is no kind of card" in messages(parsed)


def test_a_card_that_lacks_what_its_kind_needs_is_a_plain_question_and_named() -> None:
    parsed = load.parse(
        "## S <!-- id: s -->\n\n> **Number:** How much? <!-- id: a -->\n>\n> Much.\n\n"
        "> **Choose:** Which? <!-- id: b -->\n>\n> - [ ] this\n> - [ ] that\n\n"
        "> **Type it:** What? <!-- id: c -->\n>\n> ``\n",
        "s.md",
    )

    assert [card.kind for card in parsed.module.cards] == ["basic", "basic", "basic"]
    assert "3: asked as a plain question, for the answer of a number begins with" in messages(parsed)
    assert "7: asked as a plain question, for no option is marked right" in messages(parsed)
    assert "12: asked as a plain question, for the answer of a card to type" in messages(parsed)


def test_a_choice_is_a_question_with_its_options_where_there_are_no_choices() -> None:
    card = Card("k/grow", "choice", "What grows?", "- [x] activations\n- [ ] weights\n\nOne set each.")

    front, back = plain_sides(card)

    assert front.startswith("What grows?\n\n- ")
    assert sorted(front.split("\n")[2:]) == ["- activations", "- weights"]
    assert back == "activations\n\nOne set each."
    assert plain_sides(card) == (front, back)


def test_the_linter_knows_what_makes_a_choice_or_a_typed_card_a_bad_one() -> None:
    text = (
        "Q: **Type it:** Say all? {#a}\nA: "
        + "a word and another " * 4
        + "\n\nQ: One? {#b}\nA:\n- [x] yes\n- [x] no\n\nQ: Two? {#c}\nA:\n- [x] same\n- [ ] Same!\n\n"
        + f"Q: Three? {{#d}}\nA:\n- [x] {'a long and careful answer ' * 3}\n- [ ] short\n"
    )
    parsed = questions.parse(text, "deck.md")

    found = [problem.message.partition(":")[0] for problem in lint([parsed], {})["deck.md"]]

    assert any("characters are much to type" in message for message in found)
    assert "every option is right, so there is nothing to choose" in found
    assert "two options say the same" in found
    assert "the right option is more than twice as long as any other, which gives it away" in found
