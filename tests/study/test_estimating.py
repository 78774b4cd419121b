"""What a run will cost: from the learner's own runs, scaled by at most one control, else said to be unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.experiments.catalog import experiment, experiments
from studyapp.experiments.claim import Control
from studyapp.study.estimating import STEEPEST, Timed, estimate, sensible_values

WIDTH = experiment("width")
OWN = WIDTH.parse_controls({})


def timed(seconds: float, day: str = "28 Aug", **controls: int) -> Timed:
    return Timed({**OWN, **controls}, seconds, day)


def test_a_run_with_the_same_controls_is_quoted_with_its_day() -> None:
    found = estimate(WIDTH, OWN, [timed(6.0), timed(2.0, "1 Aug")])

    assert (found.seconds, found.time_from) == (6.0, "your run of 28 Aug")


def test_time_is_scaled_between_two_runs_that_differ_in_one_control() -> None:
    found = estimate(WIDTH, {**OWN, "batch": 64}, [timed(1.0, batch=32), timed(4.0, batch=128)])

    assert found.seconds == pytest.approx(2.0)
    assert found.time_from == "scaled from your runs with batch 32 and 128"


def test_runs_that_differ_in_two_controls_are_not_scaled_but_named() -> None:
    found = estimate(WIDTH, {**OWN, "batch": 64, "wide": 512}, [timed(1.5, batch=32), timed(4.0, batch=128)])

    assert found.seconds is None
    assert found.time_from == "not known here; 1.5 s with batch 32, wide 1024, your run of 28 Aug"


def test_far_beyond_what_was_run_nothing_is_scaled() -> None:
    runs = [timed(1.0, batch=8), timed(2.0, batch=16)]

    assert estimate(WIDTH, {**OWN, "batch": 128}, runs).seconds == pytest.approx(16.0 / 2)
    assert estimate(WIDTH, {**OWN, "batch": 1024}, runs).seconds is None


def test_a_single_odd_run_does_not_scale_steeper_than_a_matrix_product() -> None:
    runs = [timed(0.001, batch=8), timed(1.0, batch=16)]

    assert estimate(WIDTH, {**OWN, "batch": 32}, runs).seconds == pytest.approx(2**STEEPEST)


def test_without_runs_the_usual_time_is_quoted_for_its_own_controls_only() -> None:
    own, other = estimate(WIDTH, OWN, []), estimate(WIDTH, {**OWN, "batch": 64}, [])

    assert own.seconds == WIDTH.usual_s
    assert "not run here yet" in own.time_from
    assert other.seconds is None
    assert other.time_from.startswith("not known here; usually")


def test_no_estimate_goes_beyond_the_time_limit() -> None:
    assert estimate(WIDTH, OWN, [timed(60.0)]).seconds == WIDTH.seconds
    assert estimate(WIDTH, OWN, [timed(60.0)], limit_s=3).seconds == 3


def test_memory_is_the_experiments_own_and_only_a_ceiling_where_it_allocates_hardly_anything() -> None:
    layer, counted = experiment("layer-batch"), experiment("kept")
    narrow, wide = (estimate(layer, layer.parse_controls({"width": w}), []) for w in (64, 8192))

    assert narrow.about_bytes < wide.about_bytes == layer.about_bytes(width=8192, weights="one")
    assert not wide.at_most
    assert estimate(counted, counted.parse_controls({}), []).at_most


@pytest.mark.parametrize("claim", experiments(), ids=lambda claim: claim.id)
def test_every_control_steps_through_values_it_may_take_its_own_among_them(claim: object) -> None:
    for control in claim.controls:  # type: ignore[attr-defined]
        values = sensible_values(control)
        assert control.default in values
        assert set(control.fresh) <= set(values)
        assert [control.parse(value) for value in values] == list(values)
        assert len(set(values)) == len(values)
        assert len(values) < 40


@given(st.integers(16, 4096))
def test_the_present_value_is_always_among_the_steps(value: int) -> None:
    control = Control("width", 512, "width", 16, 4096)

    assert value in sensible_values(control, value)
    assert sensible_values(replace(control, step="add", high=40.0), value % 24 + 16).index(16) == 0
