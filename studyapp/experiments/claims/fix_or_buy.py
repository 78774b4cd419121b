"""A starved device is not cured by a faster one: profile before buying, and mend the pipeline.

Trains on pictures that one loader process unpacks, then takes the whole step away, which is more than any faster
device could do, and then keeps the step and gives the loader one process per core. A cached batch, which needs no
loader, is the one-line test that tells in advance which of the two will help.

    studyapp run fix-or-buy
    studyapp run fix-or-buy --set passes=16
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Experiment, Lab
from studyapp.experiments.feeding import (
    ALONE,
    PASSES,
    UNPACK,
    Pictures,
    Rates,
    feeding_bytes,
    first_batch,
    loaded,
    no_room,
    packed_picture,
    training_step,
    workers_here,
)
from studyapp.experiments.judging import band, compare, ratio, times
from studyapp.experiments.processes import started

TODAY, CACHED, BUY, FIX = range(4)
BARS = ("today", "cached batch", "no step at all", "more loaders")
SECONDS = 0.7
"""Time per bar: some 30 batches here."""


def measure(lab: Lab, unpack: int, passes: int) -> Iterator[Point]:
    """Train from one loader process, on a cached batch, without a step, and from more processes; pictures/s."""
    pictures, step = Pictures(packed_picture(lab.torch), unpack), training_step(lab, passes)
    cached = Rates(lab, repeat(first_batch(lab, pictures)), step, SECONDS)
    yield from cached.points("rate", CACHED)
    bars: dict[int, tuple[int, Callable[[Any], object]]] = {
        TODAY: (1, step),
        BUY: (1, lambda batch: None),
        FIX: (workers_here(lab), step),
    }
    if bars[FIX][0] < 2:
        yield from cached.left_out(CACHED)
        return
    if not started(lab.left_s()):
        return
    for bar, (workers, work) in bars.items():
        with loaded(lab, pictures, workers) as batches:
            yield from Rates(lab, batches, work, SECONDS, workers).points("rate", bar)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether more loader processes bring more than a device that takes no time at all."""
    if facts.cores < 2:
        return Verdict(Outcome.CANNOT_TEST, "This process has a single core, so there is nothing to mend with.")
    left_out = no_room(points)
    if left_out:
        return left_out
    bars = series(points, "rate")
    today, cached, buy, fix = (bars[bar] for bar in (TODAY, CACHED, BUY, FIX))
    gain = ratio(fix, today)
    low, high = band(gain, [fix, today])
    because = (
        f"A device that takes no time brings {times(ratio(buy, today))} the pictures, more loader processes "
        f"{times(gain)}; a cached batch went {times(ratio(cached, today))} as fast."
    )
    outcome = {1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, -1: Outcome.DOES_NOT_HOLD}[compare(fix, buy)]
    return Verdict(outcome, because, gain, "x", low, high, decided_by=(today, buy, fix))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return today's rate."""
    today = series(points, "rate").get(TODAY)
    return (Mark("threshold", value(today), "today", axis="y"),) if today else ()


EXPERIMENT = Experiment(
    id="fix-or-buy",
    claim="For a starved device a better pipeline brings more than a faster device.",
    question="How many times as many pictures a second with one loader process per core as with a single one?",
    unit="x",
    plot=Plot(
        x=Axis("what is changed", labels=BARS),
        y=Axis("pictures per second", "/s"),
        lanes=(Lane("rate", "pictures/s", "cpu"), ALONE),
        kind="bar",
        subtitle="Pictures trained on per second; more is better.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(UNPACK, PASSES),
    needs=frozenset({"two cores", "processes"}),
    seconds=15.0,
    usual_s=5.0,
    prepares=("torch._dynamo",),
    about_bytes=feeding_bytes,
    sibling="loader-workers",
    predicts=(0.1, 16.0),
    ablation="Give the device so much to do that nothing starves it: then a faster one must win.",
    ablation_controls={"passes": 16},
    setup="Batches of 32 pictures of 224 x 224, unpacked with zlib, through a small convolutional net with SGD.",
)
