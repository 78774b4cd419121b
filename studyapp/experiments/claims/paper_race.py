"""The lesson's race without a GPU: this CPU as measured, against a GPU on paper that pays a trip first.

The paper GPU costs a launch, the bytes of batch and answer over the bus, and the arithmetic at its rate: three
numbers of the learner's. A larger batch dilutes only the launch. Beyond that, every byte moved brings width / 4
FLOP whatever the batch, so the GPU can win only if width > 4 x CPU rate / bus rate.

    studyapp run paper-race
    studyapp run paper-race --set width=64 --set bus_gb_s=4
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import crossing, in_flops, rows
from studyapp.experiments.product import (
    affordable,
    flop,
    flop_per_s,
    flop_per_trip_byte,
    layer_bytes,
    matrix,
    powers_of_two,
    product,
    trip_bytes,
)

BATCHES = powers_of_two(1, 16_384)
MOST_MULTIPLY_ADDS = 2**30
"""Largest product beyond 64 rows: about 20 ms on one core."""
ALWAYS_ROWS = 64


def paper_gpu_s(count: float, width: int, launch_us: float, bus_gb_s: float, rate_tflop_s: float) -> float:
    """Return the seconds a GPU on paper needs: launch, trip of batch and answer, arithmetic, one after another.

    The weights are on the device already and are read for free, so it is a lower bound.

    >>> round(paper_gpu_s(1000, 512, launch_us=10, bus_gb_s=16, rate_tflop_s=8) * 1e6)
    332
    """
    trip_s = trip_bytes(count, width) / (bus_gb_s * 1e9)
    return launch_us * 1e-6 + trip_s + flop(count, width) / (rate_tflop_s * 1e12)


def break_even_width(cpu_flop_per_s: float, bus_gb_s: float) -> float:
    """Return the width below which no batch pays for the trip: 4 x CPU rate / bus rate.

    >>> round(break_even_width(107e9, 16))
    27
    """
    return cpu_flop_per_s / (bus_gb_s * 1e9) / flop_per_trip_byte(1)


def measure(lab: Lab, width: int, launch_us: float, bus_gb_s: float, rate_tflop_s: float) -> Iterator[Point]:
    """Reckon the paper GPU, then time (n, width) @ (width, width) on one core and on all; seconds per batch."""
    batches = affordable(BATCHES, width, MOST_MULTIPLY_ADDS, ALWAYS_ROWS)
    for n in batches:
        yield Point("paper", n, paper_gpu_s(n, width, launch_us, bus_gb_s, rate_tflop_s), basis=Basis.ASSUMED)
    weight = matrix(lab.torch, width, width, "cpu")
    cores = {"cpu": lab.cores, "one": 1}
    works = {}
    for n in batches:
        multiply = product(lab.torch, matrix(lab.torch, n, width, "cpu"), weight)
        works["cpu", n] = multiply
        if lab.cores > 1:
            works["one", n] = multiply
    for (lane, n), timing in lab.rounds(works, prepare=lambda key: lab.threads(cores[key[0]])):
        yield timing.point(lane, n)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Find where the paper GPU takes the lead for good; half of the race is on paper, so it decides nothing."""
    cpu, paper = series(points, "cpu"), series(points, "paper")
    shared = sorted(cpu.keys() & paper.keys())
    width, bus = int(facts.controls["width"]), float(facts.controls["bus_gb_s"])
    lead = crossing(cpu, paper)
    at = lead.at if lead else max(shared)
    rate = max(flop_per_s(cpu[x], width) for x in shared)
    law = (
        f"A byte moved brings {flop_per_trip_byte(width):g} FLOP; at {in_flops(rate)} here and {bus:g} GB/s "
        f"it pays above width {break_even_width(rate, bus):.0f}."
    )
    if lead:
        because = f"The paper GPU leads from {rows(at)}. {law}"
    else:
        because = f"The paper GPU leads at no batch up to {at:g}. {law}"
    low, high = (lead.low, lead.high) if lead else (None, None)
    return Verdict(
        Outcome.CANNOT_TEST,
        because,
        lead.at if lead else None,
        "rows",
        low,
        high,
        never=lead is None,
        decided_by=(cpu[at], paper[at]),
    )


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the batch from which the paper GPU leads, named as reckoned."""
    lead = crossing(series(points, "cpu"), series(points, "paper"))
    return (Mark("measured", lead.at, f"{rows(lead.at)}, reckoned"),) if lead else ()


def about_bytes(width: int, **assumed: float) -> int:
    """Return the bytes of the weight, the batches and their answers."""
    total = sum(affordable(BATCHES, width, MOST_MULTIPLY_ADDS, ALWAYS_ROWS))
    return layer_bytes(width, total)


CONTROL_DEFAULTS: Mapping[str, float] = {"launch_us": 25.0, "bus_gb_s": 16.0, "rate_tflop_s": 8.0}
"""Two small copies, a launch and the wait, some µs each; the lesson's slower bus; a T4's float32 peak (8.1 TFLOP/s
in NVIDIA's data sheet)."""

EXPERIMENT = Experiment(
    id="paper-race",
    claim="A CPU answers small batches sooner; a GPU pays a trip first and wins large ones.",
    question="From how many rows does the paper GPU beat this CPU?",
    unit="rows",
    plot=Plot(
        x=Axis("rows at once", scale="log2"),
        y=Axis("time to the answer", "s", "log10"),
        lanes=(
            Lane("cpu", "all cores", "cpu"),
            Lane("one", "one core", "weak"),
            Lane("paper", "paper GPU", "gpu", Basis.ASSUMED),
        ),
        subtitle="One layer, batch there and answer back; lower is faster. The GPU is on paper.",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("width", 512, "width of the layer, in values", 16, 4096, fresh=(32, 64, 128, 512)),
        Control("launch_us", CONTROL_DEFAULTS["launch_us"], "fixed cost of a trip and a launch, in µs", 1, 1000),
        Control(
            "bus_gb_s", CONTROL_DEFAULTS["bus_gb_s"], "bus of the paper GPU, in GB/s", 1, 128, fresh=(16.0, 32.0)
        ),
        Control("rate_tflop_s", CONTROL_DEFAULTS["rate_tflop_s"], "its arithmetic, in TFLOP/s", 0.1, 1000),
    ),
    usual_s=1.5,
    about_bytes=about_bytes,
    sibling="core-race",
    predicts=(1.0, 16_384.0),
    grid="log2",
    can_never=True,
    ablation="A narrow layer on a slow bus: width / 4 FLOP per byte no longer pays for the trip at any batch.",
    ablation_controls={"width": 16, "bus_gb_s": 1.0},
    setup="Rows of float32 times a square weight that already lies on the device; launch, bus and rate are yours.",
)
