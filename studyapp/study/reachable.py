"""Whether a folder answers at all: a mount whose server is gone holds whoever touches it, and lets nobody end it.

So a child process asks first. One that is held is left behind; this program never waits for it, not even when it
ends. A thread that was held instead would keep the whole process from ending.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from studyapp.core.errors import StoreError

Result = TypeVar("Result")
ASKING = ("test", "-e")
"""The program that touches the folder (POSIX; 2 ms); what it finds does not matter."""
_LOOK_S = 0.002
_REAPED_WITHIN_S = 0.2
_NOWHERE = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]


class NotInTimeError(StoreError):
    """Keeping in step took longer than it may; nothing was changed, the next time goes on from there."""

    kind = "sync"


def answers(folder: Path, limit_s: float) -> bool:
    """Return whether a look at a folder comes back within some seconds, whatever it finds there.

    Args:
        folder: The folder; it need not be there.
        limit_s: Seconds to wait.
    """
    words = [*ASKING, str(folder)]
    try:
        child = os.posix_spawnp(words[0], words, os.environ, file_actions=_NOWHERE, setpgroup=0)
    except OSError:
        return True  # nobody to ask: then we look ourselves
    if _ended(child, limit_s):
        return True
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _ended(child, _REAPED_WITHIN_S)
    return False


def _ended(child: int, limit_s: float) -> bool:
    """Wait for a child at most so long; return whether it ended."""
    deadline = time.monotonic() + limit_s
    while True:
        with contextlib.suppress(InterruptedError):
            try:
                if os.waitpid(child, os.WNOHANG)[0]:
                    return True
            except ChildProcessError:
                return True  # somebody else heard of its end
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LOOK_S)


def in_time(work: Callable[[], Result], folder: Path, limit_s: float) -> Result:
    """Return what work on a folder returns, or give it up; a folder that does not answer is not touched.

    Args:
        work: What is to be done, on a thread that nobody waits for.
        folder: The folder that it needs.
        limit_s: Seconds after which it is given up.

    Raises:
        NotInTimeError: If the folder does not answer or the work is not done in time.
        Exception: What the work raises.
    """
    began = time.monotonic()
    if not answers(folder, limit_s):
        raise _late(folder, limit_s)
    done: queue.SimpleQueue[tuple[Result | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((work(), None))
        except BaseException as error:  # raised again by whoever waits
            done.put((None, error))

    threading.Thread(target=run, name="sync", daemon=True).start()
    try:
        found, error = done.get(timeout=max(0.0, limit_s - (time.monotonic() - began)))
    except queue.Empty:
        raise _late(folder, limit_s) from None
    if error is not None:
        raise error
    return found  # type: ignore[return-value]


def _late(folder: Path, limit_s: float) -> NotInTimeError:
    return NotInTimeError(
        f"{folder} did not answer within {limit_s:g} s; what is new here goes there next time.",
        "Look whether the folder is still mounted.",
    )
