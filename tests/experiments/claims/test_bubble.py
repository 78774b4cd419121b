from __future__ import annotations

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.bubble import PIECES, idle_on_paper
from tests.experiments.claims.builders import a_run, curve, verdict


def idle(
    whole: float, many: float, basis: Basis = Basis.MEASURED, spread: float = 0.02, beside: float = 2.0
) -> list[Point]:
    """Idle shares that fall from one piece to sixteen."""
    points = curve("idle", PIECES, lambda m: many + (whole - many) * (16 - m) / 15, spread=spread, basis=basis)
    return [*points, Point("beside", 1, beside, basis=basis)]


def test_pieces_that_fill_the_gap_of_real_work_let_the_claim_hold() -> None:
    told = verdict("bubble", idle(50, 8), a_run("bubble", work="multiply", stages=2))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == pytest.approx(8)
    assert told.because == "2 stages stand idle 50 % of the time with one piece, 8 % with 16 (on paper 6 %)."


def test_handing_over_that_eats_the_gain_contradicts_it() -> None:
    told = verdict("bubble", idle(59, 64), a_run("bubble", work="multiply", stages=2, ms=0.5))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_sleeping_stages_are_a_stand_in() -> None:
    told = verdict("bubble", idle(75, 16, Basis.SIMULATED), a_run("bubble"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.because.startswith("Mechanism shown on a stand-in")


def test_more_multiplying_stages_than_cores_cannot_work_at_once() -> None:
    told = verdict("bubble", idle(75, 40), a_run("bubble", work="multiply", stages=4))

    assert told.outcome is Outcome.CANNOT_TEST
    assert "need as many cores" in told.because


def test_one_piece_far_off_paper_is_a_disturbance() -> None:
    told = verdict("bubble", idle(20, 18), a_run("bubble", work="multiply", stages=2))

    assert told.outcome is Outcome.TOO_NOISY
    assert "no cores of their own" in told.because


def test_stages_that_slow_each_other_side_by_side_have_no_cores_of_their_own() -> None:
    told = verdict("bubble", idle(50, 50, beside=48), a_run("bubble", work="multiply", stages=2))

    assert told.outcome is Outcome.TOO_NOISY


def test_near_half_it_is_too_noisy() -> None:
    assert (
        verdict("bubble", idle(50, 24, spread=0.1), a_run("bubble", work="multiply", stages=2)).outcome
        is Outcome.TOO_NOISY
    )


@pytest.mark.parametrize(
    ("stages", "pieces", "share"), [(4, 1, 0.75), (4, 16, 3 / 19), (2, 1, 0.5), (8, 1, 0.875)]
)
def test_the_formula_is_the_lessons(stages: int, pieces: int, share: float) -> None:
    assert idle_on_paper(stages, pieces) == pytest.approx(share)
