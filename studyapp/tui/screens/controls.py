"""An experiment's controls, to be changed before it runs, with what the run will cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from studyapp.experiments.claim import Value
from studyapp.study.estimating import Estimate, estimate, sensible_values, timed_runs
from studyapp.study.lab import Entry, Machine, day_words, value_words
from studyapp.tui.margins import page_width
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.controls_parts import cost_lines, settings_line
from studyapp.tui.screens.experiment_parts import said
from studyapp.tui.screens.lab_parts import SHORT_WORDS
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.store.records import StoredRun

NARROW, LOW = 50, 18


class ControlsScreen(StudyScreen):
    """One row for each control; the values change with ← →."""

    DEFAULT_CSS = """
    ControlsScreen #head, ControlsScreen #rows, ControlsScreen #cost { margin: 1 2 0 3; height: auto; }
    ControlsScreen.-narrow #head, ControlsScreen.-narrow #rows, ControlsScreen.-narrow #cost { margin: 1 1 0 1; }
    ControlsScreen.-low #head, ControlsScreen.-low #rows, ControlsScreen.-low #cost { margin: 0 1 0 1; }
    """
    HELP = (
        "Choose a control with **↑ ↓** and change it with **← →**; **d** puts the experiment's own values back. "
        "The time is that of your own runs on this machine, or scaled between two that differ in one control; "
        "where there are none, it says so. The memory is what the experiment reckons it will allocate. **enter** "
        "goes on to your prediction."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "run", id="controls.open", tooltip="Predict, then run with these"),
        Binding("down,j", "move(1)", "choose", key_display="↑ ↓", id="controls.down", tooltip="The next control"),
        Binding("up,k", "move(-1)", "", show=False, id="controls.up", tooltip="The control before"),
        Binding("left,h", "change(-1)", "change", key_display="← →", id="controls.less", tooltip="A value back"),
        Binding("right,l", "change(1)", "", show=False, id="controls.more", tooltip="The next value"),
        Binding("home", "change(-1000)", "", show=False, id="controls.least", tooltip="The smallest value"),
        Binding("end", "change(1000)", "", show=False, id="controls.most", tooltip="The largest value"),
        Binding("d", "defaults", "its own values", id="controls.defaults", tooltip="The experiment's own values"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back; the values are kept"),
    ]

    def __init__(self, entry: Entry, machine: Machine | None, chosen: dict[str, Value]) -> None:
        """Prepare.

        Args:
            entry: The experiment as the Lab knows it.
            machine: The machine it will run on, None where no worker has reported.
            chosen: The controls as they stand; changed in place, so that the Lab keeps them.
        """
        super().__init__()
        self.entry = entry
        self.experiment = entry.experiment
        self.machine = machine
        self.chosen = chosen
        self.at = 0
        self.history: tuple[StoredRun, ...] = entry.history

    def compose(self) -> ComposeResult:
        """Lay out the question, the rows and the cost."""
        yield self.top
        yield Static("", id="head", markup=False)
        yield Static("", id="rows", markup=False)
        yield Static("", id="cost", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Show the experiment's controls."""
        self.top.show(f"lab › {self.experiment.id} › controls")
        self.paint()

    def on_screen_resume(self) -> None:
        """A run may have ended: what it took is news."""
        if self.desk is not None:
            runs = self.desk.store.runs(self.experiment.id)
            self.history = tuple(run for run in runs if run.verdict is not None)
            self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the margins and draw again."""
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.height < LOW, "-low")
        self.call_after_refresh(self.paint)

    @property
    def cost(self) -> Estimate:
        """What a run with these controls will cost."""
        assert self.desk is not None
        runs = timed_runs(self.desk, self.history, self.machine)
        return estimate(self.experiment, self.chosen, runs, limit_s=self.study.settings.time_limit)

    def paint(self) -> None:
        """Repaint everything."""
        if not self.is_mounted or self.desk is None:
            return
        width = max(10, self.size.width - 2) if self.has_class("-narrow") else page_width(self.size.width or 80)
        low = self.has_class("-low")
        head = Content.styled(clean_place(self.experiment.question), "bold $s-bright").wrap(width)
        if not low:
            head += Content.styled(clean_place(self.experiment.setup), "$s-muted").wrap(width)
        self.query_one("#head", Static).update(Content("\n").join(line.rstrip() for line in head))
        self.query_one("#rows", Static).update(self._rows(width, low))
        self.query_one("#cost", Static).update(self._cost(width))
        self.show_keys()

    def _rows(self, width: int, low: bool) -> Content:
        lines: list[Content] = []
        widest = max(len(control.name) for control in self.experiment.controls)
        for index, control in enumerate(self.experiment.controls):
            here = index == self.at
            values = sensible_values(control, self.chosen[control.name])
            line = settings_line(control.name.ljust(widest), values, self.chosen[control.name], here, width)
            lines.append(line)
            if not low or here:
                words = " " * (widest + 6) + clean_place(control.help)
                if self.chosen[control.name] != control.default:
                    words += f"; its own value is {value_words(control.default)}"
                lines.append(Content.styled(words, "$s-muted").truncate(width, ellipsis=True))
        return Content("\n").join(lines)

    def _cost(self, width: int) -> Content:
        lines = cost_lines(self.cost, width)
        known = next((run for run in self.history if dict(run.controls) == self.chosen), None)
        if known is not None and known.verdict is not None and self.desk is not None:
            found = SHORT_WORDS[known.verdict.outcome]
            if known.verdict.measured is not None or known.verdict.never:
                found += f", {said(known.verdict.measured, self.experiment.unit)}"
            when = day_words(self.desk, known.started_at_ms)
            words = f"with these it was: {found} ({when} on {clean_place(known.device)})"
            lines += Content.styled(words, "$s-text").wrap(width)
        return Content("\n").join(line.rstrip() for line in lines)

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something is offered."""
        if action == "move":
            return len(self.experiment.controls) > 1
        if action == "defaults":
            return any(self.chosen[c.name] != c.default for c in self.experiment.controls)
        return True

    def action_move(self, step: int) -> None:
        """Choose another control."""
        self.at = max(0, min(len(self.experiment.controls) - 1, self.at + step))
        self.paint()

    def action_change(self, step: int) -> None:
        """Change the control under the cursor."""
        control = self.experiment.controls[self.at]
        values = sensible_values(control, self.chosen[control.name])
        at = values.index(self.chosen[control.name]) + step
        self.chosen[control.name] = values[max(0, min(len(values) - 1, at))]
        self.paint()

    def action_defaults(self) -> None:
        """Put the experiment's own values back."""
        self.chosen.update(self.experiment.parse_controls({}))
        self.paint()

    def action_open(self) -> None:
        """Go on to the prediction."""
        from studyapp.tui.screens.experiment import ExperimentScreen

        given: dict[str, Any] = dict(self.chosen)
        self.app.push_screen(ExperimentScreen(self.experiment.id, given))
