"""A trial on screen: predict, watch it being measured, read the verdict; one frame, only the contents change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.core.figures import Mark, draw
from studyapp.tui.app import DeskReady
from studyapp.tui.screens.experiment_course import TrialCourse
from studyapp.tui.screens.experiment_parts import (
    SETUP_ROWS,
    expectation,
    head,
    how_sure,
    result,
    slider,
    why_lines,
)
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.chart_view import ChartView

if TYPE_CHECKING:
    from studyapp.core.cards import ExperimentLink

LOW, FLAT, THIN, WIDE, TALL = 22, 16, 50, 100, 28
"""Rows and columns below which blank rows and margins are given up, and from which there are wider ones."""


class ExperimentScreen(TrialCourse):
    """One experiment with its controls; leaving it cancels a run."""

    CSS_PATH = "experiment.tcss"
    HELP = (
        "Commit to a number with **← →**, say how sure you are with **1 2 3** (each means an 80 % range: a factor "
        "of 10, 2 or 1.25 either way), then **enter** runs it. The verdict is computed from the points you see. "
        "A dashed line was not measured here: it is assumed, simulated or counted on paper, and named so. "
        "Your prediction never changes the grade of the card."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "move(-1)", "move", key_display="← →", id="predict.less", tooltip="A smaller number"),
        Binding("right,l", "move(1)", "", show=False, id="predict.more", tooltip="A larger number"),
        Binding("shift+left,H", "move(-5)", "", show=False, id="predict.muchless", tooltip="Much smaller"),
        Binding("shift+right,L", "move(5)", "", show=False, id="predict.muchmore", tooltip="Much larger"),
        Binding("1", "sure(0)", "how sure", key_display="1 2 3", id="sure.guess", tooltip="A guess: within x10"),
        Binding("2", "sure(1)", "", show=False, id="sure.fairly", tooltip="Fairly sure: within x2"),
        Binding("3", "sure(2)", "", show=False, id="sure.certain", tooltip="Certain: within x1.25"),
        Binding("n", "never", "never", id="predict.never", tooltip="It never happens"),
        Binding("y", "gpu('yes')", "use the GPU", id="gpu.yes", tooltip="Let experiments use this host's GPU"),
        Binding("o", "gpu('no')", "only the CPU", id="gpu.no", tooltip="Keep experiments off this host's GPU"),
        Binding("enter", "run", "run", id="trial.run", tooltip="Commit the number and run"),
        Binding("r", "again", "run again", id="trial.again", tooltip="Run again with the same controls"),
        Binding("p", "predict", "predict again", id="trial.predict", tooltip="Make a new prediction"),
        Binding("w", "why", "why?", id="trial.why", tooltip="Take the named cause away and look again"),
        Binding("tab", "next_link", "next trial", id="trial.next", tooltip="The next trial of this card"),
        Binding("exclamation_mark", "correct", "", show=False, id="trial.correct", tooltip="Correct the card"),
        Binding("t", "table", "table", id="trial.table", show=False, tooltip="The points as a table"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back; cancels a run"),
    ]

    def __init__(
        self,
        experiment: str,
        controls: Mapping[str, Any],
        *,
        card: str | None = None,
        links: Sequence[ExperimentLink] = (),
        showing: str = "",
    ) -> None:
        super().__init__()
        self.wanted = experiment
        self.wanted_controls = dict(controls)
        self.card = card
        self.links = list(links)
        """All trials of the card or section; tab goes from one to the next."""
        self.link_at = 0
        self.showing = showing
        """The showing of a card that the numbers are drawn for; empty: exactly the controls named."""
        self.draws = 0
        """How often new numbers were asked for in this showing."""
        self._drawn: dict[str, Mapping[str, Any]] = {}

    def compose(self) -> ComposeResult:
        """Lay out head, chart and foot."""
        yield self.top
        yield Static("", id="head", markup=False)
        yield ChartView(id="chart", ascii_only=self.study.settings.ascii)
        yield Static("", id="foot", markup=False)
        yield self.keys

    @classmethod
    def of(cls, links: Sequence[ExperimentLink], card: str | None = None, showing: str = "") -> ExperimentScreen:
        """Return the screen for a card's or a section's trials, the first one in front."""
        return cls(links[0].experiment, dict(links[0].controls), card=card, links=links, showing=showing)

    def begin(self) -> None:
        """Ask for the prediction."""
        super().begin()
        self._show_place()
        if self.desk is not None:
            self._prepare()

    def _show_place(self) -> None:
        many = f"   {self.link_at + 1} of {len(self.links)}" if len(self.links) > 1 else ""
        self.top.show(f"experiment › {self.wanted}{many}")

    def action_next_link(self) -> None:
        """Go to the next trial of this card or section."""
        self.link_at = (self.link_at + 1) % len(self.links)
        link = self.links[self.link_at]
        self.wanted, self.wanted_controls = link.experiment, dict(link.controls)
        self._show_place()
        self._prepare()

    def chosen(self) -> tuple[str, Mapping[str, Any]]:
        """Return the experiment and its controls: those named, drawn anew where the showing asks for it.

        Raises:
            StudyError: If there is no such experiment or control.
        """
        if not self.showing:
            return self.wanted, self.wanted_controls
        from studyapp.study.fresh import controls_for

        assert self.desk is not None
        key = f"{self.showing}/{self.link_at}/{self.draws}"
        if key not in self._drawn:
            self._drawn[key] = controls_for(self.desk, self.wanted, self.wanted_controls, key)
        return self.wanted, self._drawn[key]

    @on(DeskReady)
    def _ready(self) -> None:
        self._prepare()

    def _prepare(self) -> None:
        from studyapp.study.experimenting import Trial
        from studyapp.study.predicting import candidates

        assert self.desk is not None
        self.why, self.trial, self.options = None, None, []
        try:
            experiment, controls = self.chosen()
            self.trial = Trial(
                self.desk,
                experiment,
                controls,
                card=self.card,
                device=self.study.settings.device,
                time_limit_s=self.study.settings.time_limit,
            )
        except StudyError as error:
            text = Content.assemble((error.message, "bold $s-again"), "\n", (error.hint, "$s-muted"))
            self.query_one("#head", Static).update(text)
            self.query_one("#foot", Static).update("")
            self.show_keys()
            return
        self.options = candidates(experiment)
        self.value = self.options[len(self.options) // 2]
        self.greet(experiment)
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the margins and draw again."""
        width, height = event.size
        self.set_class(height < LOW, "-low")
        self.set_class(height < FLAT, "-flat")
        self.set_class(height >= TALL, "-tall")
        self.set_class(width < THIN, "-thin")
        self.set_class(width >= WIDE and height >= LOW, "-wide")
        self.call_after_refresh(self.paint)

    # painting

    def paint(self) -> None:
        """Repaint head, chart and foot from the trial."""
        if self.trial is None:
            return
        device = self.trial.where if self.state not in ("predicting", "starting") else ""
        width = max(10, self.query_one("#foot").size.width or 74)
        rows = 1 if self.has_class("-low") else SETUP_ROWS
        self.query_one("#head", Static).update(
            head(self.trial, self.state, device, width, rows, airy=self.size.height >= TALL)
        )
        self._paint_chart()
        self.query_one("#foot", Static).update(self._foot(width))
        self.show_keys()

    def _paint_chart(self) -> None:
        assert self.trial is not None
        chart, plot = self.query_one("#chart", ChartView), self.trial.experiment.plot
        if self.state == "predicting":
            marks = []
            if plot.predict_axis and self.value is not None:
                marks = [Mark("prediction", self.value, "you", plot.predict_axis)]
            figure = draw(self.trial.experiment.question, plot, [], marks=marks, sentence=plot.subtitle)
        else:
            figure = self.trial.figure()
        hint = self.trial.experiment.predicts if plot.predict_axis == "x" else None
        chart.told = self.state in ("done", "failed")  # the sentence stands below
        chart.show(figure, x_range=hint)
        # without a point there is nothing to draw
        self.set_class(self.state in ("refused", "failed") and not self.trial.points, "-nothing")

    def _foot(self, width: int) -> Content:
        assert self.trial is not None
        if self.asking:
            return Content.assemble(
                ("This machine has a GPU. Use it for short experiments?\n", "bold $s-bright"),
                ("y", "bold $s-bright"),
                (" yes, on this host   ", "$s-muted"),
                ("o", "bold $s-bright"),
                (" only the CPU   (asked once; `studyapp doctor` shows the answer)", "$s-muted"),
            )
        if self.settling:
            return Content.styled("starting torch ...", "$s-muted")
        if self.state == "predicting":
            unit = self.trial.experiment.unit
            lines = [slider(self.value, self.options, width, unit), how_sure(self.sure)]
            return Content("\n").join([*lines, expectation(self.trial.experiment, self.greeting, width)])
        if self.state in ("starting", "running"):
            count = len(self.trial.points)
            words = f"{count} measurements so far." if count else "warming up ..."
            return Content.assemble((words, "$s-text"), (f"  {clean_place(self.trial.note)}", "$s-muted"))
        if self.why is not None and self.trial.verdict is not None:
            return why_lines(self.why, width)
        notes = self.trial.figure().notes
        text = result(self.trial, width)
        return Content.assemble(text, "\n", (" ".join(notes), "$s-muted")) if notes else text

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now is offered."""
        predicting = self.state == "predicting" and not self.asking and not self.settling
        if action == "gpu":
            return self.asking
        if action == "never":
            return predicting and self.trial is not None and self.trial.experiment.can_never
        if action in ("move", "sure", "run"):
            return predicting and self.trial is not None
        if action == "next_link":
            still = self.state not in ("starting", "running") and not self.asking and not self.settling
            return len(self.links) > 1 and still
        if action == "why":
            return self.state == "done" and self.why is None and self.has_cause
        if action == "correct":
            return self.card is not None and self.state == "done"
        if action in ("again", "predict", "table"):
            return self.state not in ("predicting", "starting", "running")
        return True

    def action_predict(self) -> None:
        """Make a new prediction; for a card's showing, of new numbers."""
        self.draws += 1
        self._prepare()

    def action_correct(self) -> None:
        """Write down what is wrong on the card; this run goes along."""
        from studyapp.tui.screens.correction import CorrectionScreen

        if self.card is not None and self.trial is not None:
            self.app.push_screen(CorrectionScreen(self.card, self.trial.run_uid))

    def action_table(self) -> None:
        """Show the points as a table in place of the chart's words."""
        from studyapp.tui.screens.table import TableScreen

        if self.trial is not None:
            self.app.push_screen(TableScreen(self.trial.figure()))
