"""A device can read as busy all the time and use a sliver of itself: being in use is not being full.

Sends rows through a layer back to back and reports, for each number of rows, how busy the device reads and which
share of its arithmetic, of its memory's pace and of the bare call fills that time; the largest of the three binds.
Both peaks are this machine's own: a product of 1024-wide matrices, and a copy of as many bytes as the layer reads.

    studyapp run busy-not-full
    studyapp run busy-not-full --set width=64
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, quotient, rate, rows
from studyapp.experiments.product import FLOAT_BYTES, affordable, flop, matrix, powers_of_two, product
from studyapp.experiments.utilisation import reading

ROWS = powers_of_two(1, 1024)
PEAK_WIDTH = 1024
"""Width of the square product that stands for the device's peak; an accelerator gets four times as wide a one."""
MOST_MULTIPLY_ADDS = 2**30
BUSY = 80.0
"""Per cent from which a device reads as busy."""
TINY = 20.0
"""Per cent of the arithmetic below which a device counts as hardly used: a fifth."""


def measure(lab: Lab, width: int, at: int) -> Iterator[Point]:
    """Time n rows through (width, width), float32, beside both peaks and a 1 x 1 product; shares in per cent."""
    batches = affordable(sorted({*ROWS, at}), width, MOST_MULTIPLY_ADDS, at)
    works: dict[Any, Callable[[], Any]] = dict(_peaks(lab, width))
    weight = matrix(lab.torch, width, width, lab.device)
    for n in batches:
        works[n] = product(lab.torch, matrix(lab.torch, n, width, lab.device), weight)
    found: dict[Any, Point] = {}
    for key, timing in lab.rounds(works):
        found[key] = timing.point("", key if isinstance(key, int) else 0, accelerated=lab.accelerated)
        if isinstance(key, int):
            yield from _shares(found, key, width, lab)
    for n in (n for n in batches if n in found):  # once more, now that the peaks are known best
        yield from _shares(found, n, width, lab)
    # a reading of an accelerator takes most of a second: the ends and the judged rows must do
    for n in sorted({batches[0], at, batches[-1]}) if lab.accelerated else batches:
        yield Point("busy", n, reading(lab, works[n]))


def _peaks(lab: Lab, width: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    torch, device = lab.torch, lab.device
    side = _peak_width(lab)
    square, one = matrix(torch, side, side, device), matrix(torch, 1, 1, device)
    source = matrix(torch, width, width, device)
    target = torch.empty_like(source)
    yield "peak", product(torch, square, square)
    yield "copy", lambda: target.copy_(source)
    yield "call", product(torch, one, one)


def _peak_width(lab: Lab) -> int:
    return PEAK_WIDTH * (4 if lab.accelerated else 1)


def _shares(found: dict[Any, Point], n: int, width: int, lab: Lab) -> Iterator[Point]:
    side = _peak_width(lab)
    flops = rate("", flop(n, width), found[n])
    # the peak is the best product seen: one measured in a bad moment must not make shares above 100 %
    seen = [rate("", flop(m, width), p) for m, p in found.items() if isinstance(m, int)]
    most = max(rate("", flop(side, side), found["peak"]), *seen, key=value)
    moved = width * (width + 2 * n) * FLOAT_BYTES
    pace, copied = rate("", moved, found[n]), rate("", 2 * width * width * FLOAT_BYTES, found["copy"])
    yield quotient("arithmetic", n, flops, most, scale=100)
    yield quotient("memory", n, pace, copied, scale=100)
    yield quotient("call", n, found["call"], found[n], scale=100)


BINDS = {"arithmetic": "arithmetic", "memory": "reading the weights", "call": "the call itself"}


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the chosen rows keep the device busy with a tiny part of its arithmetic; say what binds."""
    at = int(facts.controls["at"])
    busy, full = series(points, "busy")[at], series(points, "arithmetic")[at]
    shares = {name: value(series(points, name)[at]) for name in BINDS}
    binds = max(shares, key=lambda name: shares[name])
    because = (
        f"With {rows(at)} the device reads {value(busy):.0f} % busy and does {value(full):.0f} % of its "
        f"arithmetic; {BINDS[binds]} binds."
    )
    answer = (value(full), "%", full.low, full.high)
    if value(busy) < BUSY:
        why = f"The device was taken away or waited: it reads {value(busy):.0f} % busy only."
        return Verdict(Outcome.TOO_NOISY, why, *answer, decided_by=(busy, full))
    side = against(value(full), TINY, ratio_noise([full]))
    outcome = {-1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, 1: Outcome.DOES_NOT_HOLD}[side]
    return Verdict(outcome, because, *answer, decided_by=(busy, full))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line below which the part in use counts as tiny."""
    return (Mark("threshold", TINY, f"a tiny part: {TINY:.0f} %", axis="y"),)


def about_bytes(width: int, at: int) -> int:
    """Return the bytes of the weights, the rows, their answers, and the peak's matrices on an accelerator."""
    most = sum(affordable(sorted({*ROWS, at}), width, MOST_MULTIPLY_ADDS, at))
    return FLOAT_BYTES * (width * (3 * width + 2 * most) + 2 * (4 * PEAK_WIDTH) ** 2)


EXPERIMENT = Experiment(
    id="busy-not-full",
    claim="One row through a 512-wide layer keeps a device busy and uses a tiny part of it.",
    question="What share of the device's arithmetic is used while it reads as busy?",
    unit="%",
    plot=Plot(
        x=Axis("rows at once", scale="log2"),
        y=Axis("share", "%"),
        lanes=(
            Lane("busy", "busy", "weak"),
            Lane("arithmetic", "arithmetic", "cpu"),
            Lane("memory", "memory", "neutral"),
            Lane("call", "call", "neutral"),
        ),
        subtitle="How busy it reads, and what fills the time; the largest share binds.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("width", 512, "width of the layer, in values", 16, 4096, fresh=(64, 256, 512, 2048)),
        Control("at", 1, "rows at once that are judged", 1, 1024, fresh=(1, 4, 16)),
    ),
    usual_s=0.9,
    about_bytes=about_bytes,
    sibling="layer-batch",
    predicts=(0.5, 100.0),
    ablation="Send 1,024 rows through the same layer: as busy as before, and now full.",
    ablation_controls={"at": 1024},
    setup="Rows of float32 times a square weight matrix, back to back; a CPU uses one core.",
)
