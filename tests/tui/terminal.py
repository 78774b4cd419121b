"""A real terminal for the real program: a pty, a screen that is read like a person reads it, keys, signals."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import pexpect
import pyte

from studyapp.tui.arrival import ANSWER, QUESTION

PATIENCE_S = 30.0
ROOT = Path(__file__).parent.parent.parent
KEYS = {"enter": b"\r", "space": b" ", "esc": b"\x1b", "left": b"\x1b[D", "right": b"\x1b[C"}
ON_BY_DEFAULT = {7, 25}
"""DEC private modes that a terminal has on: lines wrap, the cursor shows."""
KEYBOARD = "keyboard"
"""Stands for a way of reporting keys that was pushed and not popped."""
_MODE = re.compile(rb"\x1b\[(?:\?([\d;]+)([hl])|([<>])[\d;]*u)")


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
        self.answers = True
        """Whether it says at once that what it was sent has arrived."""
        self._asked = 0
        self._begun = b""
        """The last bytes, which may begin a question."""
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        self.child: Any = pexpect.spawn(
            program[0],
            [*program[1:], *words],
            env=env,
            cwd=str(folder),
            dimensions=(height, width),
            timeout=5,
        )
        self._line = self._line_settings()

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
            joined = self._begun + chunk
            self._asked += joined.count(QUESTION.encode())
            self._begun = joined[1 - len(QUESTION) :]
            if self.answers:
                self.answer()
            if time.monotonic() >= end:
                return True

    def answer(self) -> None:
        """Say that everything has arrived."""
        self.child.send(ANSWER * self._asked)
        self._asked = 0

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

    def modes_changed(self) -> set[int | str]:
        """Return everything that was at any time another way than a terminal has it by itself."""
        return {mode for changed in self._changes() for mode in changed}

    def modes_left_on(self) -> set[int | str]:
        """Return what was changed and never put back: any private mode, and how keys are reported."""
        return self._changes()[-1]

    def _changes(self) -> list[set[int | str]]:
        on, pushed = set(ON_BY_DEFAULT), 0
        changes: list[set[int | str]] = [set()]
        for numbers, action, keyboard in _MODE.findall(self.output):
            if keyboard:
                pushed += 1 if keyboard == b">" else -1
            else:
                found = {int(number) for number in numbers.split(b";")}
                on = on | found if action == b"h" else on - found
            changes.append({*(on ^ ON_BY_DEFAULT), *([KEYBOARD] if pushed > 0 else [])})
        return changes

    def _line_settings(self) -> list[object]:
        return termios.tcgetattr(self.child.child_fd)[:4]

    @property
    def line_as_before(self) -> bool:
        """Whether the line of the terminal is as the program found it: echo, whole lines, keys for signals."""
        return self._line_settings() == self._line

    def resize(self, width: int, height: int) -> None:
        """Give the window another size; the screen that is read keeps at least one cell."""
        self.child.setwinsize(height, width)
        self.screen.resize(max(1, height), max(1, width))

    def scribble(self, text: str) -> None:
        """Write on the screen as another program on this terminal would."""
        self._stream.feed(text.encode())

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
