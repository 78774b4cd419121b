"""How often to repaint: as often as is pleasant, and no oftener than the line to the terminal takes it.

Judged by how long writes to the terminal stall, not by variables: tmux keeps SSH_CONNECTION from another day, and
a slow serial console never had it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from studyapp.tui.arrival import Arrival

if TYPE_CHECKING:
    from textual.message import Message

SHARE = 0.25
"""The most of the time that may pass waiting for the terminal."""
SLOWEST_S = 1.0
"""Seconds between two repaints on the slowest line: something still moves."""
MOST_WAIT_S = 0.5
"""How long leaving waits for the terminal to answer."""
HALF_LIFE_S = 2.0
"""After so long without a stall, half of it is believed."""


class Pace:
    """Remembers how long writes stalled lately. One thread notes, another asks."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stall_s = 0.0
        self._noted_at = clock()
        self.arrival = Arrival(clock)

    def note(self, stall_s: float) -> None:
        """Take in how long one write took, in seconds."""
        self._stall_s, self._noted_at = max(stall_s, self.stall_s), self._clock()

    @property
    def stall_s(self) -> float:
        """How long a write is expected to stall now."""
        return self._stall_s * float(0.5 ** ((self._clock() - self._noted_at) / HALF_LIFE_S))

    def interval_s(self, usual_s: float) -> float:
        """Return the seconds to leave between two repaints.

        Args:
            usual_s: What would be pleasant on a quick terminal.
        """
        return max(usual_s, min(SLOWEST_S, self.stall_s / SHARE))


class Frames:
    """Says for a timer that ticks at the pleasant rate which ticks are to be painted."""

    def __init__(self, pace: Pace, per_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.usual_s = 1 / per_s
        self._pace = pace
        self._clock = clock
        self._painted_at = float("-inf")

    def due(self) -> bool:
        """Return whether to paint now; asking counts as painting."""
        if self._pace.arrival.awaited:
            return False
        now = self._clock()
        # a timer's tick may come a hair early; half a tick late would drop every other frame
        if now - self._painted_at < self._pace.interval_s(self.usual_s) - self.usual_s / 4:
            return False
        self._painted_at = now
        self._pace.arrival.want()
        return True


class TimedFile:
    """The terminal as the driver's writer sees it, with an eye on how long each write takes."""

    def __init__(self, file: TextIO, pace: Pace, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._pace = pace
        self._clock = clock
        self._written = 0
        self.flushed = 0
        """How many of the texts have been handed on."""

    def write(self, text: str) -> int:
        """Write, and note how long it took."""
        began = self._clock()
        written = self._file.write(text)
        self._written += 1
        self._pace.note(self._clock() - began)
        return written

    def flush(self) -> None:
        """Flush, and note how long it took: here a full line makes itself felt."""
        began, written = self._clock(), self._written
        self._file.flush()
        self.flushed = written
        self._pace.note(self._clock() - began)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def timed(driver: type[Any], pace: Pace, taken: Callable[[], None]) -> type[Any]:
    """Return a driver that writes through a `TimedFile`; one that has no file writes as it did.

    Args:
        driver: The platform's.
        pace: Where stalls are noted.
        taken: Called whenever the driver has taken the terminal: at the start, and after another program had it.
    """

    class TimedDriver(driver):  # type: ignore[misc]
        """The platform's driver, timed."""

        def __init__(self, *args: Any, **more: Any) -> None:
            super().__init__(*args, **more)
            file: Any = getattr(self, "_file", None)
            self._timed = None if file is None else TimedFile(file, pace)
            self._handed = 0
            if self._timed is not None:
                self._file: Any = self._timed

        def send_message(self, message: Message) -> None:
            """Hand on what was read: a task for each key, as Textual makes it, is another turn of the loop."""
            with contextlib.suppress(RuntimeError):  # the loop has ended: nobody hears it
                self._app.post_message(message)

        def write(self, data: str) -> None:
            """Write: on the spot what the line surely takes, else by the thread that may wait.

            Handing over to that thread costs up to several milliseconds on a busy machine.
            """
            if self._timed is None:
                super().write(data)
                return
            first, self._handed = self._handed == self._timed.flushed, self._handed + 1
            writer: Any = getattr(self, "_writer_thread", None)
            if pace.arrival.takes(data) and first and writer is not None and writer.is_alive():
                with contextlib.suppress(OSError):  # the terminal is gone: as the thread, say nothing
                    self._timed.write(data)
                    self._timed.flush()
            else:
                super().write(data)

        def start_application_mode(self) -> None:
            """Take the terminal."""
            taken()
            super().start_application_mode()

        def stop_application_mode(self) -> None:
            """Give the terminal back."""
            pace.arrival.wait(MOST_WAIT_S)
            super().stop_application_mode()

    return TimedDriver
