"""Cells: what a chart is drawn on, and what front ends receive.

A `Canvas` is written to by column and row; a `Grid` is its finished, immutable form. Styles are semantic names
(`STYLES`), never colours: the TUI and the command line map them. Widths come from `rich.cells`, so that a label
in Chinese takes the cells a terminal gives it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len

STYLES = ("cpu", "gpu", "neutral", "weak", "you", "mark", "axis", "grid", "label", "muted", "bright")
"""Every style a span can carry."""

GRID, LINE, CURVE, MARKER, TEXT = 1, 2, 3, 4, 5
"""What occupies a cell, by weight: labels keep clear of CURVE and above."""

ASCII_WORDS = {
    "µ": "u",
    "×": "x",
    "→": "->",
    "←": "<-",
    "–": "-",
    "—": "-",
    "…": "~",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
}
"""Replacements for characters an ASCII terminal lacks; what is not named becomes "?"."""


class Span(NamedTuple):
    """A run of text in one style."""

    text: str
    style: str


@dataclass(frozen=True)
class Grid:
    """A finished picture: `height` rows, each `width` cells wide."""

    width: int
    height: int
    rows: tuple[tuple[Span, ...], ...]

    def plain(self) -> str:
        """Return the text alone: `height` lines of exactly `width` cells."""
        return "\n".join("".join(span.text for span in row) for row in self.rows)


def to_ansi(grid: Grid, palette: Mapping[str, str]) -> str:
    """Return the grid for a terminal.

    Args:
        grid: The picture.
        palette: SGR parameters per style, e.g. {"cpu": "38;5;215", "bright": "1"}; a style it lacks, or an
            empty palette, gives plain text.
    """
    return "\n".join("".join(_painted(span, palette.get(span.style, "")) for span in row) for row in grid.rows)


def _painted(span: Span, sgr: str) -> str:
    return f"\x1b[{sgr}m{span.text}\x1b[0m" if sgr and not span.text.isspace() else span.text


def clean(text: str, *, ascii: bool = False) -> str:  # noqa: A002
    """Return text that is safe to draw: one line, no control, format or joining characters.

    Args:
        text: Any text, also from outside.
        ascii: Replace everything beyond ASCII.
    """
    if text.isascii() and text.isprintable():
        return text
    kept = "".join(
        " " if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Zs") else c
        for c in unicodedata.normalize("NFC", text)
        # format characters, surrogates and marks without width would make terminals disagree on columns
        if unicodedata.category(c) not in ("Cf", "Cs", "Co", "Cn", "Mn", "Me")
        and (c < " " or c == "\x7f" or cell_len(c))
    )
    return _to_ascii(kept) if ascii else kept


def _to_ascii(text: str) -> str:
    worded = "".join(ASCII_WORDS.get(c, c) for c in text)
    return "".join(c if c.isascii() else "?" for c in worded)


def cut(text: str, width: int, *, ascii: bool = False) -> str:  # noqa: A002
    """Return text cut to at most `width` cells, the last one an ellipsis where something was lost."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    kept, used = "", 0
    for char in text:
        used += cell_len(char)
        if used > width - 1:
            break
        kept += char
    return kept.rstrip() + ("~" if ascii else "…")


class Canvas:
    """A grid being drawn; writing outside it is harmless."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = max(0, width), max(0, height)
        self._text = [[" "] * self.width for _ in range(self.height)]
        self._style = [[""] * self.width for _ in range(self.height)]
        self._level = [[0] * self.width for _ in range(self.height)]

    def level(self, col: int, row: int) -> int:
        """Return what occupies the cell (0 for nothing; TEXT outside, so that nothing is placed there)."""
        return self._level[row][col] if 0 <= col < self.width and 0 <= row < self.height else TEXT

    def char(self, col: int, row: int) -> str:
        """Return the text of a cell inside the canvas."""
        return self._text[row][col]

    def put(self, col: int, row: int, char: str, style: str, level: int) -> None:
        """Write one character of one cell, whatever stood there."""
        if 0 <= col < self.width and 0 <= row < self.height:
            self._free(col, row)
            self._text[row][col], self._style[row][col], self._level[row][col] = char, style, level

    def under(self, col: int, row: int, char: str, style: str, level: int) -> None:
        """Write one character unless something weightier stands there."""
        if self.level(col, row) < level:
            self.put(col, row, char, style, level)

    def write(self, col: int, row: int, text: str, style: str) -> None:
        """Write text from `col` on; what falls outside is dropped."""
        for char in text:
            wide = cell_len(char) == 2
            if wide and not (col >= 0 and col + 1 < self.width):
                col += 2
                continue
            self.put(col, row, char, style, TEXT)
            if wide:
                self.put(col + 1, row, " ", style, TEXT)
                self._text[row][col], self._text[row][col + 1] = char, ""
                col += 1
            col += 1

    def _free(self, col: int, row: int) -> None:
        """Break up a wide character that this cell is half of."""
        cells = self._text[row]
        if cells[col] == "":
            cells[col - 1] = " "
        if col + 1 < self.width and cells[col + 1] == "":
            cells[col + 1] = " "

    def clear(self, col: int, row: int) -> None:
        """Blank a cell of the grid: room around a label, a gap in a dashed line."""
        if self.level(col, row) == GRID:
            self.put(col, row, " ", "", 0)

    def free(self, col: int, row: int, width: int) -> bool:
        """Whether `width` cells and one on either side hold no curve, marker or text."""
        inside = all(self.level(c, row) < CURVE for c in range(col, col + width))
        return inside and all(
            not 0 <= c < self.width or self.level(c, row) < CURVE for c in (col - 1, col + width)
        )

    def finish(self) -> Grid:
        """Return the picture, with blanks joined to the span before them: fewer spans, same look."""
        return Grid(self.width, self.height, tuple(self._spans(row) for row in range(self.height)))

    def _spans(self, row: int) -> tuple[Span, ...]:
        spans: list[Span] = []
        for text, style in zip(self._text[row], self._style[row], strict=True):
            blank = text == " "
            if spans and (blank or style == spans[-1].style or spans[-1].text.isspace()):
                kept = spans[-1].style if blank or style == spans[-1].style else style
                spans[-1] = Span(spans[-1].text + text, kept)
            elif self.width:
                spans.append(Span(text, style or "axis"))
        return tuple(spans)
