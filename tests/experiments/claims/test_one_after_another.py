from __future__ import annotations

from dataclasses import replace

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.one_after_another import lengths
from tests.experiments.claims.builders import a_run, curve, verdict

STEPS = lengths(256)


def lanes(chain: float, separate: float | None = None, spread: float = 0.03) -> list[Point]:
    """Return microseconds per step of the chain and of separate calls; side by side a row costs 0.1."""
    points = curve("chain", STEPS, lambda n: n * chain * 1e-6, spread=spread)
    points += curve("separate", STEPS, lambda n: n * (separate or chain) * 1e-6, spread=spread)
    return points + curve("together", STEPS, lambda n: n * 0.1e-6, spread=spread)


def test_a_chain_many_times_slower_lets_the_claim_hold() -> None:
    told = verdict("one-after-another", lanes(1.0), a_run("one-after-another"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == (
        "256 steps in a chain take 10× as long as side by side; one by one without waiting 10×."
    )


def test_a_single_step_is_no_chain() -> None:
    points = [Point(lane, 1, 1e-6, 1e-6, 1.02e-6) for lane in ("chain", "separate", "together")]

    assert (
        verdict("one-after-another", points, a_run("one-after-another", steps=1)).outcome is Outcome.DOES_NOT_HOLD
    )


def test_separate_calls_that_overlap_acquit_the_calls() -> None:
    told = verdict("one-after-another", lanes(1.0, 0.11), a_run("one-after-another", order="separate"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.because == "256 steps one by one take 1.1× as long as side by side, in a chain 10×."


def test_on_a_gpu_the_chain_without_launches_decides() -> None:
    graph = curve("graph", STEPS, lambda n: n * 0.12e-6)

    told = verdict("one-after-another", lanes(5.0) + graph, a_run("one-after-another", "cuda"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert "in a chain without launches take 1.2×" in told.because


def test_twice_within_the_noise_is_too_noisy_to_say() -> None:
    told = verdict("one-after-another", lanes(0.22, spread=0.1), a_run("one-after-another"))

    assert told.outcome is Outcome.TOO_NOISY


def test_a_device_four_times_slower_gets_the_same_verdict() -> None:
    told = verdict("one-after-another", lanes(1.0), a_run("one-after-another"))
    slower = [replace(p, y=4 * (p.y or 0), low=4 * (p.low or 0), high=4 * (p.high or 0)) for p in lanes(1.0)]

    assert verdict("one-after-another", slower, a_run("one-after-another")).as_json() == told.as_json()
