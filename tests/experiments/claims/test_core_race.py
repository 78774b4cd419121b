from __future__ import annotations

from dataclasses import replace

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.core_race import BATCHES
from tests.experiments.claims.builders import a_run, curve, verdict


def two_lanes(fee_s: float, speed_up: float = 1.9, spread: float = 0.02) -> list[Point]:
    points = curve("one", BATCHES, lambda n: 1e-6 + n * 0.1e-6, spread=spread)
    return points + curve("all", BATCHES, lambda n: 1e-6 + fee_s + n * 0.1e-6 / speed_up, spread=spread)


def test_a_fee_and_a_gain_let_the_claim_hold() -> None:
    told = verdict("core-race", two_lanes(3e-6), a_run("core-race"))

    assert told.outcome is Outcome.HOLDS
    assert (told.low, told.measured, told.high) == (32, 64, 128)
    assert "leading from 64" in told.because


def test_all_cores_leading_from_the_start_contradict_the_claim() -> None:
    told = verdict("core-race", two_lanes(0.0), a_run("core-race", width=4096))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.measured == 2


def test_a_fee_within_the_noise_is_too_noisy_to_say() -> None:
    told = verdict("core-race", two_lanes(0.3e-6, spread=0.15), a_run("core-race"))

    assert told.outcome is Outcome.TOO_NOISY


def test_cores_that_never_help_were_not_free() -> None:
    told = verdict("core-race", two_lanes(3e-6, speed_up=0.5), a_run("core-race"))

    assert told.outcome is Outcome.TOO_NOISY
    assert "not free" in told.because
    assert told.measured is None
    assert not told.never  # nothing to score a prediction against


def test_a_single_core_has_nothing_to_race() -> None:
    told = verdict("core-race", curve("one", BATCHES, lambda n: n * 1e-6), a_run("core-race", cores=1))

    assert told.outcome is Outcome.CANNOT_TEST


def test_one_batch_alone_is_no_race() -> None:
    points = [p for p in two_lanes(3e-6) if p.x == 2]

    assert verdict("core-race", points, a_run("core-race")).outcome is Outcome.TOO_NOISY


def test_an_unsettled_point_that_decides_leaves_it_open() -> None:
    points = [replace(p, settled=p.x < 1024) for p in two_lanes(3e-6)]

    assert verdict("core-race", points, a_run("core-race")).outcome is Outcome.TOO_NOISY


def test_one_disturbed_sample_does_not_hide_the_gain() -> None:
    points = [replace(p, high=9 * (p.y or 0)) if p.x == 4096 else p for p in two_lanes(3e-6)]

    told = verdict("core-race", points, a_run("core-race"))

    assert told.outcome is Outcome.HOLDS
    assert told.decided_by[-1].x < 4096
