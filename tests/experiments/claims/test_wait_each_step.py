from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.wait_each_step import EVERY, STEPS
from tests.experiments.claims.builders import a_run, curve, verdict


def steps(gap_s: float, *, spread: float = 0.01, basis: Basis = Basis.MEASURED) -> list[Point]:
    """Return steps of 5 ms that pay a gap at every wait."""
    points = curve("step", EVERY, lambda every: 5e-3 + gap_s / every - gap_s / STEPS, spread=spread, basis=basis)
    return [Point("item", 1, 1e-7, 1e-7, 1.1e-7), *points]


def test_a_gap_after_every_wait_lets_the_claim_hold() -> None:
    told = verdict("wait-each-step", steps(1e-3), a_run("wait-each-step", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == "A step takes 5.9 ms with a wait in each and 5 ms without: 1.2×, a gap of 900 µs."


def test_without_host_work_there_is_no_gap_and_the_claim_does_not_hold() -> None:
    told = verdict("wait-each-step", steps(2e-5), a_run("wait-each-step", "cuda", host_ms=0.0))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_a_gap_within_the_noise_is_too_noisy_to_say() -> None:
    told = verdict("wait-each-step", steps(1e-3, spread=0.15), a_run("wait-each-step", "cuda"))

    assert told.outcome is Outcome.TOO_NOISY


def test_on_a_cpu_a_sleeping_stand_in_decides_nothing() -> None:
    told = verdict("wait-each-step", steps(1e-3, basis=Basis.SIMULATED), a_run("wait-each-step"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.because.startswith("A CPU runs nothing ahead: .item() takes 100 ns here.")
