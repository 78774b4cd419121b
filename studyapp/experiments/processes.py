"""Processes beside the worker: a fork server with torch already imported, a crew that answers, room for batches.

Standard library only, Python 3.10+. Never a plain fork: a child forked from a process that has used OpenMP threads
or CUDA hangs or crashes. The server starts once per worker (about a second), each child then takes 11 to 30 ms.
Everything stays in the worker's process group and goes with it; crew members also go when their pipe closes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PRELOADED = ("torch", "torch.utils.data", "studyapp.experiments.feeding")
"""What children find imported: torch costs 0.8 to 1.2 s and is the reason for the server."""
START_S = 60.0
"""Longest wait for the server: torch on a network home is slow to open."""
SHARED_MEMORY = Path("/dev/shm")
"""Where torch hands batches from process to process on Linux."""


def context() -> Any:
    """Return the multiprocessing context to start processes with: a fork server, or spawn where there is none."""
    known = multiprocessing.get_all_start_methods()
    found = multiprocessing.get_context("forkserver" if "forkserver" in known else "spawn")
    if found.get_start_method() == "forkserver":
        found.set_forkserver_preload(list(PRELOADED))
    return found


def shared_room(path: Path = SHARED_MEMORY) -> int | None:
    """Return the free bytes of what processes share: 0 where it cannot be used, None where it is not needed.

    Containers often give 64 MB; a batch that does not fit ends a loader process with a bus error.
    """
    if not hasattr(os, "statvfs") or os.uname().sysname != "Linux":
        return None
    try:
        found = os.statvfs(path)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize if os.access(path, os.W_OK) else 0


def started(left_s: float) -> bool:
    """Start the fork server if need be, and wait for it so long; return whether children can be had at once."""
    first = threading.Thread(target=_first_child, daemon=True)
    first.start()
    first.join(min(max(0.0, left_s), START_S))
    return not first.is_alive()


def _first_child() -> None:
    child = context().Process(target=_nothing, daemon=True)
    child.start()
    child.join()
    child.close()


def _nothing() -> None:
    """Do nothing; the child's birth is the point."""


class Crew:
    """Processes that each answer what they are sent, in turn."""

    def __init__(self, count: int, job: Callable[..., Any], *given: Any) -> None:
        """Start `count` processes; each calls `job(*given, task)` for every task it is sent."""
        start = context()
        self._pipes: list[Any] = []
        self._members: list[Any] = []
        for _ in range(count):
            ours, theirs = start.Pipe()
            member = start.Process(target=_serve, args=(theirs, job, given), daemon=True)
            member.start()
            theirs.close()
            self._pipes.append(ours)
            self._members.append(member)

    @property
    def pids(self) -> list[int]:
        """Return the members' process ids."""
        return [member.pid for member in self._members]

    def answers(self, tasks: Sequence[Any]) -> list[Any]:
        """Send one task to each of the first members, all at once, and return their answers.

        Raises:
            RuntimeError: If a member has ended.
        """
        busy = self._pipes[: len(tasks)]
        try:
            for pipe, task in zip(busy, tasks, strict=True):
                pipe.send(task)
            return [pipe.recv() for pipe in busy]
        except (EOFError, OSError) as error:
            raise RuntimeError("a process that was to help has ended") from error

    def close(self) -> None:
        """End the members, at once."""
        for member in self._members:
            member.kill()
        for member, pipe in zip(self._members, self._pipes, strict=True):
            member.join()
            member.close()
            pipe.close()
        self._members, self._pipes = [], []


@contextlib.contextmanager
def crew(count: int, job: Callable[..., Any], *given: Any) -> Iterator[Crew]:
    """Hand out a crew and end it afterwards, however the block is left."""
    found = Crew(count, job, *given)
    try:
        yield found
    finally:
        found.close()


def _serve(pipe: Any, job: Callable[..., Any], given: tuple[Any, ...]) -> None:
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            pipe.send(job(*given, pipe.recv()))
