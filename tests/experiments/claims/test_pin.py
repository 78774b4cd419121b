from __future__ import annotations

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.pin import HOST
from tests.experiments.claims.builders import a_run, verdict


def bars(plain: float, inline: float, loader: float, spread: float = 0.04) -> list[Point]:
    half = spread / 2
    rates = enumerate((plain, inline, loader, 40_000.0))
    return [Point("rate", bar, y, y * (1 - half), y * (1 + half), 9) for bar, y in rates]


def test_a_loader_that_pins_and_wins_lets_the_claim_hold() -> None:
    told = verdict("pin", bars(2000, 1500, 3000), a_run("pin", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 1.5
    assert told.because == (
        "Pinned by the loader, 1.5× as many pictures as with plain copies; pinned in the loop 0.75×."
    )


def test_a_loader_that_pins_and_loses_contradicts_the_claim() -> None:
    assert verdict("pin", bars(2000, 1500, 1700), a_run("pin", "cuda")).outcome is Outcome.DOES_NOT_HOLD


def test_copies_hidden_behind_the_devices_work_are_a_tie() -> None:
    told = verdict("pin", bars(300, 300, 302), a_run("pin", "cuda", device_ms=100.0))

    assert told.outcome is Outcome.TOO_NOISY


def test_a_device_for_which_nothing_can_be_pinned_cannot_test_it() -> None:
    told = verdict("pin", [*bars(1, 1, 1)[HOST:], Point("alone", HOST, 40_000.0)], a_run("pin", "mps"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.because.startswith("This machine cannot pin memory")


def test_a_cpu_tells_the_price_of_one_more_copy() -> None:
    told = verdict("pin", bars(1, 1, 1)[HOST:], a_run("pin"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert "passes 40,000 pictures a second" in told.because
