"""Markdown as plain lines: for the command line, screen readers and list views.

Emphasis marks go; code, lists, tables and formulas stay readable as they were written.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin

from studyapp.decks.clean import clean, clean_line

MAX_READ = 50_000
"""Longest text that is read as Markdown, in characters; a longer one is shown as it was written, at once."""
_BREAKS = ("softbreak", "hardbreak")


def plain_lines(markdown: str, *, spoken: bool = False) -> list[str]:
    """Return a text's lines without Markdown's marks; blocks stand apart by one empty line.

    The lines are cleaned, entities included. A text above `MAX_READ` characters keeps its marks.

    Args:
        markdown: The text.
        spoken: Whether it will be listened to: rows of a table name their columns, and no rules are drawn.
    """
    if len(markdown) > MAX_READ:
        return clean(markdown).split("\n")
    tree = SyntaxTreeNode(_parser().parse(markdown))
    return [clean(line) for line in _apart(tree.children, spoken)]


def plain_line(markdown: str) -> str:
    """Return a text's first block on one line, with " …" where more follows: a card's name in a list."""
    lines = plain_lines(markdown)
    end = lines.index("") if "" in lines else len(lines)
    first = " ".join(clean_line(" ".join(lines[:end])).split())
    return f"{first} …" if end < len(lines) else first


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)


def _apart(nodes: Iterable[SyntaxTreeNode], spoken: bool) -> list[str]:
    lines: list[str] = []
    for node in nodes:
        if block := _block(node, spoken):
            lines += ["", *block] if lines else block
    return lines


def _block(node: SyntaxTreeNode, spoken: bool) -> list[str]:
    kind = node.type
    if kind in ("fence", "code_block"):
        return ["    " + line for line in node.content.rstrip("\n").split("\n")]
    if kind in ("bullet_list", "ordered_list"):
        return _list(node, spoken)
    if kind == "blockquote":
        quoted = _apart(node.children, spoken)
        return quoted if spoken else [f"> {line}".rstrip() for line in quoted]
    if kind == "table":
        rows = [
            [_inline(cell.children) for cell in row.children] for part in node.children for row in part.children
        ]
        return _told(rows) if spoken else [" | ".join(row) for row in rows]
    if kind == "math_block":
        return ["$$", *node.content.strip("\n").split("\n"), "$$"]
    if kind == "hr":
        return [] if spoken else ["---"]
    if kind == "html_block":
        return [] if node.content.lstrip().startswith("<!--") else node.content.rstrip("\n").split("\n")
    text = _inline(node.children)
    return text.split("\n") if text.strip() else []


def _told(rows: list[list[str]]) -> list[str]:
    """Return a table's rows with the names of their columns; a table of one row is its header."""
    if len(rows) < 2:
        return [", ".join(row) for row in rows]
    told = []
    for row in rows[1:]:
        cells = [
            f"{head}: {cell}" if head.strip() else cell for head, cell in zip(rows[0], row, strict=False) if cell
        ]
        told.append(f"{'; '.join(cells)}.")
    return told


def _list(node: SyntaxTreeNode, spoken: bool) -> list[str]:
    lines: list[str] = []
    number = int(node.attrs.get("start", 1))
    for at, item in enumerate(node.children):
        mark = "- " if node.type == "bullet_list" else f"{number + at}. "
        body = _tight(item, spoken)
        if not body:  # "+" or "16." alone: an answer, though Markdown calls it a list
            mark, body = f"{item.info}{item.markup}", [""]
        lines.append((mark + body[0]).rstrip())
        lines += [(" " * len(mark) + line).rstrip() for line in body[1:]]
    return lines


def _tight(item: SyntaxTreeNode, spoken: bool) -> list[str]:
    """Return an item's lines without the empty lines between its blocks: a list view has few lines."""
    return [line for child in item.children for line in _block(child, spoken)]


def _inline(nodes: Iterable[SyntaxTreeNode]) -> str:
    return "".join(_word(node) for node in nodes)


def _word(node: SyntaxTreeNode) -> str:
    kind = node.type
    if kind in _BREAKS:
        return "\n"
    if kind == "code_inline":
        return f"{node.markup}{node.content}{node.markup}"
    if kind == "math_inline":
        return f"${node.content}$"
    if kind == "math_inline_double":
        return f"$${node.content}$$"
    if kind == "image":
        return f"[picture: {node.content}]"
    if kind == "html_inline":
        return "" if node.content.startswith("<!--") else node.content
    if kind == "link":
        return _link(_inline(node.children), str(node.attrs.get("href", "")))
    return _inline(node.children) if node.children else node.content


def _link(words: str, href: str) -> str:
    web = href.startswith(("http://", "https://", "mailto:"))
    return f"{words} ({href})" if web and href not in (words, f"mailto:{words}") else words
