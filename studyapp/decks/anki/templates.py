"""Anki's card templates: `{{Field}}`, `{{#Field}}...{{/Field}}`, `{{^Field}}...{{/Field}}`, filters, cloze gaps.

The template decides what asks and what answers. Rendering gives HTML that `html.markdown` reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from studyapp.decks.anki.html import without_comments

_TAG = re.compile(r"\{\{([^{}]*)\}\}")
_ANSWER = re.compile(r"<hr\b[^<>]{0,200}?\bid\s?=\s?[\"']?answer\b[^<>]{0,200}>", re.IGNORECASE)
_SPECIAL_NAMES = frozenset({"FrontSide", "Tags", "Type", "Deck", "Subdeck", "Card", "CardFlag"})
_FURIGANA = re.compile(r" ?([^ >\[]{1,40})\[([^\[\]]{1,80})\]")
_GAP_OPEN = re.compile(r"\{\{c(\d{1,3})::")
_MOST_GAPS = 500
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Rendered:
    """One side of a card."""

    html: str
    filled: bool
    """Whether a field with content is on it."""


def render(template: str, values: Mapping[str, str], *, gap: int = 0, answer: bool = False) -> Rendered:
    """Return one side of a card as HTML.

    Args:
        template: Its `qfmt` or `afmt`.
        values: The note's fields, HTML; empty ones included.
        gap: Number of the gap that a cloze card asks for, 0 for other cards.
        answer: Whether this is the side that answers.
    """
    pieces: list[str] = []
    shown = [True]
    filled = False
    for mark, name, text in _tokens(template):
        if mark == "text":
            pieces += [text] if shown[-1] else []
        elif mark in "#^" and mark:
            there = _there(name, values, gap)
            shown.append(shown[-1] and (there if mark == "#" else not there))
        elif mark == "/":
            if len(shown) > 1:
                shown.pop()
        elif shown[-1]:
            value = _field(name, values, gap, answer)
            filled = filled or (bool(value.strip()) and name not in _SPECIAL_NAMES)
            pieces.append(value)
    return Rendered("".join(pieces), filled)


def answer_part(template: str) -> str:
    """Return the part of an answer's template that answers: what follows Anki's line, else all of it."""
    pieces = _ANSWER.split(template, maxsplit=1)
    return pieces[-1]


@lru_cache(maxsize=512)
def _tokens(template: str) -> tuple[tuple[str, str, str], ...]:
    """Return the template's pieces: (mark or "text", name, text)."""
    template = without_comments(template)
    tokens: list[tuple[str, str, str]] = []
    at = 0
    for found in _TAG.finditer(template):
        tokens.append(("text", "", template[at : found.start()]))
        words = found[1].strip()
        mark = words[:1] if words[:1] in ("#", "^", "/") else ""
        tokens.append((mark, words[len(mark) :].strip(), ""))
        at = found.end()
    return (*tokens, ("text", "", template[at:]))


def _there(name: str, values: Mapping[str, str], gap: int) -> bool:
    if re.fullmatch(r"c\d+", name) and name not in values:
        return gap == int(name[1:])
    return bool(values.get(name, "").strip())


def _field(name: str, values: Mapping[str, str], gap: int, answer: bool) -> str:
    *filters, field = name.split(":")
    field = field.strip()
    value = values.get(field, "")
    for one in reversed([word.strip() for word in filters]):
        if one == "cloze":
            value = gaps(value, gap, answer=answer)
        elif one == "cloze-only":
            value = ", ".join(words for number, words in _gap_words(value) if number == gap)
        elif one == "type":
            value = value if answer else ""
        elif one in ("furigana", "kanji", "kana"):
            keep = {"furigana": r"\1(\2)", "kanji": r"\1", "kana": r"\2"}[one]
            value = _FURIGANA.sub(keep, value)
    return value


def gap_numbers(text: str) -> set[int]:
    """Return the numbers of the gaps in a field."""
    return {int(number) for number in _GAP_OPEN.findall(text)}


def gaps(text: str, number: int, *, answer: bool) -> str:
    """Return a cloze text for one card: its gaps hidden behind their hints, or, answering, filled in bold."""
    return _walk(text, number, answer, [], _DEEPEST) if _GAP_OPEN.search(text) else text


def _gap_words(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    _walk(text, 0, True, found, _DEEPEST)
    return found


def _walk(text: str, number: int, answer: bool, found: list[tuple[int, str]], levels: int) -> str:
    """Return the text with its gaps replaced, inner ones first; note (number, words) of each."""
    pieces, at, left = list[str](), 0, _MOST_GAPS
    while left and (opened := _GAP_OPEN.search(text, at)):
        end = _closing(text, opened.end())
        if end < 0:
            break
        left -= 1
        body = text[opened.end() : end]
        if levels and "{{c" in body:
            body = _walk(body, number, answer, found, levels - 1)
        words, _, hint = body.partition("::")
        own = int(opened[1])
        found.append((own, words))
        pieces.append(text[at : opened.start()])
        if own != number:
            pieces.append(words)
        else:
            pieces.append(f"<b>{words}</b>" if answer else f"[{hint or '…'}]")
        at = end + 2
    return "".join([*pieces, text[at:]])


def _closing(text: str, at: int) -> int:
    """Return where the braces of a gap close, counting inner gaps; -1 where they do not."""
    depth = 1
    for found in re.finditer(r"\{\{c\d{1,3}::|\}\}", text[at:]):
        depth += 1 if found[0] != "}}" else -1
        if not depth:
            return at + found.start()
    return -1
