from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from tests.experiments.claims.builders import a_run, curve, verdict


def counted(batch: int = 32, maps: float = 1.12) -> list[Point]:
    rows = sorted({1, batch})
    points = curve("weights", rows, lambda n: 438e6, spread=0, basis=Basis.COUNTED)
    points += curve("fused", rows, lambda n: n * 76e6, spread=0, basis=Basis.COUNTED)
    return points + curve("maps", rows, lambda n: n * 76e6 * maps, spread=0, basis=Basis.COUNTED)


def test_a_batch_keeps_several_times_the_weights() -> None:
    told = verdict("bert-kept", counted(), a_run("bert-kept"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == (
        "BERT-base keeps 2.43 GB at batch 32, 5.6× its 438 MB of weights; attention maps cost 1.1× the fused way."
    )


def test_a_single_sentence_does_not() -> None:
    assert verdict("bert-kept", counted(1), a_run("bert-kept", batch=1)).outcome is Outcome.DOES_NOT_HOLD


def test_an_allocator_between_both_ways_confirms_the_count() -> None:
    told = verdict("bert-kept", [*counted(maps=1.5), Point("allocated", 32, 3.2e9)], a_run("bert-kept", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert told.because.endswith("Allocator +32 %.")


def test_an_allocator_beyond_both_ways_leaves_it_open() -> None:
    told = verdict("bert-kept", [*counted(), Point("allocated", 32, 4e9)], a_run("bert-kept", "cuda"))

    assert told.outcome is Outcome.TOO_NOISY
