from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.optimizer_state import NAMES, OPTIMIZERS
from tests.experiments.claims.builders import a_run, curve, verdict


def counted(*shares: float) -> list[Point]:
    return curve("state", range(len(shares)), lambda x: shares[int(x)], spread=0, basis=Basis.COUNTED)


TEXTBOOK = (0.0, 1.0, 1.0, 2.0000063, 3.0)


def test_two_moments_are_twice_the_model() -> None:
    told = verdict("optimizer-state", counted(*TEXTBOOK), a_run("optimizer-state"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == "After one step the state of Adam is 2.00 times the float32 weights."


def test_an_optimizer_with_one_number_per_weight_is_not_twice_the_model() -> None:
    told = verdict("optimizer-state", counted(*TEXTBOOK), a_run("optimizer-state", optimizer="momentum"))

    assert (told.outcome, told.measured) == (Outcome.DOES_NOT_HOLD, 1.0)


def test_in_mixed_precision_the_state_is_six_times_the_16_bit_weights() -> None:
    told = verdict("optimizer-state", counted(2, 4, 4, 6, 8), a_run("optimizer-state", weights="mixed"))

    assert (told.outcome, told.measured) == (Outcome.DOES_NOT_HOLD, 6.0)
    assert "Adam and the 32-bit copy are 6.00 times the 16-bit weights" in told.because


def test_an_allocator_that_agrees_is_named_and_one_that_does_not_leaves_it_open() -> None:
    near, far = Point("allocator", 3, 2.1), Point("allocator", 3, 2.9)

    agreed = verdict("optimizer-state", [*counted(*TEXTBOOK), near], a_run("optimizer-state", "cuda"))
    doubted = verdict("optimizer-state", [*counted(*TEXTBOOK), far], a_run("optimizer-state", "cuda"))

    assert agreed.outcome is Outcome.HOLDS
    assert "The allocator says 2.10." in agreed.because
    assert doubted.outcome is Outcome.TOO_NOISY


def test_a_run_that_never_reached_the_optimizer_says_nothing() -> None:
    assert verdict("optimizer-state", counted(0.0, 1.0), a_run("optimizer-state")).outcome is Outcome.TOO_NOISY


def test_every_optimizer_has_its_name() -> None:
    assert [name.lower() for name in NAMES] == list(OPTIMIZERS)
