"""A figure as words and a table: what a screen reader or a sceptic wants."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.chart.words import format_table, render_text, table
from studyapp.core.figures import Figure
from studyapp.tui.screens.scrolled import ScrolledScreen


class TableScreen(ScrolledScreen):
    """The same points as the chart, in rows."""

    PLACE = "points"
    HELP = "The points behind the chart. A basis is named where a number was not measured here."
    DEFAULT_CSS = "TableScreen VerticalScroll { margin: 1 2 0 3; height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll(1)", "scroll", key_display="↑ ↓", id="table.down", tooltip="A line down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="table.up", tooltip="A line up"),
        Binding("q,escape,t", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self.figure = figure

    def compose(self) -> ComposeResult:
        """Lay out the words and the table."""
        words = [Content(line) for line in render_text(self.figure)]
        rows = [Content.styled(line, "$s-text") for line in format_table(table(self.figure))]
        yield self.top
        with VerticalScroll(can_focus=False):
            yield Static(Content("\n").join([*words, Content(""), *rows]), markup=False)
        yield self.keys
