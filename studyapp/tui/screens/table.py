"""A figure as words and a table: what a screen reader or a sceptic wants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.chart.words import format_table, render_text, table
from studyapp.core.figures import Figure
from studyapp.tui.margins import page_width
from studyapp.tui.screens.scrolled import ScrolledScreen


class TableScreen(ScrolledScreen):
    """The same points as the chart, in rows."""

    PLACE = "points"
    HELP = "The points behind the chart. A basis is named where a number was not measured here."
    DEFAULT_CSS = "TableScreen VerticalScroll { margin: 1 2 0 3; height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll(1)", "scroll", key_display="↑ ↓", id="table.down", tooltip="A line down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="table.up", tooltip="A line up"),
        Binding("pagedown,space,ctrl+d", "page(1)", "", show=False, id="table.page", tooltip="A page down"),
        Binding("pageup,ctrl+u", "page(-1)", "", show=False, id="table.pageback", tooltip="A page up"),
        Binding("home,g", "edge(0)", "", show=False, id="table.top", tooltip="To the top"),
        Binding("end,G", "edge(1)", "", show=False, id="table.end", tooltip="To the end"),
        Binding("q,escape,t", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self.figure = figure

    def compose(self) -> ComposeResult:
        """Lay out the words and the table."""
        yield self.top
        with VerticalScroll(can_focus=False):
            yield Static("", id="points", markup=False)
        yield self.keys

    def on_resize(self, event: events.Resize) -> None:
        """Choose the columns that stand side by side."""
        width = page_width(event.size.width)
        title, *rest = [Content(line) for line in render_text(self.figure)]
        lines = [title.stylize("bold $s-bright"), *rest]
        for block in side_by_side(table(self.figure), width):
            head, *rows = format_table(block)
            lines += [Content(""), Content.styled(head, "$s-muted"), *(Content(row) for row in rows)]
        self.query_one("#points", Static).update(Content("\n").join(lines))


def side_by_side(rows: Sequence[Sequence[str]], width: int) -> list[list[list[str]]]:
    """Return a table as tables no wider than that, each with the first column: a row is never wrapped."""
    blocks: list[list[int]] = []
    for series in _series(rows[0] if rows else ()):
        longer = [*(blocks[-1] if blocks else [0]), *series]
        if blocks and max(cell_len(line) for line in format_table(_chosen(rows, longer))) <= width:
            blocks[-1] = longer
        else:
            blocks.append([0, *series])
    return [_chosen(rows, block) for block in blocks]


def _series(head: Sequence[str]) -> list[list[int]]:
    """Return the columns after the first, those of one series together: "gpu", "gpu spread", "gpu basis"."""
    found: list[list[int]] = []
    for column in range(1, len(head)):
        if found and head[column].startswith(f"{head[found[-1][0]]} "):
            found[-1].append(column)
        else:
            found.append([column])
    return found


def _chosen(rows: Sequence[Sequence[str]], columns: Sequence[int]) -> list[list[str]]:
    return [[row[c] for c in columns] for row in rows]
