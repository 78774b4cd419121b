"""Lesson pages not written for this program: their FAQ and recall prompts become cards, the rest is read.

Markdown, flat text and saved HTML pages. Tables, code and ordinary questions in prose never become cards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from studyapp.core.cards import Module, Parsed, Section
from studyapp.decks import asking, flat, web
from studyapp.decks.blocks import Block, reach, read_blocks
from studyapp.decks.clean import clean_line, excerpt, settle
from studyapp.decks.front import read_front
from studyapp.decks.lesson import INTRO
from studyapp.decks.links import experiment_links
from studyapp.decks.marks import slug, take_marks
from studyapp.decks.notes import Known, Notes
from studyapp.decks.page_cards import page_cards
from studyapp.decks.page_parts import Chapter, Item, Page

_NAMED = re.compile(r"\[([^\[\]]+)\]")
_TARGET = re.compile(r" {0,3}\[([^\[\]]+)\]:[ \t]*(\S)?")
_LONGEST_TITLE = 80
"""Characters of a line that may be a title."""


def parse(text: str, path: str, known: Known | None = None, *, prompts: bool = False, title: str = "") -> Parsed:
    """Return what a page holds; cards have no ids yet.

    Its title is the one that is given, else that of its front matter, its one `#` heading, its HTML head, its
    first line where that is as short as a title, or its file's name.

    Args:
        text: Markdown, flat text or HTML.
        path: Where it came from, for messages and the module's id.
        known: Says what is wrong with an experiment link, or None.
        prompts: Whether every section that nothing asks about gets a prompt of its own; else they are `added`.
        title: What to call the page, "" for what it calls itself.
    """
    notes = Notes(path, known)
    source = settle(text).split("\n")
    front = read_front(source, notes)
    lines, origin, named = _lines(source, front.end, notes)
    stem = clean_line(PurePath(path).stem)
    page = Page(lines, origin, notes, " ".join(title.split()) or front.get("title"), front.tags)
    chapters = _chapters(page, named, stem)
    for chapter in chapters:
        page.open = None
        _read(chapter, page)
    _say_empty(chapters, page)
    chapters = [chapter for chapter in chapters if chapter.text or chapter.faq]
    cards, added = page_cards(chapters, page)
    if prompts:
        cards, added = sorted([*cards, *added], key=lambda card: card.line), []
        if page.title == stem and stem:
            notes.remark(
                1, f"no title in the text, so it is called '{stem}' like its file; --title gives it another"
            )
    if not cards:
        notes.problem(1, "no card in this file: no FAQ, no recall prompt")
    _keep_targets(chapters, page)
    sections = tuple(_section(chapter, notes) for chapter in chapters)
    module_id = front.get("id") or slug(stem)
    module = Module(module_id, page.title, front.get("summary"), sections, tuple(cards), notes.path)
    return Parsed(module, notes.problems, notes.left_out, tuple(added))


def fits(text: str) -> bool:
    """Return whether a text has an FAQ or recall prompts."""
    return bool(parse(text, "").module.cards)


def _lines(source: list[str], start: int, notes: Notes) -> tuple[list[str], Sequence[int], str | None]:
    """Return the Markdown lines of a text of any of the three kinds, their origin, and what an HTML head says."""
    body = "\n".join(source[start:])
    if web.is_page(body):
        page = web.read_page(body)
        for line, name in page.dropped:
            notes.leave(line + start, f"<{name}> is not read")
        return page.lines, [line + start for line in page.origin], " ".join(page.title.split())
    if flat.is_flat(source[start:]):
        found = flat.unflatten(source, start)
        for line, words in found.remarks:
            notes.remark(line, words)
        return found.lines, found.origin, None
    return *_open_details(source, start), None


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


def _chapters(page: Page, named: str | None, stem: str) -> list[Chapter]:
    """Return the page's chapters; the first holds what stands before any heading.

    Args:
        page: The page; it gets its title.
        named: What its HTML head says, which often names the site too; None for a text.
        stem: Of the file's name.
    """
    blocks = read_blocks(page.lines).blocks
    heads = [block for block in blocks if block.kind == "heading"]
    tops = [block for block in heads if block.level == 1]
    first = tops[0] if len(tops) == 1 or (tops and blocks[0] is tops[0]) else None
    if first is None and named is None:
        first = next((block for block in blocks[:1] if _may_be_title(block, blocks)), None)
    if first:
        page.title = page.title or take_marks(first.content, Notes(""), 0)[0].strip("*_ ")
    page.title = page.title or named or stem
    level = min((block.level for block in heads if block is not first), default=2)
    whole = bool(asking.FAQ_TITLE.search(page.title))
    chapters = [Chapter(INTRO, page.title, 1, faq=whole)]
    taken = {INTRO: 1}
    for block in blocks:
        if block is first:
            continue
        if (
            block.kind == "heading"
            and block.level <= level
            and not (whole and block.content.rstrip("*_ ").endswith("?"))
        ):
            title = take_marks(block.content, page.notes, page.line(block.start))[0] or "Untitled"
            name = _free(slug(title), taken)
            faq = bool(asking.FAQ_TITLE.search(title))
            chapters.append(Chapter(name, title, page.line(block.start), faq=faq))
        else:
            chapters[-1].blocks.append(block)
    return chapters


def _keep_targets(chapters: Sequence[Chapter], page: Page) -> None:
    """Put where links go, `[name]: https://...` anywhere on a page, below each section that uses the name."""
    users: dict[str, list[Chapter]] = {}
    for chapter in chapters:
        for name in set(_NAMED.findall(chapter.text.casefold())):
            users.setdefault(name, []).append(chapter)
    inside = {at for chapter in chapters for block in chapter.blocks for at in range(block.start, block.end)}
    for at, row in enumerate(page.lines):
        if at not in inside and (found := _TARGET.match(row)):
            below = [] if found[2] else page.lines[at + 1 : at + 2]
            for chapter in users.get(found[1].casefold(), ()):
                chapter.body += ["", row, *below]


def _say_empty(chapters: Sequence[Chapter], page: Page) -> None:
    """List the headings with nothing below them that is read, kept or listed."""
    for chapter in chapters:
        if not (chapter.blocks or chapter.faq or chapter.id == INTRO):
            page.notes.leave(chapter.line, f"heading with nothing below it: {excerpt(chapter.title)}")


def _may_be_title(block: Block, blocks: Sequence[Block]) -> bool:
    """Return whether a text's first paragraph is one short line that is no sentence, with more below it."""
    words = block.content.strip("*_ ")
    return (
        block.kind == "paragraph"
        and len(blocks) > 1
        and len(words) <= _LONGEST_TITLE
        and not re.search(r"\n|[.:;,?!…]\Z|://|\]\(", words)
        and not asking.why_left(words)
    )


def _free(name: str, taken: dict[str, int]) -> str:
    """Return and take a name that is free.

    Args:
        name: The wanted one.
        taken: Names with the last number that was added to each: where thousands are alike, none is tried twice.
    """
    ascii_name = name if name.isascii() else "section"
    free, number = ascii_name, taken.get(ascii_name, 1)
    while free in taken:
        number += 1
        free = f"{ascii_name}-{number}"
    taken[ascii_name] = number
    taken.setdefault(free, 1)
    return free


def _read(chapter: Chapter, page: Page) -> None:
    for at, block in enumerate(chapter.blocks):
        rows = page.lines[block.start : block.end]
        if block.kind == "heading":
            words = take_marks(block.content, Notes(""), 0)[0].strip("*_ ")
            asked = words.endswith("?")
            page.open = Item(words, page.line(block.start), chapter) if asked else None
            if page.open:
                page.items.append(page.open)
            else:
                chapter.body += ["", *rows]
        elif block.kind == "paragraph":
            _read_paragraph(block, chapter, page, chapter.blocks[at - 1 : at] + chapter.blocks[at + 1 : at + 2])
        elif block.kind == "html_block" and block.content.lstrip().startswith("<!--"):
            first, last = page.line(block.start), page.line(block.end - 1)
            page.notes.leave(first, f"an HTML comment{reach(first, last)}")
        else:
            (page.open.answer if page.open else chapter.body).extend(["", *rows])


def _read_paragraph(block: Block, chapter: Chapter, page: Page, beside: Sequence[Block]) -> None:
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
            page.open = Item(asked.question, line, chapter, [asked.answer] if asked.answer else [])
            page.items.append(page.open)
        else:
            target = page.open.answer if page.open else chapter.body
            target += [*([] if at and target else [""]), row]
            if not page.open:
                chapter.spots.append((line, row))


def _question(row: str, below: Sequence[str], chapter: Chapter, beside: Sequence[Block]) -> asking.Asked | None:
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


def _section(chapter: Chapter, notes: Notes) -> Section:
    lines = chapter.text.split("\n")
    document = read_blocks(lines)
    links = tuple(link for block in document.blocks for link in experiment_links(block, document.env, notes)[0])
    return Section(chapter.id, chapter.title, chapter.text, links, chapter.line)
