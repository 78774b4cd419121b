"""Prompts in quotes: a quote that begins with **Say it first:**, **Question:** or another such label is a card.

The question is the rest of that paragraph, or everything up to a paragraph that begins with **Answer:**; the
answer follows, then the parts every card can have (see `parts`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from studyapp.core.cards import Card
from studyapp.decks.blocks import Block, slice_text
from studyapp.decks.cloze import make_cards
from studyapp.decks.kinds import KINDS
from studyapp.decks.marks import label
from studyapp.decks.notes import Notes
from studyapp.decks.parts import Scope, Span, take_parts

_QUOTE = re.compile(r" {0,3}>(?: |(\t))?")


def has_label(block: Block, word: str) -> bool:
    """Return whether a block is a paragraph that begins with a label, e.g. "say it first"."""
    return block.kind == "paragraph" and label(block.content)[0] == word


def _kind(block: Block) -> str:
    return KINDS.get(label(block.content)[0], "") if block.kind == "paragraph" else ""


def is_prompt(block: Block) -> bool:
    """Return whether a block is a quote that holds prompts."""
    return block.kind == "blockquote" and bool(block.children) and bool(_kind(block.children[0]))


def read_prompts(quote: Block, lines: list[str], env: dict[str, Any], scope: Scope, notes: Notes) -> list[Card]:
    """Return the cards of one quote; each such label in it begins another.

    Args:
        quote: A block for which `is_prompt` holds.
        lines: The document's lines; those of the quote lose their `>` and labels in place.
        env: Link definitions of the document.
        scope: Module, section, tags.
        notes: Hears what is wrong.
    """
    for at in range(quote.start, quote.end):
        lines[at] = _unquoted(lines[at])
    starts = [(at, kind) for at, child in enumerate(quote.children) if (kind := _kind(child))]
    ends = [*(at for at, _ in starts[1:]), len(quote.children)]
    cards: list[Card] = []
    for (low, kind), high in zip(starts, ends, strict=True):
        end = quote.children[high].start if high < len(quote.children) else quote.end
        own = scope if kind == scope.kind else replace(scope, kind=kind)
        cards += _read_prompt(quote.children[low:high], end, lines, env, own, notes)
    return cards


def _unquoted(line: str) -> str:
    if line.startswith("> "):
        return line[2:]
    return _QUOTE.sub(lambda found: "  " if found[1] else "", line, count=1)


def _read_prompt(
    blocks: list[Block], end: int, lines: list[str], env: dict[str, Any], scope: Scope, notes: Notes
) -> list[Card]:
    first = blocks[0]
    _strip_label(lines, first.start)
    at = next((at for at, block in enumerate(blocks) if has_label(block, "answer")), 0)
    if at:
        _strip_label(lines, blocks[at].start)
    middle = blocks[at].start if at else first.end
    question = slice_text(lines, first.start, middle)
    parts = take_parts(Span(lines, middle, end, blocks[at or 1 :]), env, notes)
    return make_cards(scope, question, parts, first.start + 1, notes)


def _strip_label(lines: list[str], at: int) -> None:
    lines[at] = label(lines[at].lstrip())[1]
