from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from tests.experiments.claims.builders import a_run, curve, verdict

CUTS = (1, 2, 4, 8)


def trade(kept: float, time: float, spread: float = 0.03) -> list[Point]:
    counted = curve("kept", CUTS, lambda n: 100 if n == 1 else kept, spread=0, basis=Basis.COUNTED)
    return counted + curve("time", CUTS, lambda n: 100 if n == 1 else time, spread=spread)


def test_less_kept_for_more_time_lets_the_claim_hold() -> None:
    told = verdict("recompute", trade(47, 127), a_run("recompute"))

    assert (told.outcome, told.measured, told.unit) == (Outcome.HOLDS, 127, "%")
    assert told.because == "In 4 segments the step keeps 47 % of the bytes and takes 127 % of the time."


def test_a_stack_that_keeps_as_much_contradicts_the_claim() -> None:
    assert verdict("recompute", trade(100, 130), a_run("recompute", layers=4)).outcome is Outcome.DOES_NOT_HOLD


def test_a_single_segment_neither_saves_nor_costs() -> None:
    told = verdict("recompute", trade(47, 127), a_run("recompute", segments=1))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert "computes nothing again" in told.because


def test_a_price_within_the_noise_is_too_noisy_to_say() -> None:
    assert verdict("recompute", trade(47, 120, spread=0.2), a_run("recompute")).outcome is Outcome.TOO_NOISY


def test_memory_for_nothing_is_no_trade() -> None:
    assert verdict("recompute", trade(47, 80), a_run("recompute")).outcome is Outcome.DOES_NOT_HOLD
