from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.lost_gradients import BFLOAT16_POWERS, POWERS
from tests.experiments.claims.builders import a_run, curve, verdict

SCALES = [2.0**power for power in POWERS]


def alike(from_scale: float, *, bfloat16: float = 99.9, basis: Basis = Basis.MEASURED) -> list[Point]:
    def percent(scale: float) -> float:
        return 99.97 if from_scale <= scale < 2**24 else 10.0

    points = curve("first", SCALES, percent, spread=0, basis=basis)
    points += curve("last", SCALES, lambda x: 99.97, spread=0, basis=basis)
    return points + curve("bfloat16", [2.0**p for p in BFLOAT16_POWERS], lambda x: bfloat16, spread=0, basis=basis)


def test_a_gradient_lost_unscaled_and_saved_by_a_scale_lets_the_claim_hold() -> None:
    told = verdict("lost-gradients", alike(64), a_run("lost-gradients", "cuda", activation="sigmoid"))

    assert told.outcome is Outcome.HOLDS
    assert (told.low, told.measured, told.high) == (16, 64, 64)


def test_a_gradient_unharmed_without_scaling_contradicts_the_claim() -> None:
    told = verdict("lost-gradients", alike(1), a_run("lost-gradients", "cuda"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.measured == 1
    assert "99.97 % unscaled" in told.because


def test_scaling_that_saves_nothing_contradicts_the_claim() -> None:
    told = verdict("lost-gradients", alike(2**30), a_run("lost-gradients", "cuda"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.never
    assert told.measured is None


def test_a_harmed_bfloat16_contradicts_the_claim() -> None:
    told = verdict("lost-gradients", alike(64, bfloat16=80.0), a_run("lost-gradients", "cuda"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_rounding_in_place_of_real_float16_cannot_decide() -> None:
    for start in (1, 64):
        told = verdict("lost-gradients", alike(start, basis=Basis.SIMULATED), a_run("lost-gradients"))

        assert told.outcome is Outcome.CANNOT_TEST
        assert "stand-in" in told.because
        assert told.measured == start
