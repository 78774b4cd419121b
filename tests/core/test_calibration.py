from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studyapp.core.calibration import Foretold, Share, calibration, constant_loss, log_loss, reliability
from studyapp.core.predictions import Prediction, Score, Sure, score


def bins(pairs: list[tuple[float, bool]]) -> list[Foretold]:
    """Gather (chance, passed) as the store does: hundredths, thousandths above 0.99."""
    found: dict[float, list[tuple[float, bool]]] = {}
    for chance, passed in pairs:
        lower = int(chance * 1000) / 1000 if chance >= 0.99 else int(chance * 100) / 100
        found.setdefault(lower, []).append((chance, passed))
    return [
        Foretold(
            lower,
            sum(p for _, p in rows),
            sum(not p for _, p in rows),
            sum(c for c, p in rows if p),
            sum(c for c, p in rows if not p),
        )
        for lower, rows in sorted(found.items())
    ]


def drawn(seed: int, count: int = 4000, shift: float = 0.0) -> list[tuple[float, bool]]:
    draw = random.Random(seed)
    chances = [draw.uniform(0.6, 0.999) for _ in range(count)]
    return [(chance, draw.random() < chance - shift) for chance in chances]


# Wilson's interval


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (9, 10, 0.5958, 0.9821), (900, 1000, 0.8798, 0.9171)],
)
def test_the_wilson_interval_is_the_published_one(passed: int, total: int, low: float, high: float) -> None:
    found = Share(passed, total).interval

    assert found == pytest.approx((low, high), abs=1e-4)


@given(st.integers(0, 500), st.integers(1, 500))
def test_an_interval_holds_its_share_and_narrows_with_n(passed: int, total: int) -> None:
    passed = min(passed, total)
    found, more = Share(passed, total), Share(passed * 10, total * 10)

    assert found.interval is not None
    assert more.interval is not None
    assert 0 <= found.interval[0] <= (found.value or 0) + 1e-9
    assert (found.value or 0) - 1e-9 <= found.interval[1] <= 1
    assert more.interval[1] - more.interval[0] < found.interval[1] - found.interval[0]


def test_no_answers_have_no_share() -> None:
    assert (Share(0, 0).value, Share(0, 0).interval) == (None, None)
    assert Share(1, 2) + Share(2, 3) == Share(3, 5)


# the scheduler's forecasts


@pytest.mark.parametrize("seed", range(5))
def test_the_log_loss_of_gathered_forecasts_is_that_of_each(seed: int) -> None:
    pairs = drawn(seed)
    each = -sum(math.log(c if p else 1 - c) for c, p in pairs) / len(pairs)

    assert log_loss(bins(pairs)) == pytest.approx(each, abs=0.001)


def test_good_forecasts_beat_the_mean_and_bad_ones_do_not() -> None:
    good, bad = bins(drawn(1)), bins(drawn(1, shift=0.35))

    assert (log_loss(good) or 9) < (constant_loss(good) or 0)
    assert (log_loss(bad) or 0) > (constant_loss(bad) or 9)


def test_nothing_forecast_has_no_loss() -> None:
    assert (log_loss([]), constant_loss([]), reliability([])) == (None, None, [])


def test_certain_forecasts_that_fail_cost_much_and_not_infinitely() -> None:
    assert 10 < (log_loss([Foretold(1.0, 0, 1, 0.0, 1.0)]) or 0) < 20
    assert f"{constant_loss([Foretold(1.0, 5, 0, 5.0, 0.0)]):.3f}" == "0.000"
    assert f"{constant_loss([Foretold(0.5, 0, 5, 0.0, 2.5)]):.3f}" == "0.000"


def test_every_forecast_is_in_one_row_of_the_table() -> None:
    pairs = [*drawn(2), (1.0, True), (0.0, False), (0.5, True), (0.95, True)]
    table = reliability(bins(pairs))

    assert sum(row.recalled.total for row in table) == len(pairs)
    assert all(row.low <= row.foretold <= row.high for row in table)
    assert all(row.fits for row in table if row.recalled.total > 100)


def test_forecasts_that_promise_too_much_are_told() -> None:
    assert not all(row.fits for row in reliability(bins(drawn(3, shift=0.2))))


# the learner's numbers


def made(value: float, sure: Sure, measured: float) -> tuple[Sure, Score | None]:
    return sure, score(Prediction(value, sure), measured)


def test_predictions_are_counted_by_how_close_and_how_sure() -> None:
    found = calibration(
        [
            made(100, Sure.CERTAIN, 100),
            made(100, Sure.CERTAIN, 150),
            made(100, Sure.FAIRLY, 180),
            made(100, Sure.GUESS, 5000),
            (Sure.GUESS, None),
        ]
    )

    assert (found.made, found.scored, found.inside) == (5, 4, 2)
    assert found.by_closeness == {"spot on": 1, "close": 2, "right order": 0, "far off": 1}
    assert found.by_sure == {"guess": Share(0, 1), "fairly": Share(1, 1), "certain": Share(1, 2)}
    assert found.median_factor == pytest.approx(1.65)
    assert calibration([]).median_factor is None
