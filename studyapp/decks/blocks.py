"""The block structure of a Markdown text as a small tree with line numbers.

markdown-it-py finds the blocks, so nothing inside code is ever taken for a heading, a marker or a prompt. Text is
never rebuilt from tokens: callers slice the source lines, and stay faithful to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from studyapp.decks.by_first import RulesByFirst, unneeded
from studyapp.decks.clean import excerpt
from studyapp.decks.notes import Notes

_LETTERS = "QACTD"
MARKER = re.compile(rf"([{_LETTERS}]):(?!:)[ \t]*")
"""A deck's marker, at the start of a line: question and answer, term and definition, cloze."""
_ROLES = {"T": "Q", "D": "A"}
_GAP = re.compile(r"\{\{[^{}]|(?<!!)\[[^\[\]\n]+\](?![\[(:])")
_DEFINED = re.compile(r"^(?:([QTC]):(?!:)|(D):(?!:)|---[ \t]*$)", re.MULTILINE)
_BLANK_START = re.compile(r"\A(?:[ \t]*\n)+")
_REMEMBERED = 200_000
"""Longest text whose blocks are remembered, in characters; few lessons are longer, and memory is not for ever."""
_LOOK_AHEAD = 4000
"""Characters in which a `T:` must find its `D:`, and a `C:` its gap."""


@dataclass(slots=True)
class Block:
    """One block; lines count from 0 and `end` is the first line after it."""

    kind: str
    """markdown-it's name without `_open`: paragraph, heading, fence, blockquote, bullet_list, ... or marker."""
    start: int
    end: int
    content: str = ""
    """Inline source of a paragraph or heading, text of code, letter of a marker."""
    level: int = 0
    """1 to 6 for a heading."""
    children: list[Block] = field(default_factory=list)

    def walk(self) -> Iterator[Block]:
        """Yield this block and all below it, in reading order."""
        waiting = [self]  # not by recursion: one generator instead of one for each block
        while waiting:
            block = waiting.pop()
            yield block
            if block.children:
                waiting += reversed(block.children)


@dataclass(frozen=True, slots=True)
class Document:
    """A text's lines, its top-level blocks and its link definitions."""

    lines: list[str]
    blocks: list[Block]
    env: dict[str, Any]


def read_blocks(lines: Sequence[str], *, deck: bool = False) -> Document:
    """Return the tree of a text; in a deck, `Q:`, `A:` and their like at the start of a line begin a block."""
    text = "\n".join(lines) + "\n"
    blocks, env = (_read_again if len(text) <= _REMEMBERED else _read)(text, deck)
    return Document(list(lines), blocks, env)


def _read(text: str, deck: bool) -> tuple[list[Block], dict[str, Any]]:
    env: dict[str, Any] = {}
    tokens = _tokenizer(deck, *unneeded(text)).parse(text, env)
    return _tree(tokens, text.count("\n")), env


_read_again = lru_cache(maxsize=1)(_read)
"""The format of a text is told by its blocks, which its parser then asks for again; nobody changes them."""


def slice_text(lines: Sequence[str], start: int, end: int, cuts: Iterable[tuple[int, int]] = ()) -> str:
    """Return source lines `start` to `end` without the cuts; blank lines around a cut fold to one."""
    pieces, at = [], start
    for low, high in sorted(cuts):
        pieces.append(_trimmed(lines[at:low]))
        at = max(at, high)
    pieces.append(_trimmed(lines[at:end]))
    return "\n\n".join(piece for piece in pieces if piece)


def last_line(lines: Sequence[str], start: int, end: int, cuts: Iterable[tuple[int, int]] = ()) -> int:
    """Return the number, from 1, of the last line with text from `start` to `end` outside the cuts; 0 for none."""
    cut = {at for low, high in cuts for at in range(low, high)}
    return next((at + 1 for at in range(end - 1, start - 1, -1) if at not in cut and lines[at].strip()), 0)


def reach(line: int, last: int) -> str:
    """Return " (lines 4 to 9)", or "" for a single line."""
    return f" (lines {line} to {last})" if last > line else ""


def report_unclosed(document: Document, notes: Notes) -> None:
    """Report code fences and comments that are never closed, each with the line where it opens."""
    for block in (inner for top in document.blocks for inner in top.walk()):
        if block.kind == "fence" and block.end - block.start < block.content.count("\n") + 2:
            what = "code fence"
        elif block.kind == "html_block" and "<!--" in block.content and "-->" not in block.content:
            what = "comment"
        else:
            continue
        opening = document.lines[block.start].strip() if block.start < len(document.lines) else ""
        notes.problem(block.start + 1, f"{what} is never closed: {excerpt(opening)}")


def _trimmed(lines: Sequence[str]) -> str:
    text = "\n".join(lines).rstrip()
    return _BLANK_START.sub("", text) if text[:1].isspace() else text


@cache
def _tokenizer(deck: bool, *without: str) -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin)
    parser.core.ruler.disable(["inline", "text_join"])  # callers look inside a line only where they need to
    if deck:
        parser.disable("lheading")  # "A: text" above "---" is an answer above a separator, not a heading
        alt = ["paragraph", "reference", "blockquote", "list"]
        parser.block.ruler.before("table", "marker", _marker, {"alt": alt})
    parser.block.ruler.disable(without)
    parser.block.ruler = RulesByFirst(parser.block.ruler, _LETTERS if deck else "")
    return parser


def _marker(state: StateBlock, line: int, _end_line: int, silent: bool) -> bool:
    start = state.bMarks[line]
    found = MARKER.match(state.src, start, state.eMarks[line])
    if not found or (start and state.src[start - 1] != "\n"):  # inside a quote the line starts after its ">"
        return False
    if found[1] in ("C", "T", "D") and not _is_meant(found[1], state.src, start):
        return False
    if silent:
        return True
    token = state.push("marker", "", 0)
    token.map, token.content = [line, line + 1], _ROLES.get(found[1], found[1])
    # the rest of the line opens a block of its own ("A: ~~~" is a fence): the other rules see it without marker
    state.bMarks[line], state.tShift[line], state.sCount[line] = found.end(), 0, 0
    if found.end() < state.eMarks[line]:
        return False
    state.line = line + 1
    return True


def _is_meant(letter: str, text: str, start: int) -> bool:
    """Return whether a letter that is often something else ("C: the drive") is a marker here."""
    ahead = text[start + 2 : start + _LOOK_AHEAD]
    if letter == "C":
        return bool(_GAP.search(ahead.partition("\n\n")[0]))
    if letter == "T":
        found = _DEFINED.search(ahead)
        return bool(found and found[2])
    window = "\n" + text[max(0, start - _LOOK_AHEAD) : start]
    last = {other: window.rfind(f"\n{other}:") for other in "QATCD"}
    return last["T"] > max(last[other] for other in "QACD")


def _tree(tokens: Iterable[Token], line_count: int) -> list[Block]:
    root = Block("root", 0, line_count)
    stack = [root]
    for token in tokens:
        if token.nesting < 0:
            stack.pop()
        elif token.type == "inline":
            stack[-1].content = token.content
        else:
            start, end = token.map or (stack[-1].start, stack[-1].end)
            level = int(token.tag[1]) if token.type == "heading_open" else 0
            block = Block(token.type.removesuffix("_open"), start, end, token.content, level)
            stack[-1].children.append(block)
            if token.nesting > 0:
                stack.append(block)
    return root.children
