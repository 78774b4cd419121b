from __future__ import annotations

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.race import BATCHES
from tests.experiments.claims.builders import a_run, curve, verdict


def lanes(cpu_row_s: float, copied_row_s: float, *, fixed_s: float = 30e-6, spread: float = 0.02) -> list[Point]:
    points = curve("cpu", BATCHES, lambda n: 5e-6 + n * cpu_row_s, spread=spread)
    points += curve("resident", BATCHES, lambda n: 15e-6 + n * 1e-8, spread=spread)
    return points + curve("copied", BATCHES, lambda n: fixed_s + n * copied_row_s, spread=spread)


def test_a_cpu_first_at_one_row_and_a_gpu_far_ahead_at_many_let_the_claim_hold() -> None:
    told = verdict("race", lanes(2e-6, 0.3e-6), a_run("race", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert (told.low, told.measured, told.high) == (8, 16, 16)


def test_a_gpu_that_never_wins_with_copies_contradicts_the_claim() -> None:
    told = verdict("race", lanes(0.2e-6, 0.3e-6), a_run("race", "cuda", width=16))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.never
    assert "never leads" in told.because


def test_a_gpu_that_wins_one_row_already_contradicts_the_claim() -> None:
    told = verdict("race", lanes(100e-6, 0.3e-6), a_run("race", "cuda", width=8192))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.measured == 1


def test_a_narrow_win_is_no_wide_one() -> None:
    told = verdict("race", lanes(0.5e-6, 0.3e-6), a_run("race", "cuda"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_a_win_near_three_is_too_noisy_to_say() -> None:
    told = verdict("race", lanes(0.9e-6, 0.3e-6, spread=0.1), a_run("race", "cuda"))

    assert told.outcome is Outcome.TOO_NOISY


def test_a_cpu_does_not_pretend_to_be_a_gpu() -> None:
    told = verdict("race", curve("cpu", BATCHES, lambda n: n * 1e-6), a_run("race"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.measured is None
