"""The race for real: the CPU answers one row sooner, the GPU pays a trip and wins many rows widely.

Both devices do the same layer and are timed until the answer is there: the GPU once with everything on it, once
with the batch copied over and the answer copied back. Whether it ever wins with copies is a matter of width.

    studyapp run race
    studyapp run race --set width=64
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, compare, crossing, ratio, times
from studyapp.experiments.product import affordable, layer_bytes, matrix, powers_of_two, product

BATCHES = powers_of_two(1, 16_384)
MOST_MULTIPLY_ADDS = 2**32
"""Largest product beyond 64 rows: about 80 ms on one core, 10 ms on a dozen."""
MOST_ON_ONE_CORE = 2**30
"""Largest product for the lane of a single core: about 20 ms."""
ALWAYS_ROWS = 64
WIDELY = 3.0
"""How many times sooner the GPU must answer the largest batch, copies included."""


def measure(lab: Lab, width: int) -> Iterator[Point]:
    """Time (n, width) @ (width, width), float32, until the answer is there, on each lane; seconds per answer."""
    weight = matrix(lab.torch, width, width, "cpu")
    there = weight.to(lab.device)
    works: dict[tuple[str, int], Callable[[], Any]] = {}
    for n in affordable(BATCHES, width, MOST_MULTIPLY_ADDS, ALWAYS_ROWS):
        batch = matrix(lab.torch, n, width, "cpu")
        works["cpu", n] = product(lab.torch, batch, weight)
        if lab.cores > 1 and affordable([n], width, MOST_ON_ONE_CORE, ALWAYS_ROWS):
            works["one", n] = works["cpu", n]
        if lab.accelerated:
            works["resident", n] = _resident(lab, batch.to(lab.device), there)
            works["copied", n] = _copied(lab, batch, there)
    cores = {"cpu": lab.cores}
    found = lab.rounds(works, rounds=12, prepare=lambda key: lab.threads(cores.get(key[0], 1)))
    for (lane, n), timing in found:
        yield timing.point(lane, n, accelerated=lab.accelerated)


def _resident(lab: Lab, batch: Any, weight: Any) -> Callable[[], Any]:
    multiply = product(lab.torch, batch, weight)

    def answer() -> None:
        multiply()
        lab.sync()

    return answer


def _copied(lab: Lab, batch: Any, weight: Any) -> Callable[[], Any]:
    # the copy back waits for the product, so no further sync is needed
    return lambda: lab.torch.mm(batch.to(lab.device), weight).to("cpu")


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Let the CPU win one row and the GPU the largest batch, copies included; answer where the lead changes."""
    cpu, gpu = series(points, "cpu"), series(points, "copied")
    if not facts.accelerated:
        cpu_one = cpu[1]
        return Verdict(Outcome.CANNOT_TEST, "There is no GPU here to race against.", decided_by=(cpu_one,))
    shared = sorted(cpu.keys() & gpu.keys())
    first, last = min(shared), max(shared)
    if first != 1 or last == first:
        raise ValueError("the race needs one row and a larger batch")
    by = (cpu[first], gpu[first], cpu[last], gpu[last])
    start, finish = ratio(gpu[first], cpu[first]), ratio(cpu[last], gpu[last])
    sides = compare(gpu[first], cpu[first]), against(finish, WIDELY, ratio_noise(by[2:]))
    if sides == (1, 1):
        outcome = Outcome.HOLDS
    elif -1 in sides:
        outcome = Outcome.DOES_NOT_HOLD
    else:
        outcome = Outcome.TOO_NOISY
    lead = crossing(cpu, gpu)
    where = f"the GPU leads from {lead.at:g}" if lead else "the GPU never leads"
    because = (
        f"With copies, one row takes the GPU {times(start)} as long as the CPU; {where}; "
        f"at {last:g} rows it is {times(finish)} as fast."
    )
    at, low, high = (lead.at, lead.low, lead.high) if lead else (None, None, None)
    return Verdict(outcome, because, at, "rows", low, high, never=lead is None, decided_by=by)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the batch from which the GPU leads, copies included."""
    lead = crossing(series(points, "cpu"), series(points, "copied"))
    return (Mark("measured", lead.at, f"GPU leads from {lead.at:g}"),) if lead else ()


def about_bytes(width: int) -> int:
    """Return the bytes of the weight, the batches and their answers, on either side of the bus."""
    rows = sum(affordable(BATCHES, width, MOST_MULTIPLY_ADDS, ALWAYS_ROWS))
    return layer_bytes(width, rows)


EXPERIMENT = Experiment(
    id="race",
    claim="A CPU answers one row sooner; a GPU pays a trip first and answers many rows far sooner.",
    question="From how many rows does the GPU beat the CPU, copies included?",
    unit="rows",
    plot=Plot(
        x=Axis("rows at once", scale="log2"),
        y=Axis("time to the answer", "s", "log10"),
        lanes=(
            Lane("cpu", "all cores", "cpu"),
            Lane("one", "one core", "weak"),
            Lane("resident", "GPU", "weak"),
            Lane("copied", "GPU+copies", "gpu"),
        ),
        subtitle="One layer until the answer is there; lower is faster.",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(Control("width", 512, "width of the layer, in values", 16, 8192, fresh=(64, 256, 512, 2048)),),
    needs=frozenset({"accelerator"}),
    usual_s=4.0,
    about_bytes=about_bytes,
    sibling="paper-race",
    predicts=(1.0, 16_384.0),
    grid="log2",
    can_never=True,
    ablation="A narrow layer brings width / 4 FLOP per byte moved, too few for the trip: watch the lead vanish.",
    ablation_controls={"width": 16},
    setup="Rows of float32 times a square weight that lies on both devices; the median of single answers.",
)
