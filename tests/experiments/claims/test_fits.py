from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.fits import JOBS
from tests.experiments.claims.builders import a_run, verdict

USUAL = (2.6e9, 0.9e9, 3.2e9, 4.6e9, 5.2e9, 121e9, 23e9, 13.3e9)


def counted(*needed: float) -> list[Point]:
    return [Point("needed", i, n, basis=Basis.COUNTED) for i, n in enumerate(needed)]


def test_most_vision_nets_and_adapters_fit_their_cards() -> None:
    told = verdict("fits", counted(*USUAL), a_run("fits"))

    assert (told.outcome, told.measured) == (Outcome.HOLDS, 23e9)
    assert told.because == (
        "5 of 5 vision nets fit 8 GB at batch 32. 7B takes 121 GB whole, 23 GB with LoRA, 13.3 GB on 4 bits."
    )


def test_a_large_batch_fits_no_small_card() -> None:
    told = verdict("fits", counted(40e9, 11e9, 44e9, 40e9, 62e9, *USUAL[5:]), a_run("fits", batch=512))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.because.startswith("0 of 5")


def test_a_long_text_does_not_fit_even_with_adapters() -> None:
    told = verdict("fits", counted(*USUAL[:5], 162e9, 51e9, 42e9), a_run("fits", tokens=8192))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_a_count_that_did_not_finish_says_nothing() -> None:
    assert verdict("fits", counted(*USUAL[:-1]), a_run("fits")).outcome is Outcome.TOO_NOISY


def test_every_bar_has_its_name() -> None:
    assert len(JOBS) == len(USUAL)
