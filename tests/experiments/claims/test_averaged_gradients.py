from __future__ import annotations

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.averaged_gradients import STEP, dealt
from tests.experiments.claims.builders import a_run, verdict


def points(equal: float = 6e-8, unequal: float = 0.72, step: float = 8.0, ddp: float | None = None) -> list[Point]:
    found = [Point(lane, x, y) for lane in ("hand", "ddp") for x, y in enumerate((equal, unequal))]
    if ddp is not None:
        found[2] = Point("ddp", 0, ddp)
    return [*found, Point("step", STEP, step)]


def test_equal_slices_that_give_the_same_gradient_let_the_claim_hold() -> None:
    told = verdict("averaged-gradients", points(), a_run("averaged-gradients"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 8
    assert told.because.startswith("Equal slices differ by 6e-08 of the largest gradient, unequal ones by 72 %.")


def test_unequal_slices_contradict_it() -> None:
    told = verdict("averaged-gradients", points(), a_run("averaged-gradients", slices="unequal"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_processes_that_disagree_with_the_sum_by_hand_contradict_it() -> None:
    told = verdict("averaged-gradients", points(ddp=0.1), a_run("averaged-gradients"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_gloo_on_shared_cores_does_not_stand_for_a_card() -> None:
    assert "over gloo" in verdict("averaged-gradients", points(), a_run("averaged-gradients")).because


def test_by_hand_alone_is_a_run_cut_short() -> None:
    by_hand = [point for point in points() if point.series == "hand"]

    assert verdict("averaged-gradients", by_hand, a_run("averaged-gradients")).outcome is Outcome.TOO_NOISY


@pytest.mark.parametrize("processes", range(2, 9))
def test_slices_are_equal_or_leave_the_last_the_most(processes: int) -> None:
    assert len(set(dealt("equal", processes))) == 1
    assert sum(dealt("unequal", processes)) == 256
    assert dealt("unequal", processes)[-1] > dealt("unequal", processes)[0]
