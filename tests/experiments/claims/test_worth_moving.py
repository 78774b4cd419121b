from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.worth_moving import OPERATIONS
from tests.experiments.claims.builders import a_run, curve, verdict

LESSON = (0.15, 0.2, 0.86, 4.3, 38.0, 26.0)
"""The lesson's shares of the trip, by operation."""


def against_a_trip(shares: tuple[float, ...], basis: Basis = Basis.MEASURED, spread: float = 0.03) -> list[Point]:
    bars = range(len(OPERATIONS))
    here = curve("here", bars, lambda bar: 5e-4 * shares[int(bar)], spread=spread)
    return here + curve("trip", bars, lambda _: 5e-4, spread=spread, basis=basis)


def test_an_addition_below_and_a_product_above_the_trip_let_the_claim_hold() -> None:
    told = verdict("worth-moving", against_a_trip(LESSON), a_run("worth-moving", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured is not None
    assert abs(told.measured - 0.15) < 1e-9
    assert "add 0.15×, relu 0.20×, softmax 0.86×, tanh 4.3×, matmul 38×, with weights 26×." in told.because


def test_a_narrow_product_that_is_done_before_the_trip_contradicts_the_claim() -> None:
    told = verdict(
        "worth-moving", against_a_trip((0.3, 0.2, 2, 2, 0.7, 0.6)), a_run("worth-moving", "cuda", width=16)
    )

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_an_addition_that_outlasts_the_trip_contradicts_the_claim() -> None:
    told = verdict("worth-moving", against_a_trip((1.5, 1, 2, 4, 38, 26)), a_run("worth-moving", "mps"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_a_tie_is_too_noisy_to_say() -> None:
    told = verdict(
        "worth-moving", against_a_trip((0.95, 1, 2, 4, 38, 26), spread=0.1), a_run("worth-moving", "cuda")
    )

    assert told.outcome is Outcome.TOO_NOISY


def test_an_assumed_bus_decides_nothing() -> None:
    told = verdict("worth-moving", against_a_trip(LESSON, Basis.ASSUMED), a_run("worth-moving"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.because.startswith("No bus here; with 16 GB/s: time here over the trip:")
