"""Time for which ctrl+z had stopped the program: it is no thinking."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from types import FrameType


class Away:
    """Counts the seconds while it is open; a context manager. The program stops and goes on as ever."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._before: signal.Handlers | object = None

    def __enter__(self) -> Away:
        with contextlib.suppress(ValueError, AttributeError):  # not the main thread, or no such signal here
            self._before = signal.signal(signal.SIGTSTP, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGTSTP, self._before)  # type: ignore[arg-type]

    def _stop(self, number: int, frame: FrameType | None) -> None:
        began = time.monotonic()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)  # stops here, until fg
        signal.signal(number, self._stop)
        self.seconds += time.monotonic() - began
