"""All experiments, each with its claim and its last verdict here; enter opens one."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.core.verdicts import OUTCOME_WORDS
from studyapp.experiments.catalog import experiments
from studyapp.store.records import StoredRun
from studyapp.tui.app import DeskReady
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.experiment_parts import OUTCOME_STYLES


class TrialsScreen(StudyScreen):
    """A list with a cursor."""

    PLACE = "experiments"
    HELP = "Every statement of the lesson that can be tried here. **enter** opens one; the prediction comes first."
    DEFAULT_CSS = "TrialsScreen VerticalScroll { margin: 1 2 0 3; height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,x", "open", "open", key_display="enter", id="trials.open"),
        Binding("down,j", "move(1)", "choose", key_display="↑ ↓", id="trials.down"),
        Binding("up,k", "move(-1)", "", show=False, id="trials.up"),
        Binding("q,escape", "back", "back", id="back", key_display="q"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.at = 0
        self.all = experiments()

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        yield self.top
        with VerticalScroll(can_focus=False):
            yield Static("", id="list", markup=False)
        yield self.keys

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again."""
        self.paint()

    def on_screen_resume(self) -> None:
        """A verdict may have come."""
        self.paint()

    @on(DeskReady)
    def _ready(self) -> None:
        self.paint()

    def paint(self) -> None:
        """Repaint the list."""
        if self.desk is None:
            return
        width = max(24, (self.size.width or 80) - 6)
        lines: list[Content] = []
        for index, experiment in enumerate(self.all):
            here = index == self.at
            bar = ("▌ ", "$s-sky") if here else ("  ", "")
            last = self.desk.store.last_run(experiment.id)
            name = Content.assemble(
                bar, (experiment.id.ljust(18), "bold $s-bright" if here else "$s-text"), self._verdict(last)
            )
            lines.append(name)
            claim = Content.styled(experiment.claim, "$s-muted").wrap(width - 4)
            lines += [Content.assemble(bar, "  ", line.rstrip()) for line in claim]
        self.query_one("#list", Static).update(Content("\n").join(lines))
        self.query_one(VerticalScroll).scroll_to(y=max(0, 2 * self.at - 4), animate=False)

    def _verdict(self, run: StoredRun | None) -> Content:
        if run is None or run.verdict is None:
            return Content.styled("not run yet", "$s-muted")
        glyph, style = OUTCOME_STYLES[run.verdict.outcome]
        return Content.assemble(
            (f"{glyph} {OUTCOME_WORDS[run.verdict.outcome]}", style), (f"   {run.device}", "$s-muted")
        )

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        self.at = max(0, min(len(self.all) - 1, self.at + step))
        self.paint()

    def action_open(self) -> None:
        """Open the experiment."""
        from studyapp.tui.screens.experiment import ExperimentScreen

        self.app.push_screen(ExperimentScreen(self.all[self.at].id, {}))
