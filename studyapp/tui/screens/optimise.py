"""Your own parameters: train the scheduler on your log, take the numbers if they are better, move due days."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.tui.screens.optimise_parts import found_lines, in_force, plan_lines, supply_lines
from studyapp.tui.screens.scrolled import ScrolledScreen
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.core.optimising import Supply
    from studyapp.experiments.protocol import Message
    from studyapp.store.own_parameters import ParameterSet
    from studyapp.study.desk import Desk
    from studyapp.study.optimising import Optimised, Rescheduling


class OptimiseScreen(ScrolledScreen):
    """One thing after another: what there is, training, what came of it, what moving due days would do."""

    PLACE = "your own numbers"
    HELP = (
        "The scheduler has 21 numbers. **enter** trains them on your own answers, without your latest ones; they "
        "are offered only where they forecast those better than the numbers in force. Taking them moves no due "
        "day: **r** shows what moving would do to the next 30 days, and **enter** then does it. **b** returns to "
        "the numbers before; every set that was in force is kept."
    )
    DEFAULT_CSS = """
    OptimiseScreen VerticalScroll { margin: 1 2 0 3; height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "go", "train", id="optimise.go", tooltip="Train; take the numbers; move the due days"),
        Binding("r", "plan", "due days", id="optimise.plan", tooltip="What moving due days would do"),
        Binding("b", "undo", "numbers before", id="optimise.back", tooltip="Return to the numbers before"),
        Binding("down,j", "scroll(1)", "", show=False, id="optimise.down", tooltip="A line down"),
        Binding("up,k", "scroll(-1)", "", show=False, id="optimise.up", tooltip="A line up"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.busy = ""
        """What is going on, in words; empty when nothing is."""
        self.done = ""
        """What was done last, in words."""
        self.found: Optimised | None = None
        self.planned: Rescheduling | None = None
        self.there: Supply | None = None
        """What there is to train on."""
        self.own: ParameterSet | None = None
        """The learner's own numbers in force."""
        self.reviewed = False
        """Whether there are cards in review, whose due days could move."""

    def begin(self) -> None:
        """Look once at what there is: it does not change while this screen is in front."""
        from studyapp.core.optimising import supply
        from studyapp.core.reviews import State
        from studyapp.study.own import histories

        if self.desk is not None:
            self.there = supply(histories(self.desk))
            self.own = self.desk.store.parameters_in_force()
            self.reviewed = any(card.memory.state is State.REVIEW for card in self.desk.store.cards())

    def compose(self) -> ComposeResult:
        """Lay out one page."""
        yield self.top
        with VerticalScroll(can_focus=False):
            yield Static("", id="page", markup=False)
        yield self.keys

    def on_resize(self, event: events.Resize) -> None:
        """Wrap again."""
        super().on_resize(event)
        self.paint()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now is offered; while something is going on, going back."""
        if action not in ("go", "plan", "undo"):
            return True
        if self.busy or self.desk is None:
            return False
        if action == "undo":
            return self.own is not None
        if action == "plan":
            return self.reviewed or self.own is not None
        if self.planned is not None:
            return bool(self.planned.moves)
        offered = self.found is not None and self.found.state == "better"
        return offered or (self.there is not None and self.there.enough)

    def words_for(self, key: str, words: str) -> str:
        """Enter does what comes next."""
        if words == "train":
            offered = self.found is not None and self.found.state == "better"
            return "move them" if self.planned else "take them" if offered else "train"
        return words

    # painting

    def paint(self) -> None:
        """Repaint the page."""
        if self.desk is None:
            return
        width = max(20, min(76, (self.size.width or 80) - 6))
        lines = [*in_force(self.own, self.desk.clock().zone), Content("")]
        if self.busy:
            lines.append(Content.styled(self.busy, "$s-sky"))
        elif self.planned is not None:
            lines += plan_lines(self.planned, width, self.study.settings.ascii)
        elif self.found is not None:
            lines += found_lines(self.found)
        elif self.there is not None:
            lines += supply_lines(self.there)
        if self.done:
            lines += [Content(""), Content.styled(clean_place(self.done), "$s-good")]
        wrapped = [part.rstrip() for line in lines for part in (line.wrap(width) if line else [line])]
        self.query_one("#page", Static).update(Content("\n").join(wrapped))
        self.show_keys()

    # what keys do

    def action_go(self) -> None:
        """Do what comes next: train, take the numbers, or move the due days."""
        if self.planned is not None:
            self._move()
        elif self.found is not None and self.found.state == "better":
            self._take()
        else:
            self._train()

    @work(exclusive=True, group="optimise", exit_on_error=False)
    async def _train(self) -> None:
        from studyapp.study.optimising import optimise

        assert self.desk is not None
        self.busy, self.done, self.found = "training on your reviews ...", "", None
        self.paint()
        try:
            self.found = await asyncio.to_thread(
                optimise, self.desk, hear=self._hear, command=self.study.settings.worker_command, dry_run=True
            )
        except StudyError as error:
            self.done = f"{error.message} {error.hint}"
        finally:
            self.busy = ""
        self.paint()

    def _hear(self, message: Message) -> None:
        """Say how far the training is; called from its thread."""
        from studyapp.experiments.protocol import PointMessage

        if isinstance(message, PointMessage) and self.is_running:
            loss = message.point.y or 0.0
            self.app.call_from_thread(self._show_pass, f"pass {message.point.x:.0f}   log-loss {loss:.4f}")

    def _show_pass(self, words: str) -> None:
        self.busy = words
        self.paint()

    def _take(self) -> None:
        from studyapp.study.optimising import take

        assert self.found is not None
        assert self.found.fit is not None
        fit = self.found.fit
        self._do(lambda desk: take(desk, fit.parameters, fit))
        self.found = None
        self.done = (
            self.done or "Your own numbers are in force. No due day was moved; r shows what moving would do."
        )
        self.paint()

    def action_plan(self) -> None:
        """Show what moving due days to the numbers in force would do; again: put it away."""
        from studyapp.study.optimising import plan

        assert self.desk is not None
        self.done = ""
        self.planned = None if self.planned is not None else plan(self.desk)
        self.paint()

    def _move(self) -> None:
        from studyapp.study.optimising import move

        assert self.planned is not None
        planned, self.planned = self.planned, None
        if planned.moves and self._do(lambda desk: move(desk, planned)):
            self.done = f"{len(planned.moves)} cards moved. u in Review takes it back."
            self.study.refresh_status()
        self.paint()

    def action_undo(self) -> None:
        """Return to the numbers before."""
        from studyapp.study.optimising import back

        self.found = self.planned = None
        words: list[str] = []
        if self._do(lambda desk: words.append(back(desk))):
            self.done = words[0]
        self.paint()

    def _do(self, what: Callable[[Desk], object]) -> bool:
        """Do something with the store; what keeps it from being done is said."""
        assert self.desk is not None
        self.done = ""
        try:
            what(self.desk)
        except StudyError as error:
            self.done = f"{error.message} {error.hint}"
            return False
        self.own = self.desk.store.parameters_in_force()
        return True
