"""The few places of torch where a training loop can be seen: loaders, optimizers, backward, modules.

While steps are timed only their own driver stays in place, which costs a few microseconds a step; all else is put
in for the steps that need it and taken out again.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from studyapp.experiments.worker.dock.steps import Source
from studyapp.experiments.worker.dock.supervise import STAGES

if TYPE_CHECKING:
    from studyapp.experiments.worker.dock.engine import Engine

BACKWARD, PASSED_BACK, UPDATE, UPDATED = (
    STAGES.index(name) for name in ("backward", "after backward", "optimizer step", "after the step")
)
TRAINED = 2
"""Batches followed by an optimizer's step, after which a loader counts as the training loop's."""


class Watched:
    """A loader's iterator that hands its batches on and becomes the dock's own once training is seen."""

    def __init__(self, engine: Engine, loader: Any, start: Callable[[Any], Any]) -> None:
        self._engine, self._loader, self._start = engine, loader, start
        self._iterator = start(loader)
        self._driven: Iterator[Any] | None = None
        self._updates = engine.updates
        self._fetched = False

    def __iter__(self) -> Watched:
        return self

    def __len__(self) -> int:
        return len(self._iterator)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iterator, name)

    def __next__(self) -> Any:
        if self._driven is None:
            if not self._found():
                with self._engine.fetching():
                    batch = next(self._iterator)
                self._fetched = True
                return batch
            source = Source(lambda: iter(self._start(self._loader)), self._loader, self._iterator)
            self._driven = self._engine.drive(source, "loader")
        return next(self._driven)

    def _found(self) -> bool:
        engine = self._engine
        trained, self._updates = engine.updates > self._updates and self._fetched, engine.updates
        counts = engine.trained_by
        if trained:
            counts[id(self._loader)] = counts.get(id(self._loader), 0) + 1
        return counts.get(id(self._loader), 0) >= TRAINED and not engine.begun and not engine.by_hook


def watch_loaders(engine: Engine) -> None:
    """Let every DataLoader of this process hand out watched iterators."""
    kind: Any = importlib.import_module("torch.utils.data").DataLoader
    start = kind.__iter__

    @functools.wraps(start)
    def iterate(loader: Any) -> Any:
        if engine.inside or engine.begun or not engine.here():
            return start(loader)
        return Watched(engine, loader, start)

    kind.__iter__ = iterate


@contextlib.contextmanager
def optimizers_watched(engine: Engine) -> Iterator[None]:
    """Hear of every optimizer's step, before and after."""
    home: Any = importlib.import_module("torch.optim.optimizer")

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        engine.stage[0] = UPDATE
        engine.updating(optimizer)

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        engine.stage[0] = UPDATED
        engine.updated(optimizer)

    handles = home.register_optimizer_step_pre_hook(before), home.register_optimizer_step_post_hook(after)
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextlib.contextmanager
def backward_watched(engine: Engine) -> Iterator[None]:
    """Know when a step is in its backward pass."""
    home: Any = engine.torch.autograd
    backward = home.backward

    @functools.wraps(backward)
    def watched(*args: Any, **kwargs: Any) -> Any:
        engine.stage[0] = BACKWARD
        answer = backward(*args, **kwargs)
        engine.stage[0] = PASSED_BACK
        engine.passed_back()
        return answer

    home.backward = watched
    try:
        yield
    finally:
        home.backward = backward


@contextlib.contextmanager
def modules_called(engine: Engine, then: Callable[[Any], None]) -> Iterator[None]:
    """Call back with every module before its forward pass; costs a call for each module, so not while timing."""
    home: Any = importlib.import_module("torch.nn.modules.module")
    handle = home.register_module_forward_pre_hook(lambda module, args: then(module))
    try:
        yield
    finally:
        handle.remove()


def in_charge(owner: int) -> bool:
    """Return whether this is the script's own process and its main thread."""
    return os.getpid() == owner and threading.current_thread() is threading.main_thread()
