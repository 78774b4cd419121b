from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.busy_not_full import ROWS
from studyapp.experiments.utilisation import WATCHED_S, reading
from tests.experiments.claims.builders import a_run, curve, verdict


def shares(one_row: float, busy: float = 99.0, spread: float = 0.05) -> list[Point]:
    points = curve("arithmetic", ROWS, lambda n: min(95.0, one_row * n), spread=spread)
    points += curve("memory", ROWS, lambda n: 80.0 / n) + curve("call", ROWS, lambda n: 5.0 / n)
    return points + curve("busy", ROWS, lambda n: busy, spread=0)


def test_a_busy_device_with_a_tiny_part_in_use_lets_the_claim_hold() -> None:
    told = verdict("busy-not-full", shares(5.0), a_run("busy-not-full"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == (
        "With 1 row the device reads 99 % busy and does 5 % of its arithmetic; reading the weights binds."
    )


def test_a_row_that_fills_the_lanes_contradicts_the_claim() -> None:
    assert verdict("busy-not-full", shares(42.0), a_run("busy-not-full")).outcome is Outcome.DOES_NOT_HOLD


def test_many_rows_fill_the_device() -> None:
    told = verdict("busy-not-full", shares(5.0), a_run("busy-not-full", at=1024))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.because.endswith("arithmetic binds.")


def test_a_device_that_was_taken_away_says_nothing() -> None:
    told = verdict("busy-not-full", shares(5.0, busy=46.0), a_run("busy-not-full"))

    assert told.outcome is Outcome.TOO_NOISY
    assert "reads 46 % busy only" in told.because


def test_a_share_near_the_line_is_too_noisy_to_say() -> None:
    assert verdict("busy-not-full", shares(19.0), a_run("busy-not-full")).outcome is Outcome.TOO_NOISY


class Card:
    """A device that sleeps, with a driver that answers or does not."""

    accelerated = True

    def __init__(self, says: float | None) -> None:
        def utilization() -> float:
            if says is None:
                raise ModuleNotFoundError("pynvml")
            return says

        self.device = SimpleNamespace(type="card")
        self.torch = SimpleNamespace(card=SimpleNamespace(utilization=utilization))

    def sync(self) -> None:
        time.sleep(0.02)


def test_the_driver_is_asked_how_busy_the_device_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WATCHED_S, "other", 0.1)

    assert reading(Card(37.0), lambda: None) == 37.0  # type: ignore[arg-type]


def test_without_a_driver_to_ask_a_kernel_in_every_sample_period_reads_as_busy() -> None:
    assert reading(Card(None), lambda: None) == 100.0  # type: ignore[arg-type]
