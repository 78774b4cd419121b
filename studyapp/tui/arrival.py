"""Whether what was sent has arrived: behind a frame the terminal is asked for a sign of life.

How long a write stalls tells nothing where a line is slow behind a buffer, as with ssh: a pseudo-terminal takes
twenty thousand bytes at once, which is twenty seconds at 9,600 baud. Terminals have answered since the VT100, and
their answers and the learner's keys come in the order in which they were given.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

QUESTION, ANSWER = "\x1b[5n", "\x1b[0n"
"""The status of the terminal, and that it is well."""
FIRST_PATIENCE_S, PATIENCE_S = 1.0, 5.0
"""How long an answer is waited for: the first one, and any after it. What never answers is asked once."""
FITS_BYTES = 2048
"""What fits between the program and the terminal twice where nothing is under way: no buffer there is smaller."""
BEHIND_S = 0.25
"""A frame that takes so much longer than the quickest one is late: the next ones wait and become one."""


class Arrival:
    """Asks behind frames; the thread that reads keys notes the answers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked = self._got = self._arrived = 0
        """Questions, those not waited for any more, and the last one that was answered."""
        self._asked_at_s: deque[float] = deque()
        """When each question that is open was asked."""
        self._got_at_s: deque[tuple[int, float]] = deque(maxlen=32)
        """When the last answers came, each with its number."""
        self._quickest_s = float("inf")
        """The shortest time to an answer: the way there and back, however quick the line is."""
        self._wanted = True
        self._since_bytes = 0
        """What was sent since the last question, and with it."""
        self._open = threading.Condition()
        self.held = False
        """Whether a frame waits to be sent."""
        self.answers: bool | None = None
        """Whether the terminal answers, once that is known."""

    def want(self) -> None:
        """Let the next frame be followed by a question."""
        self._wanted = True

    def question(self) -> str:
        """Return what to send behind a frame: the question, if it is wanted."""
        if not self._wanted or (self.answers is None and self.awaited) or self.answers is False:
            return ""
        with self._open:
            self._wanted = False
            self._since_bytes = 0
            self._asked += 1
            self._asked_at_s.append(self._clock())
        return QUESTION

    def answered(self) -> None:
        """Take note of an answer, a late one too."""
        with self._open:
            self.answers = True
            if self._asked_at_s:
                self._quickest_s = min(self._quickest_s, self._clock() - self._asked_at_s.popleft())
                self._got = self._arrived = self._got + 1
            self._got_at_s.append((self._got, self._clock()))
            self._open.notify_all()

    def forget(self) -> None:
        """Await nothing any more: another program has the terminal, and gets the answers."""
        with self._open:
            self._got = self._asked
            self._asked_at_s.clear()

    @property
    def behind(self) -> bool:
        """Whether the line is slow, and has not taken yet what was sent a while ago."""
        with self._open:
            waits = bool(self.answers and self.awaited)
            return waits and self._clock() - self._asked_at_s[0] >= self._quickest_s + BEHIND_S

    @property
    def awaited(self) -> bool:
        """Whether a frame that was sent may still be under way."""
        self._lose_patience()
        return self._asked > self._got

    @property
    def place(self) -> int:
        """The number of the question behind what was drawn last: once that is answered, it has arrived."""
        return self._asked + self.held

    def takes(self, text: str) -> bool:
        """Take note of what is to be sent; return whether the line surely takes it without a wait.

        It does where all frames before it that were asked behind have arrived, and what came after is little.
        """
        self._since_bytes += len(text.encode())
        before = self._asked - (QUESTION in text)
        return self.answers is True and self._arrived == before and self._since_bytes <= FITS_BYTES

    def _lose_patience(self) -> None:
        patience_s = PATIENCE_S if self.answers else FIRST_PATIENCE_S
        with self._open:
            if self._asked_at_s and self._clock() - self._asked_at_s[-1] >= patience_s:
                self.answers = bool(self.answers)
                self.forget()

    def arrived_at_s(self, place: int, sent_at_s: float) -> float | None:
        """Return when what was sent before a question had arrived; None while it is under way.

        Args:
            place: The question.
            sent_at_s: When it was sent; holds where the terminal does not answer.
        """
        if self._got < place and (self.held or self.awaited):
            return None
        with self._open:
            return max(sent_at_s, next((at_s for number, at_s in self._got_at_s if number >= place), sent_at_s))

    def wait(self, seconds: float) -> None:
        """Wait for answers under way: after the end they would be typed into the shell."""
        with self._open:
            self._open.wait_for(lambda: self._got == self._asked, seconds)
            self.forget()
