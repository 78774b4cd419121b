"""A warm worker for a front end without an event loop of its own: lines, pipes, scripts."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from studyapp.core.verdicts import Outcome
from studyapp.experiments.child import DEFAULT_COMMAND
from studyapp.experiments.protocol import Failed, Message, Ready, Started
from studyapp.experiments.runner import Runner
from studyapp.study.devices import keep_answer, settled, wished
from studyapp.study.experimenting import Trial

T = TypeVar("T")
Ask = Callable[[str], bool | None]
"""Asks the learner a yes-or-no question; None where nobody can answer."""
GPU_QUESTION = "{} has a GPU. Use it for short experiments, on this host?"
GPU_NOTE = "{} has a GPU, but nobody could be asked, so the CPU is used. Use it with"
GPU_WAYS = "`--device cuda`, or always when it is idle with STUDYAPP_GPU=idle."


class Bench:
    """Runs trials one after another in one worker; a context manager that ends the worker."""

    def __init__(self, command: tuple[str, ...] = ()) -> None:
        """Prepare; the worker starts with the first trial.

        Args:
            command: Replaces the command that starts the worker; empty for the own interpreter.
        """
        self._loop = asyncio.Runner()
        self._worker = Runner(command or DEFAULT_COMMAND)
        self._greeting: Ready | Failed | None = None

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker and its group."""
        self._do(self._worker.close())
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)

    def greet(self) -> Ready | Failed:
        """Return the worker's greeting, or why it cannot start; it is started when there is none."""
        self._greeting = self._do(self._worker.start())
        return self._greeting

    def choose_device(self, trial: Trial, gpu: str, ask: Ask, tell: Callable[[str], None]) -> str:
        """Settle where a trial runs and return the device; a learner is asked once per host about its GPU.

        The worker is still asked for "auto" where nobody wished otherwise: a device that turns out not to work
        then gives way to the CPU.

        Args:
            trial: Its `device` is what was wanted, and becomes what the worker is asked for.
            gpu: The setting `gpu`: ask, never or idle.
            ask: How to ask; where nobody answers the CPU is used and `tell` says so.
            tell: Prints a sentence.

        Raises:
            UsageError: If the device is none we know.
        """
        wish = wished(trial.desk, gpu, trial.device)
        if wish not in ("ask", "auto"):
            trial.device = wish
            return wish
        greeting = self.greet()
        trial.device = "auto"
        if settled(wish, greeting).must_ask and not _may_use(trial, ask, tell):
            trial.device = "cpu"
        return settled(trial.device, greeting).found

    def conduct(self, trial: Trial, hear: Callable[[Message], None]) -> Message:
        """Run a trial to its end and return the last message; Ctrl-C cancels it and keeps its points."""
        if isinstance(self._greeting, Failed):
            failed, self._greeting = self._greeting, None
            trial.started_at_ms = trial.desk.clock().at_ms
            trial.fold(failed)  # a worker that has just failed to start is not started once more
            hear(failed)
            return failed
        return self._do(self._conduct(trial, hear))

    async def _conduct(self, trial: Trial, hear: Callable[[Message], None]) -> Message:
        loop = asyncio.get_running_loop()
        stopping: list[asyncio.Task[None]] = []
        last = Message()
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # not in the main thread
            loop.add_signal_handler(
                signal.SIGINT, lambda: stopping.append(loop.create_task(self._worker.cancel()))
            )
        why_cpu = ""
        try:
            async for message in trial.run(self._worker):
                if isinstance(message, Started):
                    why_cpu = message.why_cpu
                hear(message)
                last = message
            await asyncio.gather(*stopping)
        finally:
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                loop.remove_signal_handler(signal.SIGINT)
        _say_where_else(trial, why_cpu)
        return last


def _may_use(trial: Trial, ask: Ask, tell: Callable[[str], None]) -> bool:
    """Ask whether the GPU may be used, and remember the answer; without one it may not, and `tell` says so."""
    machine = trial.host or "This machine"
    answer = ask(GPU_QUESTION.format(machine))
    if answer is None:
        tell(f"{GPU_NOTE.format(machine)} {GPU_WAYS}")
        return False
    keep_answer(trial.desk, answer)
    return answer


def _say_where_else(trial: Trial, why_cpu: str) -> None:
    """Where a claim cannot be tested for want of a GPU, say why there is none and what shows the same law here."""
    verdict, claim = trial.verdict, trial.experiment
    if verdict is None or verdict.outcome is not Outcome.CANNOT_TEST or trial.facts.accelerated:
        return
    if claim.sibling:
        trial.hint = f"`studyapp run {claim.sibling}` shows the same law on this machine."
    if "accelerator" in claim.needs and why_cpu:
        trial.hint = f"No GPU: {why_cpu.rstrip('.')}. {trial.hint}".strip()
