"""From starting a trial to its first point: with a warm worker, and with one that has yet to import torch.

On the screen: from enter to the frame with the first marker. At the runner: from the request to the first point.
Cold on the screen is a learner who presses enter the moment the question for a prediction is painted.

    python -m benchmarks.run trial
"""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import aclosing
from pathlib import Path

from benchmarks import setting
from benchmarks.chart import SIZE, open_experiment
from benchmarks.ratios import Figure, spread, words
from benchmarks.terminal import Terminal
from studyapp.experiments.protocol import PointMessage, Request
from studyapp.experiments.runner import Runner

WARM_S, COLD_S = 0.5, 1.5
"""The goals, seconds."""
MARKERS = "●■▲○□△◉"
ON_SCREEN = {"small-net": 0, "layer-batch": 1}
"""Experiments with their place in the list."""
AT_RUNNER = ("small-net", "layer-batch", "core-race", "half-speed")
WARM_UP_S = 5.0
"""Longer than a worker needs to import torch and what the experiment named needs beside it."""


def measure(rounds: int = 5) -> list[Figure]:
    """Return the seconds to the first point, warm and cold, on the screen and at the runner."""
    found: dict[tuple[str, str, float], list[float]] = {}
    with setting.home() as folder:
        for _ in range(rounds):
            for name, place in ON_SCREEN.items():
                for goal in (WARM_S, COLD_S):
                    took_s = _on_screen(folder, place, warm=goal == WARM_S)
                    found.setdefault((name, "first marker drawn", goal), []).append(took_s)
    for _ in range(rounds):
        for name in AT_RUNNER:
            for goal in (WARM_S, COLD_S):
                took_s = asyncio.run(_at_runner(name, warm=goal == WARM_S))
                found.setdefault((name, "first point at the runner", goal), []).append(took_s)
    return [
        Figure(
            f"{name}: {what}, {'warm' if goal == WARM_S else 'cold'}",
            spread(seconds).median,
            "s",
            goal,
            words(spread(seconds), 1, "s"),
        )
        for (name, what, goal), seconds in found.items()
    ]


def _on_screen(folder: Path, place: int, *, warm: bool) -> float:
    """Return the seconds from enter to the first marker."""
    with Terminal(setting.STUDYAPP, environ=setting.environment(folder), size=SIZE) as terminal:
        open_experiment(terminal, place, at_once=not warm)
        if warm:
            terminal.listen(WARM_UP_S)
        before = terminal.place
        pressed_s = terminal.press(b"\r")
        terminal.until_shown("so far", since=before)
        terminal.settle(0.2, 1.0)
        shown_s = terminal.recording.shown(_has_marker, SIZE, since=before)
        if shown_s is None:
            raise RuntimeError(f"no marker was drawn:\n{terminal.recording.screen(SIZE)}")
        return shown_s - pressed_s


def _has_marker(rows: list[str]) -> bool:
    """Whether a chart with a marker is on the screen; the sign of the running state stands above the axis."""
    chart = [row for row in rows if "│" in row]
    return any(marker in row for row in chart for marker in MARKERS)


async def _at_runner(experiment: str, *, warm: bool) -> float:
    """Return the seconds from the request to the first point."""
    async with Runner() as runner:
        if warm:
            runner.preload(experiment)
            await asyncio.sleep(WARM_UP_S)
        begin = time.perf_counter()
        async with aclosing(runner.run(Request(run=secrets.token_hex(8), experiment=experiment))) as messages:
            async for message in messages:
                if isinstance(message, PointMessage):
                    return time.perf_counter() - begin
    raise RuntimeError(f"{experiment} made no point")
