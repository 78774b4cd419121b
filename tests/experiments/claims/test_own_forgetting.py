from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from studyapp.core.optimising import pack
from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments import pretended, training
from studyapp.experiments.claims.own_forgetting import first_reviews, measure
from tests.experiments.claims.builders import a_run, verdict

END = training.PASSES


def run(own: float, noise: float = 0.001, *, until: int = END, basis: Basis = Basis.MEASURED) -> list[Point]:
    everyone = [Point("everyone", x, 0.4, repeats=900, basis=basis) for x in (0, END)]
    yours = [Point("yours", x, own, own - noise, own + noise, 900, basis=basis) for x in range(5, until + 1, 5)]
    return everyone + yours


def test_numbers_that_forecast_better_hold() -> None:
    told = verdict("own-forgetting", run(0.36), a_run("own-forgetting"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == "On the 900 latest reviews your numbers score 0.3600, everyone's 0.4000: 10.0 % better."
    assert told.measured == pytest.approx(10)
    assert told.low == pytest.approx(9.75)


def test_numbers_that_forecast_worse_do_not() -> None:
    told = verdict("own-forgetting", run(0.44), a_run("own-forgetting"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.never
    assert "10.0 % worse" in told.because


def test_a_difference_within_its_noise_decides_nothing() -> None:
    told = verdict("own-forgetting", run(0.399, noise=0.01), a_run("own-forgetting"))

    assert (told.outcome, told.measured) == (Outcome.TOO_NOISY, None)


@pytest.mark.parametrize("own", [0.36, 0.399, 0.44])
def test_a_simulated_learner_never_decides_and_is_named(own: float) -> None:
    told = verdict("own-forgetting", run(own, basis=Basis.SIMULATED), a_run("own-forgetting"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert "simulated learner" in told.because


def test_a_training_cut_short_says_so() -> None:
    told = verdict("own-forgetting", run(0.36, until=20), a_run("own-forgetting"))

    assert told.outcome is Outcome.TOO_NOISY
    assert told.because == "The training was cut short after 20 passes."


@pytest.mark.torch
@pytest.mark.parametrize(
    ("controls", "outcome"),
    [({}, Outcome.HOLDS), ({"reviews": 50, "prior": "none"}, Outcome.DOES_NOT_HOLD)],
    ids=["the whole log", "fifty reviews without a prior"],
)
def test_a_log_of_ones_own_decides_either_way(torch: Any, controls: dict[str, Any], outcome: Outcome) -> None:
    log = pretended.pretend(torch, 800, seed=3, unlike=0.5)
    lab: Any = SimpleNamespace(torch=torch, device="cpu", history=pack(log))
    facts = a_run("own-forgetting", **controls)

    points = list(measure(lab, **facts.controls))

    assert {p.basis for p in points} == {Basis.MEASURED}
    assert verdict("own-forgetting", points, facts).outcome is outcome


@pytest.mark.torch
def test_the_first_reviews_end_where_the_later_ones_begin(torch: Any) -> None:
    log = pretended.pretend(torch, 50, seed=3)

    assert first_reviews(log, 10**6, 300) == 300
    early = first_reviews(log, 20, 300)
    assert sum(d < early for h in log for d, gap in zip(h.days, h.deltas, strict=True) if gap) <= 20
