"""The first run: a few questions with answers that need no thought, then straight into the lesson."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.tui.app import DeskFailed, DeskReady
from studyapp.tui.margins import page_width
from studyapp.tui.places import screen_of
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.first_parts import changed, machine_words, question_row, questions, samples, welcome
from studyapp.tui.widgets.bars import clean_place


class FirstScreen(StudyScreen):
    """Asked once, when neither a store nor a settings file is there."""

    PLACE = "welcome"
    HELP = (
        "A few questions. **{first.start}** takes what stands there and opens the first section of the lesson; "
        "everything can be changed later under settings."
    )
    DEFAULT_CSS = """
    FirstScreen #words { margin: 1 2 0 3; height: auto; max-width: 84; }
    FirstScreen #asked { margin: 1 2 0 3; height: auto; }
    FirstScreen #samples { margin: 1 2 0 5; height: 8; }
    FirstScreen #machine { margin: 1 2 0 3; height: auto; max-width: 96; }
    FirstScreen.-low #samples, FirstScreen.-plain #samples { display: none; }
    FirstScreen.-flat #words, FirstScreen.-flat #machine { display: none; }
    FirstScreen.-flat #asked { margin: 0 0 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "start", id="first.start", tooltip="Take these answers and begin to read"),
        Binding("left,h", "step(-1)", "change", key_display="← →", id="first.less", tooltip="The answer before"),
        Binding("right,l", "step(1)", "", show=False, id="first.more", tooltip="The next answer"),
        Binding(
            "down,j,tab", "move(1)", "choose", key_display="↑ ↓", id="first.down", tooltip="The next question"
        ),
        Binding("up,k,shift+tab", "move(-1)", "", show=False, id="first.up", tooltip="The question before"),
        Binding("escape", "skip", "skip", id="first.skip", tooltip="Change nothing and go to the first screen"),
        Binding("q", "leave", "quit", id="first.quit", tooltip="Leave"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.at = 0
        self.testable: int | None = None
        self.total = 0
        self.where = ""
        self.trouble = ""

    def compose(self) -> ComposeResult:
        """Lay out the words, the questions, the samples and the machine."""
        yield self.top
        yield Static("", id="words", markup=False)
        yield Static("", id="asked", markup=False)
        yield Static("", id="samples", markup=False)
        yield Static("", id="machine", markup=False)
        yield self.keys

    def begin(self) -> None:
        """Ask; the machine is looked at meanwhile."""
        settings = self.study.settings
        self.asked = questions(settings, self.study.color_depth)
        self.at_first = {
            "theme": self.study.theme,
            "rollover": settings.rollover.isoformat("minutes"),
            "gpu": settings.gpu,
            "zone": settings.zone_name,
        }
        self.answers = dict(self.at_first)
        self.set_class(all(question.name != "theme" for question in self.asked), "-plain")
        if self.desk is not None:
            self._meet_the_machine()

    @on(DeskReady)
    def _ready(self) -> None:
        self._meet_the_machine()

    @on(DeskFailed)
    def _failed(self, message: DeskFailed) -> None:
        self.app.switch_screen(screen_of("home"))  # it says what is wrong with the store

    @work(exclusive=True, group="machine", exit_on_error=False)
    async def _meet_the_machine(self) -> None:
        from studyapp.experiments.catalog import experiments
        from studyapp.experiments.protocol import Ready
        from studyapp.study.needs import unmet

        every = await asyncio.to_thread(experiments)
        self.total = len(every)
        self.paint()
        greeting = await self.study.runner().start()
        if isinstance(greeting, Ready):
            self.testable = sum(
                1 for e in every if not unmet(e, greeting.devices, greeting.cores, greeting.why_cpu)
            )
            kinds = [str(device.get("type", "cpu")) for device in greeting.devices] or ["cpu"]
            cores = f"{greeting.cores} core{'' if greeting.cores == 1 else 's'}"
            self.where = clean_place(f"{', '.join(dict.fromkeys(kinds))}, {cores}")
        else:
            self.trouble = clean_place(greeting.why)
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Choose what fits and draw again."""
        super().on_resize(event)
        self.set_class(event.size.height < 21, "-low")
        self.set_class(event.size.height < 14, "-flat")
        self.call_after_refresh(self.paint)

    def paint(self) -> None:
        """Repaint everything; the theme is the one that is chosen."""
        width = page_width(self.size.width or 80)
        self.query_one("#words", Static).update(Content("\n").join(welcome(min(width, 84))))
        rows = [
            question_row(question, self.answers[question.name], width, here=number == self.at)
            for number, question in enumerate(self.asked)
        ]
        self.query_one("#asked", Static).update(Content("\n").join(rows))
        self.query_one("#samples", Static).update(Content("\n").join(samples(self.answers["theme"], width - 2)))
        words = machine_words(self.testable, self.total, self.where, self.trouble) if self.total else Content("")
        self.query_one("#machine", Static).update(words)
        self.show_keys()

    def action_move(self, step: int) -> None:
        """Choose another question."""
        self.at = (self.at + step) % len(self.asked)
        self.paint()

    def action_step(self, step: int) -> None:
        """Choose another answer; a theme is shown at once."""
        question = self.asked[self.at]
        value = self.answers[question.name]
        at = question.choices.index(value) + step if value in question.choices else 0
        if 0 <= at < len(question.choices):
            self.answers[question.name] = question.choices[at]
            if question.name == "theme":
                self.app.theme = question.choices[at]
            self.paint()

    async def action_start(self) -> None:
        """Keep what was changed, then open the first section."""
        from studyapp.study.configuring import set_setting

        config = self.study.settings.config
        try:
            for name, value in changed(self.answers, self.at_first, self.asked).items():
                await asyncio.to_thread(set_setting, config, name, value)
            self.study.take_up_settings()
        except StudyError as error:
            self.trouble = clean_place(str(error))
            self.paint()
            return
        self.app.switch_screen(screen_of("read", None))

    def action_skip(self) -> None:
        """Change nothing and go Home."""
        if self.study.theme != self.at_first["theme"]:
            self.app.theme = self.at_first["theme"]
        self.app.switch_screen(screen_of("home"))

    def action_leave(self) -> None:
        """Leave; nothing was changed."""
        self.app.exit(0)
