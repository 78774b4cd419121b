"""What a card's experiment last measured here, beside the card in a large window."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from studyapp.core.figures import Figure
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.chart_view import ChartView


class LastPicture(Vertical):
    """A figure under its title and its sentence."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__(id="last")
        self._title = Static("", id="lasttitle", markup=False)
        self._chart = ChartView(ascii_only=ascii_only)

    def compose(self) -> ComposeResult:
        """Lay out the words above the picture."""
        yield self._title
        yield self._chart

    def show(self, figure: Figure) -> None:
        """Show a figure."""
        words = f"{clean_place(figure.title)}   {clean_place(figure.sentence)}"
        self._title.update(Content.styled(words, "$s-muted"))
        self._chart.show(figure)
        self.display = True
