"""Two emulated terminals: one is sent all that Textual writes, the other what differs. They must look alike."""

from __future__ import annotations

import re
from typing import Any

import pyte
from rich.color import ColorSystem
from rich.console import Console
from textual._compositor import CompositorUpdate

from studyapp.tui.canvas import Canvas

CONSOLE = Console(color_system="truecolor", force_terminal=True)
OF_TEXTUAL = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\")
"""Links, which the emulator would print."""
SHOWN_ON_BLANKS = ("bg", "underscore", "strikethrough", "reverse")
NO_WRAP = "\x1b[?7l"


class Twins:
    """Takes updates, feeds both terminals, and says where they differ."""

    def __init__(self, width: int, height: int, *, erases_in_colour: bool = True) -> None:
        self.canvas = Canvas(erases_in_colour=erases_in_colour)
        self.full = pyte.Screen(width, height)
        self.less = Erasing(width, height)
        self.less.erases_in_colour = erases_in_colour
        self.streams = [pyte.Stream(self.full), pyte.Stream(self.less)]
        for stream in self.streams:
            stream.feed(NO_WRAP)
        self.sizes = [0, 0]

    def take(self, update: CompositorUpdate, console: Console = CONSOLE) -> None:
        """Send an update both ways."""
        assert self.canvas.take(update, console._color_system or ColorSystem.TRUECOLOR)
        texts = [update.render_segments(console), self.canvas.difference()]
        for at, (stream, text) in enumerate(zip(self.streams, texts, strict=True)):
            stream.feed(OF_TEXTUAL.sub("", text))
            self.sizes[at] += len(text.encode())

    def resize(self, width: int, height: int) -> None:
        """Give both windows another size."""
        for screen in (self.full, self.less):
            screen.resize(height, width)

    def scribble(self, words: str = "wall: the machine goes down") -> None:
        """Let another program write on the second terminal."""
        self.streams[1].feed(f"\x1b[2;3H\x1b[7m{words}\x1b[m")

    def differing(self) -> list[tuple[int, int, Any, Any]]:
        """Return row, column and both cells wherever they do not look alike."""
        return [
            (y, x, self.full.buffer[y][x], self.less.buffer[y][x])
            for y in range(self.full.lines)
            for x in range(self.full.columns)
            if look(self.full.buffer[y][x]) != look(self.less.buffer[y][x])
        ]


class Erasing(pyte.Screen):  # type: ignore[misc]
    """A terminal that erases in the background that is set, or in its own.

    The emulator by itself colours only the cells that something was written in.
    """

    erases_in_colour = True

    def erase_in_display(self, how: int = 0, *words: Any, **more: Any) -> None:
        """Erase from the cursor on, the only way that is used."""
        assert how == 0
        self.erase_in_line(0)
        for row in range(self.cursor.y + 1, self.lines):
            for column in range(self.columns):
                self.buffer[row][column] = self._erased()

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """Erase the rest of a row, the only way that is used."""
        assert how == 0
        self.erase_characters(self.columns)

    def erase_characters(self, count: int | None = None) -> None:
        """Erase cells."""
        for column in range(self.cursor.x, min(self.columns, self.cursor.x + (count or 1))):
            self.buffer[self.cursor.y][column] = self._erased()

    def _erased(self) -> Any:
        ground = self.cursor.attrs.bg if self.erases_in_colour else "default"
        return self.default_char._replace(bg=ground)


def look(cell: Any) -> tuple[Any, ...]:
    """Return what can be seen of a cell: on a blank, no colour of ink."""
    if cell.data == " ":
        seen = tuple(getattr(cell, name) for name in SHOWN_ON_BLANKS)
        return (" ", *seen, cell.fg if cell.underscore or cell.strikethrough or cell.reverse else None)
    return tuple(cell)
