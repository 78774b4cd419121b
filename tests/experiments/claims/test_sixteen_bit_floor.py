from __future__ import annotations

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments import catalog
from studyapp.experiments.claims.sixteen_bit_floor import FORMATS
from tests.experiments.claims.builders import a_run, verdict


def formats(*zero: float) -> list[Point]:
    """Return what the two formats hold, given below which number each is zero."""
    found = []
    for index, floor in enumerate(zero):
        ends = {"zero": floor, "smallest": 2 * floor, "largest": 65504.0, "step": 0.001}
        found += [Point(lane, index, y, basis=Basis.COUNTED) for lane, y in ends.items()]
    return found


def test_a_floor_at_half_of_the_lessons_number_lets_the_claim_hold() -> None:
    told = verdict("sixteen-bit-floor", formats(2.98e-8, 4.6e-41), a_run("sixteen-bit-floor"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == told.low == told.high == 2.98e-8
    assert told.because.startswith(
        "float16 is zero below 3.0e-08; its smallest number is 6.0e-08, its largest 65,504"
    )


def test_bfloat16_has_no_such_floor() -> None:
    told = verdict("sixteen-bit-floor", formats(2.98e-8, 4.6e-41), a_run("sixteen-bit-floor", format="bfloat16"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


@pytest.mark.parametrize(("floor", "outcome"), [(1e-7, Outcome.HOLDS), (2e-8, Outcome.DOES_NOT_HOLD)])
def test_about_means_within_a_factor_of_two(floor: float, outcome: Outcome) -> None:
    assert verdict("sixteen-bit-floor", formats(floor), a_run("sixteen-bit-floor")).outcome is outcome


def test_a_format_that_was_not_reached_is_too_little_to_say() -> None:
    told = verdict("sixteen-bit-floor", formats(2.98e-8), a_run("sixteen-bit-floor", format="bfloat16"))

    assert told.outcome is Outcome.TOO_NOISY


def test_the_ablation_gives_the_bits_to_the_exponent() -> None:
    assert catalog.experiment("sixteen-bit-floor").ablation_controls == {"format": FORMATS[1]}
