"""One worker process as the program sees it: started in a session of its own, drained, and always reaped.

Knows nothing of runs: it hands on messages and says when the process is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from studyapp.experiments.protocol import Message
from studyapp.experiments.wire import Lines, decode, encode

MODULE = "studyapp.experiments.worker"
PACKAGE_HOME = Path(__file__).resolve().parents[2]
"""The folder that holds the package: site-packages, or the checkout."""
INSTALLED = PACKAGE_HOME.name in ("site-packages", "dist-packages")
DEFAULT_COMMAND = (sys.executable, *(("-P",) if INSTALLED else ()), "-m", MODULE)
"""torch costs 0.8 to 1.6 s to import on two cores; only this process pays it. `-m` puts the working directory
first on the module path, where a learner's `json.py` would stand for the library: installed, -P prevents that; in
a checkout, the worker is started in the checkout."""
STDERR_LINES = 20
STDERR_LINE_BYTES = 4096
CHUNK_BYTES = 65536
REAP_S = 2.0
"""After SIGKILL a process is gone within milliseconds; only one stuck in the kernel takes longer."""


class Child:
    """A running worker."""

    def __init__(self, process: asyncio.subprocess.Process, hear: Callable[[Message | None], None]) -> None:
        self.process = process
        self.noise = 0
        """Lines on the wire that were no message."""
        self.stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._hear = hear
        self._closed = False
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._drain())]
        self._reaping: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        hear: Callable[[Message | None], None],
        environ: Mapping[str, str] | None = None,
    ) -> Child:
        """Start a worker.

        Args:
            command: Program and arguments.
            hear: Called with every message, and with None when the wire has closed.
            environ: The child's environment, the own one when None.

        Raises:
            OSError: If the program cannot be started.
        """
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # a terminal's Ctrl-C or hang-up must not reach it by accident
            env=environ,
            cwd=PACKAGE_HOME if MODULE in command and not INSTALLED else None,
        )
        return cls(process, hear)

    @property
    def pid(self) -> int:
        """Return the process id, which is also its group's."""
        return self.process.pid

    @property
    def alive(self) -> bool:
        """Whether the process can be asked for something: it runs, its wire is open, nobody is ending it."""
        return self.process.returncode is None and self._reaping is None and not self._closed

    def send(self, message: Message) -> None:
        """Write one line to the worker; a closed pipe shows as the wire's end elsewhere."""
        stdin = self.process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(encode(message))

    def ending(self) -> str:
        """Return how the process ended, in words."""
        code = self.process.returncode
        if code is None:
            return "closed its wire"
        if code >= 0:
            return f"ended with exit code {code}"
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
        return f"was ended by signal {-code}"

    def last_words(self) -> list[str]:
        """Return the last lines on stderr."""
        return list(self.stderr)

    async def kill(self, patience_s: float = 0.0) -> None:
        """End the process and its group, and reap it; safe to call twice and to be cancelled in.

        Args:
            patience_s: Seconds to wait for it to end by itself after its requests were closed.
        """
        if self._reaping is None:
            self._reaping = asyncio.create_task(self._reap(patience_s))
        await asyncio.shield(self._reaping)

    async def _reap(self, patience_s: float) -> None:
        process = self.process
        if process.stdin is not None:
            process.stdin.close()  # a worker ends with its requests
        if patience_s > 0:
            await self._wait(patience_s)
        # at once, also after a worker that ended by itself: it may have left children in its group, and its id
        # is not given out again while they live
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await self._wait(REAP_S)
        _, waiting = await asyncio.wait(self._tasks, timeout=REAP_S)
        for task in waiting:  # a grandchild in another session holds the pipe
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._close()

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.process.wait(), seconds)

    def _close(self) -> None:
        # asyncio keeps the pipes' transports open until it has seen each end; there is no public way to close them
        transport = getattr(self.process, "_transport", None)
        if transport is not None:
            transport.close()

    async def _read(self) -> None:
        stdout = self.process.stdout
        lines = Lines()
        while stdout is not None and (chunk := await stdout.read(CHUNK_BYTES)):
            for line in lines.feed(chunk):
                self._take(line)
            self.noise += lines.dropped
            lines.dropped = 0
        self._closed = True
        await self._wait(REAP_S)  # so that `ending` knows the code
        if self._reaping is None:
            self._reaping = asyncio.create_task(self._reap(0.0))
        self._hear(None)

    def _take(self, line: bytes) -> None:
        message = decode(line)
        if message is not None:
            self._hear(message)
        elif line.strip():
            self.noise += 1

    async def _drain(self) -> None:
        stderr = self.process.stderr
        lines = Lines(limit=STDERR_LINE_BYTES)
        while stderr is not None and (chunk := await stderr.read(CHUNK_BYTES)):
            for line in lines.feed(chunk):
                if line.strip():
                    self.stderr.append(line.decode("utf-8", "replace").rstrip())
