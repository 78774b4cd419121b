"""The app: opens the desk after the first paint, holds the worker, and owns the one way out."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.binding import Binding
from textual.screen import Screen

from studyapp.settings import Settings
from studyapp.tui.commands import SplitSequences, remapped
from studyapp.tui.places import PLACES, open_place, screen_of
from studyapp.tui.record import DeskFailed as DeskFailed
from studyapp.tui.record import DeskReady as DeskReady
from studyapp.tui.record import Record
from studyapp.tui.record import Synced as Synced
from studyapp.tui.theme import themes

if TYPE_CHECKING:
    from studyapp.core.cram import Beyond
    from studyapp.experiments.runner import Runner

HERE = Path(__file__).parent
MOST_WAIT_S = 1.0
"""How long ctrl+z waits for a run to be cancelled."""


class StudyApp(Record):
    """The terminal app. `start` names the first screen: home, review, read or an experiment's card."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    BINDINGS = [  # noqa: RUF012
        Binding(
            "ctrl+c", "leave", "quit", show=False, priority=True, id="quit.now", tooltip="Leave; all is saved"
        ),
        Binding("ctrl+q", "leave", "quit", show=False, priority=True, id="quit", tooltip="Leave; all is saved"),
        Binding("ctrl+p,colon", "palette", "", show=False, id="palette", tooltip="Find and do anything"),
        Binding("ctrl+z", "to_the_shell", "", show=False, id="suspend", tooltip="To the shell; fg comes back"),
        Binding("ctrl+l", "redraw", "", show=False, id="redraw", tooltip="Draw the screen anew"),
    ]

    def __init__(
        self, settings: Settings, start: str = "home", target: str | None = None, wish: Beyond | None = None
    ) -> None:
        # the first screen's stylesheet with the app's: read later, it has all of them parsed once more (9 ms)
        first = start if start in ("review", "read", "race") else "home"
        super().__init__(css_path=[HERE / "base.tcss", HERE / "screens" / f"{first}.tcss"])
        self.settings = settings
        self._bindings = remapped(self._bindings, settings.keys)
        # none is ever shown here, and each screen would lay out two blocks for them
        self._disable_tooltips = self._disable_notifications = True
        self._split = SplitSequences()
        self.start = start
        self.target = target
        self.wish = wish
        """What a review that the program starts with asks for beyond today's cards."""
        self.failure: Exception | None = None
        """A fault of ours that ended the program."""
        self._runner: Runner | None = None
        self.asked: set[str] = set()
        """Rewritten cards that were asked about since the start: nobody is asked twice."""
        for theme in themes():
            self.register_theme(theme)
        self._suit_the_terminal()
        self.stylesheet.set_variables(self.get_css_variables())

    def on_mount(self) -> None:
        """Open the store once the first frame is painted."""
        self.own_the_signals()
        self.app_resume_signal.subscribe(self, self._came_back)
        self.call_after_refresh(self._after_first_paint)

    def get_default_screen(self) -> Screen[None]:
        """Return the first screen, to be painted from the cached status file.

        Pushed on Textual's own blank one, it would be laid out and painted after that: 4 ms more.
        """
        from studyapp.study.status_file import read_status

        self.status = read_status(self.settings.status_path) or {}
        first = self._first_screen()
        first._push_result_callback(first, None)  # as a pushed screen has it: `switch_screen` takes it off again
        return first

    def _first_screen(self) -> Screen[None]:
        if self.start == "first":
            from studyapp.tui.screens.first import FirstScreen

            return FirstScreen()
        name = self.start if self.start in PLACES else "home"
        if name == "browse":
            return screen_of(name, False, self.target or "")
        if name == "review":
            return screen_of(name, self.target, self.wish)
        return screen_of(name, self.target) if name == "read" else screen_of(name)

    def _after_first_paint(self) -> None:
        self._open()

    def runner(self) -> Runner:
        """Return the warm worker's handle, starting it when it is first asked for."""
        if self._runner is None:
            from studyapp.experiments.child import DEFAULT_COMMAND
            from studyapp.experiments.runner import Runner

            self._runner = Runner(self.settings.worker_command or DEFAULT_COMMAND)
        return self._runner

    async def on_event(self, event: events.Event) -> None:
        """Pass events on, but not the pieces of a key that a slow line split: they are nobody's letters.

        What is pasted is cleaned: a line to type in would send its control characters back to the terminal. Where
        there is one line only, the ends of lines become blanks.
        """
        if isinstance(event, events.Key) and self._split.swallows(event.key, event.time):
            return
        if isinstance(event, events.Key | events.MouseDown | events.AppBlur) and self.screen_stack:
            hint = getattr(self.screen, "hint", None)
            if hint is not None:
                hint.go()
        if isinstance(event, events.Paste):
            from textual.widgets import Input

            from studyapp.decks.clean import settle

            text = settle(event.text)
            event.text = " ".join(text.split("\n")) if isinstance(self.focused, Input) else text
        await super().on_event(event)

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        """Hand the terminal over and take it back, after an error too: Textual alone would not come back then."""
        trouble: Exception | None = None
        with super().suspend():
            try:
                yield
            except Exception as error:
                trouble = error
        if trouble is not None:
            raise trouble

    def own_the_signals(self) -> None:
        """Leave in order on every signal that asks for it."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(number, self._signalled, number)

    def _signalled(self, number: int) -> None:
        if number == signal.SIGHUP:
            # the terminal is gone: nothing may wait for it to be drawn on
            # from a thread: the event loop may have ended by then, with something else still waiting
            last = threading.Timer(2.0, os._exit, (128 + number,))
            last.daemon = True
            last.start()
        self.exit(128 + number)

    def _handle_exception(self, error: Exception) -> None:
        """Leave by the one way out with the error kept: `run_app` raises it once the terminal is its own again."""
        if self.is_headless:
            super()._handle_exception(error)
        elif self.failure is None:
            cause = getattr(error, "error", error)  # a worker's failure carries what really happened
            self.failure = cause if isinstance(cause, Exception) else error
            self.exit(1)

    def action_palette(self) -> None:
        """Find and do anything."""
        from studyapp.tui.screens.base import StudyScreen
        from studyapp.tui.screens.palette import PaletteScreen

        screen = self.screen
        if isinstance(screen, StudyScreen) and not isinstance(screen, PaletteScreen):
            self.push_screen(PaletteScreen(screen))

    def action_open_place(self, name: str) -> None:
        """Go to a place by its name, from any screen."""
        open_place(self, name)

    async def action_to_the_shell(self) -> None:
        """Stop for the shell: a run is cancelled, since a timing over a pause is worthless; thinking is paused."""
        for screen in self.screen_stack:
            if callable(went_away := getattr(screen, "went_away", None)):
                went_away()
        if self._runner is not None:
            with contextlib.suppress(Exception):  # a worker that does not answer must not keep the learner
                await asyncio.wait_for(self._runner.cancel(), MOST_WAIT_S)
        self.action_suspend_process()

    def _came_back(self, _: object) -> None:
        """After `fg`: the screen in front goes on where it was."""
        if callable(came_back := getattr(self.screen, "came_back", None)):
            came_back()

    def action_leave(self) -> None:
        """Leave at once: everything answered is stored already."""
        self.exit(0)

    async def on_unmount(self) -> None:
        """End the worker's group and close the store: the one way out, whatever led here."""
        if self._runner is not None:
            with contextlib.suppress(Exception):
                await self._runner.close()
        if self._watcher is not None:
            await asyncio.to_thread(self._watcher.stop)
        if self.desk is not None:
            with contextlib.suppress(Exception):
                self.refresh_status()
            await asyncio.to_thread(self._leave_the_record_in_order)
            self.desk.close()
            self.desk = None


def run_app(settings: Settings, start: str = "home", target: str | None = None, wish: Beyond | None = None) -> int:
    """Run the app until the learner leaves and return the exit code (128+n after signal n).

    Raises:
        UsageError: If the settings file's `[keys]` cannot be.
        Exception: A fault of the program itself, after the terminal was restored; the command line reports it.
    """
    if settings.keys:
        from studyapp.tui.keymap import check_keys

        check_keys(settings.keys, settings.config)
    # a library's warning must not be printed over the screen; what matters reaches it as an error
    logging.getLogger().addHandler(logging.NullHandler())
    app = StudyApp(settings, start, target, wish)
    try:
        result = app.run()
    finally:
        # where the terminal was lost while the app was ending, Textual's reader of keys would spin on it for ever
        reading = getattr(app._driver, "exit_event", None)
        if reading is not None:
            reading.set()
    if app.failure is not None:
        raise app.failure
    return result if isinstance(result, int) else app.return_code or 0
