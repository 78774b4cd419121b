"""The rules all verdicts share: what decides, what caps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Facts, Outcome, Verdict, decide

POINT = Point("time", 1, 2.0)
QUIET = Facts()


def holds(points: Sequence[Point], facts: Facts) -> Verdict:
    return Verdict(Outcome.HOLDS, "It is so.", 2.0, "s", 1.0, 3.0, never=False, decided_by=tuple(points))


def test_measured_and_counted_points_decide() -> None:
    assert decide(holds, [POINT], QUIET).outcome is Outcome.HOLDS
    assert decide(holds, [replace(POINT, basis=Basis.COUNTED)], QUIET).outcome is Outcome.HOLDS


@pytest.mark.parametrize("basis", [Basis.SIMULATED, Basis.ASSUMED, Basis.RECORDED])
def test_a_stand_in_decides_nothing(basis: Basis) -> None:
    verdict = decide(holds, [POINT, replace(POINT, x=2, basis=basis)], QUIET)
    assert verdict.outcome is Outcome.CANNOT_TEST
    assert "stand-in" in verdict.because


def test_a_run_cut_short_decides_nothing_and_never_is_not_known() -> None:
    def never(points: Sequence[Point], facts: Facts) -> Verdict:
        return Verdict(Outcome.DOES_NOT_HOLD, "Never.", never=True, decided_by=tuple(points))

    verdict = decide(never, [POINT], Facts(cut_short=True, why_cut="time limit of 8 s"))
    assert verdict.outcome is Outcome.TOO_NOISY
    assert not verdict.never
    assert "time limit of 8 s" in verdict.because


def test_a_disturbed_machine_spoils_timings_but_not_counts() -> None:
    assert decide(holds, [POINT], Facts(busy=True)).outcome is Outcome.TOO_NOISY
    assert decide(holds, [POINT], Facts(busy=True), timed=False).outcome is Outcome.HOLDS


def test_unsettled_points_and_no_points_decide_nothing() -> None:
    assert decide(holds, [replace(POINT, settled=False)], QUIET).outcome is Outcome.TOO_NOISY
    assert decide(holds, [], QUIET).outcome is Outcome.TOO_NOISY
    assert decide(holds, [replace(POINT, y=float("nan"))], QUIET).outcome is Outcome.TOO_NOISY


def test_e09_a_judge_that_misses_its_points_says_the_run_was_cut_short() -> None:
    def judge(points: Sequence[Point], facts: Facts) -> Verdict:
        raise KeyError("x")

    assert decide(judge, [POINT], QUIET).outcome is Outcome.TOO_NOISY
