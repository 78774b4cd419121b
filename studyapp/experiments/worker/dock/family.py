"""Everything a process has started, wherever it has got to, and its end.

On Linux the supervisor is made the one that inherits orphans (PR_SET_CHILD_SUBREAPER), so that a process that was
forked twice and given a session of its own is still found. Elsewhere only the script's group can be reached.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
"""Source: linux/prctl.h."""
END_S = 5.0
"""Longest wait for killed processes to be gone; one stuck in the kernel is left to it."""
STEP_S = 0.01


def adopt_orphans() -> bool:
    """Make this process the heir of what its descendants leave behind; return whether it is."""
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def descendants(root: int) -> list[int]:
    """Return the processes below one, zombies aside; empty where there is no /proc."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc") if sys.platform == "linux" else ():  # noqa: PTH208  names, not paths
        if name.isdigit():
            parent = _parent(int(name))
            if parent is not None:
                parents[int(name)] = parent
    found: set[int] = {root}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return sorted(found - {root})
        found |= more


def _parent(pid: int) -> int | None:
    try:
        # the name stands in parentheses and may hold anything, parentheses included
        state, parent = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):
        return None
    return None if state in (b"Z", b"X") else int(parent)


def end_all(leader: int | None) -> int:
    """End the group of `leader` and every descendant of this process, reap them; return how many besides it.

    They are stopped first: what cannot run cannot fork while the list is being read.
    """
    others: set[int] = set()
    deadline = time.monotonic() + END_S
    while time.monotonic() < deadline:
        if leader is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(leader, signal.SIGKILL)
        found = descendants(os.getpid())
        others.update(pid for pid in found if pid != leader)
        for sign in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, sign)
        if not _reaped() and not found:
            break
        time.sleep(STEP_S)
    return len(others)


def _reaped() -> bool:
    """Reap what has ended; return whether there are children left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
