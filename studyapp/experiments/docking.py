"""The program's side of the dock: starts the supervisor of a learner's script, and always ends it.

Knows nothing of findings: it hands on messages, passes "go" back, and says how it ended. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from studyapp.core.errors import ExperimentError
from studyapp.experiments.child import DEFAULT_COMMAND, INSTALLED, MODULE, PACKAGE_HOME
from studyapp.experiments.protocol import VERSION
from studyapp.experiments.wire import MARKER, Lines, marked, unmarked

GREETING_S = 60.0
"""Longest wait for the supervisor: behind `conda run` or a container it is slow to start."""
SLACK_S = 15.0
"""Beyond the script's own limit: the supervisor needs up to five seconds to end what it started."""
CLOSE_S = 8.0
STDERR_LINES = 10
CHUNK_BYTES = 65536


class Dock:
    """One script in the dock; a context manager that leaves nothing running."""

    def __init__(self, command: Sequence[str], trial: Mapping[str, Any]) -> None:
        """Start the supervisor.

        Args:
            command: The worker's command; empty for the own interpreter. It has to pass its arguments on.
            trial: What to run, as the supervisor takes it: script, args, cwd, steps, limit_s, memory_mb.

        Raises:
            ExperimentError: If the command cannot be started.
        """
        self.command = (*(command or DEFAULT_COMMAND), "--dock")
        self.trial = dict(trial)
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # a terminal's Ctrl-C must reach this program first
                cwd=PACKAGE_HOME if MODULE in self.command and not INSTALLED else None,
            )
        except OSError as error:
            raise ExperimentError(
                f"{self.command[0]} cannot be started: {error.strerror}.",
                "Look at worker_command in the settings.",
            ) from error
        self._drain = threading.Thread(target=self._read_stderr, daemon=True)
        self._drain.start()

    def __enter__(self) -> Dock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield the messages until the script has ended; the last one is `ended`.

        After an `ask` the caller answers with `go` before it takes the next.

        Raises:
            ExperimentError: If the command does not know the dock, or falls silent.
        """
        deadline = time.monotonic() + GREETING_S
        for message in self._lines(lambda: deadline):
            if message["kind"] != "docked":
                raise self._strange()
            break
        else:
            raise self._strange()
        self._send("trial", self.trial)
        yield message
        limit_s = float(self.trial.get("limit_s", 120.0)) + SLACK_S
        self._deadline = time.monotonic() + limit_s
        for message in self._lines(lambda: self._deadline):
            asked = time.monotonic()
            yield message
            self._deadline += time.monotonic() - asked  # the learner's own time
            if message["kind"] == "ended":
                return
        raise ExperimentError("The dock fell silent.", " ".join(self._stderr) or "Try again with --limit 60.")

    def go(self) -> None:
        """Let the script go on after an `ask`."""
        self._send("go", {})

    def close(self) -> None:
        """End the script and everything it started."""
        process = self._process
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()  # its end tells the supervisor to end all
        try:
            process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(CLOSE_S)
        self._drain.join(1.0)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    def _strange(self) -> ExperimentError:
        words = " ".join(self._stderr).strip()
        return ExperimentError(
            "The worker's command did not open the dock." + (f" It said: {words[-300:]}" if words else ""),
            "It has to pass the argument --dock on to `-m studyapp.experiments.worker` of this version.",
        )

    def _send(self, kind: str, fields: Mapping[str, Any]) -> None:
        line = marked(kind, fields)
        with contextlib.suppress(OSError, ValueError):  # gone: its end is seen where we read
            if self._process.stdin is not None:
                self._process.stdin.write(line)
                self._process.stdin.flush()

    def _lines(self, deadline: Any) -> Iterator[dict[str, Any]]:
        stdout = self._process.stdout
        if stdout is None:
            return
        lines = self._split = getattr(self, "_split", None) or Lines()
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0.0, deadline() - time.monotonic())):
                    return
                chunk = os.read(stdout.fileno(), CHUNK_BYTES)
                if not chunk:
                    return
                for line in lines.feed(chunk):
                    message = unmarked(line)
                    if message is not None and message[MARKER] == VERSION:
                        yield message

    def _read_stderr(self) -> None:
        stderr = self._process.stderr
        while stderr is not None and (line := stderr.readline(4096)):
            if text := line.decode("utf-8", "replace").strip():
                self._stderr.append(text)


def here() -> bool:
    """Return whether the dock can work on this system: it forks, and waits on pipes."""
    return hasattr(os, "fork") and sys.platform != "win32"
