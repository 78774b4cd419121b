"""What Browse does to cards, to one or to all that are marked: each is one step that undo takes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import work
from textual.content import Content

from studyapp.core.errors import StudyError
from studyapp.core.queries import FLAGS
from studyapp.tui.screens.browse_asks import Choose, Line
from studyapp.tui.screens.browse_parts import FLAG_STYLES
from studyapp.tui.screens.browse_seek import BrowseSeek
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.study.browsing import Browsing


class BrowseActs(BrowseSeek):
    """The actions that change the record; they run in a thread, one at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = False

    @work(exclusive=True, group="browse")
    async def _act(self, what: Callable[[Browsing], str | None]) -> None:
        """Do something to the store in a thread, say what was done, and show it."""
        if self.browsing is None or self.busy:
            return
        self.busy = True
        try:
            said = await asyncio.to_thread(what, self.browsing)
        except StudyError as error:
            self.say(f"Not stored: {error.message} {error.hint}", "$s-again")
            return
        finally:
            self.busy = False
        self.stay()
        self.say(said or "Nothing to take back.")

    def action_suspend(self) -> None:
        """Put the cards away until they are taken back, or take them back."""
        ids = self.chosen()
        self._act(lambda browsing: browsing.suspend(ids))

    def action_bury(self) -> None:
        """Put the cards away until tomorrow, or take them back."""
        ids = self.chosen()
        self._act(lambda browsing: browsing.bury(ids))

    def action_undo(self) -> None:
        """Take the last action back."""
        self._act(lambda browsing: browsing.undo())

    def action_start_over(self) -> None:
        """Ask, then make the cards new again."""
        ids = self.chosen()
        count = "this card" if len(ids) == 1 else f"{len(ids)} cards"
        text = [Content.styled("The history stays in the record; the schedule begins anew.", "$s-muted")]

        def done(key: str | None) -> None:
            if key:
                self._act(lambda browsing: browsing.start_over(ids))

        self.app.push_screen(Choose(f"Start over with {count}?", text, [("0", "start over", "$s-text")]), done)

    def action_tag(self) -> None:
        """Ask for tags and put them on."""
        ids = self.chosen()
        known = clean_place("  ".join(self.browsing.own_tags()[:12])) if self.browsing is not None else ""
        hint = f"words; -word takes one off{f'   yours: {known}' if known else ''}"

        def done(words: str | None) -> None:
            if words and words.strip():
                self._act(lambda browsing: browsing.tag(ids, words))

        self.app.push_screen(Line("Tags", hint), done)

    def action_flag(self) -> None:
        """Ask for a colour and flag the cards."""
        ids = self.chosen()
        choices = [(str(n), name, FLAG_STYLES[name]) for n, name in enumerate(FLAGS, start=1)]

        def done(key: str | None) -> None:
            if key is not None:
                colour = "" if key == "0" else FLAGS[int(key) - 1]
                self._act(lambda browsing: browsing.flag(ids, colour))

        self.app.push_screen(Choose("Flag", [], [*choices, ("0", "no flag", "$s-text")]), done)
