"""Blocks that are cards by their shape: callouts, `?` between parts, definitions, tables, tagged headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from studyapp.decks.blocks import Block

_CALLOUT = re.compile(r"\[!(question|faq|help|card|flashcard|qa)\][-+]?[ \t]*(.*)", re.IGNORECASE)
_TAGGED = re.compile(r"[ \t]+#(?:flash)?cards?(?=\s|$)", re.IGNORECASE)
_DEFINITION = re.compile(r":[ \t]+(?=\S)")
_CELL = re.compile(r"(?<!\\)\|")
_ALONE = ("?", "↪", ":question:", ":grey_question:", ":arrow_right_hook:")
_ASKING = {"q", "question", "front", "prompt", "term", "word"}
_ANSWERING = {"a", "answer", "back", "response", "definition", "meaning", "translation"}


def callout(block: Block) -> re.Match[str] | None:
    """Return the head of a callout that asks, or None; its second group is the question."""
    first = block.children[0] if block.kind == "blockquote" and block.children else None
    return _CALLOUT.match(first.content) if first and first.kind == "paragraph" else None


def divided(block: Block) -> bool:
    """Return whether a paragraph has a line of one `?` (or two) between its parts."""
    lines = block.content.split("\n") if block.kind == "paragraph" else []
    return any(line.strip() in ("?", "??") for line in lines[1:-1])


def beside(blocks: Sequence[Block], at: int, lines: Sequence[str]) -> int:
    """Return where the blocks end that follow one without a blank line: a list, code or a table in its answer."""
    end = at + 1
    while end < len(blocks) and blocks[end].kind not in ("heading", "hr") and lines[blocks[end].start - 1].strip():
        end += 1
    return end


def halves(blocks: Sequence[Block], first: int) -> tuple[int, int] | None:
    """Return where, from a block on, a paragraph `?` stands, and the rule or heading that ends the card; or None.

    Such a card stands between rules (`---`, `___`): its question, a `?` by itself, its answer.
    """
    end, alone = first, list[int]()
    while end < len(blocks) and blocks[end].kind not in ("hr", "heading"):
        if blocks[end].kind == "paragraph" and blocks[end].content.strip() in _ALONE:
            alone.append(end)
        end += 1
    return (alone[0], end) if len(alone) == 1 and first < alone[0] < end - 1 else None


def joined(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks with each paragraph that begins with `: ` joined to the one-line paragraph above it."""
    found: list[Block] = []
    for block in blocks:
        above = found[-1] if found else None
        defines = block.kind == "paragraph" and _DEFINITION.match(block.content)
        if defines and above and above.kind == "paragraph" and ("\n" not in above.content or defined(above)):
            found[-1] = replace(above, end=block.end, content=f"{above.content}\n{block.content}")
        else:
            found.append(block)
    return found


def defined(block: Block) -> tuple[str, str] | None:
    """Return term and definition of a paragraph of a definition list, or None; several definitions are a list."""
    term, _, rest = block.content.partition("\n")
    if block.kind != "paragraph" or not _DEFINITION.match(rest) or _DEFINITION.match(term):
        return None
    meanings = re.split(r"\n(?=:[ \t])", rest)
    words = [re.sub(r"\n {1,4}", "\n", _DEFINITION.sub("", meaning, count=1).strip()) for meaning in meanings]
    return term.strip(), words[0] if len(words) == 1 else "\n".join(f"- {meaning}" for meaning in words)


def asked_columns(block: Block) -> tuple[int, int] | None:
    """Return the columns of question and answer of a table whose first row names them, or None."""
    names = [cell.content.strip("*_ ").lower() for cell in block.walk() if cell.kind == "th"]
    asks = next((at for at, name in enumerate(names) if name in _ASKING), None)
    answers = next((at for at, name in enumerate(names) if name in _ANSWERING), None)
    return None if block.kind != "table" or asks is None or answers is None else (asks, answers)


def table_rows(block: Block, lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table below its first, each with its line from 1."""
    for at in range(block.start + 2, block.end):
        cells = _CELL.split(lines[at].strip().removeprefix("|"))
        yield at + 1, [cell.replace("\\|", "|").strip() for cell in cells]


def tagged(block: Block) -> str | None:
    """Return a heading that ends in `#card` or `#flashcard` without it, or None."""
    return _untagged(block.content) if block.kind == "heading" else None


def headed(block: Block) -> str | None:
    """Return the first line of a paragraph of several without the `#flashcard` it ends in, or None."""
    first, _, rest = block.content.partition("\n")
    return _untagged(first) if block.kind == "paragraph" and rest else None


def _untagged(text: str) -> str | None:
    found = _TAGGED.search(text)
    return text[: found.start()] + text[found.end() :] if found else None


def body_of(blocks: Sequence[Block], at: int) -> Sequence[Block]:
    """Return the blocks below the heading at an index, up to the next of its level or above or the next tagged."""
    level, end = blocks[at].level, at + 1
    while end < len(blocks) and (
        blocks[end].kind != "heading" or (blocks[end].level > level and tagged(blocks[end]) is None)
    ):
        end += 1
    return blocks[at + 1 : end]
