"""The supervisor: forks the script's process, passes its messages on, and ends it with all it started.

Small on purpose: no torch, one thread, so that forking is safe. It ends the script at its time limit, when the
program asks for it, and when the program is gone (its end of the wire closes).
"""

from __future__ import annotations

import contextlib
import mmap
import os
import platform
import selectors
import signal
import sys
import time
from collections import deque
from typing import Any

from studyapp.experiments.wire import marked
from studyapp.experiments.worker.dock import family
from studyapp.experiments.worker.dock.talk import CHUNK_BYTES, Ear, GoneError, write

OUTPUT_BYTES = 65536
"""How much of what the script printed last is kept."""
LAST_LINES = 12
LINE_CHARS = 400
CLOSED_S = 0.2
"""A process that ends closes its wire a little earlier; one that lives on after that has closed it itself."""
LOOK_S = 0.05
"""How often a silent script's end and its limit are looked at."""
TOLD = frozenset({"loop", "ask", "finding", "trying", "failed", "crashed", "left", "done"})
"""What the script's process may say; a script that writes to all its descriptors can say anything."""
STAGES = ("start", "data", "forward", "backward", "after backward", "optimizer step", "after the step")
"""What the shared byte says of where the script is; written without a system call, read after a sudden end."""


def serve(requests: int, answers: int) -> None:
    """Greet, take one trial, supervise it, say how it ended.

    Args:
        requests: Descriptor to read the program's lines from.
        answers: Descriptor to write lines to.
    """
    for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sign, signal.SIG_IGN)  # a script that signals its parent's group must not end its keeper
    try:
        heir = family.adopt_orphans()
        write(answers, marked("docked", {"python": platform.python_version(), "orphans": heir}))
        ear = Ear(requests)
        trial = ear.one()
        if trial["kind"] == "trial":
            Watch(ear, answers, trial).go()
    except GoneError:
        pass


class Watch:
    """One script's process from its birth to its end."""

    def __init__(self, ear: Ear, answers: int, trial: dict[str, Any]) -> None:
        self.ear = ear
        self.answers = answers
        self.trial = trial
        self.left_s = float(trial.get("limit_s", 120.0))
        self.stage = mmap.mmap(-1, 1)  # shared with the script's process
        self.output: deque[bytes] = deque()
        self.printed = 0
        self.done = False
        self.asking = False
        self.pid = 0

    def go(self) -> None:
        """Supervise to the end; whatever happens, nothing is left running."""
        wire, child_wire = os.pipe()
        child_ear, reply = os.pipe()
        output, child_output = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            from studyapp.experiments.worker.dock import script

            for descriptor in (wire, reply, output, self.answers, self.ear.descriptor):
                os.close(descriptor)
            script.live(self.trial, child_wire, child_ear, child_output, self.stage)
        for descriptor in (child_wire, child_ear, child_output):
            os.close(descriptor)
        self.reply = reply
        how: dict[str, Any] = {"how": "gone"}
        try:
            how = self._watch(wire, output)
        finally:
            left = family.end_all(self.pid)
            self._drain(output)
            how |= {"left_behind": left, "printed_bytes": self.printed, "last_lines": self._last_lines()}
            how |= {"stage": STAGES[min(self.stage[0], len(STAGES) - 1)], "done": self.done}
        write(self.answers, marked("ended", how))

    def _watch(self, wire: int, output: int) -> dict[str, Any]:
        """Return how the script's process ended."""
        child = Ear(wire)
        with selectors.DefaultSelector() as selector:
            for descriptor in (wire, output, self.ear.descriptor):
                os.set_blocking(descriptor, descriptor != output)
                selector.register(descriptor, selectors.EVENT_READ)
            last, status, closed = time.monotonic(), None, False
            while True:
                for key, _ in selector.select(0.0 if status is not None else LOOK_S):
                    if key.fd == self.ear.descriptor:
                        self._from_program()
                    elif key.fd == output:
                        if not self._take_output(output):
                            selector.unregister(output)
                    elif not self._from_script(child):
                        closed = True
                        selector.unregister(wire)
                now = time.monotonic()
                if not self.asking:
                    self.left_s -= now - last
                last = now
                if status is not None:  # the lines it wrote before it ended have been read by now
                    return _ending(status)
                if self.left_s <= 0:
                    return {"how": "limit"}
                status = self._status()
                if closed and status is None and not self.done:
                    status = self._status(CLOSED_S)
                    if status is None:
                        return {"how": "closed"}

    def _from_program(self) -> None:
        for message in self.ear.feed():
            if message["kind"] == "go":
                self.asking = False
                with contextlib.suppress(GoneError):  # it has ended meanwhile, which is seen elsewhere
                    write(self.reply, marked("go", {}))

    def _from_script(self, child: Ear) -> bool:
        try:
            for message in child.feed():
                if message["kind"] not in TOLD:
                    continue
                self.asking = self.asking or message["kind"] == "ask"
                self.done = self.done or message["kind"] == "done"
                kind = message.pop("kind")
                write(self.answers, marked(kind, message))
        except GoneError:
            return False
        return True

    def _take_output(self, output: int) -> bool:
        try:
            chunk = os.read(output, CHUNK_BYTES)
        except BlockingIOError:
            return True
        self.printed += len(chunk)
        self.output.append(chunk)
        while len(self.output) > 1 and sum(map(len, self.output)) > OUTPUT_BYTES:
            self.output.popleft()
        return bool(chunk)

    def _drain(self, output: int) -> None:
        for _ in range(OUTPUT_BYTES // 4096):  # a process out of reach may still be writing
            before = self.printed
            if not self._take_output(output) or self.printed == before:
                return

    def _last_lines(self) -> list[str]:
        text = b"".join(self.output)[-OUTPUT_BYTES:].decode("utf-8", "replace").replace("\r", "\n")
        return [line[:LINE_CHARS] for line in text.split("\n") if line.strip()][-LAST_LINES:]

    def _status(self, patience_s: float = 0.0) -> int | None:
        """Return the wait status of the script's process once it has ended."""
        deadline = time.monotonic() + patience_s
        while True:
            status = _looked_at(self.pid)
            if status is not None:
                return status
            if time.monotonic() >= deadline:
                return None
            time.sleep(LOOK_S)


def _looked_at(pid: int) -> int | None:
    """Return the exit code of a process that has ended, minus its signal, or None while it runs."""
    try:
        if not hasattr(os, "waitid"):  # macOS, before Python 3.13
            ended, status = os.waitpid(pid, os.WNOHANG)
            return os.waitstatus_to_exitcode(status) if ended else None
        # WNOWAIT leaves it a zombie: its number stays taken until its group has been killed
        found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return 0
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def _ending(status: int) -> dict[str, Any]:
    return {"how": "exit", "code": status} if status >= 0 else {"how": "signal", "signal": -status}


def main(requests: int, answers: int) -> None:
    """Serve, then end at once: the interpreter's teardown has nothing to do here."""
    serve(requests, answers)
    sys.stderr.flush()
    os._exit(0)
