"""Rows of cells: how Textual's runs become cells, and which of them differ from those that were sent.

A cell that continues a wide letter is "", and one whose content is not known is None. A run with letters that not
every terminal draws in the same width is one wide cell: it is sent whole, and so is everything else in its row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from studyapp.tui.pens import PLAIN, Pen, blank, pen_of

NARROW = re.compile(
    "[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u037b-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027"
    "\u2030-\u205e\u2070-\u209c\u20a0-\u20c0\u2100-\u214f\u2150-\u218b\u2190-\u2319\u2500-\u25fa\u25ff-\u2604"
    "\u2605-\u2612\u2700-\u2704\u2706-\u2709\u270e-\u2727\u2800-\u28ff\ufffd]*"
)
"""Letters and signs that every terminal draws in one cell."""
CHEAP = 4
"""Cells that take no more bytes than the order to step over them."""
AS_IT_IS = Pen(("as it is",))
"""Stands for the pens that a wide run brings along."""

Row = tuple[list[str | None], list[Pen]]
"""What each cell holds, and the pen it is drawn with."""


def unknown(width: int) -> Row:
    """Return a row of which nothing is known."""
    return [None] * width, [PLAIN] * width


@lru_cache(8192)
def _is_narrow(text: str) -> bool:
    return (text.isascii() and text.isprintable()) or NARROW.fullmatch(text) is not None


@lru_cache(4096)
def _run(text: str, style: Style | None, colours: ColorSystem) -> tuple[str, list[Pen]]:
    """Return the text and the pen of each of its cells; blanks at its ends are drawn with a pen for blanks."""
    pen = pen_of(style, colours)
    ground = blank(pen)
    left = len(text) - len(text.lstrip(" "))
    right = len(text) - max(left, len(text.rstrip(" ")))
    return text, [ground] * left + [pen] * (len(text) - left - right) + [ground] * right


def drawn(segments: list[Segment] | Strip, colours: ColorSystem) -> Row:
    """Return the cells of a run; where one of its letters may be of any width, all of it is one wide cell."""
    cells: list[str | None] = []
    pens: list[Pen] = []
    for text, style, _ in segments:
        if not _is_narrow(text):
            break
        letters, theirs = _run(text, style, colours)
        cells += letters
        pens += theirs
    else:
        return cells, pens
    whole = list(segments)
    width = sum(segment.cell_length for segment in whole)
    shown = [text if style is None else Strip.render_style(style, text, colours) for text, style, _ in whole]
    cells = ["".join(shown), *[""] * (width - 1)]
    return cells[:width], [blank(pen_of(whole[-1].style, colours))] * width


def cut(cells: list[str | None], at: int) -> None:
    """Take a wide cell that reaches over a column out of a row."""
    start = end = at
    if at < len(cells) and cells[at] == "":
        while start > 0 and cells[start] == "":
            start -= 1
        while end < len(cells) and cells[end] == "":
            end += 1
        cells[start:end] = [None] * (end - start)


def spans(wanted: Row, sent: Row) -> Iterator[tuple[int, int]]:
    """Yield the columns to send, from and to; what costs less to send again than to step over is among them."""
    (cells, pens), (old, old_pens) = wanted, sent
    if "" in cells or "" in old:  # what a terminal made of a wide run before, it alone knows
        yield 0, len(cells)
        return
    changed = [x for x, pen in enumerate(pens) if pen is not old_pens[x] or cells[x] != old[x]]
    if None in cells:
        changed = [x for x in changed if cells[x] is not None]
    if not changed:
        return
    tail = _blank_tail(cells, pens) if cells[changed[-1]] == " " else len(cells)
    start = end = changed[0]
    for x in changed:
        if x > end and not _is_cheap(end, x, cells, pens):
            yield start, end
            start = x
        if x >= tail:  # one order clears the blank end of a row
            yield start, len(cells)
            return
        end = x + 1
    yield start, end


def _blank_tail(cells: list[str | None], pens: list[Pen]) -> int:
    """Return the column from which on a row is blank in one colour."""
    x, ground = len(cells), pens[-1]
    while x > 0 and cells[x - 1] == " " and pens[x - 1] is ground:
        x -= 1
    return x


def _is_cheap(start: int, end: int, cells: list[str | None], pens: list[Pen]) -> bool:
    """Whether a few cells that stand there take fewer bytes than the order to step over them."""
    room, pen = end - start, pens[start - 1]
    if room > CHEAP or None in cells[start:end]:
        return False
    same = pens[start] is pen if room == 1 else pens[start:end].count(pen) == room
    return same and (room == 1 or "".join(cells[start:end]).isascii())  # type: ignore[arg-type]


def runs(start: int, end: int, cells: list[str | None], pens: list[Pen]) -> Iterator[tuple[int, str, Pen]]:
    """Yield column, text and pen of what is written at once; a wide run has the pen `AS_IT_IS`."""
    known = cells[start:end]
    if None in known or "" in known:
        for x, cell in enumerate(known, start):
            if cell:
                yield x, cell, pens[x] if len(cell) == 1 else AS_IT_IS
        return
    x = start
    while x < end:
        pen, until = pens[x], x + 1
        while until < end and pens[until] is pen:
            until += 1
        yield x, "".join(known[x - start : until - start]), pen  # type: ignore[arg-type]
        x = until
