"""Work is worth moving to a device only if it takes longer here than the trip there and back.

Times five operations on one matrix on all cores against the trip of matrix and answer over the bus, giving the
device no time at all for its work. On an accelerator the trip is measured; without one the bus is the lesson's or
the learner's number, drawn dashed, and the verdict is left open.

    studyapp run worth-moving
    studyapp run worth-moving --set width=16
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from studyapp.core.figures import Axis, Lane, Plot
from studyapp.core.points import Basis, Point, series
from studyapp.core.roofline import ALL, DEVICE, Load
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import band, compare, ratio, times
from studyapp.experiments.product import FLOAT_BYTES, flop, matrix, product, trip_bytes

OPERATIONS = ("add", "relu", "softmax", "tanh", "matmul", "with weights")
"""The last is the product again, with its weights sent along instead of lying there already."""
ADD, MATMUL, WEIGHTS = (OPERATIONS.index(name) for name in ("add", "matmul", "with weights"))
GB = 10**9


def measure(lab: Lab, rows: int, width: int, bus_gb_s: float) -> Iterator[Point]:
    """Time each operation on (rows, width) float32 here, and the trip there and back; seconds."""
    if not lab.accelerated:
        for index in range(len(OPERATIONS)):
            carried = trip_bytes(rows, width) + (FLOAT_BYTES * width * width if index == WEIGHTS else 0)
            yield Point("trip", index, carried / (bus_gb_s * GB), basis=Basis.ASSUMED)
    x, weight = matrix(lab.torch, rows, width, "cpu"), matrix(lab.torch, width, width, "cpu")
    works: dict[Any, Callable[[], Any]] = dict(enumerate(_operations(lab.torch, x, weight)))
    if lab.accelerated:
        works["trip"] = lambda: x.to(lab.device).to("cpu")
        works["long trip"] = lambda: (weight.to(lab.device), x.to(lab.device).to("cpu"))
    # the trip's copies run on the host as well: the same threads for both sides
    for key, timing in lab.rounds(works, prepare=lambda key: lab.threads(lab.cores)):
        trips = {"trip": range(WEIGHTS), "long trip": (WEIGHTS,)}
        heres = (key, WEIGHTS) if key == MATMUL else (key,)
        for index in trips.get(key, heres):
            yield timing.point("trip" if key in trips else "here", index, accelerated=lab.accelerated)


def _operations(torch: Any, x: Any, weight: Any) -> list[Callable[[], Any]]:
    answer = torch.empty_like(x)
    return [
        partial(torch.add, x, 1.0, out=answer),
        partial(torch.clamp_min, x, 0.0, out=answer),
        partial(torch.softmax, x, 1, out=answer),
        partial(torch.tanh, x, out=answer),
        product(torch, x, weight),
    ]


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the trip takes longer than an addition here, and less long than a matrix product."""
    here, trip = series(points, "here"), series(points, "trip")
    shares = {name: ratio(here[index], trip[index]) for index, name in enumerate(OPERATIONS)}
    by = (here[ADD], trip[ADD], here[MATMUL], trip[MATMUL])
    low, high = band(shares["add"], by[:2])
    because = "Time here over the trip: " + ", ".join(f"{name} {times(s)}" for name, s in shares.items()) + "."
    sides = compare(trip[ADD], here[ADD]), compare(here[MATMUL], trip[MATMUL])
    if not facts.accelerated:
        outcome = Outcome.CANNOT_TEST
        because = f"No bus here; with {facts.controls['bus_gb_s']:g} GB/s: {because[0].lower()}{because[1:]}"
    elif sides == (1, 1):
        outcome = Outcome.HOLDS
    else:
        outcome = Outcome.DOES_NOT_HOLD if -1 in sides else Outcome.TOO_NOISY
    return Verdict(outcome, because, shares["add"], "x", low, high, decided_by=by)


def loads(points: Sequence[Point], facts: Facts) -> Iterator[Load]:
    """State each operation: a pass over the matrix, or the product's arithmetic; and the trip over a bus."""
    rows, width = int(facts.controls["rows"]), int(facts.controls["width"])
    matrix_bytes, weight_bytes = FLOAT_BYTES * rows * width, FLOAT_BYTES * width * width
    for index in range(len(OPERATIONS)):
        if index < MATMUL:
            yield Load("here", index, ALL, bytes=2 * matrix_bytes)
        else:
            yield Load("here", index, ALL, flop(rows, width), 2 * matrix_bytes + weight_bytes)
        if facts.accelerated:
            carried = trip_bytes(rows, width) + (weight_bytes if index == WEIGHTS else 0)
            yield Load("trip", index, DEVICE, calls=0, trips=1, moved=carried)


def about_bytes(rows: int, width: int, bus_gb_s: float) -> int:
    """Return the bytes of the matrix, its answers and the square weight, on either side."""
    return 2 * FLOAT_BYTES * width * (3 * rows + width)


EXPERIMENT = Experiment(
    id="worth-moving",
    claim="Moving work pays only if it takes longer here than the trip: an addition never, a matrix product does.",
    question="How long does an addition take here, in times of the trip there and back alone?",
    unit="x",
    plot=Plot(
        x=Axis("operation", labels=OPERATIONS),
        y=Axis("time", "s", "log10"),
        lanes=(Lane("here", "here", "cpu"), Lane("trip", "the trip", "gpu", Basis.ASSUMED)),
        kind="bar",
        subtitle="One operation on all cores against the trip alone; above the trip, moving can pay.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    loads=loads,
    controls=(
        Control("rows", 1024, "rows of the matrix", 16, 4096, fresh=(256, 1024, 4096)),
        Control("width", 1024, "columns of the matrix", 16, 2048, fresh=(512, 1024)),
        Control("bus_gb_s", 16.0, "the bus where none can be measured, in GB/s", 1.0, 128.0, fresh=(16.0, 32.0)),
    ),
    needs=frozenset({"accelerator"}),
    usual_s=0.6,
    about_bytes=about_bytes,
    sibling="paper-race",
    predicts=(0.001, 100.0),
    ablation="A narrow matrix brings the product width / 4 FLOP per byte of trip, and it is no longer worth it.",
    ablation_controls={"width": 16},
    setup="float32 into a buffer of its own, on all cores; the trip is the matrix there and the answer back.",
)
