"""What an answer is made of: text, key points under `**Check:**`, experiments under `**Try:**`.

The same in every format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from studyapp.core.cards import Card, ExperimentLink, normalised
from studyapp.decks.blocks import Block, last_line, reach, slice_text
from studyapp.decks.clean import excerpt
from studyapp.decks.kinds import settled
from studyapp.decks.links import experiment_links
from studyapp.decks.marks import Marks, label, take_marks
from studyapp.decks.notes import Notes

_BULLET = re.compile(r"\s*(?:[-+*]|\d{1,9}[.)])(?:\s+|\Z)")
_STUCK = re.compile(r"\n(\*\*(?:answer|check|try|say it first|number|type it|choose):?\*\*)", re.IGNORECASE)
KEY_POINTS = (2, 4)
"""How many checks a card should have, at least and at most: few enough to tick from memory."""


@dataclass(slots=True)
class Span:
    """A range of lines with the blocks in it; lines count from 0."""

    lines: Sequence[str]
    start: int
    end: int
    blocks: Sequence[Block]
    cuts: list[tuple[int, int]] = field(default_factory=list)
    """Ranges that belong to something else."""

    @property
    def text(self) -> str:
        """Return the source without the cuts."""
        return slice_text(self.lines, self.start, self.end, self.cuts)


@dataclass(slots=True)
class Parts:
    """An answer taken apart."""

    answer: str
    key_points: tuple[str, ...]
    experiments: tuple[ExperimentLink, ...]
    last: int
    """Last line of it all, from 1."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a card stands."""

    kind: str
    module: str = ""
    """The module's written id, "" where it has none; card ids are then written out in full."""
    section: str = ""
    tags: tuple[str, ...] = ()
    wants_id: bool = False
    """Whether a missing id is worth a remark."""


def take_parts(span: Span, env: dict[str, Any], notes: Notes) -> Parts:
    """Return the answer in a span without its Check and Try paragraphs, and what they hold."""
    cuts, points, links = list(span.cuts), list[str](), list[ExperimentLink]()
    following: list[Block | None] = [*span.blocks[1:], None]
    for block, after in zip(span.blocks, following, strict=False):
        word = label(block.content)[0] if block.kind == "paragraph" else ""
        _report_stuck(block, notes)
        if word == "check" and after and after.kind in ("bullet_list", "ordered_list"):
            cuts += [(block.start, block.end), (after.start, after.end)]
            points += _key_points(block, after, span.lines, notes)
        elif word == "check":
            notes.problem(block.start + 1, "'Check:' needs a list below it; the paragraph stays in the answer")
        else:
            found = _links(block, word, env, notes)
            links += found
            if word == "try" and found:
                cuts.append((block.start, block.end))
    text = slice_text(span.lines, span.start, span.end, cuts)
    return Parts(text, tuple(points), tuple(links), last_line(span.lines, span.start, span.end, span.cuts))


def make_card(scope: Scope, prompt: str, parts: Parts, line: int, notes: Notes) -> Card | None:
    """Return the card, or None after reporting that its question or answer is empty.

    Args:
        scope: Kind, module, section.
        prompt: The question, with the marks at its end.
        parts: The answer taken apart.
        line: Line of the question, from 1.
        notes: Hears what is wrong.
    """
    prompt, marks = take_marks(prompt.strip(), notes, line)
    prompt = prompt.lstrip("\n")  # the marks of a question that is all code stand above it
    if not prompt or not parts.answer:
        empty = "answer" if prompt else "question"
        words = excerpt(prompt or parts.answer or "nothing here")
        notes.problem(line, f"no card, the {empty} is empty: {words}{reach(line, parts.last)}")
        return None
    name = card_id(scope, marks, prompt, line, notes)
    card = Card(
        id=name,
        kind=scope.kind,
        prompt=prompt,
        answer=parts.answer,
        key_points=parts.key_points,
        experiments=parts.experiments,
        section=scope.section,
        tags=tuple(dict.fromkeys((*scope.tags, *marks.tags))),
        line=line,
        explicit_id=bool(name),
        own=marks.own,
    )
    return settled(card, notes)


def card_id(scope: Scope, marks: Marks, prompt: str, line: int, notes: Notes) -> str:
    """Return the id that a card's marks give it, "" where none is written or it is taken (which is reported)."""
    if not marks.id:
        if scope.wants_id and not marks.written:
            notes.problem(
                line, f"no id: add '<!-- id: ... -->' at the end of '{excerpt(prompt)}' to keep its history"
            )
        return ""
    own = f"{scope.module}/{marks.id}" if scope.module else marks.id
    name = marks.id[1:] if marks.id.startswith("/") else own
    return name if notes.claim_id(marks.id, line, "card") else ""


def _links(block: Block, word: str, env: dict[str, Any], notes: Notes) -> list[ExperimentLink]:
    before = len(notes.problems)
    links, words = experiment_links(block, env, notes)
    if word == "try":
        beside = label(block.content)[1] if not links else re.sub(r"(?i)\W|try|and|or|then", "", words)
        if not links and len(notes.problems) == before:
            notes.problem(block.start + 1, f"'Try:' names no experiment (experiment:NAME): {excerpt(beside)}")
        elif links and beside:
            notes.leave(block.start + 1, f"words beside the links of a 'Try:' line: {excerpt(words)}")
    return links


def _key_points(block: Block, items: Block, lines: Sequence[str], notes: Notes) -> list[str]:
    points = [
        normalised(_BULLET.sub("", slice_text(lines, item.start, item.end), count=1)) for item in items.children
    ]
    points = [point for point in points if point]
    least, most = KEY_POINTS
    if not least <= len(points) <= most:
        count = "1 item" if len(points) == 1 else f"{len(points)} items"
        notes.problem(block.start + 1, f"'Check:' has {count}; {least} to {most} can be kept in mind")
    if rest := label(block.content)[1].strip():
        notes.leave(block.start + 1, f"words beside 'Check:': {excerpt(rest)}")
    return points


def _report_stuck(block: Block, notes: Notes) -> None:
    for inner in block.walk():
        if inner.kind != "paragraph" or "\n**" not in inner.content:
            continue
        for found in _STUCK.finditer(inner.content):
            line = inner.start + 1 + inner.content.count("\n", 0, found.start() + 1)
            notes.problem(line, f"{found[1]} needs a blank line before it, or it belongs to the text above")
