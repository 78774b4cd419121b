"""Lesson pages not written for this program: their FAQ and recall prompts become cards, the rest is read.

Markdown, flat text and saved HTML pages. Tables, code and ordinary questions in prose never become cards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from studyapp.core.cards import Card, Module, Parsed, Section
from studyapp.decks import asking, flat, web
from studyapp.decks.blocks import Block, read_blocks
from studyapp.decks.clean import clean_line, excerpt, settle
from studyapp.decks.front import read_front
from studyapp.decks.lesson import INTRO
from studyapp.decks.links import experiment_links
from studyapp.decks.marks import slug, take_marks
from studyapp.decks.notes import Known, Notes

QUESTIONS = "questions"
"""Id of the section that questions outside an FAQ go to."""
_STOP_WORDS = (
    "a an and are as at by for from in is it its of on or that the this to versus vs what when which why with "
)
_STOP = frozenset(_STOP_WORDS.split())
_STEM = 5
"""Letters by which two words are compared: "train" meets "training"."""


@dataclass(slots=True)
class _Chapter:
    id: str
    title: str
    line: int
    blocks: list[Block] = field(default_factory=list)
    faq: bool = False
    body: list[str] = field(default_factory=list)
    spots: list[tuple[int, str]] = field(default_factory=list)
    """Paragraphs with their lines, for prompts that name no section."""

    @property
    def text(self) -> str:
        """Return the running text."""
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.body)).strip("\n")


@dataclass(slots=True)
class _Item:
    """An FAQ item while it is read."""

    question: str
    line: int
    chapter: _Chapter
    answer: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Page:
    lines: list[str]
    origin: Sequence[int]
    notes: Notes
    title: str
    tags: tuple[str, ...]
    items: list[_Item] = field(default_factory=list)
    recalls: list[tuple[int, str]] = field(default_factory=list)
    open: _Item | None = None

    def line(self, at: int) -> int:
        """Return the file's line for a line of the Markdown, both as they are counted there."""
        return self.origin[min(at, len(self.origin) - 1)] if self.origin else at + 1


def parse(text: str, path: str, known: Known | None = None, *, prompts: bool = False) -> Parsed:
    """Return what a page holds; cards have no ids yet.

    Args:
        text: Markdown, flat text or HTML.
        path: Where it came from, for messages and the module's id.
        known: Says what is wrong with an experiment link, or None.
        prompts: Whether every section that nothing asks about gets a prompt of its own.
    """
    notes = Notes(path, known)
    source = settle(text).split("\n")
    front = read_front(source, notes)
    lines, origin, title = _lines(source, front.end, notes)
    stem = clean_line(PurePath(path).stem)
    page = _Page(lines, origin, notes, front.get("title") or title, front.tags)
    chapters = _chapters(page, stem)
    for chapter in chapters:
        page.open = None
        _read(chapter, page)
    chapters = [chapter for chapter in chapters if chapter.text or chapter.faq]
    cards = _cards(chapters, page, prompts=prompts)
    if not cards:
        notes.problem(1, "no card in this file: no FAQ, no recall prompt")
    sections = tuple(_section(chapter, notes) for chapter in chapters)
    module_id = front.get("id") or slug(stem)
    module = Module(module_id, page.title, front.get("summary"), sections, tuple(cards), notes.path)
    return Parsed(module, notes.problems, notes.left_out)


def fits(text: str) -> bool:
    """Return whether a text has an FAQ or recall prompts."""
    return bool(parse(text, "").module.cards)


def _lines(source: list[str], start: int, notes: Notes) -> tuple[list[str], Sequence[int], str]:
    """Return the Markdown lines of a text of any of the three kinds, their origin, and a title."""
    body = "\n".join(source[start:])
    if web.is_page(body):
        page = web.read_page(body)
        for line, name in page.dropped:
            notes.leave(line + start, f"<{name}> is not read")
        return page.lines, [line + start for line in page.origin], " ".join(page.title.split())
    if flat.is_flat(source[start:]):
        found = flat.unflatten(source, start)
        for line, words in found.remarks:
            notes.leave(line, words)
        return found.lines, found.origin, ""
    return *_open_details(source, start), ""


def _open_details(source: list[str], start: int) -> tuple[list[str], list[int]]:
    """Return Markdown lines with every `<summary>` made a heading and its `<details>` gone."""
    lines = [""] * start + source[start:]
    out, origin, at = list[str](), list[int](), 0
    for block in [
        b
        for b in read_blocks(lines).blocks
        if b.kind == "html_block" and re.search(r"</?details|<summary", b.content, re.I)
    ]:
        out += lines[at : block.start]
        origin += range(at + 1, block.start + 1)
        page = web.read_page("\n".join(lines[block.start : block.end]))
        out += ["", *page.lines, ""]
        origin += [block.start + 1, *(line + block.start for line in page.origin), block.end]
        at = block.end
    return [*out, *lines[at:]], [*origin, *range(at + 1, len(lines) + 1)]


def _chapters(page: _Page, stem: str) -> list[_Chapter]:
    """Return the page's chapters; the first holds what stands before any heading."""
    blocks = read_blocks(page.lines).blocks
    heads = [block for block in blocks if block.kind == "heading"]
    tops = [block for block in heads if block.level == 1]
    first = tops[0] if len(tops) == 1 or (tops and blocks[0] is tops[0]) else None
    if first:
        page.title = page.title or take_marks(first.content, Notes(""), 0)[0]
    page.title = page.title or stem
    level = min((block.level for block in heads if block is not first), default=2)
    whole = bool(asking.FAQ_TITLE.search(page.title))
    chapters = [_Chapter(INTRO, page.title, 1, faq=whole)]
    for block in blocks:
        if block is first:
            continue
        if (
            block.kind == "heading"
            and block.level <= level
            and not (whole and block.content.rstrip("*_ ").endswith("?"))
        ):
            title = take_marks(block.content, page.notes, page.line(block.start))[0] or "Untitled"
            name = _free(slug(title), {chapter.id for chapter in chapters})
            faq = bool(asking.FAQ_TITLE.search(title))
            chapters.append(_Chapter(name, title, page.line(block.start), faq=faq))
        else:
            chapters[-1].blocks.append(block)
    return chapters


def _free(name: str, taken: set[str]) -> str:
    ascii_name = name if name.isascii() else "section"
    number, free = 2, ascii_name
    while free in taken:
        free, number = f"{ascii_name}-{number}", number + 1
    return free


def _read(chapter: _Chapter, page: _Page) -> None:
    for at, block in enumerate(chapter.blocks):
        rows = page.lines[block.start : block.end]
        if block.kind == "heading":
            words = take_marks(block.content, Notes(""), 0)[0].strip("*_ ")
            asked = words.endswith("?")
            page.open = _Item(words, page.line(block.start), chapter) if asked else None
            if page.open:
                page.items.append(page.open)
            else:
                chapter.body += ["", *rows]
        elif block.kind == "paragraph":
            _read_paragraph(block, chapter, page, chapter.blocks[at - 1 : at] + chapter.blocks[at + 1 : at + 2])
        elif block.kind == "html_block" and block.content.lstrip().startswith("<!--"):
            page.notes.leave(page.line(block.start), "an HTML comment")
        else:
            (page.open.answer if page.open else chapter.body).extend(["", *rows])


def _read_paragraph(block: Block, chapter: _Chapter, page: _Page, beside: Sequence[Block]) -> None:
    rows = page.lines[block.start : block.end]
    target: list[str] = []
    for at, row in enumerate(rows):
        line = page.line(block.start + at)
        if reason := asking.why_left(row):
            page.notes.leave(line, f"{reason}: {excerpt(row)}")
            page.open = None
        elif asking.named_section(row) or asking.asks_takeaway(row):
            page.recalls.append((line, row.strip()))
            page.open = None
        elif asked := _question(row, rows[at + 1 : at + 2], chapter, beside):
            page.open = _Item(asked.question, line, chapter, [asked.answer] if asked.answer else [])
            page.items.append(page.open)
        else:
            target = page.open.answer if page.open else chapter.body
            target += [*([] if at and target else [""]), row]
            if not page.open:
                chapter.spots.append((line, row))


def _question(row: str, below: Sequence[str], chapter: _Chapter, beside: Sequence[Block]) -> asking.Asked | None:
    """Return the FAQ item that a line begins, if it does.

    In running text a line "Question? Answer." counts only beside another one, for authors ask in prose too.
    """
    if found := asking.bold_question(row):
        return found
    if chapter.faq:
        alone = asking.is_question(row) and (below or beside)
        return asking.one_line_question(row, in_faq=True) or (asking.Asked(row.strip()) if alone else None)
    neighbours = [line for block in beside if block.kind == "paragraph" for line in block.content.split("\n")]
    if any(asking.one_line_question(line) for line in neighbours):
        return asking.one_line_question(row)
    return None


def _cards(chapters: list[_Chapter], page: _Page, *, prompts: bool) -> list[Card]:
    cards = [card for item in page.items if (card := _faq(item, page))]
    covered: set[str] = set()
    for line, words in page.recalls:
        if card := _recall(line, words, chapters, page, covered):
            cards.append(card)
    if any(card.section == QUESTIONS for card in cards) and all(chapter.id != QUESTIONS for chapter in chapters):
        chapters.append(_Chapter(QUESTIONS, "Questions", 1, faq=True))
    if prompts:
        cards += [
            _added(chapter, page)
            for chapter in chapters
            if chapter.text and chapter.id not in covered and not chapter.faq
        ]
    return sorted(cards, key=lambda card: card.line)


def _faq(item: _Item, page: _Page) -> Card | None:
    answer = re.sub(r"\n{3,}", "\n\n", "\n".join(item.answer)).strip("\n")
    if not answer.strip():
        page.notes.problem(item.line, f"no card, a question without an answer: {excerpt(item.question)}")
        return None
    section = item.chapter.id if item.chapter.faq else QUESTIONS
    return _card("faq", item.question, answer, section, item.line, page)


def _recall(line: int, words: str, chapters: list[_Chapter], page: _Page, covered: set[str]) -> Card | None:
    if name := asking.named_section(words):
        chapter = next((c for c in chapters if c.text and _key(c.title) == _key(name)), None)
        answer, section = (chapter.text, chapter.id) if chapter else _nearest(name, line, chapters, page)
        prompt = f"What does “{page.title}” say about “{name}”?"
    else:
        first = next((c for c in chapters if c.text and not c.faq), None)
        answer, section = (first.text.split("\n\n")[0], first.id) if first else ("", "")
        prompt = f"What is the one-line takeaway of “{page.title}”?"
    if not answer:
        page.notes.problem(line, f"no card, nothing on the page answers it: {excerpt(words)}")
        return None
    covered.add(section)
    return _card("say", prompt, answer, section, line, page)


def _key(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.lower()))


def _nearest(name: str, line: int, chapters: list[_Chapter], page: _Page) -> tuple[str, str]:
    """Return the paragraph that has most of a name's words, and its section; ("", "") where none has any."""
    wanted = _stems(name)
    best = max(
        ((len(wanted & _stems(row)), -at, row, chapter.id) for chapter in chapters for at, row in chapter.spots),
        default=(0, 0, "", ""),
    )
    if not best[0]:
        return "", ""
    page.notes.leave(
        line, f"no section is called '{excerpt(name)}'; line {-best[1]} has most of its words and is the answer"
    )
    return best[2].strip(), best[3]


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w+", text.lower()) if word not in _STOP}


def _added(chapter: _Chapter, page: _Page) -> Card:
    whole, answer = chapter.id == INTRO, chapter.text
    if chapter.title.endswith("?") and not whole:
        prompt = chapter.title
    elif whole:
        prompt, answer = f"What is the one-line takeaway of “{page.title}”?", answer.split("\n\n")[0]
    else:
        prompt = f"What does “{page.title}” say about “{chapter.title}”?"
    return _card("say", prompt, answer, chapter.id, chapter.line, page)


def _card(kind: str, prompt: str, answer: str, section: str, line: int, page: _Page) -> Card:
    return Card("", kind, prompt, answer, section=section, tags=page.tags, line=line, explicit_id=False)


def _section(chapter: _Chapter, notes: Notes) -> Section:
    lines = chapter.text.split("\n")
    document = read_blocks(lines)
    links = tuple(link for block in document.blocks for link in experiment_links(block, document.env, notes)[0])
    return Section(chapter.id, chapter.title, chapter.text, links, chapter.line)
