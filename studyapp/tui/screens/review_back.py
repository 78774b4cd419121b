"""What goes back and away on the review screen: undo, cards put away, a typed answer; and what is not stored."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from textual import work
from textual.content import Content
from textual.timer import Timer

from studyapp.core.errors import StoreError, StudyError
from studyapp.core.grades import Kind, Rating
from studyapp.tui.screens.review_answer import ReviewAnswer
from studyapp.tui.screens.review_ends import eyebrow
from studyapp.tui.screens.review_parts import NAMES
from studyapp.tui.widgets.bars import clean_place

if TYPE_CHECKING:
    from studyapp.study.reviewing import Showing

STORING_S = 0.7
"""A write that takes longer waits for another program, and is named."""


class ReviewBack(ReviewAnswer):
    """The actions besides grading that change the record, each stored before the screen says so."""

    def __init__(self) -> None:
        super().__init__()
        self.saving = False
        self.typing = False
        self._cache_timer: Timer | None = None

    def _draw(self, showing: Showing | None) -> None:
        raise NotImplementedError

    def action_reveal(self) -> None:
        """Show the answer."""
        raise NotImplementedError

    @contextlib.contextmanager
    def _storing(self) -> Iterator[None]:
        """Change the record inside, one change at a time; one that has to wait says so."""
        self.saving, head = True, self.head
        # no timer of the screen's own: it would be heard after this key has been dealt with
        waiting = asyncio.get_running_loop().call_later(STORING_S, self._say_storing)
        try:
            yield
        finally:
            self.saving, self.head = False, head
            waiting.cancel()

    def _say_storing(self) -> None:
        """A key that seems to do nothing is pressed again: say what is waited for."""
        self.head = eyebrow("STORING ...   another program holds the record; it is waited for", "$s-sky")
        self.repaint()

    def _cache_soon(self) -> None:
        """Refresh what the shell prompt reads, a moment later and off the key's path; a pause gathers several."""
        if self._cache_timer is not None:
            self._cache_timer.stop()
        self._cache_timer = self.set_timer(2.0, self._cache)

    @work(thread=True, exclusive=True, group="status")
    def _cache(self) -> None:
        from studyapp.study.today import write_status

        desk = self.desk
        if desk is not None:
            with contextlib.suppress(StudyError):  # only a cache; the store may be closing, or locked for a moment
                self.call_later(
                    self._cached, write_status(desk)
                )  # a message: no thread waits for an app that leaves

    def _cached(self, status: Mapping[str, Any]) -> None:
        """Let the top row say what holds now: the streak of an answer taken back is gone."""
        self.study.status = status
        if self.sitting is not None and self.is_current:
            self._paint_top()

    def _not_stored(self, error: StoreError, key: str) -> None:
        """Say that the record cannot be written, why, and which key tries it again; the card stays."""
        reason = error.message.removeprefix("Not stored").lstrip(",: ")
        self.head = Content.assemble(
            ("NOT STORED  ", "bold $s-again"),
            (clean_place(f"{reason} {error.hint}"), "$s-text"),
            ("  ", ""),
            (key, "bold $s-bright"),
            (" tries again.", "$s-text"),
        )
        self.repaint()

    async def action_undo(self) -> None:
        """Take the last answer back and show its card again."""
        if self.sitting is None or self.saving or self.offer is not None:
            return
        answered = self.sitting.answered
        try:
            with self._storing():
                voided = await asyncio.to_thread(self.sitting.undo)
        except StoreError as error:
            self._not_stored(error, "u")
            return
        if voided is None:
            words = "CHECK YOURSELF" if self.revealed else self.first_word if self.showing else "DONE FOR NOW"
            self.head = eyebrow(f"{words}   nothing to take back", "$s-you")
            self.repaint()
            return
        if voided.rating and voided.study_day == self.sitting.desk.clock().study_day and not answered:
            self.before = max(0, self.before - 1)  # an answer of an earlier sitting of today
        from studyapp.core.manual import verb

        name = NAMES[Rating(voided.rating)] if voided.rating else verb(voided.action)
        self.note = f"took back {name}" if voided.kind is not Kind.CRAM else f"took back {name} of a cram"
        self._draw(self.sitting.again(voided))
        self._cache_soon()

    async def action_bury(self) -> None:
        """Put the card away until tomorrow."""
        if self.showing is not None and self.sitting is not None and not self.stale_key:
            await self._put_away(self.sitting.bury, "b", "put away until tomorrow")

    async def action_suspend(self) -> None:
        """Put the card away until the learner takes it back."""
        if self.showing is not None and self.sitting is not None and not self.stale_key:
            await self._put_away(self.sitting.suspend, "z", "suspended")

    async def _put_away(self, how: Callable[[Showing], None], key: str, note: str) -> None:
        if self.showing is None or self.saving:
            return
        try:
            with self._storing():
                await asyncio.to_thread(how, self.showing)
        except StoreError as error:
            self._not_stored(error, key)
            return
        self.note = note
        self._draw_next()

    def action_type(self) -> None:
        """Type the answer before revealing it."""
        from studyapp.tui.screens.typed import TypedAnswer

        if self.showing is not None and not self.revealed:
            self.typing = True
            card = self.showing.card
            self.app.push_screen(TypedAnswer(card.prompt, self.kind, self.top), self._typed)

    def _typed(self, text: str | None) -> None:
        from studyapp.core.attempts import attempt

        self.typing = False
        if text is not None and self.showing is not None:
            self.attempt = attempt(self.kind, self.showing.card.answer, text)
            self._pressed_at = float("inf")
            self.action_reveal()
