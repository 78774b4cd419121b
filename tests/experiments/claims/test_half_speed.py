from __future__ import annotations

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claim import Timing
from studyapp.experiments.claims.half_speed import WIDTHS, speed_up
from tests.experiments.claims.builders import a_run, curve, verdict


def over(lane: str, narrow: float, wide: float, spread: float = 0.04) -> list[Point]:
    return curve(lane, WIDTHS, lambda w: wide if w >= 512 else narrow, spread=spread)


def test_twice_the_speed_over_the_band_lets_the_claim_hold() -> None:
    told = verdict("half-speed", over("float32", 0.8, 3.4), a_run("half-speed"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 3.4
    assert told.because.endswith("at width 64 0.80×.")


def test_one_width_below_two_in_the_band_contradicts_the_claim() -> None:
    points = [p if p.x != 512 else Point("float32", 512, 1.2, 1.2, 1.25) for p in over("float32", 0.8, 3.4)]

    assert verdict("half-speed", points, a_run("half-speed", batch=8)).outcome is Outcome.DOES_NOT_HOLD


def test_a_lucky_narrow_width_decides_nothing() -> None:
    told = verdict("half-speed", over("float32", 5.0, 1.1), a_run("half-speed"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_twice_within_the_noise_is_too_noisy_to_say() -> None:
    told = verdict("half-speed", over("float32", 0.8, 2.2, spread=0.2), a_run("half-speed"))

    assert told.outcome is Outcome.TOO_NOISY


def test_the_second_baseline_is_named_and_does_not_decide() -> None:
    points = over("float32", 1.0, 4.0) + over("tf32", 1.0, 1.3)

    told = verdict("half-speed", points, a_run("half-speed", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert "1.3× as fast as TF32" in told.because


def test_a_cpu_without_the_arithmetic_cannot_test_it() -> None:
    told = verdict("half-speed", [Point("check", 64, 0.03, 0.03, 0.031)], a_run("half-speed"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert "takes 33× as long" in told.because


def test_a_speed_up_carries_the_spread_of_both_timings() -> None:
    slow = Timing(3.0, 3.2, 3.1, 3.3, 9, True)
    fast = Timing(1.0, 1.3, 1.1, 1.5, 5, False)

    point = speed_up("float32", 512, slow, fast)

    assert (point.y, point.low) == (3.0, 2.0)
    assert point.high == pytest.approx(3.3)
    assert (point.repeats, point.settled) == (5, False)
