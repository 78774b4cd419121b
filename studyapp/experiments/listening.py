"""Listening to a worker during one run: pass on what it says, cancel when asked, give it up when it is silent."""

from __future__ import annotations

import asyncio
import math
import signal
from dataclasses import dataclass, field, replace

from studyapp.experiments.child import Child
from studyapp.experiments.protocol import Cancel, Cancelled, Failed, Message, Request, Started


@dataclass(frozen=True)
class Patience:
    """How long the runner waits for what, in seconds."""

    ready_s: float = 60.0
    """From start to ready: torch on a network home is slow to open (17,600 file operations)."""
    start_s: float = 60.0
    """From request to started: the first CUDA start takes up to 20 s."""
    slack_s: float = 2.0
    """Silence beyond the run's own limit before the worker is given up."""
    cancel_s: float = 0.3
    """From cancel to kill; an answer between two points takes 10 to 17 ms."""
    idle_s: float = 300.0
    """An idle worker on an accelerator is stopped: its context holds some hundred MB of the card."""
    close_s: float = 0.3
    """From closing the requests to kill."""


@dataclass
class Active:
    """The run in progress."""

    request: Request
    out: asyncio.Queue[Message] = field(default_factory=asyncio.Queue)
    """What the caller reads."""
    heard: asyncio.Queue[Message | None] = field(default_factory=asyncio.Queue)
    """What the worker says about it; None when the wire closed or a cancel is asked for (to wake up)."""
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether to cancel."""
    gone: bool = False
    """Whether the worker's wire closed."""
    device: str = "cpu"
    """Where it runs, once it has started."""
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the final message is out."""

    def ask(self) -> None:
        """Ask for the run to be cancelled."""
        self.asked.set()
        self.heard.put_nowait(None)


async def listen(active: Active, child: Child, patience: Patience) -> Message:
    """Pass messages on until the final one, which is returned; the worker is dead where that says so."""
    clock = asyncio.get_running_loop().time
    silence_s = patience.start_s
    give_up, last_moment, told = clock() + silence_s, math.inf, False
    while True:
        if active.asked.is_set() and not told:
            told = True
            child.send(Cancel(run=active.request.run))
            give_up = clock() + patience.cancel_s
        try:
            message = await asyncio.wait_for(active.heard.get(), min(give_up, last_moment) - clock())
        except asyncio.TimeoutError:
            await child.kill()
            return _given_up(child, told, silence_s)
        if active.gone and message is None:
            await child.kill()
            return _gone(child, told)
        if message is None:
            continue
        if message.final:
            return with_stderr(message, child) if isinstance(message, Failed) else message
        active.out.put_nowait(message)
        if isinstance(message, Started):
            active.device = message.device
            silence_s = message.seconds + patience.slack_s
            last_moment = clock() + silence_s + active.request.alarm_slack_s
        if not told:
            give_up = clock() + silence_s


def with_stderr(failed: Failed, child: Child) -> Failed:
    """Return the failure with the worker's last lines on stderr."""
    return replace(failed, stderr=child.last_words())


def _given_up(child: Child, cancelled: bool, silence_s: float) -> Message:
    if cancelled:
        return Cancelled(killed=True)
    why = f"The worker did not end in time (limit {silence_s:g} s) and was ended."
    return with_stderr(Failed(failure="timeout", why=why), child)


def _gone(child: Child, cancelled: bool) -> Message:
    if cancelled:
        return Cancelled(killed=True)
    if child.process.returncode == -signal.SIGALRM:
        return with_stderr(Failed(failure="timeout", why="The experiment ran past its time limit."), child)
    return with_stderr(Failed(failure="died", why=f"The worker {child.ending()}."), child)
