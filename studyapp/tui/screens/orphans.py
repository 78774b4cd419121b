"""Cards that left their files: what is known of each, and which card goes on with its history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from studyapp.core.errors import StudyError
from studyapp.tui.app import DeskReady, Synced
from studyapp.tui.screens import orphans_parts as parts
from studyapp.tui.screens.browse_asks import Choose, Line
from studyapp.tui.screens.listing import ListScreen
from studyapp.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from studyapp.study.settling import Lost


class OrphansScreen(ListScreen):
    """A list, and below it what is known of the card under the cursor."""

    PLACE = "orphans"
    HELP = (
        "A card whose text was deleted, or whose id changed, leaves its file; what was answered stays. It goes on "
        "by itself when it comes back under its id. Otherwise say which card it is now: **{orphans.attach}** for "
        "the one whose text is nearest, **{orphans.other}** for any other by its id. That card goes on with the "
        "history, scheduled as before; one with an id of its own gives it back by **{orphans.undo}**."
    )
    DEFAULT_CSS = """
    OrphansScreen #about { margin: 1 2 0 3; height: auto; }
    OrphansScreen #said { height: 1; margin: 0 2 0 3; }
    OrphansScreen #list { height: 1fr; margin: 0 2 0 1; min-height: 2; }
    OrphansScreen #known { height: 13; margin: 0 2 0 3; }
    OrphansScreen.-low #known { height: 8; }
    OrphansScreen.-flat #known, OrphansScreen.-flat #about { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "attach", "attach", id="orphans.attach", tooltip="Go on under the card most alike"),
        Binding("i", "other", "by id", id="orphans.other", tooltip="Go on under a card that you name by its id"),
        Binding("o", "open", "open", id="orphans.open", tooltip="All there is to know of this card"),
        Binding("u", "undo", "undo", id="orphans.undo", tooltip="Take the last one back"),
        Binding("down,j", "move(1)", "", show=False, id="orphans.down", tooltip="A card down"),
        Binding("up,k", "move(-1)", "", show=False, id="orphans.up", tooltip="A card up"),
        Binding("q,escape", "back", "back", id="back", key_display="q", tooltip="Back"),
    ]

    def __init__(self, card: str = "") -> None:
        """Show them.

        Args:
            card: The one to put the cursor on.
        """
        super().__init__()
        self.begin_at = card
        self.lost: list[Lost] | None = None
        """None while texts are compared."""
        self.at = 0
        self.first = 0
        self.done = 0
        """How many can be taken back."""
        self.list = Lines(id="list")
        self.known = Lines(id="known")

    def compose(self) -> ComposeResult:
        """Lay out what this is, the list, and what is known."""
        yield self.top
        yield Static("", id="about", markup=False)
        yield Static("", id="said", markup=False)
        yield self.list
        yield self.known
        yield self.keys

    @on(DeskReady)
    @on(Synced)
    def begin(self) -> None:
        """Look for them."""
        if self.lost is None:
            self.say("Comparing texts ...", "$s-muted")
        self._look()

    def on_screen_resume(self) -> None:
        """A card may have come back."""
        self._look()

    @work(exclusive=True, group="orphans")
    async def _look(self) -> None:
        from studyapp.study.settling import lost_cards

        if self.desk is None:
            return
        here = self.here.orphan.card if self.here is not None else self.begin_at
        try:
            lost = await asyncio.to_thread(lost_cards, self.desk)
        except StudyError as error:
            self.say(f"{error.message} {error.hint}", "$s-again")
            return
        place = next((at for at, one in enumerate(lost) if one.orphan.card == here), None)
        if self.lost is None:
            lacks = place is None and self.begin_at
            self.say(f"{here} has no history that could go on, or it went on already." if lacks else "")
        self.lost = lost
        self.at = self.at if place is None else place
        self.paint()

    @property
    def here(self) -> Lost | None:
        """The card under the cursor."""
        return self.lost[self.at] if self.lost and self.at < len(self.lost) else None

    # painting

    def on_resize(self, event: events.Resize) -> None:
        """Choose how much room there is for one card, and draw again."""
        super().on_resize(event)
        self.set_class(event.size.height < 22, "-low")
        self.set_class(event.size.height < 14, "-flat")
        self.call_after_refresh(self.paint)

    def paint(self) -> None:
        """Draw the rows on the screen and what is known of one."""
        if self.lost is None or self.desk is None or not self.is_mounted or self.was_left:
            return
        self.at = max(0, min(len(self.lost) - 1, self.at))
        width = max(20, self.list.size.width or 77)
        room = max(1, self.list.size.height or 6)
        self.first = max(0, min(self.first, self.at), self.at - room + 1)
        shown = self.lost[self.first : self.first + room]
        self.list.show([parts.row(one, width, here=self.first + at == self.at) for at, one in enumerate(shown)])
        about = parts.head(len(self.lost), max(20, min(100, (self.size.width or 80) - 6)))
        self.query_one("#about", Static).update(Content("\n").join(about))
        self._paint_known()
        self.show_keys()

    def _paint_known(self) -> None:
        from studyapp.study.browsing import answers_of

        lost, desk = self.here, self.desk
        if lost is None or desk is None:
            self.known.show([])
            return
        size = (max(20, self.known.size.width or 74), self.known.size.height or 13)
        answers = answers_of(desk, lost.orphan.card)
        today, policy, ascii_only = desk.clock().study_day, desk.options.policy, self.study.settings.ascii
        self.known.show(parts.known(lost, answers, today, policy, size, ascii_only))

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys for a card need one, and only what was done here is taken back."""
        if action == "attach":
            return self.here is not None and self.here.near is not None
        if action in ("other", "open"):
            return self.here is not None
        return self.done > 0 if action == "undo" else True

    def action_move(self, step: int) -> None:
        """Move the cursor by cards."""
        self.at += step
        self.paint()

    def steps_to(self, row: int) -> int | None:
        """Return how far the card of a row is."""
        place = self.first + row
        return place - self.at if self.lost and place < len(self.lost) else None

    def action_open(self) -> None:
        """Show everything about the card."""
        from studyapp.tui.screens.browse_card import CardScreen

        if self.here is not None:
            self.app.push_screen(CardScreen(self.here.orphan.card))

    def action_attach(self) -> None:
        """Ask whether the nearest card is this one, and let it go on."""
        if self.here is not None and self.here.near is not None:
            self._ask(self.here, self.here.near.id)

    def action_other(self) -> None:
        """Ask for a card by its id, then the same."""
        lost = self.here
        if lost is None:
            return

        def named(card: str | None) -> None:
            if card and card.strip():
                self._ask(lost, card.strip())

        hint = "as Browse shows it below enter, such as gpus/latency"
        near = lost.near.id if lost.near is not None else ""
        self.app.push_screen(Line("Which card is it now? Its id:", hint, near), named)

    @work(exclusive=True, group="attach")
    async def _ask(self, lost: Lost, name: str) -> None:
        from studyapp.study.settling import attach

        desk = self.desk
        assert desk is not None
        card = desk.store.card(name)
        if card is None or card.hidden:
            self.say(f"There is no card {name} in any file.", "$s-again")
            return
        lines = parts.question(lost, card, max(20, min(68, (self.size.width or 80) - 8)))
        asked = Choose("Is it the same card?", lines, [("y", "yes, go on with its history", "$s-text")])
        if await self.app.push_screen_wait(asked) is None:
            return
        try:
            self.done += await asyncio.to_thread(attach, desk, lost.orphan.card, card.id)
        except StudyError as error:
            self.say(f"Not stored: {error.message} {error.hint}", "$s-again")
            return
        self.say(f"{card.id} goes on with the history of {lost.orphan.card}.")
        self._look()

    @work(exclusive=True, group="attach")
    async def action_undo(self) -> None:
        """Take the last one back."""
        from studyapp.study.rebuilding import undo_the_log

        assert self.desk is not None
        try:
            await asyncio.to_thread(undo_the_log, self.desk)
        except StudyError as error:
            self.say(f"Not stored: {error.message} {error.hint}", "$s-again")
            return
        self.done -= 1
        self.say("Taken back.")
        self._look()
