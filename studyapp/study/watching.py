"""Watching the lesson files while the app runs, by a cheap look every two seconds from a thread of its own.

A look reads no file, only times and sizes. Nothing is taken in while a file is still being written, or while the
learner is at the keys.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.errors import DeckError, StudyError
from studyapp.decks.files import scan
from studyapp.study import lessons

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

EVERY_S = 2.0
"""Seconds between two looks."""
SETTLE_S = 0.3
"""Seconds without a change after which a file counts as written."""

Look = dict[str, tuple[int, int]]
"""Time of change in nanoseconds and size in bytes, by path."""


def look(places: Sequence[Path]) -> Look:
    """Return times and sizes of the lesson files under places; what is missing is left out."""
    found: Look = {}
    for place in places:
        with contextlib.suppress(DeckError):
            for entry in scan(place):
                with contextlib.suppress(OSError):
                    status = os.stat(entry.path)  # noqa: PTH116 - a third of the time of a Path's own
                    found[str(entry.path)] = (status.st_mtime_ns, status.st_size)
    return found


def take_in(desk: Desk, places: Sequence[Path]) -> str:
    """Bring in the lessons and return what is stored of them now, as text to compare with the last time.

    Another process may have stored what has changed, so what is stored just before this says nothing.
    """
    desk.problems = lessons.bring_in(desk, places)
    return desk.store.lessons_kept()


class Watcher:
    """Calls back when lesson files have changed; start it once, stop it before the store is closed."""

    def __init__(
        self,
        places: Callable[[], Sequence[Path]],
        changed: Callable[[], None],
        *,
        resting: Callable[[], bool] = lambda: True,
        every_s: float = EVERY_S,
        settle_s: float = SETTLE_S,
    ) -> None:
        """Prepare to watch.

        Args:
            places: Gives the folders and files to watch beside the shipped lessons; a new folder is noticed.
            changed: Called from the watcher's own thread.
            resting: Whether the learner is not at the keys; what changed meanwhile is taken in later.
            every_s: Seconds between two looks.
            settle_s: Seconds that a file must stay as it is.
        """
        self._places = places
        self._changed = changed
        self._resting = resting
        self._every_s = every_s
        self._settle_s = settle_s
        self._over = threading.Event()
        self._known: Look = {}
        self._thread = threading.Thread(target=self._watch, name="lessons", daemon=True)

    def start(self) -> None:
        """Begin; what is there now counts as known."""
        self._known = self._look()
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for a call back that is going on."""
        self._over.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _look(self) -> Look:
        return look([lessons.shipped(), *self._places()])

    def _watch(self) -> None:
        while not self._over.wait(self._every_s):
            now = self._look()
            if now == self._known or not self._resting():
                continue
            if self._over.wait(self._settle_s):
                return
            if self._look() != now:
                continue  # still being written
            self._known = now
            with contextlib.suppress(StudyError):  # a store that is closing, or locked for a moment
                self._changed()
