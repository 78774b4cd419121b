"""What was last measured here, in what room a large window leaves."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from studyapp.core.figures import Figure
from studyapp.tui.widgets.chart_view import ChartView


class LastPicture(Vertical):
    """A figure below what it says; made once there is one, since it brings the chart."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__(id="last")
        self._title = Static("", id="lasttitle", markup=False)
        self._chart = ChartView(ascii_only=ascii_only)

    def compose(self) -> ComposeResult:
        """Lay out the words above the picture."""
        yield self._title
        yield self._chart

    def show(self, figure: Figure, words: Content) -> None:
        """Show a figure below its words."""
        self._title.update(words)
        self._chart.show(figure)
