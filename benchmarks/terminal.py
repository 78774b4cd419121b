"""A program in a pseudo-terminal that answers like a real one; what it writes is kept with its arrival times.

Only raw bytes are looked at while the clock runs. `Recording.shown` replays them through a terminal emulator
afterwards, so that the emulator costs nothing while something is timed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import pyte

PATIENCE_S = 30.0
"""How long a program may take to show what is waited for."""
QUIET_S = 0.002
"""A pause in which the emulator may take its time."""
CHUNK_BYTES = 65536
SYNCHRONISED = b"2026"
"""The private mode for output that is shown at once; answered as known and off, as a modern terminal does."""
BEGUN = re.compile(rb"\x1b(?:\[[^a-zA-Z]*)?$")
BEYOND_PYTE = re.compile(
    rb"\x1b\[[<>=?][0-9;]*[a-zA-Z]|\x1b\[[0-9;?]*\$[a-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P_][^\x1b]*\x1b\\"
)
"""Sequences that the emulator would print as text."""


@dataclass
class Recording:
    """What a program wrote: (seconds since its start, bytes)."""

    chunks: list[tuple[float, bytes]] = field(default_factory=list)

    def bytes_since(self, chunk: int) -> int:
        """Return how many bytes came from this chunk on."""
        return sum(len(data) for _, data in self.chunks[chunk:])

    def shown(self, holds: Callable[[list[str]], bool], size: tuple[int, int], since: int = 0) -> float | None:
        """Return when the screen first showed something, in seconds since the program's start; None if never.

        Args:
            holds: Given the rows of the screen.
            size: Columns and rows.
            since: Look only at screens from this chunk on.
        """
        screen = pyte.Screen(*size)
        stream = pyte.ByteStream(screen)
        for number, (at_s, data) in enumerate(self.chunks):
            stream.feed(BEYOND_PYTE.sub(b"", data))
            if number >= since and holds(list(screen.display)):
                return at_s
        return None

    def screen(self, size: tuple[int, int]) -> str:
        """Return the last screen as text, for a message when something never came."""
        rows: list[str] = []

        def keep(screen: list[str]) -> bool:
            rows[:] = screen
            return False

        self.shown(keep, size)
        return "\n".join(row.rstrip() for row in rows)


class Terminal:
    """One running program. The clock starts right before it is forked."""

    def __init__(
        self, command: Sequence[str], *, environ: Mapping[str, str], size: tuple[int, int] = (80, 24)
    ) -> None:
        self.size = size
        self.recording = Recording()
        self._begun = b""
        """A query of which only the beginning has been read."""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._replayed = 0
        """Chunks that the emulator has seen."""
        self._started = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
                os.execve(command[0], list(command), dict(environ))
            finally:
                os._exit(127)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def now_s(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._started

    @property
    def place(self) -> int:
        """The number of the next chunk: where a later look begins."""
        return len(self.recording.chunks)

    def pump(self, seconds: float) -> bytes | None:
        """Read once, waiting at most so long; b"" if nothing came, None when the program has gone."""
        return self._read(seconds, CHUNK_BYTES)

    def _read(self, seconds: float, most: int) -> bytes | None:
        if not select.select([self._fd], [], [], max(0.0, seconds))[0]:
            return b""
        try:
            data = os.read(self._fd, most)
        except OSError:  # Linux says so when the other side has closed
            return None
        if not data:
            return None
        self.recording.chunks.append((self.now_s, data))
        whole = self._begun + data
        begun = BEGUN.search(whole)
        self._begun = begun[0] if begun else b""
        answer = answers(whole[: len(whole) - len(self._begun)])
        if answer:
            os.write(self._fd, answer)
        return data

    def until(self, marker: bytes, since: int = 0, patience_s: float = PATIENCE_S) -> float:
        """Wait for bytes; return when they were read, in seconds since the start.

        Where something else stood on the screen before, only what differs is sent: `until_shown` is for that.

        Raises:
            RuntimeError: If they never came; the last screen is in the message.
        """
        end = self.now_s + patience_s
        seen = b"".join(data for _, data in self.recording.chunks[since:])
        while marker not in seen:
            data = self.pump(end - self.now_s)
            if data is None or (self.now_s > end and marker not in seen + data):
                raise RuntimeError(f"{marker!r} never came; the screen:\n{self.recording.screen(self.size)}")
            seen += data
        return self.recording.chunks[-1][0]

    def until_shown(
        self, holds: str | Callable[[list[str]], bool], since: int = 0, patience_s: float = PATIENCE_S
    ) -> float:
        """Wait until the screen shows something; return when that was read, in seconds since the start.

        The emulator works while the program is quiet, so it holds nothing up that is timed.

        Args:
            holds: What to look for: words, or something that is given the rows of the screen.
            since: Look only at screens from this chunk on.
            patience_s: How long it may take.

        Raises:
            RuntimeError: If it never came; the last screen is in the message.
        """
        seen = holds if callable(holds) else lambda rows: any(holds in row for row in rows)
        end = self.now_s + patience_s
        while True:
            at_s = self._replay(seen, since)
            if at_s is not None:
                return at_s
            if self.now_s > end or self.pump(end - self.now_s) is None:
                raise RuntimeError(f"{holds!r} was never shown; the screen:\n" + "\n".join(self._screen.display))
            while self.pump(QUIET_S):
                pass

    def _replay(self, seen: Callable[[list[str]], bool], since: int) -> float | None:
        """Bring the emulator up to now; return when it first showed something, if it did."""
        found: float | None = None
        if since < self._replayed and seen(list(self._screen.display)):
            found = self.recording.chunks[self._replayed - 1][0]
        for at_s, data in self.recording.chunks[self._replayed :]:
            self._stream.feed(BEYOND_PYTE.sub(b"", data))
            self._replayed += 1
            if found is None and self._replayed > since and seen(list(self._screen.display)):
                found = at_s
        return found

    def settle(self, quiet_s: float = 0.3, patience_s: float = 10.0) -> None:
        """Read until nothing came for a while."""
        end = self.now_s + patience_s
        while self.now_s < end and self.pump(quiet_s):
            pass

    def listen(self, seconds: float) -> None:
        """Read for so long."""
        end = self.now_s + seconds
        while (left := end - self.now_s) > 0:
            self.pump(left)

    def press(self, keys: bytes) -> float:
        """Send keys; return when, in seconds since the start."""
        at_s = self.now_s  # before the write: afterwards this program may have lost its core
        os.write(self._fd, keys)
        return at_s

    def cpu_s(self) -> float:
        """Return the CPU time of the program so far, all its threads, none of its children; seconds."""
        total_ns = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(OSError):  # a thread that has just ended
                total_ns += int((task / "schedstat").read_text().split()[0])
        return total_ns / 1e9

    def resident_mb(self) -> float:
        """Return the resident memory of the program, MB (10^6 bytes)."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) * 1024 / 1e6 if found else float("nan")

    def close(self) -> None:
        """End the program and reap it: SIGTERM, so that it ends what it started, then SIGKILL."""
        for number, patience_s in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)
            end = self.now_s + patience_s
            while self.now_s < end:
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    os.close(self._fd)
                    return
                if self.pump(0.02) is None:
                    time.sleep(0.005)
        os.close(self._fd)


def answers(data: bytes) -> bytes:
    """Return what a terminal replies to the queries in some output."""
    found = [
        b"\x1b[?%b;%d$y" % (mode, 2 if mode == SYNCHRONISED else 0)
        for mode in re.findall(rb"\x1b\[\?(\d+)\$p", data)
    ]
    for query, reply in (
        (rb"\x1b\[5n", b"\x1b[0n"),
        (rb"\x1b\[6n", b"\x1b[1;1R"),
        (rb"\x1b\[0?c", b"\x1b[?62;22c"),
        (rb"\x1b\[>0?c", b"\x1b[>0;10;1c"),
        (rb"\x1b\]10;\?", b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\"),
        (rb"\x1b\]11;\?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
    ):
        found += [reply] * len(re.findall(query, data))
    return b"".join(found)
