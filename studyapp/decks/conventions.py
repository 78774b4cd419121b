"""Decks as other programs write them: `front::back`, `{{c1::gaps}}`, `> [!question]` callouts, `?` between parts.

A file is read like this only if nothing in it says that it is a lesson or a Q/A deck. Code is never searched, and
`::` without blanks around it counts only where most lines have it, so `std::vector` makes no card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from studyapp.core.cards import Card, Module, Parsed
from studyapp.decks.blocks import Block, Document, last_line, reach, read_blocks, report_unclosed, slice_text
from studyapp.decks.clean import clean_line, excerpt, settle
from studyapp.decks.cloze import find_gaps, make_cards
from studyapp.decks.front import read_front
from studyapp.decks.marks import slug, take_marks
from studyapp.decks.notes import Known, Notes
from studyapp.decks.parts import Parts, Scope, Span, take_parts

_BULLET = re.compile(r"\A[ \t]*(?:[-+*]|\d{1,4}[.)])[ \t]+")
_SPACED = re.compile(r"[ \t]+(:::?)(?:[ \t]+|(?=\n|\Z))")
_TIGHT = re.compile(r"(?<![:\s])(?<!\bstd)(?<!\bboost)(?<!\btorch)(?<!\bat)(?<!\bcrate)(?<!\bself)(::)(?![:\s])")
_COLON = re.compile(r"[ \t]+(:)[ \t]+")
_TAGGED = re.compile(r"(?:[ \t]+#[\w/-]+|[ \t]*[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F]+)+[ \t]*\Z")
_TAG = re.compile(r"#([\w/-]+)")
_CALLOUT = re.compile(r"\[!(question|faq|help|card|flashcard|qa)\][-+]?[ \t]*(.*)", re.IGNORECASE)
_NUMBERED = re.compile(r"\{\{c\d+::")
_LONGEST_LINE = 4000
"""Longest line that is searched, in characters: no card has a longer one, and the search may cost its square."""
_SHARE = 0.6
"""Share of a file's text lines that must have a separator before it is read as one (our choice)."""


@dataclass(slots=True)
class _Reader:
    document: Document
    scope: Scope
    notes: Notes
    separator: re.Pattern[str] | None
    cards: list[Card] = field(default_factory=list)
    title: str = ""

    def add(self, prompt: str, parts: Parts, line: int, kind: str = "basic") -> None:
        """Keep what a note gives; `#tags` at the end of the question are its tags."""
        scope, prompt = _with_tags(replace(self.scope, kind=kind), prompt)
        self.cards += make_cards(scope, prompt, parts, line, self.notes)


def fits(text: str) -> bool:
    """Return whether a text is written in one of these conventions."""
    document = read_blocks(settle(text).split("\n"))
    blocks = list(_prose(document.blocks))
    return (
        any(_NUMBERED.search(block.content) and find_gaps(block.content) for block in blocks)
        or any(_callout(block) for block in document.blocks)
        or any(_divided(block) for block in document.blocks)
        or _separator(blocks) is not None
    )


def parse(text: str, path: str, known: Known | None = None) -> Parsed:
    """Return what such a deck holds; what is wrong or left out in it is listed with its line.

    Args:
        text: The file's text.
        path: Where it came from, for messages and the module's id.
        known: Says what is wrong with an experiment link, or None.
    """
    notes = Notes(path, known)
    lines = settle(text).split("\n")
    front = read_front(lines, notes)
    document = read_blocks([""] * front.end + lines[front.end :])
    report_unclosed(document, notes)
    scope = Scope("basic", front.get("id"), tags=front.tags)
    reader = _Reader(document, scope, notes, _separator(list(_prose(document.blocks))))
    for block in document.blocks:
        _read(block, reader)
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


def _separator(blocks: Sequence[Block]) -> re.Pattern[str] | None:
    lines = [
        line for block in blocks if block.kind == "paragraph" for line in block.content.split("\n") if line.strip()
    ]
    for pattern in (_SPACED, _TIGHT, _COLON):
        found = [line for line in lines if len(_outside_code(pattern, line)) == 1]
        if pattern is _COLON and not any(_TAGGED.search(line) for line in found):
            continue  # "note : text" is ordinary prose; a tag or an emoji shows that a card is meant
        least = 1 if pattern is _SPACED else 2
        share = 0.0 if pattern is _SPACED else _SHARE
        if len(found) >= least and len(found) >= share * len(lines):
            return pattern
    return None


def _outside_code(pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
    if len(line) > _LONGEST_LINE:
        return []
    code = [found.span() for found in re.finditer(r"(`+)(?!`).*?(?<!`)\1(?!`)", line)]
    return [found for found in pattern.finditer(line) if not any(a <= found.start() < b for a, b in code)]


def _callout(block: Block) -> re.Match[str] | None:
    first = block.children[0] if block.kind == "blockquote" and block.children else None
    return _CALLOUT.match(first.content) if first and first.kind == "paragraph" else None


def _divided(block: Block) -> bool:
    """Return whether a paragraph has a line of one `?` (or two) between its parts."""
    lines = block.content.split("\n") if block.kind == "paragraph" else []
    return any(line.strip() in ("?", "??") for line in lines[1:-1])


def _read(block: Block, reader: _Reader) -> None:
    line = block.start + 1
    if block.kind == "heading" and block.level == 1 and not reader.title:
        reader.title = take_marks(block.content, reader.notes, line)[0]
    elif found := _callout(block):
        _read_callout(block, found, reader)
    elif _divided(block):
        _read_divided(block, reader)
    elif block.kind in ("paragraph", "bullet_list", "ordered_list", "table"):
        _read_lines(block, reader)
    elif block.kind not in ("hr", "heading"):
        _leave(block, reader)


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


def _read_divided(block: Block, reader: _Reader) -> None:
    lines = reader.document.lines
    at = next(n for n in range(block.start + 1, block.end) if lines[n].strip() in ("?", "??"))
    front, back = slice_text(lines, block.start, at), slice_text(lines, at + 1, block.end)
    reader.add(front, Parts(back, (), (), block.end), block.start + 1)
    if lines[at].strip() == "??":
        reader.add(back, Parts(front, (), (), block.end), at + 2)


def _read_lines(block: Block, reader: _Reader) -> None:
    """Read a block line by line; a text with gaps is one note however many lines it has."""
    lines = reader.document.lines
    if block.kind == "paragraph" and _NUMBERED.search(block.content):
        text = slice_text(lines, block.start, block.end)
        reader.add(text, Parts("", (), (), block.end), block.start + 1, "cloze")
        return
    for at in range(block.start, block.end):
        if text := _BULLET.sub("", lines[at], count=1).strip():
            _read_line(text, at + 1, block.kind, reader)


def _read_line(text: str, line: int, kind: str, reader: _Reader) -> None:
    found = _outside_code(reader.separator, text) if reader.separator else []
    if _NUMBERED.search(text) and find_gaps(text):
        words = " ".join(cell.strip() for cell in text.strip("| ").split("|")) if kind == "table" else text
        reader.add(words, Parts("", (), (), line), line, "cloze")
    elif len(found) == 1 and kind != "table":
        front, back = text[: found[0].start()].strip(), text[found[0].end() :].strip()
        back, mark = _trailing_mark(back)
        reader.add(front + mark, Parts(back, (), (), line), line)
        if found[0][1] == ":::":
            reader.add(back, Parts(front, (), (), line), line)
    elif found:
        reader.notes.problem(line, f"no card, {len(found)} separators in one line: {excerpt(text)}")
    elif kind != "table" or set(text) - set("|-: "):
        reader.notes.leave(line, f"outside any card: {excerpt(text)}")


def _trailing_mark(text: str) -> tuple[str, str]:
    """Return an answer without the id comment, or the tags, that end its line, and those."""
    found = re.search(r"[ \t]*(<!--[^>]*-->|\{#[^{}\s]+\})[ \t]*\Z", text)
    words, mark = (text[: found.start()], f" {found[1]}") if found else (text, "")
    tags = _TAGGED.search(words)
    if tags and _TAG.search(tags[0]) and words[: tags.start()].strip():
        return words[: tags.start()].rstrip(), f"{tags[0].rstrip()}{mark}"
    return words, mark


def _with_tags(scope: Scope, prompt: str) -> tuple[Scope, str]:
    words, mark = prompt, ""
    if len(prompt) > _LONGEST_LINE:
        return scope, prompt
    if found := re.search(r"[ \t]*<!--[^>]*-->[ \t]*\Z", prompt):
        words, mark = prompt[: found.start()], found[0]
    tags = _TAGGED.search(words)
    names = _TAG.findall(tags[0]) if tags else []
    if not tags or not names or not words[: tags.start()].strip():
        return scope, prompt
    return replace(scope, tags=(*scope.tags, *names)), words[: tags.start()] + mark
