"""Break the claim: watch the search for the setting at which the verdict flips."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.study.breaking import BUDGET_S, Breaking, main_control, plan, told_by, trial_of
from studyapp.study.lab import value_words
from studyapp.tui.pace import Frames
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.experiment_parts import OUTCOME_STYLES, said
from studyapp.tui.screens.lab_parts import SHORT_WORDS, fitted, setting
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from studyapp.experiments.claim import Control, Experiment, Value
    from studyapp.study.experimenting import Trial

FRAMES_PER_S = 4
NARROW, LOW, TIGHT = 50, 18, 48


class BreakScreen(StudyScreen):
    """First the control to walk along, then every value as it is tried."""

    DEFAULT_CSS = """
    BreakScreen #head, BreakScreen #state { height: auto; margin: 1 2 0 3; }
    BreakScreen #tried { height: 1fr; margin: 1 2 0 3; }
    BreakScreen #foot { height: auto; margin: 1 2 1 3; }
    BreakScreen.-narrow #head, BreakScreen.-narrow #state, BreakScreen.-narrow #tried { margin: 1 1 0 1; }
    BreakScreen.-narrow #foot { margin: 1 1 1 1; }
    BreakScreen.-low #head, BreakScreen.-low #state, BreakScreen.-low #tried { margin: 0 1 0 1; }
    BreakScreen.-low #foot { margin: 0 1 0 1; }
    """
    HELP = (
        "Choose with **← →** the control to walk along; **enter** starts. The search makes real runs, away from "
        "the present value in growing steps, and halves the gap once the verdict has flipped. Every run is kept. "
        "What is too noisy never counts as a flip. **s** stops it; what was found stays."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "start", id="break.start", tooltip="Start the search"),
        Binding("left,h", "choose(-1)", "control", key_display="← →", id="break.less", tooltip="Another control"),
        Binding("right,l", "choose(1)", "", show=False, id="break.more", tooltip="Another control"),
        Binding("s", "stop", "stop", id="break.stop", tooltip="Stop; what was found stays"),
        Binding("m", "map", "map", id="break.map", tooltip="The verdicts over two controls"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back; stops the search"),
    ]

    def __init__(self, experiment: Experiment, controls: Mapping[str, Value], along: str = "") -> None:
        """Prepare.

        Args:
            experiment: Which one; it has a control at least.
            controls: The values that the search starts from.
            along: The control to walk along; its main one when empty.
        """
        super().__init__()
        self.experiment = experiment
        self.controls = dict(controls)
        named = next((control for control in experiment.controls if control.name == along), None)
        self.control = named or main_control(experiment) or experiment.controls[0]
        self.search: Breaking | None = None
        self.trial: Trial | None = None
        """The run under way."""
        self.value: Value | None = None
        self.running = False
        self.notice = ""

    def compose(self) -> ComposeResult:
        """Lay out the claim, the values tried, and the result."""
        yield self.top
        yield Static("", id="head", markup=False)
        yield Static("", id="state", markup=False)
        yield Lines(id="tried")
        yield Static("", id="foot", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Ask for the control."""
        self.top.show(f"lab › {self.experiment.id} › break")
        self.frames = Frames(self.study.pace, FRAMES_PER_S)
        self._timer = self.set_interval(1 / FRAMES_PER_S, self._frame, pause=True)
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the margins and draw again."""
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.height < LOW, "-low")
        self.call_after_refresh(self.paint)

    # painting

    def _frame(self) -> None:
        """Repaint while a run is under way, as often as the line to the terminal takes it."""
        if self.frames.due():
            self.paint()

    def paint(self) -> None:
        """Repaint everything from the search."""
        if not self.is_mounted:
            return
        width = max(10, self.query_one("#head").size.width or 74)
        claim = Content.styled(clean_place(self.experiment.claim), "bold $s-bright").wrap(width)
        self.query_one("#head", Static).update(Content("\n").join(line.rstrip() for line in claim))
        self.query_one("#state", Static).update(self._state(width))
        tried = self.query_one("#tried", Lines)
        tried.show(self._tried(max(1, tried.size.height or 8)))
        self.query_one("#foot", Static).update(self._foot())
        self.show_keys()

    def _state(self, width: int) -> Content:
        if self.search is None:
            words = [("walk along  ", "$s-muted")]
            for control in self.experiment.controls:
                here = control is self.control
                words.append((f"[{control.name}] " if here else f" {control.name}  ", _marked(here)))
            return Content.assemble(*words).truncate(width, ellipsis=True)
        spent = f"{self.search.spent_s:.0f} of {self.search.budget_s:.0f} s"
        others = {n: v for n, v in self.controls.items() if n != self.search.control.name}
        line = Content.assemble(("along ", "$s-muted"), (self.search.control.name, "bold $s-sky"))
        line = Content.assemble(line, (f"   {spent}   ", "$s-muted"), setting(others) if others else "")
        return line.truncate(width, ellipsis=True)

    def _tried(self, height: int) -> list[Content]:
        """Return the values by size, each with its verdict; the one that runs now stands among them."""
        search = self.search
        if search is None:
            low, high = _ends(self.control)
            about = f"{self.control.help}: from {low} to {high}" if low else f"{self.control.help}: {high}"
            return [
                Content.styled(clean_place(about), "$s-text"),
                Content.styled(f"{BUDGET_S:.0f} s of real runs; every run is kept.", "$s-muted"),
                *self._nothing_yet(),
            ]
        rows = dict(search.known)
        if self.value is not None:
            rows.setdefault(self.value, None)
        order = list(search.control.choices) or sorted(rows, key=float)
        lines = [self._row(value) for value in order if value in rows]
        here = self.value if self.value is not None else search.flip[0] if search.flip else search.start
        at = next((i for i, value in enumerate(v for v in order if v in rows) if value == here), 0)
        top = max(0, min(at - height // 2, len(lines) - height))
        return lines[top : top + height]

    def _nothing_yet(self) -> list[Content]:
        """Return what will stand here, and what begins it."""
        width = max(10, self.query_one("#tried").size.width or 74)
        signs = [
            (f"{OUTCOME_STYLES[outcome][0]} {SHORT_WORDS[outcome]}   ", "$s-text") for outcome in OUTCOME_STYLES
        ]
        begin = Content.assemble(
            ("press ", "$s-muted"),
            (self.key_of("break.start"), "bold $s-text"),
            (f" to start at {value_words(self.controls[self.control.name])}", "$s-muted"),
        )
        will = "Every value tried gets a row with its verdict, until two neighbours differ:"
        lines = [*Content.styled(will, "$s-text").wrap(width), *Content.assemble(*signs).rstrip().wrap(width)]
        return [line.rstrip() for line in [Content(""), *lines, Content(""), begin]]

    def _row(self, value: Value) -> Content:
        assert self.search is not None
        runs = [one for one in self.search.tried if one.value == value]
        widths = (12, 15, 11) if self.size.width >= TIGHT else (9, 15, 9)
        name = fitted([(value_words(value), widths[0], ">")])[0]
        start = "  start" if value == self.search.start else ""
        if value == self.value and self.running:
            count = len(self.trial.points) if self.trial is not None else 0
            words = f"running, {count} measurements so far" if count else "running"
            return Content.assemble((name, "bold $s-bright"), (f"  ... {words}", "$s-sky"))
        outcome = self.search.known.get(value)
        if not runs or outcome is None:
            return Content.assemble(
                (name, "$s-text"), ("  – refused: too little memory" if runs else "", "$s-muted")
            )
        glyph, style = OUTCOME_STYLES[outcome]
        measured = next((one.measured for one in reversed(runs) if one.outcome is outcome), None)
        number = "" if measured is None else said(measured, self.experiment.unit)
        cells = fitted([(f"{glyph} {SHORT_WORDS[outcome]}", widths[1], "<"), (number, widths[2], ">")])
        again = f"  {len(runs)} runs" if len(runs) > 1 else ""
        return Content.assemble(
            (name, "$s-text"), ("  ", ""), (cells[0], style), (cells[1], "$s-text"), (start + again, "$s-muted")
        )

    def _foot(self) -> Content:
        if self.search is None or (not self.search.tried and not self.search.ended):
            words = clean_place(self.notice) if self.notice else "starting torch ..." if self.running else ""
            return Content.styled(words, "$s-muted")
        ended = bool(self.search.ended)
        found = Content.styled(clean_place(self.search.sentence), "bold $s-bright" if ended else "$s-muted")
        return Content.assemble(found, "\n", (clean_place(self.notice), "$s-muted")) if self.notice else found

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now is offered."""
        if action == "choose":
            return self.search is None and len(self.experiment.controls) > 1
        if action == "stop":
            return self.running
        if action == "map":
            return not self.running and len(self.experiment.controls) > 1
        return not self.running if action == "start" else True

    def words_for(self, key: str, words: str) -> str:
        """A second search starts afresh, with the runs of the first kept."""
        return "again" if words == "start" and self.search is not None else words

    def action_choose(self, step: int) -> None:
        """Choose another control."""
        if self.search is None:
            controls = self.experiment.controls
            self.control = controls[(controls.index(self.control) + step) % len(controls)]
            self.paint()

    def action_start(self) -> None:
        """Start the search, or a new one."""
        if not self.running and self.desk is not None:
            self.search = plan(self.experiment, self.controls, self.control.name)
            self.running, self.notice = True, ""
            self._timer.resume()
            self._run()
            self.paint()

    @work(exclusive=True, group="break", exit_on_error=False)
    async def _run(self) -> None:
        assert self.search is not None
        search = self.search
        try:
            device = await self._device()
            while (value := search.next()) is not None:
                await self._try(search, value, device)
        except StudyError as error:
            search.stop("failed", str(error))
        except asyncio.CancelledError:
            search.stop("cancelled")
            raise
        except Exception as error:  # a fault of ours must not leave "running" for ever
            search.stop("failed", f"{type(error).__name__}: {error}")
        finally:
            self.running, self.value, self.trial = False, None, None
            self._timer.pause()
            self.paint()

    async def _device(self) -> str:
        from studyapp.experiments.protocol import Ready
        from studyapp.study.devices import settled, wished
        from studyapp.study.lab import remember

        assert self.desk is not None
        settings = self.study.settings
        wish = wished(self.desk, settings.gpu, settings.device)
        greeting = await self.study.runner().start()
        if isinstance(greeting, Ready):
            await asyncio.to_thread(remember, self.desk, greeting)
        place = settled(wish, greeting)
        if place.must_ask:
            self.notice = "On the CPU: whether a GPU may be used is asked when an experiment is opened."
        return place.wanted

    async def _try(self, search: Breaking, value: Value, device: str) -> None:
        assert self.desk is not None
        limit = self.study.settings.time_limit
        self.value = value
        self.trial = trial = trial_of(self.desk, search, value, device=device, time_limit_s=limit)
        begun = time.monotonic()
        async for _ in trial.run(self.study.runner()):
            pass  # the timer paints
        if trial.state == "failed":
            search.stop("failed", trial.note)
            return
        search.take(told_by(trial, value, time.monotonic() - begun))
        self.paint()

    def action_stop(self) -> None:
        """Stop; what was found stays."""
        self.workers.cancel_group(self, "break")

    def action_map(self) -> None:
        """Show the verdicts over two controls."""
        from studyapp.tui.screens.verdict_map import MapScreen

        self.app.push_screen(MapScreen(self.experiment, x=self.control.name))

    def action_back(self) -> None:
        """Back; a search under way is stopped, its runs are kept."""
        self.workers.cancel_group(self, "break")
        super().action_back()


def _marked(here: bool) -> str:
    return "bold $s-sky" if here else "$s-muted"


def _ends(control: Control) -> tuple[str, str]:
    """Return a control's ends in words; a word control has no ends but all its choices."""
    if control.choices:
        return "", ", ".join(value_words(choice) for choice in control.choices)
    return f"{control.low:g}", f"{control.high:g}"
