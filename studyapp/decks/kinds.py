"""Kinds of cards, and what the answer of each must hold: a numeric card a number, a choice its options."""

from __future__ import annotations

from dataclasses import replace

from studyapp.core.attempts import ATTEMPTED, CHOICE, NUMERIC, TYPED
from studyapp.core.cards import Card
from studyapp.core.choices import asked_plainly, read_choice, trouble
from studyapp.core.quantities import read_target
from studyapp.core.typed import expected
from studyapp.decks.clean import excerpt
from studyapp.decks.notes import Notes

KINDS = {
    "say it first": "say",
    "question": "basic",
    "fill in": "cloze",
    "number": NUMERIC,
    "type it": TYPED,
    "choose": CHOICE,
}
"""The kind of card that each label makes."""
ALL = ("basic", "say", "faq", "cloze", *ATTEMPTED)


def settled(card: Card, notes: Notes) -> Card:
    """Return a card as it can be asked: one whose answer lacks what its kind needs becomes a plain question."""
    if card.kind not in ALL:
        notes.problem(card.line, f"'{excerpt(card.kind)}' is no kind of card; there are {', '.join(ALL)}")
        return replace(card, kind="basic")
    reason = ""
    if card.kind == NUMERIC and read_target(card.answer) is None:
        reason = "the answer of a number begins with a paragraph that has one, such as 'About 5.5 GB.'"
    elif card.kind == TYPED and not any(text.strip() for text in expected(card.answer)):
        reason = "the answer of a card to type begins with what is to be typed"
    elif card.kind == CHOICE:
        reason = trouble(read_choice(card.answer))
    if not reason:
        return card
    notes.problem(card.line, f"asked as a plain question, for {reason}: {excerpt(card.prompt)}")
    return replace(card, kind="basic")


def found_in(kind: str, answer: str) -> str:
    """Return the kind of a card of a deck: a task list with something ticked makes it a choice."""
    return CHOICE if kind == "basic" and not trouble(read_choice(answer)) else kind


def plain_sides(card: Card) -> tuple[str, str]:
    """Return question and answer for a program that knows questions and answers alone."""
    choice = read_choice(card.answer) if card.kind == CHOICE else None
    return (card.prompt, card.answer) if choice is None else asked_plainly(card.prompt, choice, card.id)
