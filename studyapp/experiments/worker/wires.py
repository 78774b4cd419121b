"""The worker's wires: a private descriptor for the protocol, everything else out of its way.

Standard library only. `take_wires` must run before anything that might print, so before torch.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading

from studyapp.experiments.protocol import Cancel, Message
from studyapp.experiments.wire import Lines, decode, encode

CHUNK_BYTES = 65536


def take_wires() -> tuple[int, int]:
    """Return private descriptors (requests in, messages out) and point fd 0 at /dev/null, fd 1 at fd 2.

    Libraries print to fd 1, in Python and in C; it now leads to stderr. Forked loader workers close `sys.stdin`;
    were it the request wire, they would deadlock on its lock or eat requests.
    """
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - lives as long as the process
    return requests, answers


class Outlet:
    """Writes messages, whole lines at a time, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Write one message; end the process where nobody reads any more."""
        data = encode(message)
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:  # the reader is gone: nothing left to do here
                leave()


class Inlet:
    """Reads requests on a thread of its own, so that a cancel is seen while an experiment runs."""

    def __init__(self, descriptor: int) -> None:
        self.requests: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._descriptor = descriptor
        self._cancelled: set[str] = set()
        self._thread = threading.Thread(target=self._read, name="requests", daemon=True)

    def start(self) -> None:
        """Start reading."""
        self._thread.start()

    def cancelled(self, run: str | None) -> bool:
        """Return whether this run was cancelled."""
        return run in self._cancelled

    def forget(self, run: str | None) -> None:
        """Drop a finished run's cancellation."""
        self._cancelled.discard(run or "")

    def _read(self) -> None:
        lines = Lines()
        while True:
            chunk = os.read(self._descriptor, CHUNK_BYTES)
            if not chunk:  # the parent is gone, however it went
                leave()
            for line in lines.feed(chunk):
                self._take(decode(line))

    def _take(self, message: Message | None) -> None:
        if isinstance(message, Cancel):
            self._cancelled.add(message.run or "")
        elif message is not None:
            self.requests.put(message)


def leave(code: int = 0) -> None:
    """End this process and what it started, at once.

    `os._exit` skips the interpreter's and torch's teardown, which takes 0.7 to 0.9 s. Where the worker leads a
    group of its own (the runner sees to that), its children go with it.
    """
    if code == 0 and os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(code)
