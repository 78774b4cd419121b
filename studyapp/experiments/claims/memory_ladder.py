"""Near memory is more than twice as fast as far memory: the rungs from a cache to main memory, by copying.

Copies buffers of growing size. While one fits a cache the rate is the cache's; beyond the last one it is that of
the main memory (or, on an accelerator, of the device's own). This is not the bus between two memories: it is the
same law one rung further in, which every machine can show.

    studyapp run memory-ladder
    studyapp run memory-ladder --set largest_mb=1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series, value
from studyapp.core.roofline import ALL, DEVICE, ONE, Load
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, band, in_bytes, rate, ratio, times
from studyapp.experiments.product import FLOAT_BYTES, powers_of_two

MB = 2**20
SMALLEST = 2**15
"""Bytes of the smallest buffer: below that the call outweighs the copy."""
TWICE = 2.0
"""Least step that counts as a rung of the ladder: two full cores share one memory, but have a cache each."""


def sizes(largest_mb: int) -> tuple[int, ...]:
    """Return the buffer sizes in bytes: powers of two up to the largest.

    >>> sizes(1)[0], sizes(1)[-1]
    (32768, 1048576)
    """
    return powers_of_two(SMALLEST, largest_mb * MB)


def measure(lab: Lab, largest_mb: int) -> Iterator[Point]:
    """Time copies of n bytes on one core and on all, or on the accelerator; bytes read and written per second."""
    torch = lab.torch
    lanes = {"device": 1} if lab.accelerated else {"one": 1} if lab.cores < 2 else {"one": 1, "all": lab.cores}
    works: dict[tuple[str, int], Callable[[], Any]] = {}
    source = torch.zeros(largest_mb * MB // FLOAT_BYTES, device=lab.device)
    target = torch.zeros_like(source)  # written to, so that no first touch falls into a copy
    for n in sizes(largest_mb):
        count = n // FLOAT_BYTES
        copy = partial(target[:count].copy_, source[:count])
        works |= {(lane, n): copy for lane in lanes}
    found = lab.rounds(works, sample_s=3e-4, prepare=lambda key: lab.threads(lanes[key[0]]))
    for (lane, n), timing in found:
        yield rate(lane, 2 * n, timing.point(lane, n, accelerated=lab.accelerated))


WHO = {"device": "device", "all": "all cores", "one": "one core"}


def _rank(point: Point) -> tuple[float, str, float]:
    return value(point), point.series, point.x  # ties must not depend on the order of arrival


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Divide the best rate by the best for the largest buffer, be it with one core or with all of them."""
    largest = sizes(int(facts.controls["largest_mb"]))[-1]
    far = max((p for p in points if p.x == largest), key=_rank)
    near = max(points, key=_rank)
    faster, by = ratio(near, far), (near, far)
    because = (
        f"Copying {in_bytes(near.x)} runs at {in_bytes(value(near))}/s ({WHO[near.series]}), {in_bytes(far.x)} at "
        f"{in_bytes(value(far))}/s ({WHO[far.series]}): {times(faster)}."
    )
    side = against(faster, TWICE, ratio_noise(by))
    outcome = {-1: Outcome.DOES_NOT_HOLD, 0: Outcome.TOO_NOISY, 1: Outcome.HOLDS}[side]
    low, high = band(faster, by)
    return Verdict(outcome, because, faster, "x", low, high, decided_by=by)


def loads(points: Sequence[Point], facts: Facts) -> Iterator[Load]:
    """State each copy: bytes read and bytes written; the ladder's rates hold the call already."""
    for lane, where in (("one", ONE), ("all", ALL), ("device", DEVICE)):
        for n in series(points, lane):
            yield Load(lane, n, where, bytes=2 * n, calls=0, amount=2 * n)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return nothing: where a cache ends is what the curve shows."""
    return ()


def about_bytes(largest_mb: int) -> int:
    """Return the bytes of the largest buffer and its copy."""
    return 2 * largest_mb * MB


EXPERIMENT = Experiment(
    id="memory-ladder",
    claim="Memory near the arithmetic is more than twice as fast as memory further away.",
    question="How many times faster is the quickest copy than the copy of the largest buffer?",
    unit="x",
    plot=Plot(
        x=Axis("bytes copied", "B", scale="log2"),
        y=Axis("read and written", "B/s", "log10"),
        lanes=(
            Lane("one", "one core", "weak"),
            Lane("all", "all cores", "cpu"),
            Lane("device", "device", "gpu"),
        ),
        subtitle="Copies by size: each step down is one memory further away; higher is better.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    loads=loads,
    marks=marks,
    controls=(Control("largest_mb", 128, "largest buffer, in MiB", 1, 256, fresh=(4, 32, 128)),),
    usual_s=1.0,
    about_bytes=about_bytes,
    sibling="bus",
    predicts=(1.0, 100.0),
    ablation="Copy nothing larger than a cache holds: the far memory is out of the game.",
    ablation_controls={"largest_mb": 1},
    setup="One float32 buffer copied onto another; bytes read and bytes written both count.",
)
