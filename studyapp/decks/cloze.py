"""Cloze notes: a text with gaps gives one card per gap number; cards of one note are siblings.

`{{c1::words::hint}}` (Anki), `{{words}}` and, after `C:`, `[words]` are read. Siblings share the part of the id
before the colon: `warp:c1`, `warp:c2`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from studyapp.core.cards import Card
from studyapp.decks.clean import excerpt
from studyapp.decks.marks import take_marks
from studyapp.decks.notes import Notes
from studyapp.decks.parts import Parts, Scope, card_id, make_card

_NUMBERED = re.compile(r"\{\{c(\d{1,3})::((?:(?!\{\{|\}\}).)+?)(?:::((?:(?!\{\{|\}\}).)*?))?\}\}", re.DOTALL)
_PLAIN = re.compile(r"\{\{(?!c\d+::)((?:(?!\{\{|\}\}).)+?)\}\}", re.DOTALL)
_SQUARE = re.compile(r"(?<!\\)(?<!!)\[(?!\^)([^\[\]\n]+)\](?![\[(:])")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
MAX_SEARCHED = 20_000
"""Longest note that is searched for gaps, in characters; a longer text is no sentence with gaps."""


@dataclass(frozen=True, slots=True)
class Gap:
    """One gap: where it stands, which card asks for it, what belongs there."""

    start: int
    end: int
    number: int
    words: str
    hint: str = ""


def find_gaps(text: str, *, square: bool = False) -> list[Gap]:
    """Return the gaps of a text in reading order; unnumbered ones count on from the highest number.

    Args:
        text: Markdown; what stands in a code span is no gap, unless the braces are numbered.
        square: Whether `[words]` is a gap too (where no braces are).
    """
    if len(text) > MAX_SEARCHED:
        return []
    gaps = [Gap(*f.span(), int(f[1]), f[2].strip(), (f[3] or "").strip()) for f in _NUMBERED.finditer(text)]
    code = [found.span() for found in _CODE.finditer(text)]
    plain = [found for found in _PLAIN.finditer(text) if _outside(found.start(), code)]
    if square and not gaps and not plain:
        plain = [found for found in _SQUARE.finditer(text) if _outside(found.start(), code)]
    first = max((gap.number for gap in gaps), default=0) + 1
    gaps += [Gap(*found.span(), first + at, found[1].strip()) for at, found in enumerate(plain)]
    return sorted((gap for gap in gaps if gap.words), key=lambda gap: gap.start)


def make_cards(
    scope: Scope, prompt: str, parts: Parts, line: int, notes: Notes, *, square: bool = False
) -> list[Card]:
    """Return what a note gives: one card, or, of kind cloze, one per gap; a note that gives none is reported.

    Args:
        scope: Kind, module, section.
        prompt: The question or the text with gaps, with the marks at its end.
        parts: The answer taken apart; a cloze note needs none.
        line: Line of the prompt, from 1.
        notes: Hears what is wrong.
        square: Whether `[words]` is a gap.
    """
    if scope.kind != "cloze":
        card = make_card(scope, prompt, parts, line, notes)
        return [card] if card else []
    text, marks = take_marks(prompt.strip(), notes, line)
    if not find_gaps(text, square=square):
        notes.problem(line, f"no card, a text to fill in has a gap, '{{{{c1::words}}}}': {excerpt(text)}")
        return []
    name = card_id(scope, marks, text, line, notes)
    tags = tuple(dict.fromkeys((*scope.tags, *marks.tags)))
    cards = cloze_cards(text, parts, name, replace(scope, tags=tags), line=line, square=square)
    return [replace(card, own=marks.own) for card in cards] if marks.own else cards


def cloze_cards(
    note: str, parts: Parts, name: str, scope: Scope, *, line: int, square: bool = False
) -> list[Card]:
    """Return one card per gap number: the gap asks, the whole sentence answers.

    Args:
        note: The text with its gaps, without marks.
        parts: What stands below it: added to every answer.
        name: Id of the note, "" where none is written.
        scope: Where the note stands; its tags are the cards'.
        line: Line of the note, from 1.
        square: Whether `[words]` is a gap too.
    """
    gaps = find_gaps(note, square=square)
    cards = []
    for number in sorted({gap.number for gap in gaps}):
        answer = "\n\n".join(part for part in (_filled(note, gaps, number), parts.answer) if part)
        cards.append(
            Card(
                id=f"{name}:c{number}",
                kind="cloze",
                prompt=_asked(note, gaps, number),
                answer=answer,
                key_points=parts.key_points,
                experiments=parts.experiments,
                section=scope.section,
                tags=scope.tags,
                line=line,
                explicit_id=bool(name),
                note=name or f"line {line}",
                source=note,
            )
        )
    return cards


def _outside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    return not any(low <= at < high for low, high in spans)


def _asked(text: str, gaps: Sequence[Gap], number: int) -> str:
    return _with(text, gaps, lambda gap: f"[{gap.hint or '…'}]" if gap.number == number else gap.words)


def _filled(text: str, gaps: Sequence[Gap], number: int) -> str:
    return _with(text, gaps, lambda gap: _strong(gap.words) if gap.number == number else gap.words)


def _strong(words: str) -> str:
    # code, formulas and emphasis keep their own marks
    return words if re.search(r"[`*_$\n]", words) else f"**{words}**"


def _with(text: str, gaps: Sequence[Gap], words: Callable[[Gap], str]) -> str:
    pieces, at = [], 0
    for gap in gaps:
        pieces += [text[at : gap.start], words(gap)]
        at = gap.end
    return "".join([*pieces, text[at:]])
