"""How many times faster steps would be if data cost nothing: the loader's batches against one kept batch."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from studyapp.experiments.worker.dock.steps import FRESH, KEPT, Source, Step, Times, Wish, ratio

if TYPE_CHECKING:
    from studyapp.experiments.worker.dock.engine import Engine

REAL_SHARE, KEPT_SHARE, AHEAD_SHARE = 0.12, 0.08, 0.05
"""Shares of the time limit, for each turn."""
TURNS = 2
"""The two kinds of steps take turns, so that a machine that gets slower does not make one of them slower."""


def find(engine: Engine, source: Source | None) -> Generator[Wish, Step, None]:
    """Time steps with fresh batches, then with the last of them again and again."""
    if source is None:
        engine.cannot(
            "The loop takes its batches from no DataLoader, so its waiting for data cannot be seen.", True
        )
        return
    engine.ask(workers=source.workers)
    real, kept = Times(), Times()
    for _ in range(TURNS):
        until = engine.left_s() - AHEAD_SHARE * engine.options.limit_s
        for _ in range(source.ahead + 1):  # what loader processes prepared while nobody was asking for it
            yield FRESH
            if engine.left_s() < until:
                break
        real += yield from engine.timed(FRESH, REAL_SHARE, TURNS)
        if source.dry or not real.n:
            engine.cannot("There were too few batches to time.")
            return
        yield KEPT
        kept += yield from engine.timed(KEPT, KEPT_SHARE, TURNS)
    engine.found(
        outcome="found",
        basis="measured",
        **ratio(real, kept),
        real=real.as_json(),
        kept=kept.as_json(),
        workers=source.workers,
    )
