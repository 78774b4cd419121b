from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from tests.experiments.claims.builders import a_run, curve, verdict

FIXED, PER_IMAGE, CASTS = 409e6, 85.9e6, 51e6


def counted(kept_share: float = 0.5, batches: tuple[int, ...] = (1, 8, 64)) -> list[Point]:
    exact = {"spread": 0, "basis": Basis.COUNTED}
    return (
        curve("fixed", batches, lambda n: FIXED, **exact)  # type: ignore[arg-type]
        + curve("float32", batches, lambda n: FIXED + n * PER_IMAGE, **exact)  # type: ignore[arg-type]
        + curve("half", batches, lambda n: FIXED + CASTS + kept_share * n * PER_IMAGE, **exact)  # type: ignore[arg-type]
    )


def test_at_batch_64_the_job_takes_about_half() -> None:
    told = verdict("half-memory", counted(), a_run("half-memory"))

    assert told.outcome is Outcome.HOLDS
    assert told.because == (
        "At batch 64 the job takes 3.21 GB for 5.91 GB, 54 %; what is kept goes to 51 %, 409 MB stay."
    )


def test_one_picture_saves_nothing() -> None:
    told = verdict("half-memory", counted(), a_run("half-memory", batch=1))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert (told.measured or 0) > 100  # the 16-bit casts of the weights are kept as well


def test_real_peaks_decide_before_the_count() -> None:
    peaks = [Point("peak", 64, 6e9), Point("half peak", 64, 4.5e9)]

    told = verdict("half-memory", counted() + peaks, a_run("half-memory", "cuda"))

    assert (told.outcome, told.measured) == (Outcome.DOES_NOT_HOLD, 75.0)


def test_a_single_peak_leaves_it_to_the_count() -> None:
    told = verdict("half-memory", [*counted(), Point("peak", 64, 6e9)], a_run("half-memory", "cuda"))

    assert told.outcome is Outcome.HOLDS


def test_a_run_that_never_reached_the_batch_says_nothing() -> None:
    told = verdict("half-memory", counted(batches=(1, 8)), a_run("half-memory"))

    assert told.outcome is Outcome.TOO_NOISY
