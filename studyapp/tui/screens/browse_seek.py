"""Looking for cards beside the learner's keys: a thread searches, the last query wins, and no key waits for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from textual import events, work

from studyapp.core.errors import StudyError
from studyapp.tui.screens.browse_list import BrowseList, Known

if TYPE_CHECKING:
    from studyapp.store.searching import Hits
    from studyapp.study.browsing import Found

FREE = ("search", "leave", "help")
"""What keys may do before the list has followed; all others are for what is on it."""


@dataclass
class _Wanted:
    """What the next look is for: everything that was asked for since the last one that was shown."""

    texts: bool = False
    """Whether lessons have changed; taken off by the look that reads them."""
    forget: bool = False
    """Whether answers or marks have; the same."""
    to_top: bool = False
    card: str | None = None
    """The one to put the cursor on."""


@dataclass(frozen=True)
class _Sight:
    """What a look found, with all that the screen needs of it, so that nothing is read while it is painted."""

    hits: Hits
    at: int
    page: dict[str, Found]
    known: dict[str, Known]
    titles: dict[str, str] | None = field(default=None)
    """Of the lessons, where they were read again."""


class BrowseSeek(BrowseList):
    """The list, and the search that it follows."""

    def __init__(self) -> None:
        super().__init__()
        self.seeking = False
        """Whether the list has yet to follow."""
        self._wanted = _Wanted()
        self._asked = 0
        """How often something was asked for: what was found for an earlier time is dropped."""
        self._held: list[events.Key] = []
        """Keys for the list that is to come."""

    @property
    def typing(self) -> bool:
        """Whether the cursor is in the search line."""
        return False

    def seek(
        self, *, texts: bool = False, forget: bool = False, to_top: bool = False, card: str | None = None
    ) -> None:
        """Look again in a thread, and show what is found if nothing else is asked for meanwhile.

        Args:
            texts: Read the lessons anew.
            forget: Answers or marks have changed.
            to_top: Put the cursor on the first card.
            card: Put it on this one; without both it stays where it is.
        """
        if self.browsing is None or self.desk is None:
            return
        wanted = self._wanted
        wanted.texts, wanted.forget = wanted.texts or texts, wanted.forget or forget
        if to_top or card is not None:
            wanted.to_top, wanted.card = card is None, card
        self._asked += 1
        if not self.seeking:
            self.seeking = True
            self._seek()

    def stay(self, *, texts: bool = False) -> None:
        """Look again and stay on the same card: answers, marks or lessons have changed."""
        if not self._wanted.to_top and self._wanted.card is None and (here := self._id_here()):
            self.seek(texts=texts, forget=True, card=here)
        else:
            self.seek(texts=texts, forget=True)

    def _id_here(self) -> str | None:
        if self.browsing is None or not 0 <= self.at < self.count:
            return None
        return self.browsing.ids([self.browsing.places[self.at]])[0]

    @work(group="seek")
    async def _seek(self) -> None:
        browsing = self.browsing
        assert browsing is not None
        try:
            asked = -1
            while asked != self._asked:
                asked = self._asked
                sight = await asyncio.to_thread(self._look)
            self._show(sight)
        except StudyError as error:
            self.say(f"{error.message} {error.hint}", "$s-again")
        finally:
            self.seeking = False
            self._let_go()
        await asyncio.to_thread(browsing.warm_up)

    def _look(self) -> _Sight:
        """Find what is wanted and read what will be on the screen; runs in a thread."""
        browsing, desk, wanted = self.browsing, self.desk, self._wanted
        assert browsing is not None
        assert desk is not None
        titles = None
        if wanted.texts:
            wanted.texts = wanted.forget = False  # first: what is asked for meanwhile is for the next look
            browsing.shelf.load()
            titles = {module.id: module.title for module in desk.store.modules()}
        elif wanted.forget:
            wanted.forget = False
            browsing.shelf.forget()
        hits = browsing.find()
        place = None if wanted.card is None else hits.place_of(wanted.card)
        at = 0 if wanted.to_top else self.at if place is None else place
        at = max(0, min(at, len(hits.places) - 1))
        low = max(0, min(self.first, at, at - self.room + 1))
        page = browsing.found(hits.ids(hits.places[low : max(low, at) + self.room]))
        here = hits.ids(hits.places[at : at + 1])
        known = {found.card.id: self.know(found) for found in page if [found.card.id] == here}
        return _Sight(hits, at, {found.card.id: found for found in page}, known, titles)

    def _show(self, sight: _Sight) -> None:
        assert self.browsing is not None
        if self.range_from is not None:  # it begins at a card, wherever that is now
            began = self.browsing.ids(self.browsing.places[self.range_from : self.range_from + 1])
            self.range_from = None if self._wanted.to_top or not began else sight.hits.place_of(began[0])
        self.first = 0 if self._wanted.to_top else self.first
        self._wanted = _Wanted()
        self.browsing.hits, self.at = sight.hits, sight.at
        self.cache, self.known = sight.page, sight.known
        self.titles = self.titles if sight.titles is None else sight.titles
        self.paint()

    def on_key(self, event: events.Key) -> None:
        """Keep a key that is for the list until the list is there."""
        super().on_key(event)
        bound = self._bindings.key_to_bindings.get(event.key, [])
        for_the_list = self._held or any(binding.action not in FREE for binding in bound)
        if self.seeking and not self.typing and bound and for_the_list:
            event.prevent_default().stop()
            self._held.append(event)

    def _let_go(self) -> None:
        held, self._held = self._held, []
        if self.is_current:
            for event in held:
                self.app.post_message(events.Key(event.key, event.character))
