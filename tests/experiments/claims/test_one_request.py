from __future__ import annotations

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.one_request import FEWEST, quantiles
from tests.experiments.claims.builders import a_run, verdict


def answers(cpu_s: float, one_s: float, slowest: float = 1.1, gpu_s: float | None = None) -> list[Point]:
    points: list[Point] = []
    for lane, seconds in {"cpu": cpu_s, "one": one_s, "gpu": gpu_s}.items():
        if seconds is not None:
            points += quantiles(lane, [seconds] * 95 + [seconds * slowest] * 5)
    return points


def test_a_slowest_percent_within_the_budget_lets_the_claim_hold() -> None:
    told = verdict("one-request", answers(0.05, 0.08), a_run("one-request"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == pytest.approx(55)
    assert "half of its requests within 50 ms, 99 % within 55 ms; the budget is 100 ms" in told.because


def test_a_quick_median_does_not_excuse_the_slowest_percent() -> None:
    told = verdict("one-request", answers(0.05, 0.08, slowest=4), a_run("one-request"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


@pytest.mark.parametrize(("budget_ms", "outcome"), [(10.0, Outcome.DOES_NOT_HOLD), (500.0, Outcome.HOLDS)])
def test_the_learners_budget_decides(budget_ms: float, outcome: Outcome) -> None:
    told = verdict("one-request", answers(0.05, 0.08), a_run("one-request", budget_ms=budget_ms))

    assert told.outcome is outcome


def test_one_core_is_shown_and_decides_nothing() -> None:
    told = verdict("one-request", answers(0.2, 0.05), a_run("one-request"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.decided_by[0].series == "cpu"


def test_a_gpu_is_shown_beside_it_and_decides_nothing() -> None:
    told = verdict("one-request", answers(0.05, 0.08, gpu_s=0.004), a_run("one-request", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert told.because.endswith("GPU, copies included: 4.4 ms.")


def test_a_scattered_tail_around_the_budget_is_too_noisy() -> None:
    tail = [0.05] * 96 + [0.06, 0.08, 0.11, 0.2]

    assert verdict("one-request", quantiles("cpu", tail), a_run("one-request")).outcome is Outcome.TOO_NOISY


def test_few_requests_are_not_settled() -> None:
    assert [point.settled for point in quantiles("cpu", [0.01] * (FEWEST - 1))] == [False] * 3
    assert quantiles("cpu", [0.03, 0.01, 0.02])[0].y == 0.02
