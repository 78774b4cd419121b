"""The day's trial: one experiment a day, predicted first, with its own numbers; done, what came of it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.tui.screens.experiment import ExperimentScreen
from studyapp.tui.screens.experiment_parts import OUTCOME_STYLES, controls_line, said
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.chart_view import ChartView


class DailyScreen(ExperimentScreen):
    """Today's trial, or what came of it."""

    HELP = (
        "One experiment a day, with numbers drawn for the day. Predict with **← →**, say how sure you are with "
        "**1 2 3**, and **enter** runs it. On a day with nothing due it keeps your streak. Once it is done, **m** "
        "draws one more."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "more", "one more", id="daily.more", tooltip="The same experiment with other numbers"),
    ]

    def __init__(self) -> None:
        super().__init__("", {})
        self._extra = 0
        """How many further trials were asked for today."""

    def chosen(self) -> tuple[str, Mapping[str, Any]]:
        """Return the day's experiment with the day's numbers, or with others where one more was asked for."""
        from studyapp.experiments.catalog import experiment
        from studyapp.study.fresh import draw_controls, of_the_day

        assert self.desk is not None
        name, controls = of_the_day(self.desk)
        self.wanted = name
        if self._extra:
            controls = draw_controls(experiment(name), {}, f"more {self.desk.clock().study_day} {self._extra}")
        return name, controls

    def _show_place(self) -> None:
        self.top.show("today's trial")

    def _prepare(self) -> None:
        if self.desk is not None and not self._extra and self._show_done():
            return
        super()._prepare()
        if self.trial is not None:
            self.trial.daily = not self._extra

    def _show_done(self) -> bool:
        """Show the day's trial if it was done already; say whether it was."""
        from studyapp.study.fresh import trial_done
        from studyapp.study.run_pictures import figure_of

        assert self.desk is not None
        uid = trial_done(self.desk)
        run = None if uid is None else self.desk.store.run_of(uid)
        figure = None if run is None else figure_of(self.desk, run)
        if run is None or run.verdict is None or figure is None:
            return False
        verdict, told = run.verdict, self.desk.store.prediction_of(run.uid)
        glyph, style = OUTCOME_STYLES[verdict.outcome]
        controls = controls_line(run.controls)
        lines = [
            Content.assemble(("TODAY'S TRIAL IS DONE", "bold $s-sky"), (f"   {controls}", "$s-text")),
            Content.styled(clean_place(figure.title), "$s-muted"),
        ]
        self.query_one("#head", Static).update(Content("\n").join(lines))
        self.query_one("#chart", ChartView).show(figure)
        words = Content.assemble(
            *(
                [("you said ", "$s-muted"), (said(told.prediction.value, verdict.unit), "bold $s-you")]
                if told
                else []
            ),
            ((", measured " if told else "measured "), "$s-muted"),
            (said(verdict.measured, verdict.unit), "bold $s-bright"),
        )
        because = Content.assemble((f"{glyph} ", style), (clean_place(verdict.because), "$s-text"))
        self.query_one("#foot", Static).update(Content("\n").join([words, because]))
        self.show_keys()
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """One more is offered when the day's is done."""
        if action == "more":
            return self.trial is None or self.state == "done"
        return super().check_action(action, parameters)

    def action_more(self) -> None:
        """Draw other numbers for the day's experiment; this one does not count as the day's."""
        self._extra += 1
        try:
            self._prepare()
        except StudyError as error:
            self.say_why(error)

    def action_predict(self) -> None:
        """A new prediction is of new numbers."""
        self.action_more()
