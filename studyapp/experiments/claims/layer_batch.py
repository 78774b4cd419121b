"""On a GPU 256 rows through a layer take hardly longer than one, though they are 256 times the work.

One row already pays for the launch and for reading every weight once; more rows ride along until the arithmetic
binds. The GPU is timed three ways: until the answer is there, queued one behind the other, and as a CUDA graph,
which removes the launches that hide everything else at width 512. A CPU can only tell its own ratio.

    studyapp run layer-batch
    studyapp run layer-batch --set width=8192
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series
from studyapp.core.roofline import ANSWERED, DEVICE, ONE, Load
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.capture import REPEATS, can_capture, repeated
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, band, ratio, times
from studyapp.experiments.product import FLOAT_BYTES, affordable, flop, matrix, powers_of_two, product

BATCHES = powers_of_two(1, 1024)
MANY_ROWS = 256
"""Source: the lesson, "256 rows are 256 times the work in about the same time"."""
HARDLY = 4.0
"""Times as long that still count as "hardly longer" for 256 times the work."""
COLD_BYTES = 128 * 2**20
"""Weights used in turn with weights=many: more than a usual cache holds."""
MOST_COPIES = 2048
"""Most matrices taken in turn; at widths below 128 they do not fill the cache any more."""
MOST_MULTIPLY_ADDS = 2**30
"""Largest product beyond 256 rows: about 20 ms on one core."""


def measure(lab: Lab, width: int, weights: str) -> Iterator[Point]:
    """Time (n, width) @ (width, width), float32, for each n and way of calling; seconds per product."""
    square = matrix(lab.torch, width, width, lab.device)
    count = copies(width, weights)
    rotation = square.repeat(count, 1, 1).unbind() if count > 1 else (square,)
    works: dict[tuple[str, int], Callable[[], Any]] = {}
    for n in affordable(BATCHES, width, MOST_MULTIPLY_ADDS, MANY_ROWS):
        batch = matrix(lab.torch, n, width, lab.device)
        works |= {(way, n): call for way, call in _ways(lab, batch, rotation).items()}
    for (way, n), timing in lab.rounds(works):
        scale = 1 / REPEATS if way == "graph" else 1.0
        yield timing.point(way, n, scale=scale, accelerated=lab.accelerated)


def copies(width: int, weights: str) -> int:
    """Return how many weight matrices take turns: one, or as many as fill 128 MiB, at most 2,048."""
    fill = COLD_BYTES // (width * width * FLOAT_BYTES)
    return min(max(1, fill), MOST_COPIES) if weights == "many" else 1


def _ways(lab: Lab, batch: Any, weights: Sequence[Any]) -> dict[str, Callable[[], Any]]:
    multiply, out, turn = lab.torch.mm, lab.torch.empty_like(batch), cycle(weights)
    single = product(lab.torch, batch, weights[0])
    queued = single if len(weights) == 1 else lambda: multiply(batch, next(turn), out=out)
    if not lab.accelerated:
        return {"one": queued}

    def answer() -> None:
        queued()
        lab.sync()

    ways: dict[str, Callable[[], Any]] = {"answer": answer, "queued": queued}
    if can_capture(lab):
        ways["graph"], _ = repeated(lab, queued)
    return ways


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Divide the time of 256 rows by that of one, where launches are out of the way."""
    lane = "one" if not facts.accelerated else "graph" if series(points, "graph") else "queued"
    one, many = series(points, lane)[1], series(points, lane)[MANY_ROWS]
    longer, by = ratio(many, one), (one, many)
    low, high = band(longer, by)
    if not facts.accelerated:
        because = f"No GPU here. On one CPU core 256 rows take {times(longer)} as long as one, for 256× the work."
        return Verdict(Outcome.CANNOT_TEST, because, longer, "x", low, high, decided_by=by)
    answer = series(points, "answer")
    because = (
        f"256 rows take {times(longer)} as long as one without launches, "
        f"{times(ratio(answer[MANY_ROWS], answer[1]))} until the answer is there."
    )
    side = against(longer, HARDLY, ratio_noise(by))
    outcome = {-1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, 1: Outcome.DOES_NOT_HOLD}[side]
    return Verdict(outcome, because, longer, "x", low, high, decided_by=by)


def loads(points: Sequence[Point], facts: Facts) -> Iterator[Load]:
    """State each product: its arithmetic, weights and rows in memory, one call; a graph has none."""
    width = int(facts.controls["width"])
    spread = copies(width, str(facts.controls["weights"])) * width * width * FLOAT_BYTES
    for n in series(points, "queued" if facts.accelerated else "one"):
        moved = FLOAT_BYTES * width * (width + 2 * n)
        work = Load("one", n, ONE, flop(n, width), moved, touched=spread + moved)
        if not facts.accelerated:
            yield work
            continue
        there = replace(work, series="queued", where=DEVICE)
        yield from (there, replace(there, series="answer", call=ANSWERED), replace(there, series="graph", calls=0))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line a time in proportion to the work would follow, from the first point on."""
    return (Mark("slope", 1.0, "time in proportion to the work", axis="y"),)


def about_bytes(width: int, weights: str) -> int:
    """Return the bytes of the weights, the batches and their answers."""
    rows = sum(affordable(BATCHES, width, MOST_MULTIPLY_ADDS, MANY_ROWS))
    return width * FLOAT_BYTES * (width * (1 + copies(width, weights)) + 3 * rows)


EXPERIMENT = Experiment(
    id="layer-batch",
    claim="On a GPU 256 rows through a 512-wide layer take hardly longer than one.",
    question="Launching aside, how many times as long do 256 rows take as one row?",
    unit="x",
    plot=Plot(
        x=Axis("rows at once", scale="log2"),
        y=Axis("time per layer", "s", "log10"),
        lanes=(
            Lane("one", "one core", "cpu"),
            Lane("answer", "answer", "gpu"),
            Lane("queued", "queued", "gpu"),
            Lane("graph", "CUDA graph", "neutral"),
        ),
        subtitle="One layer, all rows at once; flat means the rows ride along for free.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    loads=loads,
    marks=marks,
    controls=(
        Control("width", 512, "width of the layer, in values", 16, 8192, fresh=(256, 512, 1024, 8192)),
        Control("weights", "one", "one weight matrix kept warm, or many in turn", choices=("one", "many")),
    ),
    usual_s=0.3,
    about_bytes=about_bytes,
    sibling="small-net",
    predicts=(1.0, 512.0),
    ablation="Many weights in turn instead of one: no weight is found in a cache, every call reads it again.",
    ablation_controls={"weights": "many"},
    setup="Rows of float32 times a square weight matrix, no gradient; a CPU uses one core.",
)
