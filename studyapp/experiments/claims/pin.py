"""Pinned memory makes copies faster, if the loader pins: pinning in the loop is a copy of its own.

Feeds a device from a real DataLoader process three ways: plain copies, batches pinned in the loop, and batches the
loader has pinned on its own thread, copied without waiting. Without a device there is no bus to be faster on, only
the price of one more copy on the host.

    studyapp run pin
    studyapp run pin --set device_ms=0
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import repeat
from typing import Any

from studyapp.core.figures import Axis, Lane, Plot
from studyapp.core.points import Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.feeding import (
    ALONE,
    BATCH,
    CHANNELS,
    SIDE,
    Prepared,
    Rates,
    handed_over,
    shared_batch_fits,
)
from studyapp.experiments.judging import band, compare, ratio, times
from studyapp.experiments.pinned import can_pin
from studyapp.experiments.processes import started
from studyapp.experiments.product import FLOAT_BYTES, matrix, product

PLAIN, INLINE, LOADER, HOST = range(4)
BARS = ("plain copies", "pinned in loop", "loader pins", "copy on host")
SECONDS = 0.6
WIDTH = 1024
BATCH_BYTES = BATCH * CHANNELS * SIDE * SIDE * FLOAT_BYTES


def measure(lab: Lab, device_ms: float) -> Iterator[Point]:
    """Copy batches of 32 float32 pictures to the device each way, and work on them; pictures per second."""
    batch = lab.torch.ones(BATCH, CHANNELS, SIDE, SIDE)
    room = lab.torch.empty_like(batch)
    host = Rates(lab, repeat(batch), room.copy_, SECONDS / 3)
    yield from host.points("rate", HOST)
    if not lab.accelerated:
        return
    if not can_pin(batch) or not shared_batch_fits(BATCH_BYTES):
        yield from host.left_out(HOST)
        return
    work = _work(lab, device_ms / 1e3)
    ways: dict[int, tuple[bool, Callable[[Any], Any]]] = {
        PLAIN: (False, lambda given: work(given.to(lab.device))),
        INLINE: (False, lambda given: work(given.pin_memory().to(lab.device, non_blocking=True))),
        LOADER: (True, lambda given: work(given.to(lab.device, non_blocking=True))),
    }
    batch.share_memory_()
    if not started(lab.left_s()):
        return
    for bar, (pins, step) in ways.items():
        source: AbstractContextManager[Iterator[Any]] = handed_over(lab, Prepared(batch), pins)
        with source as batches:
            yield from Rates(lab, batches, step, SECONDS, 1).points("rate", bar)


def _work(lab: Lab, device_s: float) -> Callable[[Any], None]:
    """Return work on the device that lasts about so long, whatever the batch."""
    wide = matrix(lab.torch, WIDTH, WIDTH, lab.device)
    multiply = product(lab.torch, wide, wide)
    once_s = [timing.median_s for _, timing in lab.rounds({1: multiply}, rounds=3)][-1]

    def work(batch: Any) -> None:
        for _ in range(round(device_s / once_s)):
            multiply()

    return work


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the loader's pinning beats plain copies; name what pinning in the loop did."""
    bars = series(points, "rate")
    if not facts.accelerated:
        because = (
            f"No bus here. One more copy on the host, as pinning in the loop adds, passes {value(bars[HOST]):,.0f}"
        )
        return Verdict(Outcome.CANNOT_TEST, f"{because} pictures a second.", decided_by=(bars[HOST],))
    if series(points, ALONE.id):
        because = "This machine cannot pin memory, or /dev/shm has no room for a loader's batch."
        return Verdict(Outcome.CANNOT_TEST, because, decided_by=(bars[HOST],))
    plain, inline, loader = bars[PLAIN], bars[INLINE], bars[LOADER]
    gain = ratio(loader, plain)
    low, high = band(gain, [loader, plain])
    because = (
        f"Pinned by the loader, {times(gain)} as many pictures as with plain copies; pinned in the loop "
        f"{times(ratio(inline, plain))}."
    )
    outcome = {1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, -1: Outcome.DOES_NOT_HOLD}[compare(loader, plain)]
    return Verdict(outcome, because, gain, "x", low, high, decided_by=(plain, loader))


EXPERIMENT = Experiment(
    id="pin",
    claim="Batches that the loader pins reach the device faster; pinning them in the loop is a copy more.",
    question="How many times as many pictures a second with the loader pinning as with plain copies?",
    unit="x",
    plot=Plot(
        x=Axis("how batches travel", labels=BARS),
        y=Axis("pictures per second", "/s"),
        lanes=(Lane("rate", "pictures/s", "gpu"), ALONE),
        kind="bar",
        subtitle="Pictures that reach the device and are worked on; more is better.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    controls=(
        Control("device_ms", 5.0, "the device's work on a batch, in ms", 0.0, 100.0, fresh=(2.0, 5.0, 10.0)),
    ),
    needs=frozenset({"accelerator", "processes"}),
    seconds=15.0,
    usual_s=0.5,
    about_bytes=lambda **controls: 8 * BATCH_BYTES,
    sibling="loader-workers",
    predicts=(0.1, 20.0),
    ablation="With much work on the device the copies hide behind it, and pinning has nothing left to save.",
    ablation_controls={"device_ms": 100.0},
    setup="Batches of 32 float32 pictures of 224 x 224, 19 MB each, from a DataLoader with one process.",
)
