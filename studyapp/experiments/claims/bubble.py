"""A model cut into stages leaves its devices idle in turn; streaming micro-batches fills most of the gap.

Every stage is a thread that passes pieces on. By default it sleeps for its work, a stand-in for a device: that
shows the mechanism and tests no device. With `work=multiply` it multiplies for real, on a core of its own. Idle is
what a stage alone would not have needed for the same pieces: with p stages and m pieces (p-1)/(m+p-1) on paper.

    studyapp run bubble
    studyapp run bubble --set work=multiply --set stages=2
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.percent import percent
from studyapp.core.points import Basis, Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against
from studyapp.experiments.product import matrix, powers_of_two

PIECES = powers_of_two(1, 16)
MANY = 16
"""The lesson's sixteen micro-batches."""
REPEATS = 3
ROWS, WIDTH = 256, 512
"""The batch a multiplying stage takes through its layers."""
MOST_LAYERS = 1000
OFF = 15.0
"""Percentage points that stages may slow each other side by side, and that one piece, which overlaps with nothing,
may be off paper: more is a disturbance."""
TWICE = 2.0
"""How many times as idle the uncut batch must leave the stages, for the pieces to have filled the gap."""

Piece = Callable[[int, int], object]
"""Do one stage's work on the given piece of so many."""


def idle_on_paper(stages: int, pieces: int) -> float:
    """Return the idle share of a pipeline, 0 to 1: p-1 of m+p-1 beats fill and drain it.

    >>> idle_on_paper(4, 1), round(idle_on_paper(4, 16), 2)
    (0.75, 0.16)
    """
    return (stages - 1) / (pieces + stages - 1)


def measure(lab: Lab, stages: int, work: str, ms: float) -> Iterator[Point]:
    """Send one batch through the stages, whole and in pieces; yield the idle share in per cent."""
    for pieces in PIECES:
        yield Point("paper", pieces, 100 * idle_on_paper(stages, pieces), basis=Basis.ASSUMED)
    basis = Basis.SIMULATED if work == "sleep" else Basis.MEASURED
    piece = _sleeping(ms) if work == "sleep" else _multiplying(lab, ms)
    alone_s = dict.fromkeys(PIECES, ms / 1000 if work == "sleep" else math.inf)
    walls: dict[int, list[float]] = {pieces: [] for pieces in PIECES}
    beside_s = math.inf
    for _ in range(REPEATS):
        if work == "multiply":
            alone_s[1] = min(alone_s[1], _alone_s(piece, 1))
            beside_s = min(beside_s, _beside(lab, stages, piece))
            yield Point("beside", 1, 100 * max(0.0, 1 - alone_s[1] / beside_s), basis=basis)
        for pieces in reversed(PIECES):
            if lab.left_s() <= 0:
                return
            if work == "multiply":
                alone_s[pieces] = min(alone_s[pieces], _alone_s(piece, pieces))
            walls[pieces].append(_through(lab, stages, pieces, piece))
            idle = sorted(100 * max(0.0, 1 - alone_s[pieces] / wall_s) for wall_s in walls[pieces])
            # the fastest pass is the least disturbed one; the spread goes up to the median
            yield Point("idle", pieces, idle[0], idle[0], idle[len(idle) // 2], len(idle), basis=basis)


def _sleeping(ms: float) -> Piece:
    return lambda index, pieces: time.sleep(ms / 1000 / pieces)


def _multiplying(lab: Lab, ms: float) -> Piece:
    """Return a stage's work on a piece: as many products as take the whole batch about `ms`."""
    torch = lab.torch
    weight, batch = matrix(torch, WIDTH, WIDTH, "cpu") / WIDTH**0.5, matrix(torch, ROWS, WIDTH, "cpu")
    layers = [1]

    def piece(index: int, pieces: int) -> None:
        rows = batch.chunk(pieces)[index]
        spare = [torch.empty_like(rows), torch.empty_like(rows)]  # a fresh one per product costs page faults
        for layer in range(layers[0]):
            rows = torch.mm(rows, weight, out=spare[layer % 2])

    layers[0] = max(1, min(MOST_LAYERS, round(ms / 1000 / min(_alone_s(piece, 1) for _ in range(REPEATS)))))
    return piece


def _alone_s(piece: Piece, pieces: int) -> float:
    """Return the seconds one stage alone takes for all pieces."""
    begin = time.perf_counter()
    for index in range(pieces):
        piece(index, pieces)
    return time.perf_counter() - begin


def _beside(lab: Lab, stages: int, piece: Piece) -> float:
    """Return the seconds all stages take for a batch each, side by side, without handing anything over."""

    def stage() -> None:
        lab.threads(1)
        piece(0, 1)

    threads = [threading.Thread(target=stage, daemon=True) for _ in range(stages)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


def _through(lab: Lab, stages: int, pieces: int, piece: Piece) -> float:
    """Return the seconds until the last stage has finished the last piece."""
    queues: list[Any] = [queue.SimpleQueue() for _ in range(stages + 1)]

    def stage(number: int) -> None:
        lab.threads(1)  # OpenMP asks every new thread afresh, and would take all cores for each stage
        for _ in range(pieces):
            index = queues[number].get()
            piece(index, pieces)
            queues[number + 1].put(index)

    threads = [threading.Thread(target=stage, args=(number,), daemon=True) for number in range(stages)]
    for thread in threads:
        thread.start()
    begin = time.perf_counter()
    for index in range(pieces):
        queues[0].put(index)
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether sixteen pieces leave the stages less than half as idle as one."""
    idle = series(points, "idle")
    whole, many = idle[1], idle[MANY]
    stages, real = int(facts.controls["stages"]), facts.controls["work"] == "multiply"
    paper = idle_on_paper(stages, MANY)
    because = (
        f"{stages} stages stand idle {value(whole):.0f} % of the time with one piece, {value(many):.0f} % with "
        f"{MANY} (on paper {percent(paper)})."
    )
    if real and stages > facts.cores:
        because = f"{stages} stages need as many cores to multiply at once; here are {facts.cores}."
        return Verdict(Outcome.CANNOT_TEST, because, decided_by=(whole, many))
    beside = series(points, "beside")
    crowded = value(beside[1]) if real else 0.0
    if crowded > OFF or abs(value(whole) - 100 * idle_on_paper(stages, 1)) > OFF:
        because = f"The stages had no cores of their own: side by side they were {crowded:.0f} % slowed. {because}"
        return Verdict(Outcome.TOO_NOISY, because, decided_by=(whole, many))
    side = against(value(whole) / max(value(many), 1.0), TWICE, ratio_noise((whole, many)))
    outcome = {1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, -1: Outcome.DOES_NOT_HOLD}[side]
    share = value(many)
    return Verdict(outcome, because, share, "%", share / 1.1, share * 1.1, decided_by=(whole, many))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return what paper promises for sixteen pieces."""
    paper = series(points, "paper")
    return (Mark("threshold", value(paper[MANY]), "16 on paper", axis="y"),) if MANY in paper else ()


EXPERIMENT = Experiment(
    id="bubble",
    claim="A model cut into stages leaves devices idle in turn; micro-batches fill most of the gap.",
    question="What share of the time do the stages stand idle with 16 micro-batches?",
    unit="%",
    plot=Plot(
        x=Axis("pieces of the batch", scale="log2"),
        y=Axis("idle", "%"),
        lanes=(
            Lane("idle", "idle", "cpu"),
            Lane("paper", "on paper", "weak", Basis.ASSUMED),
            Lane("beside", "no pipe", "neutral"),
        ),
        subtitle="Share of all stages' time not needed for the work; lower is better.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("stages", 4, "stages the model is cut into", 2, 8, fresh=(2, 4, 8)),
        Control("work", "sleep", "a stand-in that sleeps, or real products", choices=("sleep", "multiply")),
        Control("ms", 50.0, "work of one stage on the whole batch, in ms", 0.5, 500.0, fresh=(20.0, 50.0, 100.0)),
    ),
    seconds=20.0,
    usual_s=2.0,
    sibling="two-card",
    predicts=(1.0, 100.0),
    grid="linear",
    ablation="Give a stage half a millisecond of real work: handing over tiny pieces costs more than it fills.",
    ablation_controls={"work": "multiply", "stages": 2, "ms": 0.5},
    setup="Each stage is a thread; the batch goes through all of them, whole or in pieces, forward only.",
)
