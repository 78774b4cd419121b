"""Runs experiments for the program: keeps one warm worker, watches it, replaces it. No torch in this process.

Call `preload` when the first card with an experiment is drawn, iterate `run`, and `close` at the end (or use the
runner as an async context manager). Every run ends with exactly one final message (Done, Cancelled, Failed or
Refused), whatever happens to the worker. Start it from the thread that lives longest: Linux ends a worker when
the thread that started it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from studyapp.core.verdicts import Facts
from studyapp.experiments.child import DEFAULT_COMMAND, Child
from studyapp.experiments.listening import Active, Patience, listen, with_stderr
from studyapp.experiments.protocol import VERSION, Cancelled, Done, Failed, Message, Prepare, Ready, Request

RECYCLE_ABOVE = 2.5
"""A worker heavier than this many times its weight after warm-up is replaced (280 MB warm, 700 MB is too much;
a CUDA worker rests near 700 MB, so a fixed figure would make each of its runs cold)."""


class Runner:
    """One warm worker and at most one run at a time; further runs wait their turn."""

    def __init__(
        self,
        command: Sequence[str] = DEFAULT_COMMAND,
        *,
        environ: Mapping[str, str] | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.command = tuple(command)
        self.patience = patience or Patience()
        self.ready: Ready | None = None
        """The present worker's greeting, None while there is none."""
        self.quiet: dict[str, float] = {}
        """The fastest canary seen on this machine: hand it to the next program's runner to keep the baseline."""
        self._environ = environ
        self._child: Child | None = None
        self._used = False
        """Whether the present worker has run something."""
        self._starting: asyncio.Task[Ready | Failed] | None = None
        self._greeting: asyncio.Queue[Message | None] = asyncio.Queue()
        self._active: Active | None = None
        self._unfinished: list[Active] = []
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._closed = False

    async def __aenter__(self) -> Runner:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def child(self) -> Child | None:
        """The present worker process, None while there is none."""
        return self._child

    def preload(self, experiment: str = "") -> None:
        """Start the worker in the background; with an experiment id, also import what that one needs."""
        if not self._closed:
            self._spawn(self._preload(experiment))

    async def start(self) -> Ready | Failed:
        """Start the worker if there is none; return its greeting, or why it cannot start."""
        if self._child is not None and self._child.alive and self.ready is not None:
            return self.ready
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def run(self, request: Request) -> AsyncGenerator[Message, None]:
        """Run an experiment; yield its messages, the last of them final.

        Leaving the loop early, or being cancelled, cancels the run.
        """
        active = Active(request)
        self._unfinished.append(active)
        self._spawn(self._drive(active))
        try:
            while True:
                message = await active.out.get()
                yield message
                if message.final:
                    return
        finally:
            if not active.over.is_set():
                active.ask()

    async def cancel(self) -> None:
        """Cancel the run in progress and those waiting; return when they are over."""
        for active in self._unfinished:
            active.ask()
        while self._unfinished:
            await self._unfinished[-1].over.wait()

    async def close(self) -> None:
        """End everything; no process, task or pipe is left."""
        self._closed = True
        self._forget_idle()
        patience_s = self.patience.close_s
        if self._active is not None:
            self._active.ask()
            patience_s = 0.0
        while True:
            if self._child is not None:
                await self._child.kill(patience_s)
            pending = [*self._tasks, *([self._starting] if self._starting else [])]
            if not pending:
                return
            await asyncio.wait(pending, timeout=0.05)  # a start under way shows its child after a moment

    # -- starting -----------------------------------------------------------------------------------------------

    async def _preload(self, experiment: str) -> None:
        greeting = await self.start()
        if isinstance(greeting, Ready) and experiment and self._child is not None:
            self._child.send(Prepare(experiment=experiment))

    async def _start(self) -> Ready | Failed:
        try:
            if self._closed:
                return Failed(failure="start", why="The program is closing.")
            # without a greeting the old worker's end goes to a queue that is thrown away, not to the next run
            self.ready = None
            if self._child is not None:
                await self._child.kill()
            self._child, self._greeting = None, asyncio.Queue()
            self._used = False
            try:
                self._child = await Child.start(self.command, self._hear, self._environ)
            except OSError as error:
                return Failed(failure="start", why=f"{self.command[0]} cannot be started: {error.strerror}.")
            return await self._greet(self._child)
        finally:
            self._starting = None

    async def _greet(self, child: Child) -> Ready | Failed:
        try:
            greeting = await asyncio.wait_for(self._greeting.get(), self.patience.ready_s)
        except asyncio.TimeoutError:
            why = f"The worker was not ready after {self.patience.ready_s:g} s."
            greeting = Failed(failure="timeout", why=why)
        if isinstance(greeting, Ready) and greeting.protocol == VERSION:
            self.ready = greeting
            return greeting
        if isinstance(greeting, Ready):
            why = f"The worker speaks protocol {greeting.protocol}, this program {VERSION}."
            failed = Failed(failure="version", why=f"{why} Install the same version on both sides.")
        elif isinstance(greeting, Failed):
            failed = greeting
        else:
            failed = Failed(failure="start", why=f"The worker {child.ending()} before it was ready.")
        await child.kill()
        return with_stderr(failed, child)

    def _hear(self, message: Message | None) -> None:
        """Sort what the worker says: greeting, the active run's, or of a run long over."""
        active = self._active
        if self.ready is None and (message is None or isinstance(message, (Ready, Failed))):
            self._greeting.put_nowait(message)
        elif message is None and active is not None:
            active.gone = True
            active.heard.put_nowait(None)
        elif message is None or active is None:
            return
        elif message.run == active.request.run or (isinstance(message, Failed) and not message.run):
            active.heard.put_nowait(message)  # a failure of no run ends any: the line to the worker broke

    # -- running ------------------------------------------------------------------------------------------------

    async def _drive(self, active: Active) -> None:
        """Take a run from request to final message, whatever the caller does meanwhile."""
        async with self._turn:
            self._active = active
            self._forget_idle()
            try:
                final = await self._run(active)
            except Exception as error:  # a fault of ours must not leave the caller waiting
                final = Failed(failure="crashed", why=f"The runner failed: {error!r}.")
            finally:
                self._active = None
            self._unfinished.remove(active)
            active.over.set()
            active.out.put_nowait(replace(final, run=active.request.run))

    async def _run(self, active: Active) -> Message:
        if active.request.fresh and self._used and self._child is not None:
            self._active = None  # the end of the old worker is no news to this run
            await self._child.kill()
            self._active = active
        greeting = await self._started_or_asked(active)
        child = self._child
        if active.asked.is_set() or self._closed:
            return Cancelled()
        if isinstance(greeting, Failed) or child is None:
            return greeting if isinstance(greeting, Failed) else Failed(failure="died", why="The worker is gone.")
        self._used = True
        child.send(replace(active.request, quiet={**self.quiet, **active.request.quiet}))
        final = await listen(active, child, self.patience)
        await self._look_after(child, final, active)
        return final

    async def _started_or_asked(self, active: Active) -> Ready | Failed | None:
        start = asyncio.create_task(self.start())
        asked = asyncio.create_task(active.asked.wait())
        try:
            await asyncio.wait({start, asked}, return_when=asyncio.FIRST_COMPLETED)
            return start.result() if start.done() else None
        finally:
            for task in (start, asked):  # the start itself is shielded and goes on
                task.cancel()
            await asyncio.gather(start, asked, return_exceptions=True)

    async def _look_after(self, child: Child, final: Message, active: Active) -> None:
        """Keep the worker, replace it when it is dead, spoilt or too heavy, let it go when it idles on a card."""
        if isinstance(final, Done):
            for part, seconds in _numbers(final.facts.get("more", {}).get("quiet")).items():
                self.quiet[part] = min(seconds, self.quiet.get(part, seconds))
        heavy = isinstance(final, (Done, Cancelled)) and 0 < RECYCLE_ABOVE * final.base_mb < final.rss_mb
        # an error on a card sticks to its process: every later call there fails
        failed = isinstance(final, Failed) and (active.device != "cpu" or final.failure == "host")
        spoilt = active.request.fresh or failed
        if heavy or spoilt:
            await child.kill()
        if not child.alive:
            self.preload()
        elif active.device != "cpu":
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self.patience.idle_s, lambda: self._spawn(child.kill()))

    # -- small parts --------------------------------------------------------------------------------------------

    def _forget_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def facts_from(done: Done, controls: Mapping[str, Any] | None = None) -> Facts:
    """Return the circumstances of a run for its judge.

    Args:
        done: The worker's last message.
        controls: The controls asked for; the worker's own report when None.
    """
    told = done.facts
    return Facts(
        device=str(told.get("device", "cpu")),
        device_name=str(told.get("device_name", "")),
        threads=int(told.get("threads", 1)),
        cores=int(told.get("cores", 1)),
        controls=dict(told.get("controls", {}) if controls is None else controls),
        busy=bool(told.get("busy", False)),
        cut_short=bool(told.get("cut_short", False)),
        why_cut=str(told.get("why_cut", "")),
        more={**told.get("more", {}), **({"took_s": round(done.took_s, 4)} if done.took_s > 0 else {})},
    )


def run_sync(
    request: Request,
    hear: Callable[[Message], None],
    *,
    command: Sequence[str] = DEFAULT_COMMAND,
    patience: Patience | None = None,
) -> Message:
    """Run one experiment to its end for a caller without an event loop; return the final message.

    Ctrl-C ends the worker and raises KeyboardInterrupt.
    """

    async def whole() -> Message:
        async with Runner(command, patience=patience) as runner:
            async with contextlib.aclosing(runner.run(request)) as messages:
                async for message in messages:
                    hear(message)
                    last = message
            return last

    return asyncio.run(whole())


def _numbers(found: Any) -> dict[str, float]:
    if not isinstance(found, Mapping):
        return {}
    return {str(key): float(entry) for key, entry in found.items() if isinstance(entry, (int, float))}
