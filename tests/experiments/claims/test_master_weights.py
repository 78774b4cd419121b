from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from tests.experiments.claims.builders import a_run, verdict


def after(updates: int, half: float, full: float = 0.9) -> list[Point]:
    read = {"float16": half, "bfloat16": 1.0, "float32": full, "copy": full}
    return [Point(lane, updates, y, basis=Basis.COUNTED) for lane, y in read.items()]


def test_a_weight_that_stands_still_lets_the_claim_hold() -> None:
    told = verdict("master-weights", after(1000, 1.0), a_run("master-weights"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 1.0
    assert told.because.startswith("After 1,000 updates float32 reads 0.9, float16 1, bfloat16 1;")


def test_a_weight_that_goes_too_far_lets_it_hold_too() -> None:
    told = verdict("master-weights", after(1000, 0.51, full=0.7), a_run("master-weights", step=0.0003))

    assert told.outcome is Outcome.HOLDS


def test_a_weight_that_follows_contradicts_the_claim() -> None:
    told = verdict("master-weights", after(1000, -9.16, full=-9.0), a_run("master-weights", step=0.01))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_fewer_updates_than_asked_for_are_too_little_to_say() -> None:
    assert verdict("master-weights", after(512, 1.0), a_run("master-weights")).outcome is Outcome.TOO_NOISY


def test_weights_that_never_moved_decide_nothing() -> None:
    assert verdict("master-weights", after(1000, 1.0, 1.0), a_run("master-weights")).outcome is Outcome.TOO_NOISY
