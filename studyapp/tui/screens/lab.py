"""The Lab: all experiments under the lesson's sections, with the last verdict here and the learner's number."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from studyapp.core.errors import StudyError
from studyapp.tui.app import DeskFailed, DeskReady, Synced
from studyapp.tui.screens.lab_parts import LAB_CSS, columns, detail, heading, row
from studyapp.tui.screens.lab_ways import LabWays
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from studyapp.study.estimating import Estimate
    from studyapp.study.lab import Entry, Group

WIDE, NARROW = 118, 77
LOW, FLAT = 22, 16
PAGE = 8
"""Experiments that a page key passes."""


class LabScreen(LabWays):
    """A list with a cursor, and what is known of the experiment under it."""

    DEFAULT_CSS = LAB_CSS
    PLACE = "lab"
    HELP = (
        "Every statement of the lesson that can be tried here, under the section that names it. **enter** opens "
        "one; the prediction comes first. A figure with **~** was reckoned on a stand-in or on paper, not "
        "measured. What was measured on another machine is grey, and **!** marks what was measured with a torch "
        "or driver that is no longer there. **c** changes the controls and says what a run will cost, **v** "
        "compares two runs, **b** looks for the setting at which the verdict flips, **m** draws the verdicts over "
        "two controls."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,x", "open", "open", key_display="enter", id="lab.open", tooltip="Predict and run it"),
        Binding("down,j", "move(1)", "choose", key_display="↑ ↓", id="lab.down", tooltip="The next experiment"),
        Binding("up,k", "move(-1)", "", show=False, id="lab.up", tooltip="The experiment before"),
        Binding("pagedown", f"move({PAGE})", "", show=False, id="lab.pagedown", tooltip="A page on"),
        Binding("pageup", f"move(-{PAGE})", "", show=False, id="lab.pageup", tooltip="A page back"),
        Binding("home", "move(-10000)", "", show=False, id="lab.first", tooltip="The first one"),
        Binding("end", "move(10000)", "", show=False, id="lab.last", tooltip="The last one"),
        Binding("slash", "find", "find", key_display="/", id="lab.find", tooltip="Show what holds some words"),
        Binding("c", "controls", "controls", id="lab.controls", tooltip="Other controls, and what they cost"),
        Binding("v", "compare", "compare", id="lab.compare", tooltip="Two of its runs in one chart"),
        Binding("b", "break", "break", id="lab.break", tooltip="Search the setting at which the verdict flips"),
        Binding("m", "map", "map", id="lab.map", tooltip="Its verdicts over two controls"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.trouble = ""
        """Why there is nothing to show, or why nothing can be run, in words."""
        self.chosen = ""
        """The id of the experiment under the cursor."""
        self.words = ""
        """What the list is filtered by."""
        self._top = 0
        self._ids: dict[int, str] = {}
        """The experiment of each row that has one."""

    def compose(self) -> ComposeResult:
        """Lay out the search line, the list and the detail."""
        yield self.top
        with Horizontal(id="search"):
            yield Static(Content.styled("/ ", "bold $s-sky"), id="slash", markup=False)
            yield Input(placeholder="words of an id or a claim", id="find", max_length=60)
        yield Static("", id="columns", markup=False)
        with Container(id="lab"):
            yield Lines(id="list")
            yield Static("", id="detail", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Gather what is known; the worker says meanwhile what this machine is."""
        self.query_one("#find", Input).can_focus = False
        if self.desk is not None:
            self._gather()
            self._meet_the_machine()
        self.paint()

    @on(DeskReady)
    def _ready(self) -> None:
        self._gather()
        self._meet_the_machine()

    @on(DeskFailed)
    def _failed(self) -> None:
        self.paint()

    @on(Synced)
    def _synced(self) -> None:
        self._gather()

    def on_screen_resume(self) -> None:
        """A verdict may have come."""
        if self.desk is not None and self.lab is not None:
            self._gather()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout and draw again."""
        self.set_class(event.size.width >= WIDE and event.size.height >= FLAT, "-wide")
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.height < LOW, "-low")
        self.set_class(event.size.height < FLAT, "-flat")
        self.call_after_refresh(self.paint)

    @work(exclusive=True, group="lab", exit_on_error=False)
    async def _gather(self) -> None:
        from studyapp.study.lab import gather

        assert self.desk is not None
        try:
            self.lab = await asyncio.to_thread(gather, self.desk)
        except StudyError as error:
            self.trouble = str(error)
        self.paint()

    @work(exclusive=True, group="machine", exit_on_error=False)
    async def _meet_the_machine(self) -> None:
        """Ask the worker what this machine is, which also warms it for the run to come."""
        from studyapp.experiments.protocol import Ready
        from studyapp.study.lab import remember, remembered

        assert self.desk is not None
        greeting = await self.study.runner().start()
        if not isinstance(greeting, Ready):
            self.trouble = greeting.why
            self.paint()
            return
        before = remembered(self.desk)
        if await asyncio.to_thread(remember, self.desk, greeting) != before:
            self._gather()

    # what is shown

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups as filtered."""
        return self.lab.matching(self.words) if self.lab is not None else ()

    @property
    def entry(self) -> Entry | None:
        """The experiment under the cursor, the first one when it is filtered away."""
        shown = [entry for group in self.groups for entry in group.entries]
        return next((e for e in shown if e.experiment.id == self.chosen), shown[0] if shown else None)

    def paint(self) -> None:
        """Repaint list and detail."""
        if not self.is_mounted:
            return
        listed, below = self.query_one("#list", Lines), self.query_one("#detail", Static)
        width = max(10, listed.size.width or 74)
        problem = self._problem()
        if problem is not None:
            self.query_one("#columns", Static).update("")
            listed.show(problem.wrap(width))
            below.update("")
            self.show_keys()
            return
        self.query_one("#columns", Static).update(columns(width))
        self._paint_list(listed, width)
        below.update(self._detail(below.size.width or width, below.size.height or 9))
        self.show_keys()

    def _problem(self) -> Content | None:
        error = self.study.desk_error
        if error is not None:
            return Content.assemble((error.message + " ", "bold $s-again"), (error.hint, "$s-text"))
        if self.lab is None:
            if self.trouble and self.desk is not None:
                return Content.styled(clean_place(self.trouble), "$s-again")
            return Content.styled("opening your record ...", "$s-muted")
        if not self.groups:
            words = f"No experiment holds {clean_place(self.words)!r}. esc shows all."
            return Content.styled(words, "$s-muted")
        return None

    def _paint_list(self, listed: Lines, width: int) -> None:
        assert self.desk is not None
        chosen, lines, at, head = self.entry, list[Content](), 0, 0
        self._ids.clear()
        for group in self.groups:
            head = len(lines)
            lines.append(heading(group.title, width))
            for entry in group.entries:
                if entry is chosen:
                    at = head if entry is group.entries[0] else len(lines)
                    last = len(lines)
                self._ids[len(lines)] = entry.experiment.id
                lines.append(row(entry, self._when(entry), entry is chosen, width))
        height = max(1, listed.size.height or 10)
        # the cursor stays in sight, and with the first of a section its heading too
        top = min(max(self._top, last - height + 1), at)
        self._top = max(0, min(top, len(lines) - height))
        listed.show(lines[self._top : self._top + height])

    def _when(self, entry: Entry) -> str:
        from studyapp.study.lab import day_words

        assert self.desk is not None
        return "" if entry.last is None else day_words(self.desk, entry.last.started_at_ms)

    def _detail(self, width: int, height: int) -> Content:
        entry = self.entry
        if entry is None:
            return Content("")
        controls = self.controls_of(entry)
        text = detail(entry, controls, self._when(entry), self._cost(entry, controls), width, height)
        if self.trouble and height > 4:
            text = Content.assemble((clean_place(self.trouble), "$s-again"), "\n", text)
        return text

    def _cost(self, entry: Entry, controls: Mapping[str, Any]) -> Estimate:
        from studyapp.study.estimating import estimate, timed_runs

        assert self.desk is not None
        machine = self.lab.machine if self.lab is not None else None
        runs = timed_runs(self.desk, entry.history, machine)
        return estimate(entry.experiment, controls, runs, limit_s=self.study.settings.time_limit)

    # what keys do

    def action_move(self, step: int) -> None:
        """Move the cursor."""
        shown = [entry.experiment.id for group in self.groups for entry in group.entries]
        if self.entry is not None:
            at = shown.index(self.entry.experiment.id) + step
            self.chosen = shown[max(0, min(len(shown) - 1, at))]
            self.paint()

    def steps_to(self, row: int) -> int | None:
        """Return how far the experiment of a row is."""
        wanted, order = self._ids.get(self._top + row), list(self._ids.values())
        if wanted is None or self.entry is None:
            return None
        return order.index(wanted) - order.index(self.entry.experiment.id)

    def action_find(self) -> None:
        """Type words that the list is filtered by."""
        find = self.query_one("#find", Input)
        self.add_class("-finding")
        find.can_focus = True
        self.set_focus(find)
        self.show_keys()

    def show_keys(self) -> None:
        """In the search line only two keys are no letters."""
        if self.is_mounted and isinstance(self.focused, Input):
            self.keys.show([("enter", "to the list"), ("esc", "all of them")])
        else:
            super().show_keys()

    @on(Input.Changed, "#find")
    def _filter(self, event: Input.Changed) -> None:
        self.words, self._top = event.value, 0
        self.paint()

    @on(Input.Submitted, "#find")
    def _found(self) -> None:
        """Leave the line; what it says stays in force."""
        self._leave_the_line()

    def _leave_the_line(self) -> None:
        find = self.query_one("#find", Input)
        find.can_focus = False
        self.set_focus(None)
        self.set_class(bool(self.words), "-finding")
        self.call_after_refresh(self.paint)

    def action_back(self) -> None:
        """Show all again where the list is filtered, else go back."""
        if self.words or self.has_class("-finding"):
            self.words = self.query_one("#find", Input).value = ""
            self._leave_the_line()
            return
        super().action_back()
