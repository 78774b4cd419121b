from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.kept import BATCHES
from tests.experiments.claims.builders import a_run, curve, verdict

WEIGHTS, PER_IMAGE = 102_228_128, 85.9e6


def counted() -> list[Point]:
    kept = curve("kept", BATCHES, lambda n: n * PER_IMAGE, spread=0, basis=Basis.COUNTED)
    return kept + curve("weights", BATCHES, lambda n: WEIGHTS, spread=0, basis=Basis.COUNTED)


def test_batch_64_outweighs_the_weights_many_times() -> None:
    told = verdict("kept", counted(), a_run("kept"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == "ResNet-50 keeps 5.5 GB at batch 64, 54× its 102 MB of weights."


def test_one_picture_does_not() -> None:
    told = verdict("kept", counted(), a_run("kept", batch=1))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.measured == PER_IMAGE


def test_an_allocator_that_agrees_confirms_the_count() -> None:
    real = curve("allocated", (1, 2, 4), lambda n: n * PER_IMAGE * 1.08)

    told = verdict("kept", counted() + real, a_run("kept", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert "allocator's figure at batch 4 is +8 %" in told.because


def test_an_allocator_that_disagrees_leaves_it_open() -> None:
    real = curve("allocated", (1, 2, 4), lambda n: n * PER_IMAGE * 1.4)

    assert verdict("kept", counted() + real, a_run("kept", "cuda")).outcome is Outcome.TOO_NOISY


def test_a_run_that_never_reached_the_batch_says_nothing() -> None:
    early = [p for p in counted() if p.x < 64]

    assert verdict("kept", early, a_run("kept")).outcome is Outcome.TOO_NOISY
