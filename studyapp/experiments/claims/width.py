"""A wide layer uses a device better than a narrow one: its arithmetic outgrows the call, and it fills more lanes.

Multiplies rows by square matrices, by default from 16 to 1024 wide as in the lesson, and shows the arithmetic per
second twice: as it is, and net of the call, which a product of single numbers costs as well. On a CUDA device the
products are replayed as a graph, so that launches do not hide the rest.

    studyapp run width
    studyapp run width --set batch=1 --set narrow=512 --set wide=4096
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series, value
from studyapp.core.roofline import DEVICE, ONE, Load
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.capture import repeated
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, band, beyond, in_flops, rate, ratio, times
from studyapp.experiments.product import FLOAT_BYTES, flop, layer_bytes, matrix, powers_of_two, product

BETTER = 1.5
"""Times the rate of the narrow layer from which the wide one counts as better used: half as much again."""
SAMPLE_S = 3e-4
"""Seconds per sample: short, so that all widths are timed in the same quiet moments."""


def widths(narrow: int, wide: int) -> tuple[int, ...]:
    """Return the widths that are timed: both ends and the powers of two between them.

    >>> widths(16, 100)
    (16, 32, 64, 100)
    """
    low, high = sorted((narrow, wide))
    return tuple(sorted({low, high, *(w for w in powers_of_two(16, 4096) if low < w < high)}))


def measure(lab: Lab, batch: int, narrow: int, wide: int) -> Iterator[Point]:
    """Time (batch, w) @ (w, w), float32, for each width w, and a 1 x 1 product; arithmetic per second."""
    torch = lab.torch
    works: dict[int, Callable[[], Any]] = {}
    for width in (1, *widths(narrow, wide)):
        rows = 1 if width == 1 else batch
        weight = matrix(torch, width, width, lab.device)
        works[width] = product(torch, matrix(torch, rows, width, lab.device), weight)
    calls = {width: repeated(lab, work) for width, work in works.items()}
    found: dict[int, Point] = {}
    timed = lab.rounds({w: call for w, (call, _) in calls.items()}, rounds=15, sample_s=SAMPLE_S)
    for width, timing in timed:
        found[width] = timing.point("layer", width, scale=1 / calls[width][1], accelerated=lab.accelerated)
        if width > 1:
            yield rate("layer", flop(batch, width), found[width])
    for width in widths(narrow, wide):  # at the end, when the call is known best
        rest = beyond(found[width], found[1])
        if rest is not None:
            yield rate("net", flop(batch, width), rest)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Compare the rate of the wide layer with that of the narrow one, the call taken off both."""
    batch, narrow, wide = (int(facts.controls[name]) for name in ("batch", "narrow", "wide"))
    layer, net = series(points, "layer"), series(points, "net")
    raw = ratio(layer[wide], layer[narrow])
    what = f"At batch {batch} width {wide} does {in_flops(value(layer[wide]))}"
    if wide in net and narrow not in net:
        because = f"{what}, {times(raw)} width {narrow}, whose time is that of an empty call."
        return Verdict(Outcome.TOO_NOISY, because)
    by = (net[narrow], net[wide])
    more = ratio(net[wide], net[narrow])
    because = f"{what}, {times(raw)} the rate of width {narrow}; net of the call it is {times(more)}."
    side = against(more, BETTER, ratio_noise(by))
    outcome = {-1: Outcome.DOES_NOT_HOLD, 0: Outcome.TOO_NOISY, 1: Outcome.HOLDS}[side]
    low, high = band(more, by)
    return Verdict(outcome, because, more, "x", low, high, decided_by=by)


def loads(points: Sequence[Point], facts: Facts) -> Iterator[Load]:
    """State each product: its arithmetic, weights and rows in memory, one call; none in a graph, or net of it."""
    batch, where = int(facts.controls["batch"]), DEVICE if facts.accelerated else ONE
    for lane, calls in (("layer", 0 if facts.device == "cuda" else 1), ("net", 0)):
        for x in series(points, lane):
            work, moved = flop(batch, int(x)), FLOAT_BYTES * x * (x + 2 * batch)
            yield Load(lane, x, where, work, moved, calls, amount=work)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the width that did most per second, net of the call."""
    net = series(points, "net")
    best = max(net.values(), key=value, default=None)
    return (Mark("measured", best.x, f"best at {best.x:g}"),) if best else ()


def about_bytes(batch: int, narrow: int, wide: int) -> int:
    """Return the bytes of the weights, the rows and their answers."""
    return sum(layer_bytes(width, batch) for width in widths(narrow, wide))


EXPERIMENT = Experiment(
    id="width",
    claim="A wide layer uses a device better than a narrow one.",
    question="Net of the call, how many times the FLOP/s of the narrow layer does the wide one reach?",
    unit="x",
    plot=Plot(
        x=Axis("width of the layer", scale="log2"),
        y=Axis("arithmetic per second", "FLOP/s", "log10"),
        lanes=(Lane("layer", "as it is", "cpu"), Lane("net", "no call", "neutral")),
        subtitle="One layer, the same rows, at each width; higher is better.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    loads=loads,
    marks=marks,
    controls=(
        Control("batch", 32, "rows at once", 1, 1024, fresh=(8, 32, 128, 1024)),
        Control("narrow", 16, "width of the narrow layer, in values", 16, 1024, fresh=(16, 32)),
        Control("wide", 1024, "width of the wide layer, in values", 64, 4096, fresh=(512, 1024, 2048)),
    ),
    usual_s=0.3,
    about_bytes=about_bytes,
    sibling="core-race",
    predicts=(0.25, 128.0),
    ablation="With very many rows even a narrow layer has work for every lane: is the wide one still better?",
    ablation_controls={"batch": 1024},
    setup="Rows of float32 times a square weight matrix, no gradient; a CPU uses one core.",
)
