"""Where the host waits for the device: every call in the loop that needs a tensor's value, by file and line.

On a CPU such a call costs little, since nothing runs ahead of the host; the same line stalls on a GPU. On CUDA
torch's own synchronisation debug mode is asked as well, and the time spent waiting is measured.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studyapp.experiments.worker.dock.places import line_of
from studyapp.experiments.worker.dock.steps import KEPT, Source, Step, Wish

if TYPE_CHECKING:
    from studyapp.experiments.worker.dock.engine import Engine

ASKED = {
    "item": ".item()",
    "tolist": ".tolist()",
    "cpu": ".cpu()",
    "numpy": ".numpy()",
    "__float__": "float()",
    "__int__": "int()",
    "__bool__": "a truth test",
    "__index__": "an index",
    "__repr__": "print()",
    "__format__": "an f-string",
}
"""Methods of a tensor that need its value on the host, and how the learner wrote it."""
STEPS = 10
MOST_LINES = 20
SYNCED = "synchroniz"
"""In every warning of torch's synchronisation debug mode."""


@dataclass
class Place:
    """One line of the script and what it asked."""

    calls: int = 0
    seconds: float = 0.0


class Register:
    """Counts by file, line and kind of call."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.places: dict[tuple[str, int, str], Place] = {}
        self.busy = False
        self.accelerated = engine.accelerated

    def note(self, what: str, frame: Any, seconds: float = 0.0) -> None:
        """Take one call."""
        found = line_of(frame)
        if found is not None:
            place = self.places.setdefault((*found, what), Place())
            place.calls += 1
            place.seconds += seconds

    def wrap(self, name: str, original: Callable[..., Any], torch_home: str) -> Callable[..., Any]:
        """Return a method that counts itself where the loop, and not torch, called it."""

        def asked(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            caller = sys._getframe(1)
            ours = self.busy or self.engine.inside or not self.engine.here()
            if ours or caller.f_code.co_filename.startswith(torch_home) or self._elsewhere(tensor):
                return original(tensor, *args, **kwargs)
            self.busy = True
            begin = time.perf_counter()
            try:
                return original(tensor, *args, **kwargs)
            finally:
                self.busy = False
                self.note(ASKED[name], caller, time.perf_counter() - begin)

        return asked

    def _elsewhere(self, tensor: Any) -> bool:
        """Whether the model is on an accelerator and this tensor is not: then nobody waits."""
        return self.accelerated and tensor.device.type == "cpu"


@contextlib.contextmanager
def watching(engine: Engine) -> Iterator[Register]:
    """Count while the block runs; afterwards everything is as it was."""
    register, kind = Register(engine), engine.torch.Tensor
    home = os.path.dirname(engine.torch.__file__) + os.sep  # noqa: PTH120  compared with frames' names as text
    before = {name: kind.__dict__.get(name) for name in ASKED}
    with contextlib.ExitStack() as stack:
        for name in ASKED:
            setattr(kind, name, register.wrap(name, getattr(kind, name), home))
            stack.callback(_put_back, kind, name, before[name])
        if engine.device is not None and engine.device.type == "cuda":
            stack.enter_context(_debug_mode(engine.torch, register))
        yield register


def _put_back(kind: Any, name: str, original: Any) -> None:
    if original is None:  # it was inherited
        delattr(kind, name)
    else:
        setattr(kind, name, original)


@contextlib.contextmanager
def _debug_mode(torch: Any, register: Register) -> Iterator[None]:
    """Let torch warn wherever it waits for CUDA; what a wrapped call caused is not counted twice."""

    def heard(message: Any, *args: Any, **kwargs: Any) -> None:
        if SYNCED in str(message) and not register.busy and not register.engine.inside:
            register.note("a wait for CUDA", sys._getframe(1))

    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = heard
        torch.cuda.set_sync_debug_mode("warn")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode(before)


def find(engine: Engine, source: Source | None) -> Generator[Wish, Step, None]:
    """Count over some steps."""
    engine.ask()
    count = min(STEPS, engine.options.steps)
    yield KEPT
    with watching(engine) as register:
        begin = time.perf_counter()
        for _ in range(count):
            yield KEPT
        took_s = time.perf_counter() - begin
    ranked = sorted(register.places.items(), key=lambda entry: (-entry[1].calls, entry[0]))
    total = sum(place.calls for _, place in ranked)
    engine.found(
        outcome="found",
        basis="counted",
        value=total / count,
        n=count,
        accelerated=engine.accelerated,
        waited_share=sum(place.seconds for _, place in ranked) / took_s if took_s > 0 else None,
        lines=[
            {
                "path": path,
                "line": line,
                "what": what,
                "per_step": place.calls / count,
                "text": linecache.getline(path, line).strip()[:120],
            }
            for (path, line, what), place in ranked[:MOST_LINES]
        ],
    )
