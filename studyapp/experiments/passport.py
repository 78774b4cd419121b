"""What this machine can do, by the same timing as the claims: peak rates, memory ladder, cost of a call, the bus.

A measurement without a claim: it is not in the catalog's list, the program asks for it by `studyapp passport`. The
ladder and the bus are those of `memory-ladder` and `bus`. Each figure is a series; see `core/roofline.py` for what
is made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from studyapp.core.figures import Axis, Lane, Plot
from studyapp.core.points import Basis, Point, value
from studyapp.core.roofline import ALL, ANSWER, CALL, DEVICE, LADDER, MACHINE, ONE, RATE, TRIP
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Experiment, Lab, Timing
from studyapp.experiments.claims import bus, memory_ladder
from studyapp.experiments.claims.half_speed import HOPELESS
from studyapp.experiments.judging import rate
from studyapp.experiments.product import flop, powers_of_two, product

SECONDS = 15.0
"""Time limit: with the start of torch the whole stays below 20 s."""
LADDER_MB = 128
"""Largest buffer, in MiB; what does not fit in half of the free memory is left out."""
BUS_KIB = 65_536
DTYPES = ("float32", "bfloat16", "float16", "float64")
TF32 = "tf32"
SIDES = powers_of_two(128, 8192)
"""Rows, columns and depth of the products tried."""
LONGEST_PRODUCT_S = 0.05
"""A larger product is not tried once one took longer than an eighth of this: eight times the work is next."""
FINALISTS = 2
"""Sizes of each kind that are timed again, all kinds in turn."""
HAND_OVER_VALUES = 2**16
"""Values of the addition that is handed to all cores: torch splits from 32,768 on. Source: its GRAIN_SIZE."""
RESERVE_S = 1.0
"""Seconds before the limit at which repeating ends: every figure is there by then."""


def measure(lab: Lab) -> Iterator[Point]:
    """Yield what is counted, then calls, ladder, peak rates and, on an accelerator, the bus."""
    for name, count in lab.machine().items():
        yield Point(f"{MACHINE}{name}", 0, count, basis=Basis.COUNTED)
    yield from _calls(lab)
    for point in memory_ladder.measure(lab, LADDER_MB):
        yield replace(point, series=f"{LADDER}{point.series}")
    if lab.accelerated:
        yield from _bus(lab)
    yield from _rates(lab)


def _lanes(lab: Lab) -> dict[str, int]:
    if lab.accelerated:
        return {DEVICE: 1}
    return {ONE: 1} if lab.cores < 2 else {ONE: 1, ALL: lab.cores}


def _calls(lab: Lab) -> Iterator[Point]:
    """Time a product of two numbers on one core or queued on the device, and handing work to all cores."""
    torch = lab.torch
    single = torch.ones(1, 1, device=lab.device)
    call = product(torch, single, single)
    if lab.accelerated:

        def answer() -> None:
            call()
            lab.sync()

        for key, timing in lab.rounds({CALL: call, ANSWER: answer}, sample_s=2e-3):
            yield timing.point(f"{key}{DEVICE}", 0, accelerated=True)
        return
    threads = _lanes(lab)
    x = torch.ones(HAND_OVER_VALUES)
    out = torch.empty_like(x)
    add = partial(torch.add, x, 1.0, out=out)
    works: dict[str, Callable[[], Any]] = {ONE: call} | ({ALL: add, "alone": add} if ALL in threads else {})
    found: dict[str, Timing] = {}
    for key, timing in lab.rounds(works, sample_s=1e-3, prepare=lambda key: lab.threads(threads.get(key, 1))):
        found[key] = timing
        if key == ONE:
            yield timing.point(f"{CALL}{ONE}", 0)
        if ALL in found and "alone" in found:
            yield _hand_over(found, lab.cores)


def _hand_over(found: dict[str, Timing], cores: int) -> Point:
    """Return what an addition on all cores takes beyond its share of the time on one, a bare call at least."""
    every, alone = found[ALL], found["alone"]
    fee_s = max(every.best_s - alone.best_s / cores, found[ONE].best_s)
    spread = every.upper_s - every.best_s
    repeats, settled = min(every.repeats, alone.repeats), every.settled and alone.settled
    return Point(f"{CALL}{ALL}", 0, fee_s, fee_s, fee_s + spread, repeats, settled)


def _bus(lab: Lab) -> Iterator[Point]:
    """Time a number's way to the host and back, then `bus`'s copies."""
    torch = lab.torch
    one = torch.ones(1)
    for _, timing in lab.rounds({TRIP: lambda: one.to(lab.device).to("cpu")}, sample_s=2e-3):
        yield timing.point(TRIP, 0, accelerated=True)
    for point in bus.measure(lab, BUS_KIB):
        yield replace(point, series=f"bus {point.series}")


Kind = tuple[str, str]
"""Number format and lane."""


def _rates(lab: Lab) -> Iterator[Point]:
    """Time square products of growing size in each format; then the best sizes of all kinds in turn."""
    best: dict[Kind, list[tuple[float, int]]] = {}
    lanes = _lanes(lab)
    try:
        for dtype in (*DTYPES, *([TF32] if lab.device.type == "cuda" else [])):
            for lane in lanes:
                best[dtype, lane] = []
                for side, point in _growing(lab, dtype, lane, lanes[lane], best):
                    best[dtype, lane].append((value(point), side))
                    yield point
        yield from _finals(lab, lanes, best)
    finally:
        _tf32(lab, False)


def _growing(
    lab: Lab, dtype: str, lane: str, threads: int, best: dict[Kind, list[tuple[float, int]]]
) -> Iterator[tuple[int, Point]]:
    floor = max((found for found, _ in best.get(("float32", lane), [])), default=0.0) / HOPELESS
    for side in SIDES:
        work = _product(lab, dtype, side)
        if work is None:
            return
        _ready(lab, threads, dtype)
        timings = [t for _, t in lab.rounds({side: work}, rounds=3, sample_s=2e-3)]
        if not timings:
            return
        point = rate(
            f"{RATE}{dtype} {lane}", flop(side, side), timings[-1].point("", side, accelerated=lab.accelerated)
        )
        yield side, point
        slow = side >= SIDES[1] and value(point) < floor  # without hardware for it, a large one takes seconds
        if slow or 8 * timings[-1].best_s > LONGEST_PRODUCT_S:
            return


def _finals(lab: Lab, lanes: dict[str, int], best: dict[Kind, list[tuple[float, int]]]) -> Iterator[Point]:
    works: dict[tuple[str, str, int], Callable[[], Any]] = {}
    for (dtype, lane), found in best.items():
        for _, side in sorted(found, reverse=True)[:FINALISTS]:
            work = _product(lab, dtype, side)
            if work is not None:
                works[dtype, lane, side] = work
    timed = lab.rounds(works, sample_s=5e-3, prepare=lambda key: _ready(lab, lanes[key[1]], key[0]))
    for (dtype, lane, side), timing in timed:
        point = timing.point("", side, accelerated=lab.accelerated)
        yield rate(f"{RATE}{dtype} {lane}", flop(side, side), point)
        if lab.left_s() < RESERVE_S:
            return


def _product(lab: Lab, dtype: str, side: int) -> Callable[[], Any] | None:
    """Return a square product in a format, None where this device has none or no room for it."""
    torch = lab.torch
    form = getattr(torch, "float32" if dtype == TF32 else dtype)
    try:
        left = torch.ones(side, side, device=lab.device).to(form)
        call = product(torch, left, left)
        call()
    except (RuntimeError, TypeError, NotImplementedError, MemoryError):
        return None
    return call


def _ready(lab: Lab, threads: int, dtype: str) -> None:
    lab.threads(threads)
    _tf32(lab, dtype == TF32)


def _tf32(lab: Lab, allowed: bool) -> None:
    if lab.device.type == "cuda":
        lab.torch.backends.cuda.matmul.allow_tf32 = allowed  # off is torch's default


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Return no verdict: there is no claim."""
    return Verdict(Outcome.CANNOT_TEST, "A passport makes no claim.")


def about_bytes() -> int:
    """Return the bytes of the ladder's largest buffers."""
    return memory_ladder.about_bytes(LADDER_MB)


EXPERIMENT = Experiment(
    id="passport",
    claim="",
    question="What can this machine do?",
    unit="",
    plot=Plot(
        x=Axis("bytes copied", "B", scale="log2"),
        y=Axis("read and written", "B/s", "log10"),
        lanes=tuple(
            Lane(f"{LADDER}{name}", label, role)
            for name, label, role in (
                (ONE, "one core", "weak"),
                (ALL, "all cores", "cpu"),
                (DEVICE, "device", "gpu"),
            )
        ),
        subtitle="Copies by size: each step down is one memory further away.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    seconds=SECONDS,
    usual_s=7.0,
    about_bytes=about_bytes,
)
