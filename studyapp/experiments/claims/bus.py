"""The bus is narrow beside the device's own memory: ten times and more.

Copies blocks of growing size within the host's memory, over the bus from ordinary and from pinned memory, back,
and within the device's memory. Small copies show the fixed delay of a copy, large ones the bandwidth. Where there
is one memory for both, as on Apple Silicon, the claim does not hold.

    studyapp run bus
    studyapp run bus --set kib=4
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from studyapp.core.figures import Axis, Lane, Plot
from studyapp.core.points import Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, Timing
from studyapp.experiments.judging import against, band, in_bytes, ratio, times
from studyapp.experiments.pinned import can_pin

KIB = 1024
SMALLEST_KIB = 4
NARROW = 10.0
"""Times the bus that the device's memory must reach. Source: the lesson, 16 to 32 GB/s against 300 and more."""
SAMPLE_S = 2e-3
BOTH_WAYS = {"host": 2, "device": 2}
"""A copy within a memory reads and writes there, so its bytes count twice; over the bus they pass once."""


def measure(lab: Lab, kib: int) -> Iterator[Point]:
    """Copy blocks of 4 KiB up to so many KiB along each way; bytes per second."""
    works: dict[tuple[str, int], Callable[[], Any]] = {}
    for size in sizes(kib):
        works |= {(lane, size * KIB): copy for lane, copy in _ways(lab, size * KIB).items()}
    for (lane, size), timing in lab.rounds(works, sample_s=SAMPLE_S):
        yield rate(lane, size, timing, lab.accelerated)


def sizes(kib: int) -> tuple[int, ...]:
    """Return the sizes tried, in KiB: four times the one before, and the largest asked for.

    >>> sizes(4), sizes(100)
    ((4,), (4, 16, 64, 100))
    """
    found = [SMALLEST_KIB]
    while found[-1] * 4 < kib:
        found.append(found[-1] * 4)
    return tuple(sorted({*found, kib}))


def _ways(lab: Lab, count: int) -> dict[str, Callable[[], Any]]:
    torch = lab.torch
    source = torch.ones(count, dtype=torch.uint8)
    copies: dict[str, Callable[[], Any]] = {"host": partial(torch.empty_like(source).copy_, source)}
    if not lab.accelerated:
        return copies
    there, beside = (torch.ones(count, dtype=torch.uint8, device=lab.device) for _ in range(2))
    copies |= {"device": partial(beside.copy_, there), "pageable": partial(there.copy_, source)}
    if can_pin(source):
        pinned = source.pin_memory()
        copies["pinned"] = partial(there.copy_, pinned, non_blocking=True)
        copies["back"] = partial(source.pin_memory().copy_, there, non_blocking=True)
    else:
        copies["back"] = partial(source.clone().copy_, there)
    return copies


def rate(lane: str, count: int, timing: Timing, accelerated: bool = False) -> Point:
    """Return bytes per second from seconds per copy, the spread turned over."""
    took = timing.point(lane, count, accelerated=accelerated)
    moved = count * BOTH_WAYS.get(lane, 1)
    low, high = (moved / max(end or 0.0, 1e-12) for end in (took.high, took.low))
    return Point(lane, count, moved / value(took), low, high, timing.repeats, timing.settled)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the device's memory moves ten times what the bus does, at the largest size."""
    size = int(facts.controls["kib"]) * KIB
    if not facts.accelerated:
        host = series(points, "host")[size]
        because = f"There is one memory here and no bus: copying within it moves {in_bytes(value(host))} a second."
        return Verdict(Outcome.CANNOT_TEST, because, decided_by=(host,))
    bus = series(points, "pinned").get(size) or series(points, "pageable")[size]
    device = series(points, "device")[size]
    times_more = ratio(device, bus)
    low, high = band(times_more, [device, bus])
    because = (
        f"In blocks of {in_bytes(size)} the device's memory moves {in_bytes(value(device))} a second, the bus "
        f"{in_bytes(value(bus))}: {times(times_more)}."
    )
    side = against(times_more, NARROW, ratio_noise([device, bus]))
    outcome = {1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, -1: Outcome.DOES_NOT_HOLD}[side]
    return Verdict(outcome, because, times_more, "x", low, high, decided_by=(device, bus))


def about_bytes(kib: int) -> int:
    """Return the bytes of all blocks: six of each size, the sizes adding up to a third more than the largest."""
    return 6 * sum(sizes(kib)) * KIB


EXPERIMENT = Experiment(
    id="bus",
    claim="A device's own memory is ten times and more as fast as the bus to it.",
    question="How many times as many bytes a second move within the device as over the bus?",
    unit="x",
    plot=Plot(
        x=Axis("block", "B", "log2"),
        y=Axis("bytes moved", "B/s", "log10"),
        lanes=(
            Lane("device", "on device", "gpu"),
            Lane("pinned", "bus pinned", "gpu"),
            Lane("back", "bus back", "weak"),
            Lane("pageable", "bus plain", "weak"),
            Lane("host", "host", "cpu"),
        ),
        subtitle="Bytes moved per second by the size of a copy; higher is faster.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    controls=(Control("kib", 65_536, "largest block, in KiB", SMALLEST_KIB, 262_144, fresh=(16_384, 65_536)),),
    needs=frozenset({"accelerator"}),
    usual_s=1.0,
    about_bytes=about_bytes,
    sibling="memory-ladder",
    predicts=(0.1, 1000.0),
    ablation="Blocks of 4 KiB pay the fixed delay of a copy either way, so that bandwidth no longer decides.",
    ablation_controls={"kib": 4},
    setup="Copies queued one behind another; within a memory, bytes read and bytes written both count.",
)
