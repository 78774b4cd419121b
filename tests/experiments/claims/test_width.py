from __future__ import annotations

from dataclasses import replace

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.width import widths
from studyapp.experiments.judging import beyond, rate
from tests.experiments.claims.builders import a_run, curve, verdict


def rates(raw: float, net: float, spread: float = 0.05) -> list[Point]:
    """Return rates that grow from 10 GFLOP/s by these factors between the ends."""

    def grown(factor: float, base: float) -> list[Point]:
        return curve("layer", widths(16, 1024), lambda w: base * (factor if w == 1024 else 1), spread=spread)

    return grown(raw, 10e9) + [replace(p, series="net") for p in grown(net, 30e9)]


def test_a_wide_layer_that_is_better_used_lets_the_claim_hold() -> None:
    told = verdict("width", rates(8, 2.3), a_run("width"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == pytest.approx(2.3)
    assert "8.0× the rate of width 16; net of the call it is 2.3×" in told.because


def test_a_gain_that_is_all_call_contradicts_the_claim() -> None:
    assert verdict("width", rates(8, 1.1), a_run("width", batch=1024)).outcome is Outcome.DOES_NOT_HOLD


def test_a_row_through_weights_that_outgrow_the_cache_contradicts_the_claim() -> None:
    points = curve("layer", widths(512, 4096), lambda w: 43e9 if w == 512 else 13e9)
    points += [replace(p, series="net") for p in points]

    told = verdict("width", points, a_run("width", batch=1, narrow=512, wide=4096))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert "width 4096 does 13 GFLOP/s, 0.30× the rate of width 512" in told.because


def test_a_gain_near_the_threshold_is_too_noisy_to_say() -> None:
    assert verdict("width", rates(8, 1.55), a_run("width")).outcome is Outcome.TOO_NOISY


def test_a_narrow_layer_that_is_nothing_but_call_leaves_it_open() -> None:
    points = [p for p in rates(50, 2) if (p.series, p.x) != ("net", 16)]

    told = verdict("width", points, a_run("width", batch=1))

    assert told.outcome is Outcome.TOO_NOISY
    assert "whose time is that of an empty call" in told.because


def test_a_device_four_times_slower_gets_the_same_verdict() -> None:
    slower = [replace(p, y=(p.y or 0) / 4, low=(p.low or 0) / 4, high=(p.high or 0) / 4) for p in rates(8, 2.3)]

    told = verdict("width", slower, a_run("width"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == pytest.approx(2.3)


def test_what_a_time_has_beyond_its_call_carries_both_doubts() -> None:
    rest = beyond(Point("layer", 16, 5.0, 5.0, 5.3), Point("layer", 1, 2.0, 2.0, 2.4))

    assert rest is not None
    assert rest.y == 3.0
    assert rest.high == pytest.approx(3.5)


def test_a_time_within_the_doubt_of_the_call_has_nothing_beyond_it() -> None:
    assert beyond(Point("layer", 16, 2.2, 2.2, 2.3), Point("layer", 1, 2.0, 2.0, 2.4)) is None


def test_a_rate_is_lowest_where_the_time_is_longest() -> None:
    assert rate("net", 6.0, Point("layer", 16, 2.0, 2.0, 3.0)) == Point("net", 16, 3.0, 2.0, 3.0)
