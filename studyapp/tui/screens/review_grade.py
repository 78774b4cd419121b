"""Revealing and grading: a grade is stored before anything else is drawn."""

from __future__ import annotations

import asyncio
import contextlib
import time
from functools import partial
from typing import TYPE_CHECKING

from studyapp.core.errors import StaleShowingError, StoreError, WouldWaitError
from studyapp.core.grades import Rating
from studyapp.tui.screens.review_answer import CHECK
from studyapp.tui.screens.review_keys import ReviewKeys
from studyapp.tui.screens.review_parts import leech_words
from studyapp.tui.thinking import Thinking

if TYPE_CHECKING:
    from studyapp.study.reviewing import Graded, Showing, Sitting

QUICK_S = 0.05
"""After a write that took longer, the next one is made in a thread: a disk may be in a slow mode for a while."""


class ReviewGrade(ReviewKeys):
    """The way from a question to the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.thinking = Thinking()
        self.at_card = Thinking()
        """Thinking and checking: what fills the timebox."""
        self._quick = True
        """Whether the last write took a moment only."""

    def action_reveal(self) -> None:
        """Show the answer; once it is shown, tick the key point at the cursor."""
        if self.showing is None or self.stale_key:
            return
        if self.revealed:
            self.tick_point()
            return
        self.thinking.pause()
        self.weigh_choice()
        self.revealed = True
        self.head = CHECK
        self.repaint()
        self.paint_last()
        self.drawn()
        self.show_keys()
        self.paint_now(self.card, self.tiles)
        self.call_after_refresh(self.prepare_next)

    async def action_suggested(self) -> None:
        """Take the grade the ticked key points suggest, if any; go on after the minutes are over."""
        if self.paused:
            self.go_on()
        if self.showing is not None and self.revealed:
            suggestion = self.suggestion()
            if suggestion is not None:
                await self.action_grade(int(suggestion))

    async def action_grade(self, rating: int) -> None:
        """Store the grade, then draw the next card; a failed write keeps the card with the reason.

        Before the reveal, a digit takes an option where there are some.
        """
        self.action_choose(rating)
        if self.showing is None or not self.revealed or self.stale_key or self.saving:
            return
        assert self.sitting is not None
        run = self.trial.trial.run_uid if self.trial is not None and self.trial.trial is not None else None
        try:
            with self._storing():
                graded = await self._stored(self.sitting, self.showing, Rating(rating), run)
            self.box.spend(self.at_card.seconds)
            if graded.leech:
                self.note = leech_words(graded)
        except StaleShowingError as error:
            self.note = error.message
            await asyncio.to_thread(self.sitting.look_again)
        except StoreError as error:
            self._not_stored(error, str(rating))
            return
        self._draw_next()
        self._cache_soon()

    async def _stored(self, sitting: Sitting, showing: Showing, rating: Rating, run: str | None) -> Graded:
        """Store a grade: on the spot while writes are quick, in a thread where one was slow or has to wait.

        A thread costs two changes of hands, several ms each on a busy machine; a wait must not hold up the screen.
        """
        grade = partial(sitting.grade, showing, rating, duration_ms=self.thinking.milliseconds, run=run)
        began_s = time.monotonic()
        try:
            if self._quick:
                with contextlib.suppress(WouldWaitError):
                    return grade(wait=False)
            return await asyncio.to_thread(grade)
        finally:
            self._quick = time.monotonic() - began_s < QUICK_S
