"""What a command does, told where the mouse rests; made when it first does, so that nobody else pays for it.

The words are those of the command's binding, as in help and palette. Nothing needs them: they go at the next key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding
from textual.content import Content
from textual.geometry import Offset
from textual.timer import Timer

from studyapp.tui.commands import keys_of, named
from studyapp.tui.widgets.bars import KeyBar
from studyapp.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from studyapp.tui.screens.base import StudyScreen

DELAY_S = 0.4
"""How long the mouse must rest: what it only passes over says nothing."""
NARROWEST, LOWEST = 20, 4
"""Columns and rows a window must have: below, words would cover what they tell of."""

INDENT = 6
"""How far in the words of a list's row begin: at its margin stands the sign of the cursor."""


class Told(NamedTuple):
    """What is told of a place, and where that place is."""

    said: tuple[tuple[str, str], ...]
    """(keys, words), a row each."""
    column: int
    row: int


class Hint(Lines):
    """Rows over the others, above the place they tell of or below it, with a bar at their left."""

    DEFAULT_CSS = "Hint { layer: hint; position: absolute; display: none; background: $s-panel; }"

    def __init__(self) -> None:
        super().__init__()
        self.told: Told | None = None
        """What the mouse points at."""
        self._waits: Timer | None = None

    def point(self, told: Told | None) -> None:
        """Take in what the mouse points at; it is told once the mouse has rested there."""
        if told == self.told:
            return
        self.go()
        self.told = told
        if told is not None:
            self._waits = self.set_timer(DELAY_S, self._tell)

    def go(self) -> None:
        """Tell nothing any more."""
        if self._waits is not None:
            self._waits.stop()
            self._waits = None
        self.told = None
        self.display = False

    def _tell(self) -> None:
        width, height = self.screen.size
        if self.told is None or width < NARROWEST or height < LOWEST:
            return
        lines = rows_of(self.told.said, width)
        below = height - 1 - self.told.row >= len(lines)
        if not below:
            lines = lines[: max(1, self.told.row - 1)]  # the first row stays as it is
        broad = lines[0].cell_length
        self.show(lines)
        self.styles.width, self.styles.height = broad, len(lines)
        top = self.told.row + 1 if below else self.told.row - len(lines)
        self.absolute_offset = Offset(max(0, min(self.told.column, width - broad)), top)
        self.display = True


def rows_of(said: Sequence[tuple[str, str]], width: int) -> list[Content]:
    """Return rows of keys and words, the words under each other and wrapped where they must be."""
    lead = min(max(len(keys) for keys, _ in said), width // 3)
    rows = []
    for keys, words in said:
        first = keys if len(keys) <= lead else keys[: lead - 1] + "…"
        for line in Content.styled(words, "$s-text").wrap(max(8, width - lead - 5)):
            key = (first.ljust(lead), "bold $s-bright")
            rows.append(Content.assemble(("▌ ", "$s-sky"), key, "  ", line.rstrip(), " "))
            first = ""
    broad = max(row.cell_length for row in rows)
    return [row.pad_right(broad - row.cell_length) for row in rows]


def told_at(screen: StudyScreen, column: int, row: int) -> Told | None:
    """Return what is to be told of a place: what its keys do in the last row, what a click does in a list."""
    widget, region = screen.get_widget_at(column, row)
    if isinstance(widget, KeyBar):
        start, keys = widget.keys_at(column - region.x)
        said = tuple(told for key in keys if (told := _said(_binding(screen, key))) is not None)
        return Told(said, region.x + start, row) if said else None
    if isinstance(widget, Lines) and widget.id == "list":
        click = screen.click_at(row - region.y)
        return Told((click,), region.x + INDENT, row) if click is not None else None
    return None


def _binding(screen: StudyScreen, key: str) -> Binding | None:
    """Return what a key does now."""
    for binding in screen.bindings_here():
        if key in keys_of(binding.key) and screen.offers(binding):
            return binding
    return None


def _said(binding: Binding | None) -> tuple[str, str] | None:
    """Return a binding's keys as a person reads them, and its words."""
    if binding is None or not (words := binding.tooltip or binding.description):
        return None
    return ", ".join(named(key) for key in keys_of(binding.key)), words
