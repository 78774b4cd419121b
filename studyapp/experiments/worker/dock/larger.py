"""The batch doubled until memory says no, and at which stage of the step it did.

On a CPU under a stated limit: the machine's own would make it swap and take others along. On an accelerator the
allocator may take nine tenths of what is free.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studyapp.experiments.worker import limits
from studyapp.experiments.worker.allowance import free_bytes
from studyapp.experiments.worker.dock import batches
from studyapp.experiments.worker.dock.steps import KEPT, Source, Step, Wish
from studyapp.experiments.worker.dock.supervise import STAGES

if TYPE_CHECKING:
    from studyapp.experiments.worker.dock.engine import Engine

MEMORY_MB = 2000.0
"""What a CPU's process may add unless the learner says otherwise: enough for a batch many times the usual one."""
FREE_SHARE = 0.5
CARD_SHARE = 0.9
MOST_DOUBLINGS = 30
OVER = ("after backward", "after the step")
"""Where a step may end: not each of them updates. Elsewhere it was given up: the script caught what was raised."""
SLOWER = 3.0
"""How many times as long the next, twice as large, step may take: it is not begun with less time left."""
WORDS = (
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "not enough memory",
    "bad_alloc",
    "could not create a primitive",
    "can't start new thread",
    "failed to allocate",
)
"""How torch and the libraries below it say that memory was refused."""


@dataclass
class Growth:
    """How far the batch was doubled."""

    rows: int
    limit_mb: float | None
    trained: list[dict[str, Any]] = field(default_factory=list)
    trying: int = 0

    def refused(self, engine: Engine, error: BaseException | None) -> bool:
        """Report how the doubling ended; return whether it did.

        Args:
            engine: To report to; its stage byte says where the step was.
            error: What the script died of; None where it went on without finishing the step.
        """
        if not self.trying:
            return False
        stage = STAGES[min(engine.stage[0], len(STAGES) - 1)]
        memory = error is None or is_memory(engine.torch, error)
        why = "" if error is None else f"{type(error).__name__}: {str(error).strip()}".split("\n")[0][:200]
        if not memory:
            engine.cannot(f"The script does not take a larger batch ({why}).")
            return True
        engine.found(
            outcome="found",
            basis="measured",
            value=self.trying,
            low=self.trying // 2,
            high=self.trying,
            n=len(self.trained) + 1,
            stage=stage,
            why=why,
            caught=error is None,
            **self.as_json(),
        )
        return True

    def as_json(self) -> dict[str, Any]:
        """Return the batches that were trained, and the limit."""
        return {"rows": self.rows, "trained": self.trained, "limit_mb": self.limit_mb}


def is_memory(torch: Any, error: BaseException) -> bool:
    """Return whether an exception says that memory was refused, or came of one that did."""
    seen: BaseException | None = error
    for _ in range(8):
        if seen is None:
            return False
        words = str(seen).lower()
        kind: Any = getattr(torch, "OutOfMemoryError", ())
        if isinstance(seen, (MemoryError, kind)) or any(word in words for word in WORDS):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def find(engine: Engine, source: Source | None) -> Generator[Wish, Step, None]:
    """Double until the script falls, the time is up, or nothing is refused."""
    if source is None:
        engine.cannot("The loop makes its own batches, so they cannot be made larger from outside.", True)
        return
    rows = batches.rows(source.kept)
    if rows is None:
        engine.cannot("The batch holds no tensors whose rows could be doubled.")
        return
    limit_mb = headroom_mb(engine)
    engine.ask(rows=rows, limit_mb=limit_mb)
    yield KEPT
    growth = engine.grown = Growth(rows, limit_mb)
    engine.lift = cap(engine, limit_mb)
    took_s = 0.0
    for doubling in range(1, MOST_DOUBLINGS + 1):
        if engine.left_s() < SLOWER * took_s:
            break
        growth.trying = rows * 2**doubling
        engine.line.send("trying", rows=growth.trying, limit_mb=limit_mb)
        try:
            batch = batches.repeated(engine.torch, source.kept, 2**doubling)
        except Exception as error:
            engine.stage[0] = STAGES.index("data")
            engine.lift()
            growth.refused(engine, error)
            return
        begin = time.perf_counter()
        yield Wish(batch=batch)
        engine.sync()
        del batch
        took_s = time.perf_counter() - begin
        if STAGES[engine.stage[0]] not in OVER:
            engine.lift()
            growth.refused(engine, None)
            return
        growth.trained.append({"rows": growth.trying, "step_s": took_s})
    engine.lift()
    engine.found(
        outcome="found",
        basis="measured",
        value=None,
        never=True,
        n=len(growth.trained),
        stage="",
        **growth.as_json(),
    )


def headroom_mb(engine: Engine) -> float | None:
    """Return the megabytes that may be added: as asked for, but at most half of what is free; None on a card."""
    if engine.accelerated:
        return engine.options.memory_mb
    free = free_bytes()
    wanted = engine.options.memory_mb or MEMORY_MB
    return wanted if free is None else round(min(wanted, FREE_SHARE * free / 1e6))


def cap(engine: Engine, limit_mb: float | None) -> Callable[[], None]:
    """Limit the memory and return what lifts the limit again."""
    if engine.accelerated:
        return _cap_card(engine, limit_mb)
    cage = limits.address_space((limit_mb or MEMORY_MB) * 1e6)
    cage.__enter__()
    lifted = [False]

    def lift() -> None:
        if not lifted[0]:
            lifted[0] = True
            cage.__exit__(None, None, None)

    return lift


def _cap_card(engine: Engine, limit_mb: float | None) -> Callable[[], None]:
    home: Any = getattr(engine.torch, engine.device.type, None)
    if not hasattr(home, "set_per_process_memory_fraction") or not hasattr(home, "mem_get_info"):
        return lambda: None
    engine.sync()
    home.empty_cache()  # cached blocks would be handed out beyond the cap
    free, whole = home.mem_get_info()
    extra = CARD_SHARE * free if limit_mb is None else min(limit_mb * 1e6, CARD_SHARE * free)
    home.set_per_process_memory_fraction(min(1.0, (home.memory_reserved() + extra) / whole))
    return lambda: home.set_per_process_memory_fraction(1.0)
