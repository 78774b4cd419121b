"""How far `run --all` is, on standard error: the experiment under way, how many, and about how long still."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from studyapp.cli.moving_line import MovingLine
from studyapp.cli.output import note, plural

if TYPE_CHECKING:
    from studyapp.experiments.protocol import Message
    from studyapp.study.suite import Result

REPAINT_S = 0.2
"""At most five times a second."""


class SuiteLine:
    """Tells on standard error how far it is: one moving line on a terminal, else a line per experiment."""

    def __init__(self, names: Sequence[str], *, moving: bool) -> None:
        self.names = names
        self._line = MovingLine(moving=moving)
        self._ended = 0
        self._points = 0
        self._painted = 0.0
        self._spent_s = self._usual_s = 0.0
        self._paint()

    def hear(self, message: Message) -> None:
        """Take one message of a run."""
        from studyapp.experiments.protocol import PointMessage

        self._points += isinstance(message, PointMessage)
        if time.monotonic() - self._painted >= REPAINT_S:
            self._paint()

    def done(self, result: Result) -> None:
        """Take one result."""
        from studyapp.chart.page_words import WORDS, kind

        self._ended += 1
        self._points = 0
        if result.state == "done":
            self._spent_s += result.took_s
            self._usual_s += result.experiment.usual_s
        if self._line.on:
            self._paint()
        else:
            took = f", {result.took_s:.1f} s" if result.took_s >= 0.05 else ""
            note(f"{self._ended} of {len(self.names)}: {result.experiment.id}, {WORDS[kind(result)]}{took}")

    def left_s(self) -> float:
        """Return about how many seconds the rest will take, by how this machine has kept to the usual times."""
        from studyapp.study.suite import usual_s

        pace = self._spent_s / self._usual_s if self._usual_s else 1.0
        return usual_s(self.names[self._ended :]) * max(0.2, min(pace, 10.0))

    def _paint(self) -> None:
        if not self._line.on or self._ended >= len(self.names):
            return
        self._painted = time.monotonic()
        name = self.names[self._ended]
        points = f", {plural(self._points, 'measurement')}" if self._points else ""
        left = f", about {max(1, round(self.left_s()))} s left"
        self._line.show(f"{self._ended + 1} of {len(self.names)}: {name}{points}{left}")

    def clear(self) -> None:
        """Take the moving line away."""
        self._line.clear()
