"""How the app sends a frame: once, in one piece, and of it only what the terminal does not show yet."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rich.color import ColorSystem
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual._compositor import CompositorUpdate
from textual.app import App

from studyapp.tui.canvas import Canvas
from studyapp.tui.orders import erases_in_colour
from studyapp.tui.pace import Pace

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.screen import Screen

LATER_S = 0.05
"""How long to wait before looking again whether the line has taken what was sent."""
LARGE = 256
"""Characters of a frame that a slow line takes a while for."""


class Sending(App[int]):
    """The part of the app that writes to the terminal."""

    pace: Pace

    def __init__(self, **more: Any) -> None:
        self.canvas = Canvas(erases_in_colour=erases_in_colour(os.environ))
        super().__init__(**more)

    def on_resize(self) -> None:
        """Draw everything anew: even where the size is the old one, it was another in between."""
        self.action_redraw()

    def action_redraw(self) -> None:
        """Draw everything anew: something else wrote on the screen."""
        self.canvas.forget()
        self.screen.refresh()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Send what differs from what the terminal shows; where nothing does, send nothing."""
        colours = self.console._color_system or ColorSystem.TRUECOLOR
        drawn = self._running and not self._closed and not self.is_headless and not self._batch_count
        if isinstance(renderable, CompositorUpdate) and drawn and self.canvas.take(renderable, colours):
            self._send_the_rest()
            self.post_display_hook()
        else:
            super()._display(screen, renderable)

    def _send_the_rest(self) -> None:
        """Send, in one piece, what the terminal does not show yet; on a line that is behind, send it later."""
        arrival = self.pace.arrival
        if arrival.behind:
            if not arrival.held:
                arrival.held = True
                self.set_timer(LATER_S, self._send_later)
            return
        text = self.canvas.difference()
        cursor = self.screen.outer_size.clamp_offset(self.cursor_position)
        if self._driver is None or not (text or arrival.held or cursor != self._previous_cursor_position):
            return
        if arrival.held or len(text) >= LARGE:
            arrival.want()
        arrival.held = False
        self._previous_cursor_position = cursor
        text += f"\x1b[{cursor.y + 1};{cursor.x + 1}H{arrival.question()}"
        self._driver.write(f"{SYNC_START}{text}{SYNC_END}" if self._sync_available else text)
        self._driver.flush()

    def _send_later(self) -> None:
        if self.pace.arrival.behind:
            self.set_timer(LATER_S, self._send_later)
        elif self.pace.arrival.held:
            self._send_the_rest()
