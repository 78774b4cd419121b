from __future__ import annotations

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.fix_or_buy import BARS, CACHED
from tests.experiments.claims.builders import a_run, verdict


def bars(today: float, cached: float, buy: float, fix: float, spread: float = 0.04) -> list[Point]:
    half = spread / 2
    rates = enumerate((today, cached, buy, fix))
    return [Point("rate", bar, y, y * (1 - half), y * (1 + half), 9) for bar, y in rates]


def test_more_loaders_that_bring_more_than_any_device_let_the_claim_hold() -> None:
    told = verdict("fix-or-buy", bars(1000, 4000, 1020, 1800), a_run("fix-or-buy"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 1.8
    assert told.because == (
        "A device that takes no time brings 1.0× the pictures, more loader processes 1.8×; "
        "a cached batch went 4.0× as fast."
    )


def test_a_device_that_is_the_bottleneck_is_worth_buying() -> None:
    told = verdict("fix-or-buy", bars(100, 102, 1300, 99), a_run("fix-or-buy", passes=16))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_gains_within_the_noise_are_a_tie() -> None:
    told = verdict("fix-or-buy", bars(1000, 4000, 1500, 1600, spread=0.1), a_run("fix-or-buy"))

    assert told.outcome is Outcome.TOO_NOISY


def test_a_single_core_has_nothing_to_mend_with() -> None:
    told = verdict("fix-or-buy", bars(1000, 4000, 1020, 1800), a_run("fix-or-buy", cores=1))

    assert told.outcome is Outcome.CANNOT_TEST


def test_e07_without_shared_memory_the_reason_is_told() -> None:
    told = verdict("fix-or-buy", [Point("alone", CACHED, 4000.0)], a_run("fix-or-buy"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert "/dev/shm" in told.because


def test_a_missing_bar_is_too_little_to_say() -> None:
    for bar in range(len(BARS)):
        points = [point for point in bars(1000, 4000, 1020, 1800) if point.x != bar]

        assert verdict("fix-or-buy", points, a_run("fix-or-buy")).outcome is Outcome.TOO_NOISY
