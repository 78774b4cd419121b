"""The one line that moves while an experiment runs: on a terminal's standard error only."""

from __future__ import annotations

import time

from studyapp.cli.moving_line import MovingLine
from studyapp.cli.output import plural
from studyapp.decks.clean import clean_line
from studyapp.experiments.protocol import Message, Note, PointMessage, Started

REPAINT_S = 0.1
"""At most ten times a second."""


class Progress:
    """Counts what has been measured; silent where standard error is no terminal."""

    def __init__(self, *, moving: bool) -> None:
        self._line = MovingLine(moving=moving)
        self._points = 0
        self._words = "starting torch"
        self._painted = 0.0
        self._paint()

    def hear(self, message: Message) -> None:
        """Take one message of the run."""
        if isinstance(message, PointMessage):
            self._points += 1
            self._words = f"{plural(self._points, 'measurement')} so far"
        elif isinstance(message, Started):
            self._words = f"running on {message.device}"
        elif isinstance(message, Note):
            self._words = clean_line(message.text)
        if message.final:
            self.clear()
        else:
            self._paint()

    def _paint(self) -> None:
        now = time.monotonic()
        if now - self._painted >= REPAINT_S:
            self._painted = now
            self._line.show(self._words)

    def clear(self) -> None:
        """Take the line away."""
        self._line.clear()
