"""What a terminal cannot show, replaced on the way to it: glyphs outside ASCII, and every colour.

Both are line filters, so that each screen obeys `--ascii` and `--color never` without knowing of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

ASCII = {
    "━": "=", "─": "-", "┄": "-", "┈": ".", "╌": "-", "╺": "-", "╸": "-", "╴": "-", "╶": "-", "═": "=",
    "│": "|", "┃": "|", "╻": "|", "╹": "|", "╵": "|", "╷": "|", "┊": ":", "╎": ":", "▌": "|", "▐": "|", "▏": "|",
    "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "┼": "+",
    "┏": "+", "┓": "+", "┗": "+", "┛": "+", "┣": "+", "┫": "+", "┻": "+", "┷": "+", "╋": "+", "╪": "+", "╫": "+",
    "╭": "+", "╮": "+", "╰": "+", "╯": "+",
    "·": ".", "░": ":", "▒": "%", "▓": "*", "█": "#", "■": "#", "□": "o", "▪": "#",
    "▁": "_", "▂": ".", "▃": "-", "▄": "=", "▅": "+", "▆": "*", "▇": "%",
    "●": "*", "○": "o", "◆": "*", "◇": "o", "▲": "^", "△": "^", "▼": "v", "▾": "v", "▸": ">", "▶": ">", "◀": "<",
    "←": "<", "→": ">", "↑": "^", "↓": "v", "›": ">", "‹": "<", "✓": "x", "✗": "-", "•": "*",
    "–": "-", "—": "-", "…": "~", "×": "x", "µ": "u", "μ": "u", "≤": "<", "≥": ">", "≈": "~", "±": "~", "÷": "/",
    "“": '"', "”": '"', "‘": "'", "’": "'", "\u00a0": " ",
}  # fmt: skip
"""A sign of one cell for a sign of one cell: nothing may move."""

BRAILLE, BRAILLE_END = "\u2800", "\u28ff"


@lru_cache(4096)
def in_ascii(text: str) -> str:
    """Return a text of the same width in ASCII: glyphs by likeness, letters without accents, the rest as "?".

    >>> in_ascii("━━─ ▲ 3 days · café × 日本")
    '==- ^ 3 days . cafe x ????'
    """
    return text if text.isascii() else "".join(_ascii_letters(text))


def _ascii_letters(text: str) -> Iterator[str]:
    for letter in text:
        if letter.isascii():
            yield letter
            continue
        if BRAILLE <= letter <= BRAILLE_END:
            yield " " if letter == BRAILLE else "."
            continue
        plain = ASCII.get(letter) or unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
        width = cell_len(letter)
        yield plain if len(plain) == width else "?" * width


class OnlyAscii(LineFilter):
    """Writes every glyph in ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        return [Segment(in_ascii(text), style, control) for text, style, control in segments]


class NoHue(LineFilter):
    """Takes every colour away, greys too; what was muted becomes dim, what was bright stays bold."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        return [
            Segment(text, None if style is None else _without_hue(style), control)
            for text, style, control in segments
        ]


@lru_cache(1024)
def _without_hue(style: Style) -> Style:
    dim = style.color is not None and style.color.name == "bright_black"
    return Style(
        bold=style.bold,
        dim=True if dim else style.dim,
        italic=style.italic,
        underline=style.underline,
        reverse=style.reverse,
        strike=style.strike,
    )
