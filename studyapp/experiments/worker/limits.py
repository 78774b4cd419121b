"""What keeps the worker small and mortal: parent's death, alarm, memory cap, memory given back.

Standard library only; every function does nothing where the platform cannot (macOS and Windows lack some).
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
"""Source: linux/prctl.h."""
M_TRIM_THRESHOLD = -1
M_MMAP_THRESHOLD = -3
"""Source: malloc.h of the GNU C library."""
KEEP_BYTES = 2**30
"""Freed blocks up to this size stay with the process during a run: without it the page faults of big temporaries
make a multiplication of 10 million elements ten times slower (16.1 against 1.6 ms, two cores, torch 2.13)."""


def die_with_parent() -> None:
    """Ask Linux to kill this process when the thread that started it ends."""
    libc = _libc()
    if sys.platform == "linux" and libc is not None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def guard_group() -> None:
    """Leave a small process behind that ends this process's group as soon as this process has ended.

    However the worker goes (killed, crashed, alarm), what it started goes too, also over ssh, where nobody else
    could see to it. Only on Linux, and only where this process leads a group of its own. Call it before there are
    threads and before torch: the fork then costs a millisecond and next to no memory.
    """
    libc = _libc()
    if sys.platform != "linux" or libc is None or os.getpgrp() != os.getpid():
        return
    leader = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    if os.fork() != 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        return
    try:
        os.closerange(0, 256)  # an open wire here would hide the worker's end from the program
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() == leader:
            signal.sigwait({signal.SIGTERM})
        os.killpg(leader, signal.SIGKILL)
    finally:
        os._exit(0)


def keep_freed_memory() -> bool:
    """Make malloc keep freed blocks up to `KEEP_BYTES`; return whether it does.

    C libraries before about 2.35 refuse so large an mmap threshold. The trim threshold is then left alone as well:
    setting it would switch the dynamic threshold off and make things slower (0.07 to 1.55 ms for a million
    elements).
    """
    libc = _libc()
    if libc is None or not hasattr(libc, "mallopt") or not libc.mallopt(M_MMAP_THRESHOLD, KEEP_BYTES):
        return False
    return bool(libc.mallopt(M_TRIM_THRESHOLD, KEEP_BYTES))


def give_back() -> None:
    """Collect garbage and return free memory to the system (1,840 to 338 MB after the largest run)."""
    gc.collect()
    libc = _libc()
    if libc is not None and hasattr(libc, "malloc_trim"):
        libc.malloc_trim(0)


def alarm(seconds: float) -> None:
    """End this process after so many seconds, 0 = never.

    The default action of SIGALRM needs no Python code to run, so it also ends code that holds the GIL.
    """
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def rss_mb() -> float:
    """Return the resident memory in MB, 0 where it is unknown."""
    return _statm(1) / 1e6


@contextlib.contextmanager
def address_space(extra_bytes: float) -> Iterator[None]:
    """Let the process grow by at most so many bytes of address space; put the old limit back afterwards.

    Blocks that malloc holds free are taken off, since using them needs no growth. Inside another limit the
    tighter one holds.
    """
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    give_back()
    old, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = int(_statm(0) + max(0.0, extra_bytes - _free_in_heap()))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (_tighter(limit, old, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (old, hard))


def _tighter(*limits: int) -> int:
    return min(limit for limit in limits if limit >= 0)  # RLIM_INFINITY is -1


def _statm(column: int) -> int:
    """Return a column of /proc/self/statm in bytes: 0 address space, 1 resident; 0 where there is none."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[column]) * os.sysconf(
            "SC_PAGE_SIZE"
        )
    except (OSError, ValueError):
        return 0


class _Mallinfo2(ctypes.Structure):
    """`struct mallinfo2`: ten counters of size_t."""

    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd")),
        *((name, ctypes.c_size_t) for name in ("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")),
    ]


def _free_in_heap() -> int:
    libc = _libc()
    if libc is None or not hasattr(libc, "mallinfo2"):  # GNU C library from 2.33
        return 0
    libc.mallinfo2.restype = _Mallinfo2
    return int(libc.mallinfo2().fordblks)


def _libc() -> Any:
    if os.name != "posix":
        return None
    try:
        return ctypes.CDLL(None)
    except OSError:
        return None
