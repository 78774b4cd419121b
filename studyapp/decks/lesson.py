"""Lessons: Markdown that reads well on its own, with the prompts where they belong in the text.

A quote that begins with **Say it first:** is a card; in a section marked `faq` every `###` heading is one. The
format is taught in docs/lessons.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from studyapp.core.cards import Card, ExperimentLink, Module, Parsed, Section
from studyapp.decks.blocks import MARKER, Block, Document, read_blocks, report_unclosed, slice_text
from studyapp.decks.clean import clean_line, excerpt, settle
from studyapp.decks.front import Front, read_front
from studyapp.decks.links import experiment_links
from studyapp.decks.marks import has_marks, slug, take_marks
from studyapp.decks.notes import Known, Notes
from studyapp.decks.parts import Scope, Span, make_card, take_parts
from studyapp.decks.prompts import has_label, is_prompt, read_prompts

_NEARLY = re.compile(r"[*_]{0,3}\s*say it first\b", re.IGNORECASE)
INTRO = "intro"
"""Id of the section made of the text before the first `##` heading."""


@dataclass(slots=True)
class _Chapter:
    """One section before its blocks are read; lines count from 0."""

    id: str
    title: str
    line: int
    """Line of the heading, from 1."""
    start: int
    end: int
    faq: bool = False
    tags: tuple[str, ...] = ()
    blocks: list[Block] = field(default_factory=list)
    cuts: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class _Reader:
    """What the sections of one file share."""

    lines: list[str]
    env: dict[str, Any]
    front: Front
    notes: Notes
    cards: list[Card] = field(default_factory=list)
    links: list[ExperimentLink] = field(default_factory=list)
    """Experiments in the running text of the section at hand."""


def parse(text: str, path: str, known: Known | None = None) -> Parsed:
    """Return what a lesson holds; what is wrong or left out in it is listed with its line.

    Args:
        text: The file's text; line ends, byte order mark and control characters are settled here too.
        path: Where it came from, for messages, and for the module's id where none is written.
        known: Says what is wrong with an experiment link, or None.
    """
    notes = Notes(path, known)
    lines = settle(text).split("\n")
    front = read_front(lines, notes)
    document = _below(front, lines)
    report_unclosed(document, notes)
    stem = clean_line(PurePath(path).stem)
    title, chapters = _split(document, front, notes)
    title = front.get("title") or title or stem
    chapters[0].title = title
    reader = _Reader(document.lines, document.env, front, notes)
    if not slice_text(lines, chapters[0].start, chapters[0].end, chapters[0].cuts):
        del chapters[0]
    sections = tuple(_read_chapter(chapter, reader) for chapter in chapters)
    if not reader.cards:
        notes.problem(
            1,
            "no card in this file: no quote begins with '**Say it first:**', no section is marked faq; "
            "brought in with `studyapp import`, each section gets a prompt",
        )
    elif not front.get("id"):
        notes.problem(1, "no 'id:' in the front matter; renaming the file would forget which sections were read")
    cards = tuple(sorted(reader.cards, key=lambda card: card.line))
    if len(sections) == 1 and chapters[0].id == INTRO and not sections[0].body:
        # cards and nothing to read: there is no section whose reading could release them
        sections, cards = (), tuple(replace(card, section="") for card in cards)
    module_id = front.get("id") or slug(stem)
    module = Module(module_id, title, front.get("summary"), sections, cards, notes.path)
    return Parsed(module, notes.problems, notes.left_out)


def blocks_of(lines: list[str], notes: Notes) -> Document:
    """Return the blocks of a text below its front matter."""
    return _below(read_front(lines, notes), lines)


def _below(front: Front, lines: list[str]) -> Document:
    return read_blocks([""] * front.end + lines[front.end :])


def is_lesson(document: Document) -> bool:
    """Return whether a text has the marks of a lesson: a prompt in a quote, or a section flagged `faq`."""
    quiet = Notes("")
    return any(
        is_prompt(block) or (block.kind == "heading" and take_marks(block.content, quiet, 0)[1].faq)
        for block in document.blocks
    )


def _split(document: Document, front: Front, notes: Notes) -> tuple[str, list[_Chapter]]:
    """Return the main heading and the chapters; the first holds the text before any `##`."""
    title, count = "", len(document.lines)
    chapters = [_Chapter(INTRO, "", front.end + 1, front.end, count)]
    for block in document.blocks:
        last = chapters[-1]
        if block.kind != "heading" or block.level > 2:
            last.blocks.append(block)
        elif block.level == 1 and not title and len(chapters) == 1:
            title = take_marks(block.content, notes, block.start + 1)[0]
            last.line = block.start + 1
            last.cuts.append((block.start, block.end))
            if front.get("title") not in ("", title):
                notes.leave(block.start + 1, f"heading '{excerpt(title)}': the front matter's title is used")
        else:
            last.end = block.start
            chapters.append(_chapter(block, count, notes))
    return title, chapters


def _chapter(heading: Block, end: int, notes: Notes) -> _Chapter:
    line = heading.start + 1
    title, marks = take_marks(heading.content, notes, line)
    if not title:
        notes.problem(line, "a section heading is empty")
    name = marks.id or slug(title)
    if not notes.claim_id(name, line, "section"):
        name = notes.free_id(name, line, "section")
    return _Chapter(name, title or "Untitled", line, heading.end, end, marks.faq, marks.tags)


def _read_chapter(chapter: _Chapter, reader: _Reader) -> Section:
    """Return a chapter's section; its cards are added to the reader's."""
    heads = [at for at, block in enumerate(chapter.blocks) if chapter.faq and _is_question(block)]
    bounds = [0, *heads, len(chapter.blocks)]
    pieces: list[str] = []
    reader.links = []
    for at, (low, high) in enumerate(pairwise(bounds)):
        blocks = chapter.blocks[low:high]
        end = chapter.blocks[high].start if high < len(chapter.blocks) else chapter.end
        if at:
            span = Span(reader.lines, blocks[0].end, end, blocks[1:])
            pieces.append(_read_question(blocks[0], span, chapter, reader))
        else:  # what stands before the first question, or everything where there is none
            span = Span(reader.lines, chapter.start, end, blocks, list(chapter.cuts))
            pieces.append(_read_text(span, chapter, reader))
    body = "\n\n".join(piece for piece in pieces if piece)
    return Section(chapter.id, chapter.title, body, tuple(reader.links), chapter.line)


def _is_question(block: Block) -> bool:
    return block.kind == "heading" and block.level == 3


def _scope(kind: str, chapter: _Chapter, reader: _Reader) -> Scope:
    tags = (*reader.front.tags, *chapter.tags)
    return Scope(kind, reader.front.get("id"), chapter.id, tags, wants_id=True)


def _take_prompts(span: Span, chapter: _Chapter, reader: _Reader) -> None:
    """Move the prompts of a span from its blocks to the reader's cards."""
    scope = _scope("say", chapter, reader)
    others = []
    for block in span.blocks:
        if not is_prompt(block):
            others.append(block)
            continue
        reader.cards += read_prompts(block, reader.lines, reader.env, scope, reader.notes)
        span.cuts.append((block.start, block.end))
    span.blocks = others


def _read_question(heading: Block, span: Span, chapter: _Chapter, reader: _Reader) -> str:
    """Return a question of an FAQ as running text; its card is added to the reader's."""
    _take_prompts(span, chapter, reader)
    parts = take_parts(span, reader.env, reader.notes)
    scope = _scope("faq", chapter, reader)
    card = make_card(scope, heading.content, parts, heading.start + 1, reader.notes)
    reader.cards += [card] if card else []
    words = take_marks(heading.content, Notes(""), 0)[0]
    return f"### {words}\n\n{parts.answer}".rstrip()


def _read_text(span: Span, chapter: _Chapter, reader: _Reader) -> str:
    """Return running text without its prompts; its experiments are added to the reader's."""
    _take_prompts(span, chapter, reader)
    for block in span.blocks:
        reader.links += experiment_links(block, reader.env, reader.notes)[0]
        _report_near_miss(block, reader.notes)
    return span.text


def _report_near_miss(block: Block, notes: Notes) -> None:
    """Report running text that was probably meant to be a card, or a part of one."""
    line = block.start + 1
    inner = block.children[0] if block.kind == "blockquote" and block.children else block
    if _NEARLY.match(inner.content) and inner.kind == "paragraph":
        notes.problem(
            line,
            f"no card, for a prompt is a quote (>) that begins with '**Say it first:**': {excerpt(inner.content)}",
        )
    elif has_label(block, "check") or has_label(block, "answer"):
        notes.problem(line, f"belongs to no prompt, so it stays in the running text: {excerpt(block.content)}")
    elif block.kind == "paragraph" and MARKER.match(block.content):
        notes.problem(line, f"'Q:' and 'A:' make no cards in a lesson: {excerpt(block.content)}")
    elif block.kind in ("paragraph", "html_block") and has_marks(block.content):
        notes.problem(line, "an id stands at the end of a heading or question; this one is without effect")
