"""The engine: finds the training loop, then decides step by step what the loop gets, until all findings are made.

A finding is a generator: it yields what the next step is to get and is resumed when that step is over. Two drivers
run it: the loop's own source of batches (a hook or a DataLoader), or, where none is seen, the optimizer's steps.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from mmap import mmap
from types import ModuleType
from typing import Any, NoReturn, Protocol

from studyapp.experiments.worker.dock import attach, data_wait, kept_bytes, larger, precision, waits
from studyapp.experiments.worker.dock.seen import Seen
from studyapp.experiments.worker.dock.steps import FRESH, Source, Step, Times, Wish

SETTLE = 2
"""Steps that pass before anything is measured: the first ones make workspaces and the optimizer's state."""
PLAIN_AFTER = 6
"""Steps of an optimizer without any loader, after which the loop counts as one that makes its own batches."""
BLOCK = 5
"""Steps between two waits for an accelerator, so that waiting itself is not what is timed."""
FEWEST = 3
"""Samples that are taken even where a share of the time limit is used up."""
clock = time.perf_counter
Plan = Generator[Wish, Step, None]


class Line(Protocol):
    """Where messages go."""

    def send(self, kind: str, **fields: Any) -> None:
        """Send one."""

    def ask(self, **fields: Any) -> None:
        """Send a question and wait until it is answered."""


@dataclass(frozen=True)
class Options:
    """What the learner asked for."""

    steps: int = 20
    limit_s: float = 120.0
    memory_mb: float | None = None
    findings: tuple[str, ...] = ()
    """Those wanted; empty = all."""


FINDINGS: dict[str, Callable[[Engine, Source | None], Plan]] = {
    "data": data_wait.find,
    "waits": waits.find,
    "memory": kept_bytes.find,
    "precision": precision.find,
    "batch": larger.find,
}
"""In the order in which they are made: the last may end the script."""


@dataclass
class Engine(Seen):
    """The hand the dock has on the script's loop."""

    line: Line
    options: Options
    stage: mmap | bytearray
    inside: bool = False
    """Whether the loader is at work, so that what happens is not the loop's doing."""
    begun: bool = False
    form: str = ""
    """What drives it: hook, loader or optimizer."""
    by_hook: bool = False
    updates: int = 0
    trained_by: dict[int, int] = field(default_factory=dict)
    phase: str = ""
    on_update: Callable[[Any], None] | None = None
    on_backward: Callable[[], None] | None = None
    lift: Callable[[], None] | None = None
    """Takes a memory limit away."""
    grown: larger.Growth | None = None

    def __post_init__(self) -> None:
        self._owner = os.getpid()
        self._deadline = clock() + self.options.limit_s
        self._alone = 0
        self._plain: Plan | None = None
        self._looking, self._watching = contextlib.ExitStack(), contextlib.ExitStack()

    # -- finding the loop ---------------------------------------------------------------------------------------

    def here(self) -> bool:
        """Return whether this is the script's own process and main thread."""
        return attach.in_charge(self._owner)

    def attach(self, torch: ModuleType) -> None:
        """Look at torch's few places; called when the script has imported it."""
        self.torch = torch
        attach.watch_loaders(self)
        self._watch()
        self._looking.enter_context(attach.modules_called(self, self._look))

    def _watch(self) -> None:
        self._watching.enter_context(attach.optimizers_watched(self))
        self._watching.enter_context(attach.backward_watched(self))

    def offer(self, hook: ModuleType) -> None:
        """Make the hook's `steps` ours."""
        hook._drive = self.hooked  # type: ignore[attr-defined]

    def hooked(self, source: Any, *, model: Any = None, optimizer: Any = None) -> Iterator[Any]:
        """Drive a loop that named itself."""
        self.by_hook = True
        if self.begun or self.torch is None or not self.here():
            yield from source
            return
        self.told(model, optimizer)
        yield from self.drive(Source(lambda: iter(source), source), "hook")

    def _look(self, module: Any) -> None:
        if self.here():
            self.saw_module(module)

    def updating(self, optimizer: Any) -> None:
        """Hear that an optimizer is about to step."""
        self.saw_optimizer(optimizer)
        if self.on_update is not None:
            self.on_update(optimizer)

    def updated(self, optimizer: Any) -> None:
        """Hear that an optimizer has stepped."""
        self.updates += 1
        self._alone += 1
        if self._plain is not None:
            if optimizer is self.optimizers[0]:
                self._pulse()
        elif self._alone >= PLAIN_AFTER and not self.begun and not self.by_hook and self.here():
            self._begin("optimizer", None)
            self._plain = self._whole(None)
            next(self._plain)

    def passed_back(self) -> None:
        """Hear that a backward pass is over."""
        if self.on_backward is not None:
            self.on_backward()

    @contextlib.contextmanager
    def fetching(self) -> Iterator[None]:
        """Mark what happens as the loader's doing."""
        self._alone, outer, self.inside = 0, self.inside, True
        try:
            yield
        finally:
            self.inside = outer

    # -- driving it ---------------------------------------------------------------------------------------------

    def drive(self, source: Source, form: str) -> Iterator[Any]:
        """Yield what the plan wants the loop to have, step by step."""
        self._begin(form, source)
        plan = self._whole(source)
        wish, stage = next(plan), self.stage
        while True:
            begin = clock()
            stage[0] = 1
            self.inside = True
            try:
                batch = source.next() if wish.fresh else source.kept if wish.batch is None else wish.batch
            except StopIteration:
                return  # an empty loader: the loop sees none, as it would without us
            finally:
                self.inside = False
            fetch_s = clock() - begin
            stage[0] = 2
            yield batch
            wish = plan.send(Step(fetch_s, wish.fresh and source.restarted))

    def _pulse(self) -> None:
        if self._plain is not None:
            self._plain.send(Step())

    def _begin(self, form: str, source: Source | None) -> None:
        self.begun, self.form = True, form
        self._deadline = max(self._deadline, clock())

    def _whole(self, source: Source | None) -> Plan:
        """Make all findings, one after another, then end the script."""
        for _ in range(SETTLE):
            yield FRESH
        self._looking.close()
        self.line.send("loop", form=self.form, **self.describe(source))
        for name, find in FINDINGS.items():
            if not self.options.findings or name in self.options.findings:
                self.phase = name
                yield from find(self, source)
        self.finish()

    def finish(self) -> NoReturn:
        """Say that all is done and end the process here, in the middle of the script's loop."""
        self.line.send("done")
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(0)

    # -- for the findings ---------------------------------------------------------------------------------------

    def ask(self, **fields: Any) -> None:
        """Let the learner predict; the time that takes is nobody's."""
        begin = clock()
        self.line.ask(finding=self.phase, **fields)
        self._deadline += clock() - begin

    def found(self, **fields: Any) -> None:
        """Report the present finding."""
        self.line.send("finding", finding=self.phase, **fields)

    def cannot(self, why: str, hook: bool = False) -> None:
        """Report that the present finding cannot be made, and whether the hook would help."""
        self.line.send("finding", finding=self.phase, outcome="not_applicable", why=why, hook=hook)

    def left_s(self) -> float:
        """Return the seconds left before the limit."""
        return self._deadline - clock()

    def timed(self, wish: Wish, share: float, turns: int = 1) -> Generator[Wish, Step, Times]:
        """Time steps until there are as many as asked for, or a share of the time limit is used up.

        Args:
            wish: What each of them gets.
            share: The share, 0 to 1.
            turns: How often this is called for one finding: the steps are spread over as many calls.
        """
        wanted = -(-self.options.steps // turns)
        samples: list[float] = []
        fetches: list[float] = []
        # asked once: looking for the device goes over all weights, which would be timed too
        wait = self.torch.accelerator.synchronize if self.accelerated else _nothing
        block = BLOCK if self.accelerated else 1
        until = clock() + share * self.options.limit_s
        if self.form != "optimizer":
            self._watching.close()
        wait()
        while len(samples) * block < wanted and (len(samples) < FEWEST or clock() < until):
            begin, fetch_s, counts = clock(), 0.0, True
            for _ in range(block):
                step = yield wish
                fetch_s += step.fetch_s
                counts = counts and not step.restarted
            wait()
            took_s = clock() - begin
            if counts or self.left_s() <= 0:
                samples.append(took_s / block)
                fetches.append(fetch_s / block)
            elif clock() > until:
                break
        if self.form != "optimizer":
            self._watch()
        return Times(tuple(samples), tuple(fetches))

    # -- the script's end ---------------------------------------------------------------------------------------

    def left(self, code: int = 0, why: str = "") -> None:
        """Say that the script came to its own end, with an exit code, before we did."""
        if self.lift is not None:
            self.lift()
        self.line.send(
            "left",
            code=code,
            why=why,
            begun=self.begun,
            updates=self.updates,
            torch=self.torch is not None,
        )

    def failed(self, error: BaseException) -> bool:
        """Take an exception that ended the script; return whether it was the answer we were waiting for."""
        if self.lift is not None:
            self.lift()
        if self.grown is None or not self.grown.refused(self, error):
            return False
        self.line.send("done")
        return True


def _nothing() -> None:
    """Wait for nothing: a CPU has finished when its call returns."""
