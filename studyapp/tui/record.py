"""The app's half that holds the record: opened after the first paint, kept in step, left in order."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual import work
from textual.message import Message

from studyapp.study.opening import lesson_places, open_desk_from
from studyapp.tui.looks import Looks

if TYPE_CHECKING:
    from studyapp.core.errors import StudyError
    from studyapp.study.desk import Desk
    from studyapp.study.far import Far
    from studyapp.study.watching import Watcher

REST_S = 0.7
"""Seconds after a key during which no lesson is taken in."""


class DeskReady(Message):
    """The store is open; screens may draw cards."""


class Synced(Message):
    """Another machine's part of the record came in, or lesson files changed."""


class DeskFailed(Message):
    """The store could not be opened; the reason is on the message."""

    def __init__(self, error: StudyError) -> None:
        super().__init__()
        self.error = error


class Record(Looks):
    """Knows the desk, what its status file says, and the other machines."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.desk: Desk | None = None
        self.desk_error: StudyError | None = None
        self.status: Mapping[str, Any] = {}
        self.sync_trouble = ""
        """Why the record could not be kept in step, in words."""
        self._watcher: Watcher | None = None
        self._lessons_seen = ""
        """What is stored of the lessons, as the screens know it."""

    @work(exit_on_error=True, group="desk")
    async def _open(self) -> None:
        from studyapp.core.errors import StudyError

        try:
            self.desk = await asyncio.to_thread(open_desk_from, self.settings)
        except StudyError as error:
            self.desk_error = error
            self._tell(DeskFailed, error)
        else:
            self._tell(DeskReady)
            self._watch_lessons()
            if self.settings.sync:
                self._sync_in()
        gc.freeze()  # what start-up made lives on; later collections need not look at it
        gc.enable()

    def _watch_lessons(self) -> None:
        """Notice lesson files that change while the program runs."""
        from studyapp.study.watching import Watcher

        assert self.desk is not None
        self._lessons_seen = self.desk.store.lessons_kept()
        self._watcher = Watcher(lambda: lesson_places(self.settings), self._lessons_changed, resting=self._resting)
        self._watcher.start()

    def _resting(self) -> bool:
        """Whether no key was pressed just now."""
        pressed: float = getattr(self.screen, "_pressed_at", 0.0)
        return pressed == float("inf") or time.monotonic() - pressed > REST_S

    def _lessons_changed(self) -> None:
        """Take changed lessons in, on the watcher's thread, and let the screens know."""
        from studyapp.study.watching import take_in

        if self.desk is None:
            return
        now = take_in(self.desk, lesson_places(self.settings))
        if now != self._lessons_seen:
            self._lessons_seen = now
            with contextlib.suppress(RuntimeError):  # the app is leaving
                self.call_from_thread(self._tell, Synced)

    def _tell(self, kind: type[Message], *words: Any) -> None:
        """Post a message to every open screen: one that is covered must not miss it."""
        for screen in self.screen_stack:
            screen.post_message(kind(*words))

    @work(thread=True, group="sync", exit_on_error=False)
    def _sync_in(self) -> None:
        """Take in what other machines did, in the background and for two seconds at most."""
        from studyapp.core.errors import StudyError
        from studyapp.study.merging import sync_in

        if self.desk is None:
            return
        try:
            merged = sync_in(self.desk, self.settings.sync, far=self._far())
        except StudyError as error:
            self.sync_trouble = f"{error.message} {error.hint}".strip()
        else:
            self.sync_trouble = ""
            if not merged.anything:
                return
        self.call_from_thread(self._tell, Synced)

    def _far(self) -> Far | None:
        from studyapp.study.far import Far
        from studyapp.study.merging import is_folder

        settings = self.settings
        if is_folder(settings.sync):
            return None
        return Far(settings.sync, settings.ssh_command, settings.far_command)

    def _leave_the_record_in_order(self) -> None:
        """Push what was answered here, and make the day's copy; neither may keep the learner or fail loudly."""
        from studyapp.core.errors import StudyError
        from studyapp.study.backing_up import daily

        assert self.desk is not None
        if self.settings.sync or self.desk.sync_trouble():
            from studyapp.study.merging import leave_in_step  # brings SQLAlchemy

            leave_in_step(self.desk, self.settings.sync, far=self._far())
        with contextlib.suppress(StudyError, OSError):
            daily(self.desk)

    def refresh_status(self) -> None:
        """Recompute and cache what Home and the shell prompt show."""
        if self.desk is not None:
            from studyapp.study.today import write_status

            self.status = write_status(self.desk)
