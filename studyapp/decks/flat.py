"""Flat text, one paragraph a line, as it is left when a page is copied: made into Markdown lines again.

Blank lines come back between paragraphs, tables and code find their shape; indentation that was lost stays lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_LONG = 60
"""Mean length of a line, in characters, from which lines are paragraphs and not wrapped text."""
_LEAST = 5
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*\Z")
_LIST = re.compile(r"[ \t]*(?:[-+*•]|\d{1,3}[.)])[ \t]+")
_CODE = re.compile(
    r"(?:[a-z_][\w.\[\]]* ?[-+*/]?= ?\S.*"
    r"|(?:for|with|if|elif|while|def|class|async|try)\b.*:"
    r"|(?:import|from|return|else:|break|continue|pass)\b.*"
    r"|[a-z_][\w.]*\(.*\))[ \t]*\Z"
)
_GLUED = re.compile(r"([a-z_][\w.]*\([^()]*\)(?:\.[\w.]+\([^()]*\))*)([A-Z][a-z]+ .*)\Z")


@dataclass(slots=True)
class Lines:
    """Markdown lines, each with the line it came from."""

    lines: list[str] = field(default_factory=list)
    origin: list[int] = field(default_factory=list)
    """From 1."""
    remarks: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, *rows: str) -> None:
        """Append rows that came from one line."""
        self.lines += rows
        self.origin += [line] * len(rows)


def is_flat(lines: Sequence[str]) -> bool:
    """Return whether a text has one paragraph a line, with no headings and no blank lines between."""
    full = [line for line in lines if line.strip()]
    if len(full) < _LEAST or any(re.match(r"#{1,6} |[`~]{3}", line) for line in full):
        return False
    blanks = sum(1 for line in "\n".join(lines).strip().split("\n") if not line.strip())
    return blanks * 10 < len(full) and sum(map(len, full)) / len(full) >= _LONG


def unflatten(lines: Sequence[str], start: int = 0) -> Lines:
    """Return a flat text as Markdown.

    Args:
        lines: The text.
        start: Lines above it that are not part of it (front matter).
    """
    pieces = _split(lines, start)
    out = Lines()
    at = 0
    while at < len(pieces):
        number, text = pieces[at]
        end = _run(pieces, at, _CODE)
        if end - at >= 2:
            rows = [words for _, words in pieces[at:end]]
            out.add(number, "", "```", *rows, "```", "")
            out.origin[-len(rows) - 2 : -2] = [line for line, _ in pieces[at:end]]
            out.remarks.append((number, f"code in {len(rows)} lines: look at its indentation, flat text has none"))
        elif (end := _run(pieces, at, _ROW)) > at:
            out.add(number, "")
            for line, words in pieces[at:end]:
                out.add(line, words.strip())
            out.add(number, "")
        else:
            end = at + 1
            tight = bool(_LIST.match(text)) and at > 0 and bool(_LIST.match(pieces[at - 1][1]))
            out.add(number, *([] if tight else [""]), text)
        at = end
    return out


def _split(lines: Sequence[str], start: int) -> list[tuple[int, str]]:
    """Return the lines with text and their numbers; code that prose is glued to is taken off."""
    pieces: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if number <= start or not line.strip():
            continue
        after_code = bool(pieces) and bool(_CODE.match(pieces[-1][1]))
        glued = _GLUED.match(line.strip()) if after_code else None
        pieces += [(number, glued[1]), (number, glued[2])] if glued else [(number, line)]
    return pieces


def _run(pieces: Sequence[tuple[int, str]], at: int, pattern: re.Pattern[str]) -> int:
    end = at
    while end < len(pieces) and pattern.match(pieces[end][1].strip()):
        end += 1
    return end
