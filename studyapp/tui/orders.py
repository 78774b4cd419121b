"""The orders a terminal takes: go there, draw with that pen, write, erase; as few bytes of them as will do."""

from __future__ import annotations

import re
from collections.abc import Mapping

from studyapp.tui.cells import AS_IT_IS, Row, runs
from studyapp.tui.pens import PLAIN, Pen, blank, change

FEWEST_ERASED = 8
"""Blanks that are worth an order to erase them and one to step over them."""
MANY_BLANKS = " " * FEWEST_ERASED
PARTS = re.compile(f"{MANY_BLANKS} *|.+?(?={MANY_BLANKS}|$)")
HOME_AND_CLEAR = "\x1b[H\x1b[J"
ERASE_IN_COLOUR = (
    "xterm", "linux", "rxvt", "alacritty", "foot", "wezterm", "ghostty", "konsole", "vte", "gnome", "iterm",
)  # fmt: skip
"""How the names of terminals begin that erase in the background's colour."""


def erases_in_colour(environ: Mapping[str, str]) -> bool:
    """Return whether the terminal gives erased cells the background that is set, as far as its name tells.

    GNU screen does not, nor did tmux long ago; of itself tmux tells its name since it does.
    """
    if environ.get("TERM_PROGRAM") == "tmux":
        return True
    name = environ.get("TERM", "")
    return name.startswith(ERASE_IN_COLOUR) and not any(environ.get(name) for name in ("STY", "TMUX"))


class Orders:
    """Writes spans of cells with as few orders to the terminal as they take."""

    def __init__(self, width: int, erases_in_colour: bool) -> None:
        self._parts: list[str] = []
        self._width = width
        self._erases_in_colour = erases_in_colour
        self._row = self._x = -1
        self._pen = PLAIN

    def text(self) -> str:
        """Return what was written; the terminal draws plainly after it."""
        self._use(PLAIN)
        return "".join(self._parts)

    def clear(self, ground: Pen) -> bool:
        """Clear the screen in a colour, if the terminal can."""
        if not self._erases(ground):
            return False
        self._use(ground)
        self._parts.append(HOME_AND_CLEAR)
        self._row = self._x = 0
        return True

    def span(self, row: int, start: int, end: int, wanted: Row) -> None:
        """Write the cells of a row from one column to another."""
        for x, text, pen in runs(start, end, *wanted):
            if pen is AS_IT_IS:
                self._wide(row, x, text, wanted)
            elif len(text) < FEWEST_ERASED or MANY_BLANKS not in text or not self._erases(pen):
                self._draw(row, x, text, pen)
            else:
                self._with_erased(row, x, text, pen)

    def _wide(self, row: int, x: int, text: str, wanted: Row) -> None:
        """Write a wide run over erased cells: where a terminal draws it narrower, nothing old stays behind it."""
        cells, pens = wanted
        end = next((at for at in range(x + 1, len(cells)) if cells[at] != ""), len(cells))
        self._go(row, x)
        self._use(pens[x] if self._erases(pens[x]) else PLAIN)
        self._parts.append("\x1b[K" if end == self._width else f"\x1b[{end - x}X")
        self._use(PLAIN)
        self._parts.append(text)
        self._row = -1  # where the cursor is now, the terminal alone knows

    def _draw(self, row: int, x: int, text: str, pen: Pen) -> None:
        self._go(row, x)
        if pen is not self._pen and not (text.isspace() and blank(self._pen) is pen):
            self._use(pen)
        self._parts.append(text)
        self._x += len(text)  # after the last column terminals differ; nothing is written on from there

    def _with_erased(self, row: int, x: int, text: str, pen: Pen) -> None:
        """Write a text, and erase where it is blank for long."""
        for part in PARTS.findall(text):
            if part.startswith(MANY_BLANKS):
                self._go(row, x)
                self._use(blank(pen))
                self._parts.append("\x1b[K" if x + len(part) == self._width else f"\x1b[{len(part)}X")
            else:
                self._draw(row, x, part, pen)
            x += len(part)

    def _erases(self, pen: Pen) -> bool:
        """Whether erasing draws the blanks that this pen draws."""
        pen = blank(pen)
        return pen == PLAIN or (self._erases_in_colour and not pen.codes and not pen.link)

    def _use(self, pen: Pen) -> None:
        if pen is not self._pen:
            self._parts.append(change(self._pen, pen))
            self._pen = pen

    def _go(self, row: int, x: int) -> None:
        if row != self._row or x < self._x:
            self._parts.append(f"\x1b[{row + 1};{x + 1}H" if x else f"\x1b[{row + 1}H" if row else "\x1b[H")
        elif x > self._x:
            self._parts.append("\x1b[C" if x == self._x + 1 else f"\x1b[{x - self._x}C")
        self._row, self._x = row, x
