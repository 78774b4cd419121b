"""Asking for a result in every step costs the gap after it: the queue is empty until the host has launched anew.

Runs ten steps and waits for the device after every one, every second, every fifth, or at the end only. The waiting
itself is no loss, since the kernels need their time anyway; what costs is the host's own work afterwards, while
the device stands idle. A CPU runs nothing ahead, so there a sleeping stand-in shows the mechanism, named so.

    studyapp run wait-each-step
    studyapp run wait-each-step --set host_ms=0
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from studyapp.core.figures import Axis, Lane, Plot
from studyapp.core.points import Basis, Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, band, in_seconds, ratio, times
from studyapp.experiments.product import FLOAT_BYTES, matrix, product

STEPS = 10
EVERY = (1, 2, 5, STEPS)
"""Steps from one wait to the next; the last is a wait at the end only."""
WIDTH = 1024
"""Width of the product that the device repeats until its work lasts as long as asked."""
LITTLE = 1.05
"""Times as long as without waiting, below which no cost is seen. Source: our choice."""


def measure(lab: Lab, host_ms: float, device_ms: float) -> Iterator[Point]:
    """Time a step of host work and device work for each number of steps between waits; seconds per step."""
    number = lab.torch.ones((), device=lab.device)
    for _, timing in lab.rounds({1: number.item}, rounds=3, sample_s=1e-3):
        yield timing.point("item", 1, accelerated=lab.accelerated)
    basis = Basis.MEASURED if lab.accelerated else Basis.SIMULATED
    with _device(lab, device_ms / 1e3) as (launch, wait):
        steps = {every: partial(_steps, launch, wait, host_ms / 1e3, every) for every in EVERY}
        for every, timing in lab.rounds(steps, rounds=5, sample_s=0):
            point = timing.point("step", every, scale=1 / STEPS, accelerated=lab.accelerated)
            yield Point(**{**vars(point), "basis": basis})


Call = Callable[[], object]


def _steps(launch: Call, wait: Call, host_s: float, every: int) -> None:
    for step in range(1, STEPS + 1):
        time.sleep(host_s)
        launch()
        if step % every == 0:
            wait()


@contextmanager
def _device(lab: Lab, device_s: float) -> Iterator[tuple[Call, Call]]:
    """Hand out (launch, wait): of the accelerator, or of a thread that sleeps and is no device."""
    if lab.accelerated:
        yield _real(lab, device_s)
        return
    waiting: queue.Queue[float] = queue.Queue()
    threading.Thread(target=_sleeper, args=(waiting,), daemon=True).start()
    try:
        yield partial(waiting.put, device_s), waiting.join
    finally:
        waiting.put(-1.0)


def _sleeper(waiting: queue.Queue[float]) -> None:
    while (seconds := waiting.get()) >= 0:
        time.sleep(seconds)
        waiting.task_done()


def _real(lab: Lab, device_s: float) -> tuple[Call, Call]:
    wide = matrix(lab.torch, WIDTH, WIDTH, lab.device)
    multiply = product(lab.torch, wide, wide)
    once_s = [timing.median_s for _, timing in lab.rounds({1: multiply}, rounds=3)][-1]
    result: list[Any] = []

    def launch() -> None:
        result[:] = [multiply() for _ in range(max(1, round(device_s / once_s)))][-1:]

    return launch, lambda: result[0][0, 0].item()


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Compare a step that waits each time with one of ten that waits at the end."""
    step = series(points, "step")
    each, end = step[1], step[STEPS]
    cost = ratio(each, end)
    low, high = band(cost, [each, end])
    if not facts.accelerated:
        item = in_seconds(value(series(points, "item")[1]))
        because = (
            f"A CPU runs nothing ahead: .item() takes {item} here. On a stand-in each wait costs {times(cost)}."
        )
        return Verdict(Outcome.CANNOT_TEST, because, cost, "x", low, high, decided_by=(each, end))
    noise = ratio_noise([each, end])
    gap_s = value(each) - value(end)
    because = f"A step takes {in_seconds(value(each))} with a wait in each and {in_seconds(value(end))} without"
    because += f": {times(cost)}, a gap of {in_seconds(max(0.0, gap_s))}."
    outcome = Outcome.HOLDS if against(cost, 1.0, noise) > 0 and cost >= LITTLE else Outcome.TOO_NOISY
    outcome = Outcome.DOES_NOT_HOLD if cost * (1 + 2 * noise) < LITTLE else outcome
    return Verdict(outcome, because, cost, "x", low, high, decided_by=(each, end))


EXPERIMENT = Experiment(
    id="wait-each-step",
    claim="Asking the device for a result in every step costs time: it idles until the host has launched again.",
    question="How many times as long does a step take if every one ends in .item()?",
    unit="x",
    plot=Plot(
        x=Axis("steps from wait to wait", scale="log2"),
        y=Axis("time per step", "s", "log10"),
        lanes=(Lane("step", "a step", "gpu", Basis.SIMULATED), Lane("item", ".item()", "cpu")),
        subtitle="Time per step; lower is faster.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    controls=(
        Control("host_ms", 1.0, "the host's own work in a step, in ms", 0.0, 20.0, fresh=(0.5, 1.0, 2.0)),
        Control("device_ms", 5.0, "the device's work in a step, in ms", 0.5, 20.0, fresh=(2.0, 5.0, 10.0)),
    ),
    needs=frozenset({"accelerator"}),
    usual_s=1.5,
    about_bytes=lambda **controls: 3 * WIDTH * WIDTH * FLOAT_BYTES,
    sibling="loader-workers",
    predicts=(0.5, 10.0),
    ablation="Leave the host nothing to do between wait and launch: if the cost goes, the gap was the reason.",
    ablation_controls={"host_ms": 0.0},
    setup="Ten steps; in each the host works first, then launches the device's work, then may ask for a number.",
)
