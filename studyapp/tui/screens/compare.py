"""Two runs of one experiment in one chart, and one sentence about them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.experiment_parts import OUTCOME_STYLES, said
from studyapp.tui.screens.lab_parts import FULL, SHORT_WORDS, fitted
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.chart_view import ChartView
from studyapp.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from studyapp.study.comparing import Compared
    from studyapp.study.lab import Machine
    from studyapp.study.run_list import Listed

FLAT, LOW = 16, 22


class CompareScreen(StudyScreen):
    """The runs as a list, two of them marked; their chart below."""

    DEFAULT_CSS = """
    CompareScreen #runs { height: 1; margin: 1 2 0 3; }
    CompareScreen ChartView { height: 1fr; margin: 1 2 0 3; }
    CompareScreen #foot { height: auto; max-height: 5; margin: 1 2 1 3; }
    CompareScreen.-flat #runs { margin: 0 1 0 1; }
    CompareScreen.-flat ChartView { display: none; }
    CompareScreen.-flat #foot { margin: 1 1 0 1; }
    """
    HELP = (
        "The two marked runs stand in one chart, and the sentence is computed from their points. **enter** marks "
        "the run under the cursor in place of the one marked longer ago. What was measured on another machine is "
        "dashed, and so is what is assumed or simulated."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "mark", "mark", key_display="enter", id="compare.mark", tooltip="Mark this run"),
        Binding("down,j", "move(1)", "choose", key_display="↑ ↓", id="compare.down", tooltip="An earlier run"),
        Binding("up,k", "move(-1)", "", show=False, id="compare.up", tooltip="A later run"),
        Binding("home", "move(-100000)", "", show=False, id="compare.first", tooltip="The latest run"),
        Binding("end", "move(100000)", "", show=False, id="compare.last", tooltip="The earliest run"),
        Binding("t", "table", "table", id="compare.table", tooltip="Both in rows"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self, experiment: str, machine: Machine | None = None) -> None:
        super().__init__()
        self.experiment = experiment
        self.machine = machine
        self.listed: list[Listed] | None = None
        self.marked: list[int] = []
        """Indices of the two compared, the one marked longer ago first."""
        self.at = 0
        self.found: Compared | None = None
        self.varying: list[str] = []
        """The controls in which the runs differ."""
        self.trouble = ""

    def compose(self) -> ComposeResult:
        """Lay out the list, the chart and the sentence."""
        yield self.top
        yield Lines(id="runs")
        yield ChartView(id="chart", ascii_only=self.study.settings.ascii)
        yield Static("", id="foot", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Read the runs with their points."""
        self.top.show(f"lab › {self.experiment} › compare")
        self.query_one("#runs", Lines).show([Content.styled("reading the runs ...", "$s-muted")])
        if self.desk is not None:
            self._read()

    @work(exclusive=True, group="compare", exit_on_error=False)
    async def _read(self) -> None:
        from studyapp.study.run_list import runs_of, varying

        assert self.desk is not None
        try:
            self.listed = await asyncio.to_thread(runs_of, self.desk, self.experiment, self.machine)
        except StudyError as error:
            self.trouble = str(error)
        else:
            self.varying = varying(self.listed)
            self.marked = [1, 0] if len(self.listed) > 1 else []
            self._compare()
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout and draw again."""
        self.set_class(event.size.height < FLAT, "-flat")
        self.set_class(event.size.height < LOW, "-low")
        self.set_class(event.size.height >= 34, "-tall")
        self.call_after_refresh(self.paint)

    def _compare(self) -> None:
        from studyapp.study.comparing import compare

        assert self.listed is not None
        if len(self.marked) == 2:
            self.found = compare(*(self.listed[index] for index in self.marked))

    def paint(self) -> None:
        """Repaint list, chart and sentence."""
        if not self.is_mounted:
            return
        runs, foot = self.query_one("#runs", Lines), self.query_one("#foot", Static)
        if self.trouble or self.listed is None:
            if self.trouble:
                foot.update(Content.styled(clean_place(self.trouble), "$s-again"))
            self.show_keys()
            return
        if len(self.listed) < 2:
            words = "There are not yet two runs with a verdict to compare." if self.listed else "Not run yet."
            runs.show([Content.styled(words, "$s-muted")])
            self.show_keys()
            return
        height, width = min(self._most(), len(self.listed)), max(10, runs.size.width or 74)
        runs.styles.height = height
        top = max(0, min(self.at - height // 2, len(self.listed) - height))
        runs.show([self._row(index, width) for index in range(top, min(top + height, len(self.listed)))])
        if self.found is not None:
            self.query_one(ChartView).show(self.found.figure)
            notes = " ".join(self.found.figure.notes)
            text = Content.styled(clean_place(self.found.sentence), "$s-text")
            foot.update(Content.assemble(text, "\n", (clean_place(notes), "$s-muted")) if notes else text)
        self.show_keys()

    def _most(self) -> int:
        if self.has_class("-tall"):
            return 10
        return 4 if self.has_class("-flat") else 3 if self.has_class("-low") else 6

    def _row(self, index: int, width: int) -> Content:
        from studyapp.study.lab import control_words

        assert self.listed is not None
        told = {name: value for name, value in self.listed[index].run.controls.items() if name in self.varying}
        one, here = self.listed[index], index == self.at
        verdict = one.run.verdict
        assert verdict is not None  # only judged runs are listed
        glyph, style = OUTCOME_STYLES[verdict.outcome]
        unit = self._unit()
        number = said(verdict.measured, unit) if verdict.measured is not None or verdict.never else ""
        when = f"{one.day} {one.clock}"
        mark = "◆ " if index in self.marked else "  "
        device = clean_place(one.run.device) if width >= FULL else ""
        cells = fitted(
            [(when, 14, "<"), (device, 8 if device else 0, "<"), (SHORT_WORDS[verdict.outcome], 14, "<")]
        )
        found = fitted([(("~" if one.reckoned else "") + number, 11, ">")])[0]
        return Content.assemble(
            ("▌ " if here else "  ", "$s-sky"),
            (mark, "bold $s-sky"),
            (cells[0], "bold $s-bright" if here else "$s-text"),
            (cells[1], "$s-muted"),
            (f"{glyph} ", style),
            (cells[2], style),
            (found, "$s-text" if one.here and not one.reckoned else "$s-muted"),
            (f"   {control_words(told)}" if told else "", "$s-muted"),
        ).truncate(width, ellipsis=True)

    def _unit(self) -> str:
        from studyapp.experiments.catalog import experiment

        return experiment(self.experiment).unit

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Marking needs a choice, the table two runs."""
        if action in ("mark", "move"):
            return self.listed is not None and len(self.listed) > 1
        return self.found is not None if action == "table" else True

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        if self.listed:
            self.at = max(0, min(len(self.listed) - 1, self.at + step))
            self.paint()

    def action_mark(self) -> None:
        """Put the run under the cursor in place of the one marked longer ago."""
        if self.at not in self.marked:
            self.marked = [*self.marked[-1:], self.at]
            self._compare()
            self.paint()

    def action_table(self) -> None:
        """Show both in rows."""
        from studyapp.tui.screens.table import TableScreen

        if self.found is not None:
            self.app.push_screen(TableScreen(self.found.figure))
