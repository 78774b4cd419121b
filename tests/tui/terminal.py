"""A real terminal for the real program: a pty, a screen that is read like a person reads it, keys, signals."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import time
from pathlib import Path
from types import TracebackType

import pexpect
import pyte

PATIENCE_S = 30.0
ROOT = Path(__file__).parent.parent.parent
KEYS = {"enter": b"\r", "space": b" ", "esc": b"\x1b", "left": b"\x1b[D", "right": b"\x1b[C"}
MODES = (1000, 1002, 1003, 1004, 1006, 1015, 1016, 1049, 2004)
"""DEC private modes that must be off again when the program has gone."""


class Terminal:
    """`studyapp WORDS` in a pty of its own."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        size: tuple[int, int] = (80, 24),
        new: bool = False,
        program: tuple[str, ...] = (sys.executable, "-m", "studyapp"),
        **environ: str,
    ) -> None:
        self.data = folder / "data"
        width, height = size
        self.data.parent.joinpath(".config", "studyapp").mkdir(parents=True, exist_ok=True)
        if not new:  # who has a settings file is not asked the questions of the first run
            self.data.parent.joinpath(".config", "studyapp", "config.toml").touch()
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "STUDYAPP_DATA_DIR": str(self.data),
            "STUDYAPP_FUZZ": "off",
            "PYTHONPATH": str(ROOT),
            **environ,
        }
        self.output = b""
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        self.child = pexpect.spawn(
            program[0],
            [*program[1:], *words],
            env=env,
            cwd=str(folder),
            dimensions=(height, width),
            timeout=5,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.close(force=True)

    def pump(self, seconds: float = 0.05) -> bool:
        """Read what the program writes; False when it has closed the terminal."""
        end = time.monotonic() + seconds
        while True:
            try:
                chunk = self.child.read_nonblocking(65536, max(0.01, end - time.monotonic()))
            except pexpect.TIMEOUT:
                chunk = b""
            except pexpect.EOF:
                return False
            self.output += chunk
            self._stream.feed(chunk)
            if time.monotonic() >= end:
                return True

    @property
    def text(self) -> str:
        """What a person sees."""
        return "\n".join(row.rstrip() for row in self.screen.display)

    def until(self, words: str) -> None:
        """Wait until the screen shows these words."""
        end = time.monotonic() + PATIENCE_S
        while words not in self.text:
            alive = self.pump()
            if time.monotonic() > end or not alive:
                raise AssertionError(f"{words!r} was never shown; the screen:\n{self.text}")

    def press(self, *keys: str) -> None:
        """Press keys one after another, in one write."""
        self.child.send(b"".join(KEYS.get(key, key.encode()) for key in keys))

    def ended(self) -> int:
        """Wait for the end; return the exit code as a shell would show it."""
        end = time.monotonic() + PATIENCE_S
        while self.pump() and time.monotonic() < end:
            pass
        self.child.wait()
        return 128 + self.child.signalstatus if self.child.signalstatus else int(self.child.exitstatus)

    def modes_left_on(self) -> set[int]:
        """Return the private modes that were set and never reset."""
        on: set[int] = set()
        for numbers, action in re.findall(rb"\x1b\[\?([\d;]+)([hl])", self.output):
            found = {int(n) for n in numbers.split(b";")}
            on = on | found if action == b"h" else on - found
        return on & set(MODES)

    @property
    def cursor_hidden(self) -> bool:
        """Whether the last word on the cursor was to hide it."""
        return self.output.rfind(b"\x1b[?25l") > self.output.rfind(b"\x1b[?25h")

    def reviews(self) -> int:
        """Count the stored answers that still stand, as another program would see them."""
        connection = sqlite3.connect(f"file:{self.data / 'study.db'}?mode=ro", uri=True)
        try:
            found = connection.execute("SELECT count(*) FROM reviews WHERE kind IN ('learn', 'review')").fetchone()
            return int(found[0])
        finally:
            connection.close()
