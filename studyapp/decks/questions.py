"""Q/A decks: `Q:` and `A:` at the start of a line, everything else is what a card may hold.

`T:` and `D:` (term, definition) are read like them; `C:` begins a text with gaps. A card ends at the next `Q:`, at
a separator (`---`) or at a heading of level 1 or 2. Text between cards is listed as left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from studyapp.core.cards import Card, Module, Parsed
from studyapp.decks.blocks import (
    MARKER,
    Block,
    Document,
    last_line,
    reach,
    read_blocks,
    report_unclosed,
    slice_text,
)
from studyapp.decks.clean import clean_line, excerpt, settle
from studyapp.decks.cloze import make_cards
from studyapp.decks.front import read_front
from studyapp.decks.kinds import KINDS, found_in
from studyapp.decks.marks import label, slug, take_marks
from studyapp.decks.notes import Known, Notes
from studyapp.decks.parts import Scope, Span, make_card, take_parts

_NEAR_Q = re.compile(r"(?:q|Q[ \t]+):|\*\*[Qq](?::\*\*|\*\*:)")
_NEAR_A = re.compile(r"^(a:|A[ \t]+:|\*\*[Aa](?::\*\*|\*\*:))", re.MULTILINE)


@dataclass(slots=True)
class _Draft:
    """A card while it is read; lines count from 0."""

    question: int
    """Line of its `Q:`."""
    cloze: bool = False
    """Whether it is a `C:`, which needs no answer."""
    answer: int | None = None
    """Line of its `A:`."""
    end: int = 0
    blocks: list[Block] = field(default_factory=list)
    """The blocks of the answer, or of the question while there is no answer."""


@dataclass(slots=True)
class _Deck:
    """What a pass over the blocks finds."""

    title: str = ""
    drafts: list[_Draft] = field(default_factory=list)
    covered: set[int] = field(default_factory=set)
    """Lines accounted for."""

    def close(self, draft: _Draft, end: int) -> None:
        """Keep a draft whose last line is before `end`."""
        draft.end = end
        self.drafts.append(draft)
        self.covered.update(range(draft.question, end))


def parse(text: str, path: str, known: Known | None = None) -> Parsed:
    """Return what a Q/A deck holds; what is wrong or left out in it is listed with its line.

    Args:
        text: The file's text; line ends, byte order mark and control characters are settled here too.
        path: Where it came from, for messages, and for the module's id where none is written.
        known: Says what is wrong with an experiment link, or None.
    """
    notes = Notes(path, known)
    lines = settle(text).split("\n")
    front = read_front(lines, notes)
    document = read_blocks([""] * front.end + lines[front.end :], deck=True)
    report_unclosed(document, notes)
    deck = _collect(document, notes)
    _report_rest(document, deck, front.end, notes)
    scope = Scope("basic", front.get("id"), tags=front.tags)
    cards = tuple(card for draft in deck.drafts for card in _cards(draft, document, scope, notes))
    if not cards:
        notes.problem(
            1, "no card in this file: a question begins with 'Q:' at the start of a line, its answer with 'A:'"
        )
    stem = clean_line(PurePath(path).stem)
    title = front.get("title") or deck.title or stem
    module = Module(front.get("id") or slug(stem), title, front.get("summary"), cards=cards, path=notes.path)
    return Parsed(module, notes.problems, notes.left_out)


def is_deck(document: Document) -> bool:
    """Return whether a text, read as a deck, holds a `Q:`, `T:` or `C:` marker."""
    return any(block.kind == "marker" and block.content in "QC" for block in document.blocks)


def _collect(document: Document, notes: Notes) -> _Deck:
    """Return the drafts of a deck's cards, reporting what stands between them."""
    deck, draft = _Deck(), None
    for block in document.blocks:
        if draft and _ends_card(block, draft):
            deck.close(draft, block.start)
            draft = None
        if block.kind == "marker" and block.content in "QC":
            draft = _Draft(block.start, cloze=block.content == "C")
        elif block.kind == "marker" and draft:
            draft.answer, draft.blocks = block.start, []
        elif draft:
            draft.blocks.append(block)
        else:
            _between(block, document, deck, notes)
    if draft:
        deck.close(draft, len(document.lines))
    return deck


def _ends_card(block: Block, draft: _Draft) -> bool:
    if block.kind == "marker":
        return block.content in "QC" or draft.cloze or draft.answer is not None
    separator = block.kind == "hr" or (block.kind == "heading" and block.level <= 2)
    return separator or (block.kind == "paragraph" and bool(_NEAR_Q.match(block.content)))


def _between(block: Block, document: Document, deck: _Deck, notes: Notes) -> None:
    """Account for a block that belongs to no card."""
    deck.covered.update(range(block.start, block.end))
    line, words = block.start + 1, excerpt(document.lines[block.start])
    lines_meant = reach(line, last_line(document.lines, block.start, block.end))
    if block.kind == "marker":
        notes.problem(line, f"answer without a question: {words}")
    elif block.kind == "heading" and block.level == 1 and not deck.title:
        deck.title = take_marks(block.content, notes, line)[0]
    elif block.kind == "paragraph" and (near := _NEAR_Q.match(block.content)):
        advice = "write 'Q:' at the start of the line"
        notes.problem(line, f"'{near[0]}' is close to a marker but none; {advice}: {words}{lines_meant}")
    elif block.kind != "hr":
        notes.leave(line, f"{block.kind.replace('_', ' ')} outside any card: {words}{lines_meant}")


def _report_rest(document: Document, deck: _Deck, start: int, notes: Notes) -> None:
    """Report the lines that are in no block, such as link definitions between cards."""
    for at in range(start, len(document.lines)):
        if at not in deck.covered and document.lines[at].strip():
            notes.leave(at + 1, f"outside any card: {excerpt(document.lines[at])}")


def _cards(draft: _Draft, document: Document, scope: Scope, notes: Notes) -> list[Card]:
    lines, line = document.lines, draft.question + 1
    for marker in (draft.question, draft.answer):
        if marker is not None:
            lines[marker] = MARKER.sub("", lines[marker], count=1)
    middle = draft.end if draft.answer is None else draft.answer
    question = slice_text(lines, draft.question, middle)
    if draft.cloze:
        return _cloze(draft, document, scope, notes)
    if draft.answer is None:
        near = _NEAR_A.search(question)
        hint = f"; '{near[1]}' is close to a marker but none, write 'A:'" if near else ""
        lines_meant = reach(line, last_line(lines, draft.question, draft.end))
        notes.problem(line, f"no card, a question without an answer{hint}: {excerpt(question)}{lines_meant}")
        return []
    parts = take_parts(Span(lines, middle, draft.end, draft.blocks), document.env, notes)
    word, rest = label(question)
    kind = KINDS.get(word, "")
    if kind == "cloze":
        return make_cards(replace(scope, kind=kind), rest, parts, line, notes)
    question = rest if kind else question
    card = make_card(replace(scope, kind=kind or found_in("basic", parts.answer)), question, parts, line, notes)
    return [card] if card else []


def _cloze(draft: _Draft, document: Document, scope: Scope, notes: Notes) -> list[Card]:
    """Return the cards of a `C:`; what follows its first paragraph is shown with every answer."""
    lines, first = document.lines, draft.blocks[0]
    parts = take_parts(Span(lines, first.end, draft.end, draft.blocks[1:]), document.env, notes)
    text = slice_text(lines, draft.question, first.end)
    return make_cards(replace(scope, kind="cloze"), text, parts, draft.question + 1, notes, square=True)
