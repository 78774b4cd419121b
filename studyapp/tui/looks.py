"""How the app looks: theme, colours, glyphs and motion, by the settings and by what the terminal can show."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.color import ColorSystem
from textual import events, on
from textual.app import App
from textual.filter import ANSIToTruecolor, LineFilter

from studyapp.settings import Settings
from studyapp.tui.margins import BROAD
from studyapp.tui.pace import Pace, timed
from studyapp.tui.sending import Sending
from studyapp.tui.theme import choose, depth

if TYPE_CHECKING:
    from textual.driver import Driver

    from studyapp.study.desk import Desk


class Looks(Sending):
    """The part of the app that knows the terminal."""

    HORIZONTAL_BREAKPOINTS = [(BROAD, "-broad")]  # noqa: RUF012

    settings: Settings
    desk: Desk | None
    _has_been_broad = False

    @on(events.Resize)
    def _stand_further_in(self, event: events.Resize) -> None:
        """Read what holds in a broad window alone: 1 ms of a start in any other."""
        if event.size.width >= BROAD and not self._has_been_broad:
            self._has_been_broad = True
            self.stylesheet.read(Path(__file__).with_name("broad.tcss"))
            self.stylesheet.parse()

    def _suit_the_terminal(self) -> None:
        """Choose theme, colours and glyphs by the settings and what the terminal can show."""
        settings = self.settings
        self.color_depth = depth(settings.color, os.environ)
        # `self.theme = x` would parse every stylesheet again: 60 % of start-up
        self.set_reactive(App.theme, choose(settings.theme, os.environ.get("COLORFGBG", ""), self.color_depth))
        self.console._color_system = {"16": ColorSystem.STANDARD, "true": ColorSystem.TRUECOLOR}.get(
            self.color_depth, ColorSystem.EIGHT_BIT
        )
        own = [ANSIToTruecolor(self.ansi_theme, enabled=not self.native_ansi_color)]
        self._filters = [*own, *self._extra_filters()]  # Textual's own for NO_COLOR keeps greys

    def choose_theme(self, name: str) -> None:
        """Draw in another theme and keep it; where it cannot be kept it holds until the end."""
        from studyapp.core.errors import StudyError
        from studyapp.study.configuring import set_setting

        try:
            set_setting(self.settings.config, "theme", name)
            self.take_up_settings()
        except StudyError:
            self.settings = replace(self.settings, theme=name)
            self._change_looks()

    def take_up_settings(self) -> None:
        """Go by the settings file as it is now.

        Raises:
            UsageError: If the file has something that cannot be; everything stays as it was.
        """
        from studyapp.tui.applying import reloaded, take_up

        before, self.settings = self.settings, reloaded(self.settings)
        if self.desk is not None:
            take_up(self.desk, self.settings)
        looks = [(s.theme, s.color, s.ascii) for s in (before, self.settings)]
        if looks[0] != looks[1]:
            self._change_looks()

    def _change_looks(self) -> None:
        self._suit_the_terminal()
        self._watch_theme(self.theme)
        for screen in self.screen_stack:
            for widget in screen.walk_children(with_self=True):
                widget.notify_style_update()
                widget.refresh()

    def _extra_filters(self) -> list[LineFilter]:
        found: list[LineFilter] = []
        if self.color_depth == "never" or self.settings.ascii:
            from studyapp.tui.glyphs import NoHue, OnlyAscii

            found += [NoHue()] if self.color_depth == "never" else []
            found += [OnlyAscii()] if self.settings.ascii else []
        return found

    @property
    def dense_heat(self) -> bool:
        """Whether the squares of the year differ by glyph instead of shade: with few colours, or in ASCII."""
        return self.theme == "sixteen" or self.settings.ascii

    def get_driver_class(self) -> type[Driver]:
        """Return the platform's driver, timed and patient.

        How long its writes stall sets the pace of repaints; what a slow line tears apart is read as one.
        """
        from studyapp.tui.patience import be_patient

        driver = super().get_driver_class()
        self.pace = Pace()
        be_patient(driver, self.pace.arrival.answered)
        return timed(driver, self.pace, self.canvas.forget)

    @property
    def motion(self) -> str:
        """How much may move: as it was set, else "reduced" over SSH and "full" here."""
        chosen = self.settings.motion
        return "reduced" if chosen == "full" and "motion" not in self.settings.sources and self.remote else chosen

    @property
    def remote(self) -> bool:
        """Whether the screen is looked at over SSH."""
        return bool(os.environ.get("SSH_CONNECTION"))
