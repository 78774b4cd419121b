"""Steps that wait for one another leave lanes idle: the same work side by side takes a fraction of the time.

Multiplies a row by a matrix again and again, each step by the result of the one before, and compares that with as
many rows side by side in one product. A third lane has the same calls without the waiting: where it is no faster
than the chain, what costs is going one at a time, which a chain cannot avoid.

    studyapp run one-after-another
    studyapp run one-after-another --set order=separate
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.capture import can_capture, captured
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, band, ratio, times
from studyapp.experiments.product import FLOAT_BYTES, matrix, powers_of_two

TWICE = 2.0
"""Times as long that count as "leaves lanes idle"."""
SAMPLE_S = 3e-4
"""Seconds per sample: short, so that the lanes are timed in the same quiet moments."""


def lengths(steps: int) -> tuple[int, ...]:
    """Return how many steps are timed: powers of four up to the chosen number, and that one.

    >>> lengths(100)
    (1, 4, 16, 64, 100)
    """
    return tuple(sorted({*powers_of_two(1, steps)[::2], steps}))


def measure(lab: Lab, steps: int, width: int, order: str) -> Iterator[Point]:
    """Time n products (1, width) @ (width, width), float32, in three ways for each n; seconds for all n."""
    weight = matrix(lab.torch, width, width, lab.device) / width
    works: dict[tuple[str, int], Callable[[], Any]] = {}
    for n in lengths(steps):
        rows = matrix(lab.torch, n, width, lab.device)
        works["chain", n] = _chain(lab, n, rows[:1], weight)
        works["separate", n] = _separate(lab, rows, weight)
        works["together", n] = _together(lab, rows, weight)
        if can_capture(lab):  # without launches between the steps
            works["graph", n] = captured(lab, works["chain", n])
    for (lane, n), timing in lab.rounds(works, sample_s=SAMPLE_S):
        yield timing.point(lane, n, accelerated=lab.accelerated)


def _chain(lab: Lab, steps: int, row: Any, weight: Any) -> Callable[[], None]:
    multiply = lab.torch.mm
    here, there = row.clone(), lab.torch.empty_like(row)

    def chain() -> None:
        given, found = here, there
        for _ in range(steps):
            multiply(given, weight, out=found)
            given, found = found, given

    return chain


def _separate(lab: Lab, rows: Any, weight: Any) -> Callable[[], None]:
    multiply = lab.torch.mm
    pairs = list(zip(rows.split(1), lab.torch.empty_like(rows).split(1), strict=True))

    def separate() -> None:
        for given, found in pairs:
            multiply(given, weight, out=found)

    return separate


def _together(lab: Lab, rows: Any, weight: Any) -> Callable[[], Any]:
    multiply, found = lab.torch.mm, lab.torch.empty_like(rows)
    return lambda: multiply(rows, weight, out=found)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the chain takes at least twice as long as the same work side by side."""
    steps, order = int(facts.controls["steps"]), str(facts.controls["order"])
    if order == "chain" and series(points, "graph"):
        order = "graph"
    lane, together = series(points, order)[steps], series(points, "together")[steps]
    chain, separate = series(points, "chain")[steps], series(points, "separate")[steps]
    longer, by = ratio(lane, together), (lane, together)
    what = {"chain": "in a chain", "separate": "one by one", "graph": "in a chain without launches"}[order]
    who = f"1 step {what} takes" if steps == 1 else f"{steps} steps {what} take"
    because = f"{who} {times(longer)} as long as side by side"
    because += f"; one by one without waiting {times(ratio(separate, together))}" if order != "separate" else ""
    because += f", in a chain {times(ratio(chain, together))}." if order != "chain" else "."
    side = against(longer, TWICE, ratio_noise(by))
    outcome = {-1: Outcome.DOES_NOT_HOLD, 0: Outcome.TOO_NOISY, 1: Outcome.HOLDS}[side]
    low, high = band(longer, by)
    return Verdict(outcome, because, longer, "x", low, high, decided_by=by)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line that time in proportion to the steps would follow."""
    return (Mark("slope", 1.0, "time in proportion to the steps", axis="y"),)


def about_bytes(steps: int, width: int, order: str) -> int:
    """Return the bytes of the weights, and of the rows and their answers in every lane."""
    return FLOAT_BYTES * width * (2 * width + 8 * sum(lengths(steps)))


EXPERIMENT = Experiment(
    id="one-after-another",
    claim="Steps that wait for one another take many times as long as the same work side by side.",
    question="How many times as long does the chain of steps take as the same rows side by side?",
    unit="x",
    plot=Plot(
        x=Axis("steps", scale="log2"),
        y=Axis("time for all", "s", "log10"),
        lanes=(
            Lane("chain", "chain", "cpu"),
            Lane("separate", "one by one", "weak"),
            Lane("together", "together", "neutral"),
            Lane("graph", "CUDA graph", "gpu"),
        ),
        subtitle="The same products: waiting, one by one without waiting, side by side; lower is faster.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("steps", 256, "steps of the chain, rows side by side", 1, 1024, fresh=(16, 64, 256, 1024)),
        Control("width", 64, "width of the layer, in values", 16, 1024, fresh=(32, 64, 256)),
        Control("order", "chain", "what is judged: the chain, or separate calls", choices=("chain", "separate")),
    ),
    usual_s=0.3,
    about_bytes=about_bytes,
    sibling="core-race",
    predicts=(1.0, 1024.0),
    ablation="The same calls without the waiting: if they take as long, going one at a time is what costs.",
    ablation_controls={"order": "separate"},
    setup="A row of float32 times a square matrix, its result the next row; a CPU uses one core.",
)
