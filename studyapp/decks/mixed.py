"""Lesson pages with some cards in another convention: a glossary, a callout, a table of questions and answers.

The page stays what it is, text in sections; each card goes to the section it stands in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from studyapp.core.cards import Card, Parsed, Section
from studyapp.decks import conventions, page, web
from studyapp.decks.notes import Known

_FEWEST = 2
"""Lines with a separator that make cards on a page: one by itself is punctuation (our choice)."""
_SECTIONS = 2
_SHARE = 0.5
"""Share of a page's words that its cards may have: above it, the file is a deck with remarks (our choice)."""


def is_page(text: str, sections: Iterable[Section], cards: Iterable[Card]) -> bool:
    """Return whether a text in one of the conventions is a page with sections, most of it outside its cards.

    Args:
        text: The file's text.
        sections: What it has as a page.
        cards: What it has as a deck.
    """
    if conventions.is_meant(text) or web.is_page(text):
        return False
    bodies = [section.body for section in sections if section.body]
    if len(bodies) < _SECTIONS:
        return False
    notes = {card.line: card.source or f"{card.prompt} {card.answer}" for card in cards}
    return sum(map(_count, notes.values())) <= _SHARE * sum(map(_count, bodies))


def fits(text: str) -> bool:
    """Return whether such a page has cards of its own."""
    return bool(conventions.parse(text, "", fewest=_FEWEST).module.cards)


def parse(text: str, path: str, known: Known | None = None, *, prompts: bool = False, title: str = "") -> Parsed:
    """Return what such a page holds; see `page.parse`."""
    found = page.parse(text, path, known, prompts=prompts, title=title)
    asked = {card.prompt for card in found.module.cards}
    deck = conventions.parse(text, path, known, fewest=_FEWEST)
    own = [_placed(card, found.module.sections) for card in deck.module.cards if card.prompt not in asked]
    cards = sorted([*found.module.cards, *own], key=lambda card: card.line)
    said = [problem for problem in found.problems if not (own and problem.message.startswith("no card in"))]
    problems = tuple(dict.fromkeys([*said, *deck.problems]))
    return replace(found, module=replace(found.module, cards=tuple(cards)), problems=problems)


def _placed(card: Card, sections: Iterable[Section]) -> Card:
    """Return a card in the section that it stands in."""
    above = [section for section in sections if section.line <= card.line]
    return replace(card, section=max(above, key=lambda section: section.line).id) if above else card


def _count(text: str) -> int:
    return len(text.split())
