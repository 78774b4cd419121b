"""Thinking time on the monotonic clock, pauses left out: a suspended program or another screen is not thinking."""

from __future__ import annotations

import time
from collections.abc import Callable


class Thinking:
    """A stopwatch that can pause."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: float | None = None
        self._gathered = 0.0

    def start(self) -> None:
        """Start from zero."""
        self._gathered, self._since = 0.0, self._clock()

    def pause(self) -> None:
        """Stop counting; what was gathered stays."""
        if self._since is not None:
            self._gathered += self._clock() - self._since
            self._since = None

    def go_on(self) -> None:
        """Count on, if the watch was started and paused."""
        if self._since is None and self._gathered:
            self._since = self._clock()

    @property
    def seconds(self) -> float:
        """Seconds gathered."""
        running = 0.0 if self._since is None else self._clock() - self._since
        return self._gathered + running

    @property
    def milliseconds(self) -> int:
        """Milliseconds gathered."""
        return round(self.seconds * 1000)
