"""Whether what was sent has arrived: behind a frame the terminal is asked for a sign of life.

How long a write stalls tells nothing where a line is slow behind a buffer, as with ssh: a pseudo-terminal takes
twenty thousand bytes at once, which is twenty seconds at 9,600 baud. Terminals have answered since the VT100, and
their answers and the learner's keys come in the order in which they were given.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

QUESTION, ANSWER = "\x1b[5n", "\x1b[0n"
"""The status of the terminal, and that it is well."""
PATIENCE_S = 2.0
"""How long an answer is waited for; what does not answer by then is taken not to know the question."""


class Arrival:
    """Asks one question at a time. The thread that reads keys notes the answers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked_at_s: float | None = None
        self._wanted = True
        self._answered = threading.Event()
        self.answers = True
        """Whether the terminal is thought to answer; until it did not, it is."""

    def want(self) -> None:
        """Let the next frame be followed by a question."""
        self._wanted = True

    def question(self) -> str:
        """Return what to send behind a frame: the question, if it is wanted and none is open."""
        if not self._wanted or self.awaited or not self.answers:
            return ""
        self._wanted = False
        self._answered.clear()
        self._asked_at_s = self._clock()
        return QUESTION

    def answered(self) -> None:
        """Take note of an answer, a late one too."""
        self._asked_at_s = None
        self.answers = True
        self._answered.set()

    @property
    def awaited(self) -> bool:
        """Whether a frame may still be under way."""
        asked_at_s = self._asked_at_s
        if asked_at_s is None:
            return False
        if self._clock() - asked_at_s < PATIENCE_S:
            return True
        self._asked_at_s, self.answers = None, False
        return False

    def wait(self, seconds: float) -> None:
        """Wait for an open answer: after the end it would be typed into the shell."""
        if self.awaited:
            self._answered.wait(seconds)
