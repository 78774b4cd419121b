"""The passport's wall time, and its peaks against the best that our own experiments reach on this machine.

python -m benchmarks.run passport
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from contextlib import aclosing

from benchmarks.ratios import Figure, spread, words
from studyapp.core.points import Point, finite, latest, series, value
from studyapp.core.roofline import Roof
from studyapp.experiments.passport import SECONDS
from studyapp.experiments.product import flop
from studyapp.experiments.protocol import PointMessage, Request
from studyapp.experiments.runner import Runner

WALL_S = 20.0
"""The goal: from the command to the stored passport, start of torch included."""
WITHIN = 0.9
"""The goal: a peak of the passport against the best of the experiments."""
WIDTH = 512
RUNS = ("layer-batch", "core-race", "memory-ladder")


def measure(rounds: int = 3) -> list[Figure]:
    """Return the seconds a passport takes with a cold worker, and its peaks as shares of the experiments' best."""
    took: list[float] = []
    shares: dict[str, list[float]] = {}
    for _ in range(rounds):
        begin = time.perf_counter()
        roof, best = asyncio.run(_once(begin, took))
        for name, (ours, theirs) in _compared(roof, best).items():
            shares.setdefault(name, []).append(ours / theirs)
    figures = [Figure("passport, cold worker", statistics.median(took), "s", WALL_S, words(spread(took), 1, "s"))]
    for name, found in shares.items():
        figures.append(
            Figure(
                f"{name}: experiments' best / passport",
                1 / statistics.median(found),
                "x",
                1 / WITHIN,
                f"n={rounds}",
            )
        )
    return figures


async def _once(begin: float, took: list[float]) -> tuple[Roof, dict[str, list[Point]]]:
    async with Runner((sys.executable, "-m", "studyapp.experiments.worker")) as runner:
        roof = Roof.of(await _points(runner, "passport", SECONDS))
        took.append(time.perf_counter() - begin)
        best = {name: await _points(runner, name, 8.0) for name in RUNS}
    return roof, best


async def _points(runner: Runner, name: str, seconds: float) -> list[Point]:
    request = Request(run=name, experiment=name, device="cpu", seconds=seconds)
    async with aclosing(runner.run(request)) as messages:
        points = [message.point async for message in messages if isinstance(message, PointMessage)]
    return finite(latest(points))


def _compared(roof: Roof, best: dict[str, list[Point]]) -> dict[str, tuple[float, float]]:
    """Return (the passport's figure, the experiments' best) by name."""

    def products(*lanes: dict[float, Point]) -> float:
        return max(flop(x, WIDTH) / value(point) for lane in lanes for x, point in lane.items())

    race, layer = best["core-race"], best["layer-batch"]
    one = products(series(race, "one"), series(layer, "one"))
    found = {"float32, one core": (roof.peaks["float32", "one"], one)}
    if every := series(race, "all"):
        found["float32, all cores"] = (roof.peaks["float32", "all"], products(every))
    for lane in ("one", "all"):
        rungs = series(best["memory-ladder"], lane)
        if rungs:
            far = max(rungs)
            found[f"largest copy, {lane}"] = (roof.ladder[lane][-1][1], value(rungs[far]))
    return found
