"""Browse: every card by a query that answers while it is typed, and what can be done to many at once."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from studyapp.core.errors import StudyError
from studyapp.core.queries import SORTS, QueryError
from studyapp.tui.app import DeskFailed, DeskReady, Synced
from studyapp.tui.screens.browse_ways import BrowseWays

FOR_A_CARD = frozenset(
    ("open", "trial", "place", "suspend", "bury", "tag", "flag", "start_over", "mark", "edit", "attach")
)
"""What only a card under the cursor makes possible."""


class BrowseScreen(BrowseWays):
    """A search line, a list, a preview."""

    HELP = (
        "Type after **{browse.search}** and the list follows: words of the text, and terms such as `is:due` "
        "`is:leech` `tag:gpu` `module:gpu` `kind:cloze` `prop:s<5` `prop:r<80%` `rated:7` `experiment:kept` "
        "`flag:red` or words in quotes; `-` before a term means not, `OR` one of two. Cards that left their files "
        "are found by `is:orphan`, and **{browse.attach}** says which card one is now.\n\n"
        "Mark several cards with **{browse.mark}**, or from here to there with **{browse.range}**: what you press "
        "next is done to all of them, in one step that **{browse.undo}** takes back."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "search", id="browse.search", tooltip="Type a query; the list follows"),
        Binding("enter", "open", "open", id="browse.open", tooltip="All there is to know of this card"),
        Binding("a", "attach", "attach", id="browse.attach", tooltip="Which card it is now that left its file"),
        Binding(
            "s,z", "suspend", "suspend", key_display="s", id="browse.suspend", tooltip="Put away, or take back"
        ),
        Binding("space", "mark", "mark", id="browse.mark", tooltip="Mark this card for what comes next"),
        Binding("x", "trial", "experiment", id="browse.trial", tooltip="Put the answer on trial"),
        Binding("e", "edit", "edit", id="browse.edit", tooltip="Open its file in your editor, at its line"),
        Binding("m", "place", "lesson", id="browse.place", tooltip="Its place in the lesson"),
        Binding("t", "tag", "tag", id="browse.tag", tooltip="Put tags on, or take them off"),
        Binding("g", "flag", "flag", id="browse.flag", tooltip="Flag with a colour"),
        Binding("b", "bury", "bury", id="browse.bury", tooltip="Put away until tomorrow, or take back"),
        Binding("o", "sort", "order", id="browse.sort", tooltip="Another order"),
        Binding("r", "turn", "", show=False, id="browse.turn", tooltip="The order the other way round"),
        Binding("n", "new", "new card", id="browse.new", tooltip="Write a card into a file of yours"),
        Binding("u", "undo", "undo", id="browse.undo", show=False, tooltip="Take the last action back"),
        Binding("0", "start_over", "", show=False, id="browse.reset", tooltip="New again; asks first"),
        Binding("v", "range", "", show=False, id="browse.range", tooltip="Mark from here; again, up to here"),
        Binding("asterisk", "mark_all", "", show=False, id="browse.all", tooltip="Mark all, or none"),
        Binding("down,j", "move(1)", "", show=False, id="browse.down", tooltip="A card down"),
        Binding("up,k", "move(-1)", "", show=False, id="browse.up", tooltip="A card up"),
        Binding("pagedown,ctrl+d", "page(1)", "", show=False, id="browse.pagedown", tooltip="A page down"),
        Binding("pageup,ctrl+u", "page(-1)", "", show=False, id="browse.pageup", tooltip="A page up"),
        Binding("home", "end(0)", "", show=False, id="browse.first", tooltip="The first card"),
        Binding("end", "end(1)", "", show=False, id="browse.last", tooltip="The last card"),
        Binding(
            "q,escape", "leave", "back", id="back", key_display="q", tooltip="Back, out of search and marks first"
        ),
    ]

    def __init__(self, searching: bool = False, query: str = "") -> None:
        """Show cards.

        Args:
            searching: Begin in the search line.
            query: Begin with this query.
        """
        super().__init__()
        self.searching = searching
        self.query_text = query

    def compose(self) -> ComposeResult:
        """Lay out search line, list and preview."""
        yield self.top
        with Horizontal(id="search"):
            yield Static(Content.styled("/ ", "bold $s-sky"), id="slash", markup=False)
            line = Input(self.query_text, placeholder="is:due  tag:gpu  batch", max_length=400, id="query")
            line.can_focus = False  # until asked: letters are keys of the list
            line.cursor_blink = False  # an idle screen writes nothing
            yield line
            yield Static("", id="count", markup=False)
        yield Static("", id="said", markup=False)
        yield self.list
        yield self.preview
        yield self.keys

    def begin(self) -> None:
        """Read the cards as soon as the desk is open."""
        if self.desk is not None:
            self._begin()
        else:
            self.say("Opening the cards ...")

    @on(DeskReady)
    def _begin(self) -> None:
        self._load()
        if self.searching:
            self.action_search()

    @work(exclusive=True, group="browse")
    async def _load(self) -> None:
        from studyapp.study.browsing import Browsing

        assert self.desk is not None
        try:
            self.browsing = await asyncio.to_thread(Browsing, self.desk)
            modules = await asyncio.to_thread(self.desk.store.modules)
        except StudyError as error:
            self.say(f"{error.message} {error.hint}", "$s-again")
            return
        self.titles = {module.id: module.title for module in modules}
        self._search(self.query_one("#query", Input).value)
        self._ask()

    @work(exclusive=True, group="ask")
    async def _ask(self) -> None:
        """Ask about cards that were rewritten, if there are any."""
        from studyapp.tui.rewrites import ask_about_rewrites

        if not self.typing and await ask_about_rewrites(self):
            self.stay()

    @on(DeskFailed)
    def _failed(self, message: DeskFailed) -> None:
        self.say(f"{message.error.message} {message.error.hint}", "$s-again")

    @on(Synced)
    def _synced(self) -> None:
        self.stay(texts=True)
        self._ask()

    def on_screen_resume(self) -> None:
        """Answers may have been given, and a lesson edited."""
        self.stay()

    # searching

    def action_search(self) -> None:
        """Put the cursor into the search line."""
        line = self.query_one("#query", Input)
        line.can_focus = True
        self.set_focus(line)
        self.show_keys()

    def _to_the_list(self) -> None:
        line = self.query_one("#query", Input)
        self.set_focus(None)
        line.can_focus = False
        self.show_keys()

    @property
    def typing(self) -> bool:
        """Whether the cursor is in the search line."""
        return self.focused is self.query_one("#query", Input)  # known at once; has_focus is an event later

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        if self.browsing is not None and event.value != self.query_text:
            self._search(event.value)

    @on(Input.Submitted, "#query")
    def _submitted(self) -> None:
        self._to_the_list()

    def on_key(self, event: events.Key) -> None:
        """Leave the search line downwards."""
        super().on_key(event)
        if self.typing and event.key in ("down", "tab"):
            event.prevent_default().stop()
            self._to_the_list()

    def _search(self, query: str) -> None:
        assert self.browsing is not None
        self.query_text = query
        try:
            self.browsing.ask(query)
        except QueryError as error:
            self.say(error.brief, "$s-muted")  # half a term, most often: what was found stays
            return
        self.say("")
        self.seek(to_top=True)

    def show_keys(self) -> None:
        """In the search line only two keys are no letters."""
        if self.is_mounted and self.typing:
            self.keys.show([("enter", "to the list")])
        else:
            super().show_keys()

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the search line, letters are letters; keys for a card need one."""
        if self.typing:
            return action in ("leave", "help")
        if action in FOR_A_CARD:
            found = self.here
            if found is None:
                return False
            if action == "attach":
                return found.card.hidden
            return bool(found.card.experiments) if action == "trial" else True
        return True

    def action_leave(self) -> None:
        """Leave the search line, then the marks, then the screen."""
        if self.typing:
            self._to_the_list()
        elif self.marked or self.range_from is not None:
            self.marked.clear()
            self.range_from = None
            self.paint()
        else:
            self.action_back()

    def action_sort(self) -> None:
        """Sort by something else."""
        if self.browsing is not None:
            self._sort(SORTS[(SORTS.index(self.browsing.asked.sort) + 1) % len(SORTS)])

    def action_turn(self) -> None:
        """Turn the order round."""
        if self.browsing is not None:
            self._sort(self.browsing.asked.sort)

    def _sort(self, sort: str) -> None:
        assert self.browsing is not None
        self.browsing.sort_by(sort)
        self.seek(to_top=True)

    @work(exclusive=True, group="edit")
    async def action_edit(self) -> None:
        """Open the card's file in the editor, and come back to the card."""
        from studyapp.tui.editing import edit_card
        from studyapp.tui.rewrites import ask_about_rewrites

        if self.here is not None:
            card = self.here.card.id
            said = await edit_card(self, card)
            if said:
                await ask_about_rewrites(self)
                self.seek(texts=True, card=card)
                self.say(said)

    @work(exclusive=True, group="edit")
    async def action_new(self) -> None:
        """Write a card in the editor, and put the cursor on it."""
        from studyapp.tui.editing import new_card

        module = self.here.card.module if self.here is not None else ""
        said, card = await new_card(self, module)
        if card is not None:
            said += self._without_marks()  # else the next key would be for those, not for this card
            self.query_one("#query", Input).value = ""
            self._search("")
            self.seek(texts=True, card=card)
        self.say(said)

    def _without_marks(self) -> str:
        """Take all marks off; return what is to be said of it."""
        marked = self._how_many_marked()
        self.marked.clear()
        self.range_from = None
        return f" {marked} {'mark was' if marked == 1 else 'marks were'} taken off." if marked else ""
