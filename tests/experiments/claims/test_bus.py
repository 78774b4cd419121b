from __future__ import annotations

from functools import partial

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claim import Timing
from studyapp.experiments.claims.bus import KIB, rate, sizes
from tests.experiments.claims.builders import a_run, curve, verdict

SIZES = [size * KIB for size in sizes(65_536)]


def ways(device: float, pinned: float, *, plain: bool = False, spread: float = 0.02) -> list[Point]:
    """Return bandwidths in GB/s at every size."""
    rates = {"host": 20.0, "device": device, "pageable": pinned / 2, "back": pinned}
    rates |= {} if plain else {"pinned": pinned}
    found = [curve(lane, SIZES, partial(constant, gb_s * 1e9), spread=spread) for lane, gb_s in rates.items()]
    return [point for lane in found for point in lane]


def constant(y: float, x: float) -> float:
    return y


def test_a_memory_far_wider_than_the_bus_lets_the_claim_hold() -> None:
    told = verdict("bus", ways(4000, 50), a_run("bus", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 80
    assert told.because.endswith("the device's memory moves 4 TB a second, the bus 50 GB: 80×.")


def test_one_memory_for_both_contradicts_the_claim() -> None:
    told = verdict("bus", ways(120, 60, plain=True), a_run("bus", "mps"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.measured == 4  # pinning was refused, so ordinary copies stand for the bus


def test_ten_times_within_the_noise_is_too_noisy_to_say() -> None:
    assert verdict("bus", ways(320, 28, spread=0.2), a_run("bus", "cuda")).outcome is Outcome.TOO_NOISY


def test_the_largest_size_asked_for_decides() -> None:
    told = verdict("bus", ways(4000, 50), a_run("bus", "cuda", kib=4))

    assert {point.x for point in told.decided_by} == {4096}


def test_a_cpu_has_no_bus_to_measure() -> None:
    told = verdict("bus", [p for p in ways(1, 1) if p.series == "host"], a_run("bus"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert "moves 20 GB a second" in told.because


def test_a_copy_within_a_memory_counts_what_it_reads_and_what_it_writes() -> None:
    timing = Timing(1.0, 2.0, 1.5, 4.0, 9, True)

    assert rate("host", 100, timing).y == 200
    assert rate("pinned", 100, timing, accelerated=True).y == 50
    assert (rate("pinned", 100, timing).low, rate("pinned", 100, timing).high) == pytest.approx((25, 100))
