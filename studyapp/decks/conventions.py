"""Decks as other programs write them: `front::back`, `{{c1::gaps}}`, callouts, definitions, tables and the like.

A file is read like this only if nothing in it says that it is a lesson or a Q/A deck. Where a `#flashcards` tag or
another program's plan says that cards are meant, `==words==` is a gap, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import PurePath

from studyapp.core.cards import Card, Module, Parsed
from studyapp.decks import fenced, separators, tags
from studyapp.decks.blocks import Block, Document, last_line, reach, read_blocks, report_unclosed, slice_text
from studyapp.decks.clean import clean_line, excerpt, settle
from studyapp.decks.cloze import find_gaps, make_cards
from studyapp.decks.front import read_front
from studyapp.decks.marks import slug, take_marks
from studyapp.decks.notes import Known, Notes
from studyapp.decks.parts import Parts, Scope, Span, take_parts
from studyapp.decks.shapes import (
    asked_columns,
    beside,
    body_of,
    callout,
    defined,
    divided,
    halves,
    headed,
    joined,
    table_rows,
    tagged,
)

_BULLET = re.compile(r"\A[ \t]*(?:[-+*]|\d{1,4}[.)])[ \t]+")
_MEANT = re.compile(r"(?:^|\s)#(?:flash)?cards?(?:[/\s]|$)|<!--SR:", re.IGNORECASE | re.MULTILINE)
"""What says that a file holds cards: a tag, or the plan of the Spaced Repetition plugin of Obsidian."""
_PLAN = re.compile(r"[ \t]*<!--SR:[^>\n]*-->", re.IGNORECASE)
_MARKED = re.compile(r"==(?=\S)([^=\n]+?)(?<=\S)==")
_NUMBERED = re.compile(r"\{\{c\d+::")


@dataclass(slots=True)
class _Reader:
    document: Document
    scope: Scope
    notes: Notes
    separator: re.Pattern[str] | None
    meant: bool = False
    """Whether the file says that it holds cards: `==words==` are gaps then."""
    cards: list[Card] = field(default_factory=list)
    title: str = ""

    def add(self, prompt: str, parts: Parts, line: int, kind: str = "basic") -> None:
        """Keep what a note gives; `#tags` at the end of the question are its tags."""
        names, prompt = tags.taken(prompt)
        scope = replace(self.scope, kind=kind, tags=tuple(dict.fromkeys((*self.scope.tags, *names))))
        self.cards += make_cards(scope, prompt, parts, line, self.notes)

    def tag(self, names: Sequence[str]) -> None:
        """Give tags to all notes to come."""
        self.scope = replace(self.scope, tags=(*self.scope.tags, *names))


def is_meant(text: str) -> bool:
    """Return whether a text says that it holds cards."""
    return bool(_MEANT.search(text))


def fits(text: str) -> bool:
    """Return whether a text is written in one of these conventions."""
    text = settle(text)
    lines = text.split("\n")
    meant = is_meant(text)
    document = read_blocks(lines)
    blocks = list(_prose(document.blocks))
    return (
        any(_NUMBERED.search(block.content) and find_gaps(block.content) for block in blocks)
        or (meant and any(_MARKED.search(block.content) for block in blocks))
        or any(
            callout(block)
            or divided(block)
            or defined(block)
            or asked_columns(block)
            or tagged(block)
            or headed(block)
            for block in joined(document.blocks)
        )
        or any(halves(document.blocks, at + 1) for at, block in enumerate(document.blocks) if block.kind == "hr")
        or separators.common(blocks, meant=meant) is not None
        or next(fenced.take(lines, document.blocks), None) is not None
    )


def parse(text: str, path: str, known: Known | None = None, *, fewest: int = 1) -> Parsed:
    """Return what such a deck holds; what is wrong or left out in it is listed with its line.

    Args:
        text: The file's text.
        path: Where it came from, for messages and the module's id.
        known: Says what is wrong with an experiment link, or None.
        fewest: How many lines must have a separator before any of them is a card.
    """
    notes = Notes(path, known)
    text = settle(text)
    meant = is_meant(text)
    lines = _without_plans(text, notes).split("\n")
    front = read_front(lines, notes)
    lines[: front.end] = [""] * front.end
    document, found = _without_fenced(lines)
    report_unclosed(document, notes)
    scope = Scope("basic", front.get("id"), tags=front.tags)
    separator = separators.common(list(_prose(document.blocks)), meant=meant, fewest=fewest)
    reader = _Reader(document, scope, notes, separator, meant)
    for note in found:
        _read_fenced(note, reader)
    _read_all(joined(document.blocks), reader)
    reader.cards.sort(key=lambda card: card.line)
    if not reader.cards:
        notes.problem(1, "no card in this file")
    stem = clean_line(PurePath(path).stem)
    title = front.get("title") or reader.title or stem
    module = Module(
        front.get("id") or slug(stem), title, front.get("summary"), (), tuple(reader.cards), notes.path
    )
    return Parsed(module, notes.problems, notes.left_out)


def _prose(blocks: Iterable[Block]) -> Iterable[Block]:
    """Yield paragraphs and table cells, those in lists too."""
    for block in blocks:
        yield from (b for b in block.walk() if b.kind in ("paragraph", "th", "td"))


def _without_fenced(lines: list[str]) -> tuple[Document, list[fenced.Note]]:
    """Return the text without the notes between `START` and `END`, and those."""
    document = read_blocks(lines)
    found = list(fenced.take(lines, document.blocks))
    for note in found:
        lines[note.start : note.end] = [""] * (note.end - note.start)
    return read_blocks(lines) if found else document, found


def _without_plans(text: str, notes: Notes) -> str:
    """Return a text without another program's plans in it, which is said once."""
    if found := _PLAN.search(text):
        line = text.count("\n", 0, found.start()) + 1
        notes.remark(line, "another program's plan (<!--SR:...-->) is not taken: its history is not here")
    return _PLAN.sub("", text)


def _read_all(blocks: Sequence[Block], reader: _Reader) -> None:
    at, fresh = 0, True
    while at < len(blocks):
        block, start = blocks[at], at
        if fresh and (found := halves(blocks, at)):
            _read_halves(blocks[at : found[1]], found[0] - at, reader)
            at = found[1]
        elif divided(block):
            at = beside(blocks, at, reader.document.lines)
            _read_divided(block, blocks[at - 1].end, reader)
        elif (question := tagged(block)) is not None:
            body = body_of(blocks, at)
            _read_heading(block, question, body, reader)
            at += 1 + len(body)
        else:
            _read(block, reader)
            at += 1
        fresh = blocks[start].kind == "hr" or block.kind == "heading"


def _read_halves(blocks: Sequence[Block], at: int, reader: _Reader) -> None:
    lines, line = reader.document.lines, blocks[0].start + 1
    span = Span(lines, blocks[at].end, blocks[-1].end, blocks[at + 1 :])
    parts = take_parts(span, reader.document.env, reader.notes)
    reader.add(slice_text(lines, blocks[0].start, blocks[at].start), parts, line)


def _read(block: Block, reader: _Reader) -> None:
    line = block.start + 1
    if block.kind == "heading" and block.level == 1 and not reader.title:
        reader.title = take_marks(block.content, reader.notes, line)[0]
    elif found := callout(block):
        _read_callout(block, found, reader)
    elif meaning := defined(block):
        reader.add(meaning[0], Parts(meaning[1], (), (), block.end), line)
    elif (question := headed(block)) and not _divides(block.content.partition("\n")[0], reader):
        answer = slice_text(reader.document.lines, block.start + 1, block.end)
        reader.add(question, Parts(answer, (), (), block.end), line)
    elif columns := asked_columns(block):
        _read_table(block, columns, reader)
    elif block.kind in ("paragraph", "bullet_list", "ordered_list", "table"):
        _read_lines(block, reader)
    elif block.kind not in ("hr", "heading"):
        _leave(block, reader)


def _read_fenced(note: fenced.Note, reader: _Reader) -> None:
    kept, kind, line = reader.scope, note.type.lower(), note.start + 1
    reader.scope = replace(kept, tags=(*kept.tags, *note.tags))
    front, back = (note.fields or ("",))[0], "\n\n".join(note.fields[1:])
    reader.add(front, Parts(back, (), (), note.end), line, "cloze" if "cloze" in kind else "basic")
    if "reversed" in kind:
        reader.add(back, Parts(front, (), (), note.end), line)
    reader.scope = kept


def _divides(line: str, reader: _Reader) -> bool:
    return reader.separator is not None and bool(separators.found_in(reader.separator, line))


def _read_heading(block: Block, question: str, body: Sequence[Block], reader: _Reader) -> None:
    span = Span(reader.document.lines, block.end, body[-1].end if body else block.end, body)
    reader.add(question, take_parts(span, reader.document.env, reader.notes), block.start + 1)


def _read_table(block: Block, columns: tuple[int, int], reader: _Reader) -> None:
    for line, cells in table_rows(block, reader.document.lines):
        asks, answers = (cells[at] if at < len(cells) else "" for at in columns)
        if asks or answers:
            reader.add(asks, Parts(answers, (), (), line), line)


def _leave(block: Block, reader: _Reader) -> None:
    lines, start = reader.document.lines, block.start
    far = reach(start + 1, last_line(lines, start, block.end))
    kind = block.kind.replace("_", " ")
    reader.notes.leave(start + 1, f"{kind} outside any card: {excerpt(lines[start])}{far}")


def _read_callout(block: Block, found: re.Match[str], reader: _Reader) -> None:
    lines = reader.document.lines
    for at in range(block.start, block.end):
        lines[at] = re.sub(r"\A {0,3}> ?", "", lines[at])
    inner = Span(lines, block.start + 1, block.end, block.children[1:])
    parts = take_parts(inner, reader.document.env, reader.notes)
    reader.add(found[2], parts, block.start + 1)


def _read_divided(block: Block, end: int, reader: _Reader) -> None:
    lines = reader.document.lines
    at = next(n for n in range(block.start + 1, block.end) if lines[n].strip() in ("?", "??"))
    front, back = slice_text(lines, block.start, at), slice_text(lines, at + 1, end)
    reader.add(front, Parts(back, (), (), end), block.start + 1)
    if lines[at].strip() == "??":
        reader.add(back, Parts(front, (), (), end), at + 2)


def _read_lines(block: Block, reader: _Reader) -> None:
    """Read a block line by line; a text with gaps is one note however many lines it has."""
    lines = reader.document.lines
    start = block.start
    while block.kind == "paragraph" and start < block.end and (names := tags.alone(lines[start])) is not None:
        reader.tag(names)
        start += 1
    marked = reader.meant and block.kind == "paragraph" and _MARKED.search(block.content)
    if marked or (block.kind == "paragraph" and _NUMBERED.search(block.content)):
        text = slice_text(lines, start, block.end)
        if not _NUMBERED.search(text):
            text = _numbered(text)
        reader.add(text, Parts("", (), (), block.end), start + 1, "cloze")
        return
    for at in range(start, block.end):
        if text := _BULLET.sub("", lines[at], count=1).strip():
            _read_line(text, at + 1, block.kind, reader)


def _numbered(text: str) -> str:
    """Return a text with every `==words==` as a gap of its own number."""
    numbers = count(1)
    return _MARKED.sub(lambda found: f"{{{{c{next(numbers)}::{found[1]}}}}}", text)


def _read_line(text: str, line: int, kind: str, reader: _Reader) -> None:
    found = separators.found_in(reader.separator, text) if reader.separator else []
    if _NUMBERED.search(text) and find_gaps(text):
        words = " ".join(cell.strip() for cell in text.strip("| ").split("|")) if kind == "table" else text
        reader.add(words, Parts("", (), (), line), line, "cloze")
    elif reader.meant and _MARKED.search(text) and not found:
        reader.add(_numbered(text), Parts("", (), (), line), line, "cloze")
    elif (names := tags.alone(text)) is not None:
        reader.tag(names)
    elif len(found) == 1 and kind != "table":
        front, back = text[: found[0].start()].strip(), text[found[0].end() :].strip()
        back, mark = tags.moved(back)
        reader.add(front + mark, Parts(back, (), (), line), line)
        if found[0][0].strip() == ":::":
            reader.add(back, Parts(front, (), (), line), line)
    elif found:
        reader.notes.problem(line, f"no card, {len(found)} separators in one line: {excerpt(text)}")
    elif kind != "table" or set(text) - set("|-: "):
        reader.notes.leave(line, f"outside any card: {excerpt(text)}")
