"""The passport: what this machine reaches, drawn while it is measured; cards about it on request."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from studyapp.core.days import instant_of
from studyapp.core.errors import StudyError
from studyapp.tui.app import DeskFailed, DeskReady
from studyapp.tui.pace import Frames
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.passport_parts import PASSPORT_CSS, head, table
from studyapp.tui.widgets.bars import clean_place
from studyapp.tui.widgets.chart_view import ChartView

if TYPE_CHECKING:
    from studyapp.core.figures import Figure
    from studyapp.study.passport import Passport, Taking

FRAMES_PER_S = 10
WIDE, TALL, TALLER, LOW = 100, 34, 40, 20
EMPTY = (
    "There is no passport of this machine yet. It says how fast this machine multiplies in each number format, "
    "how fast it reads near and far memory, and what a call costs. From it a roofline is drawn beside later runs."
)


class PassportScreen(StudyScreen):
    """The latest passport of this machine; enter measures anew, leaving keeps what was measured."""

    DEFAULT_CSS = PASSPORT_CSS
    PLACE = "passport"
    HELP = (
        "What this machine reaches, measured with the same timing as the experiments: the best matrix product of "
        "each number format, copies within a cache and far beyond it, the cost of a small call. **enter** "
        "measures it, in about ten seconds; **s** stops and keeps the part. **c** offers cards about this very "
        "machine. A roofline made of these figures is drawn dashed beside later runs; it decides nothing."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "measure", id="passport.take", tooltip="Measure this machine, about ten seconds"),
        Binding("s", "stop", "stop", id="passport.stop", tooltip="Stop; what was measured is kept"),
        Binding("c", "cards", "cards", id="passport.cards", tooltip="Cards about this machine"),
        Binding("y", "write", "write them", id="passport.write", tooltip="Write the cards into your lessons"),
        Binding("n", "leave_it", "not now", id="passport.leave", tooltip="Write nothing"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back; a part is kept"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.passport: Passport | None = None
        self.taking: Taking | None = None
        """The measurement under way, or the one that failed."""
        self.asking: list[str] = []
        """The questions of the cards offered, while the learner is asked."""
        self.words = ""
        """What came of the last key, in words."""
        self._expired, self._runs = "", 0
        self._leaving = self._dirty = False
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out head, figures and memory ladder."""
        yield self.top
        yield Static("", id="head", markup=False)
        with VerticalScroll(id="body", can_focus=False):
            yield Static("", id="table", markup=False)
            yield ChartView(id="curve", ascii_only=self.study.settings.ascii)
        yield self.keys

    def begin(self) -> None:
        """Show the latest passport; torch starts meanwhile where there is none."""
        self._frames = Frames(self.study.pace, FRAMES_PER_S)
        self._timer = self.set_interval(1 / FRAMES_PER_S, self._frame, pause=True)
        if self.desk is not None:
            self._load()
        self.paint()

    @on(DeskReady)
    def _ready(self) -> None:
        self._load()

    @on(DeskFailed)
    def _failed(self) -> None:
        self.paint()

    def on_resize(self, event: events.Resize) -> None:
        """Choose the layout and draw again."""
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.height >= TALL, "-tall")
        self.set_class(event.size.height >= TALLER, "-taller")
        self.set_class(event.size.height <= LOW, "-low")
        self.call_after_refresh(self.paint)

    @work(exclusive=True, group="load", exit_on_error=False)
    async def _load(self) -> None:
        from studyapp.study.expiring import expired_runs, passport_note
        from studyapp.study.passport import latest_passport

        desk = self.desk
        assert desk is not None

        def look() -> tuple[Passport | None, str, int]:
            found = latest_passport(desk)
            note = passport_note(desk, found) if found is not None else ""
            return found, note, len(expired_runs(desk))

        self.passport, self._expired, self._runs = await asyncio.to_thread(look)
        if self.passport is None:
            self.study.runner().preload("")
        self.paint()

    # measuring

    @property
    def running(self) -> bool:
        """Whether a measurement is under way."""
        return self.taking is not None and self.taking.state in ("predicting", "starting", "running")

    def action_take(self) -> None:
        """Measure this machine."""
        from studyapp.study.passport import Taking

        if self.desk is None or self.running:
            return
        self.taking, self.words, self.asking = Taking(self.desk, self.study.settings.device), "", []
        if self._timer is not None:
            self._timer.resume()
        self.paint()
        self._take(self.taking)

    @work(exclusive=True, group="passport", exit_on_error=False)
    async def _take(self, taking: Taking) -> None:
        from studyapp.study.devices import settled, wished
        from studyapp.study.machine_cards import update_cards
        from studyapp.study.passport import latest_passport

        assert self.desk is not None
        settings = self.study.settings
        try:
            taking.device = settled(wished(self.desk, settings.gpu, settings.device)).wanted
            async for _ in taking.run(self.study.runner()):
                self._dirty = True
            if taking.passport is not None and taking.passport.complete:
                written = await asyncio.to_thread(update_cards, self.desk, settings.data_dir)
                self.words = "Your cards about this machine have the new numbers." if written else ""
        except Exception as error:
            taking.broke(error)
        finally:
            if self._timer is not None:
                self._timer.pause()
        if self._leaving:
            super().action_back()
            return
        if taking.passport is not None:
            if taking.state == "failed":
                self.words = f"{taking.note} {taking.hint}".strip()
            shown: Passport | None = taking.passport
            if shown is not None and shown.complete and shown.busy:  # a quiet one of before says so, and is shown
                shown = (await asyncio.to_thread(latest_passport, self.desk, shown.device)) or shown
            self.taking, self.passport, self._expired = None, shown, ""
        self.paint()

    def _frame(self) -> None:
        if self._dirty and self._frames.due():
            self._dirty = False
            self.paint()

    # painting

    def paint(self) -> None:
        """Repaint head, figures and ladder."""
        if not self.is_mounted:
            return
        width = max(20, self.query_one("#head").size.width or self.size.width - 5)
        self.query_one("#head", Static).update(self._head(width))
        self.query_one("#table", Static).update(self._table(width))
        chart = self.query_one("#curve", ChartView)
        if chart.display and (figure := self._figure()) is not None:
            chart.show(figure)
        self.show_keys()

    def _head(self, width: int) -> Content:
        if self.desk is None:
            error = self.study.desk_error
            words = f"{error.message} {error.hint}".strip() if error is not None else "opening your record ..."
            return Content("\n").join(Content.styled(clean_place(words), "$s-muted").wrap(width))
        taking = self.taking
        if taking is not None and self.running:
            words = (
                f"{len(taking.points)} measurements so far" if taking.points else taking.note or "starting torch"
            )
            return Content.assemble(("● measuring", "$s-sky"), (f"   {clean_place(words)}", "$s-muted"))
        if taking is not None:
            why = Content.assemble(
                (clean_place(taking.note), "bold $s-again"), "\n", (clean_place(taking.hint), "$s-muted")
            )
            return Content("\n").join(line.rstrip() for line in why.wrap(width))
        if self.passport is None:
            return Content("\n").join(line.rstrip() for line in Content.styled(EMPTY, "$s-text").wrap(width))
        day = instant_of(self.passport.taken_at_ms).astimezone(self.desk.clock().zone)
        told = head(self.passport, f"{day.day} {day:%b %Y}", self._expired, self._runs, width)
        lines = [told, *Content.styled(clean_place(self.words), "$s-text").wrap(width)] if self.words else [told]
        return Content("\n").join(line.rstrip() for line in lines)

    def _table(self, width: int) -> Content:
        from studyapp.study.passport_rows import rows

        if self.asking:
            lines = [Content.styled(f"Write {len(self.asking)} cards into your own lessons?", "bold $s-bright")]
            lines += [
                Content.styled(f"  {clean_place(q)}", "$s-text").truncate(width, ellipsis=True)
                for q in self.asking
            ]
            return Content("\n").join(lines)
        if self.taking is not None:
            return table(rows(self.taking.points, self.taking.facts.device), width)
        return table(self.passport.rows(), width) if self.passport is not None else Content("")

    def _figure(self) -> Figure | None:
        from studyapp.study.passport import ladder

        if self.taking is not None:
            return self.taking.figure()
        return ladder(self.passport.points) if self.passport is not None else None

    # what keys do

    def words_for(self, key: str, words: str) -> str:
        """Say anew where there is a passport."""
        return "measure anew" if words == "measure" and self.passport is not None else words

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now is offered."""
        if action == "stop":
            return self.running
        if action in ("write", "leave_it"):
            return bool(self.asking)
        if action == "take":
            return self.desk is not None and not self.running and not self.asking
        if action == "cards":
            return self.passport is not None and not self.running and not self.asking
        return True

    def action_stop(self) -> None:
        """Stop; what was measured becomes a passport that says it is a part."""
        self._cancel()

    @work(group="stop", exit_on_error=False)
    async def _cancel(self) -> None:
        await self.study.runner().cancel()

    def action_cards(self) -> None:
        """Show the cards that are offered, and ask."""
        from studyapp.study.machine_cards import offered

        assert self.desk is not None
        self.words, self.asking = "", [card.prompt for card in offered(self.desk)]
        self.paint()

    def action_leave_it(self) -> None:
        """Write nothing."""
        self.asking = []
        self.paint()

    @work(exclusive=True, group="cards", exit_on_error=False)
    async def action_write(self) -> None:
        """Write the cards into the learner's own lessons."""
        from studyapp.study.machine_cards import write_cards

        assert self.desk is not None
        self.asking = []
        try:
            written = await asyncio.to_thread(write_cards, self.desk, self.study.settings.data_dir)
            self.words = f"{written.cards} cards in {written.path.name}, among your own lessons."
        except StudyError as error:
            self.words = f"{error.message} {error.hint}".strip()
        self.paint()

    def action_back(self) -> None:
        """Back; a measurement under way is stopped first, and its part kept."""
        if self.running:
            self._leaving = True
            self._cancel()
        else:
            super().action_back()
