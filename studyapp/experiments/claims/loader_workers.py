"""A loader that cannot keep up starves the step, and loader processes feed it: until the cores run out.

Trains on pictures that a real DataLoader unpacks, with no loader process, one, two ... up to one per core, and
once on the same batch again and again: that needs no loader, so a jump there shows who is to blame. On a CPU the
step takes a core itself.

    studyapp run loader-workers
    studyapp run loader-workers --set passes=16
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.percent import percent
from studyapp.core.points import Point, ratio_noise, series
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Experiment, Lab
from studyapp.experiments.claims.decode_workers import counts
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
from studyapp.experiments.judging import against, band, ratio, times
from studyapp.experiments.processes import started

STARVED = 1.25
"""How many times faster the cached batch must be for the loader to count as the cause: the lesson's jump."""
SECONDS = 0.7
"""Time per number of processes: some 30 batches here."""


def measure(lab: Lab, unpack: int, passes: int) -> Iterator[Point]:
    """Train from the loader with 0, 1, 2 ... processes, and on one cached batch; pictures per second."""
    pictures, step = Pictures(packed_picture(lab.torch), unpack), training_step(lab, passes)
    cached = Rates(lab, repeat(first_batch(lab, pictures)), step, SECONDS)
    yield from cached.points("cached", 0)
    most = workers_here(lab)
    for workers in (0, *(n for n in counts(lab.cores) if n <= most)):
        if workers and not started(lab.left_s()):
            return
        with loaded(lab, pictures, workers) as batches:
            fed = Rates(lab, batches, step, SECONDS, workers)
            yield from fed.points("fed", workers)
    if not most:
        yield from fed.left_out(0)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether a cached batch would be faster, and whether loader processes bring more pictures."""
    if facts.cores < 2:
        return Verdict(Outcome.CANNOT_TEST, "This process has a single core, which the step and a loader share.")
    left_out = no_room(points)
    if left_out:
        return left_out
    fed, cached = series(points, "fed"), series(points, "cached")[0]
    alone = fed[0]
    most = fed[max(x for x in fed if x)]
    jump, gain = ratio(cached, alone), ratio(most, alone)
    low, high = band(gain, [most, alone])
    starved = against(jump, STARVED, ratio_noise([cached, alone]))
    helped = against(gain, 1.0, ratio_noise([most, alone]))
    because = (
        f"Without loader processes the step is busy {percent(min(1.0, 1 / jump))} of the time; {most.x:g} of them "
        f"bring {times(gain)} the pictures, a cached batch {times(jump)}."
    )
    outcome = {2: Outcome.HOLDS}.get(starved + helped, Outcome.TOO_NOISY)
    outcome = Outcome.DOES_NOT_HOLD if -1 in (starved, helped) else outcome
    return Verdict(outcome, because, gain, "x", low, high, decided_by=(alone, cached, most))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the rate of a cached batch, which no loader can pass."""
    cached = series(points, "cached")
    return (Mark("threshold", cached[0].y or 0.0, "one cached batch", axis="y"),) if cached else ()


EXPERIMENT = Experiment(
    id="loader-workers",
    claim="The data loader starves the device, and more workers feed it.",
    question="How many times as many pictures a second with one loader process per core as with none?",
    unit="x",
    plot=Plot(
        x=Axis("loader processes"),
        y=Axis("pictures per second", "/s"),
        lanes=(Lane("fed", "loader", "cpu"), Lane("cached", "cached", "gpu"), ALONE),
        subtitle="Pictures trained on per second; higher is faster, a cached batch shows what the step could do.",
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
    sibling="decode-workers",
    predicts=(0.1, 16.0),
    ablation="A step that takes longer than the loader is not starved: more loader processes bring nothing then.",
    ablation_controls={"passes": 16},
    setup="Batches of 32 pictures of 224 x 224, unpacked with zlib, through a small convolutional net with SGD.",
)
