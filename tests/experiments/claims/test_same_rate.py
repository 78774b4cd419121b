from __future__ import annotations

import math

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.same_rate import DEVICES
from tests.experiments.claims.builders import a_run, curve, verdict


def runs(same: float, linear: float, spread: float = 0.01) -> list[Point]:
    """Losses that grow from 0.5 on one device by so much per doubling."""
    points = curve("same", DEVICES, lambda n: 0.5 + same * math.log2(n), spread=spread)
    return points + curve("linear", DEVICES, lambda n: 0.5 + linear * math.log2(n), spread=spread)


def test_a_lower_loss_with_the_multiplied_rate_lets_the_claim_hold() -> None:
    told = verdict("same-rate", runs(same=0.2, linear=0.0), a_run("same-rate", base="timid"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 32
    assert "On 8 devices: loss 1.100 at the same rate, 0.500 at 8 times" in told.because


def test_a_higher_loss_contradicts_it_and_says_how_far_the_rule_carried() -> None:
    told = verdict("same-rate", runs(same=0.0, linear=0.02), a_run("same-rate", optimizer="adam"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert told.measured == 4


def test_rates_that_do_as_well_as_each_other_are_a_tie() -> None:
    assert verdict("same-rate", runs(0.02, 0.021), a_run("same-rate")).outcome is Outcome.TOO_NOISY


def test_a_busy_machine_does_not_spoil_losses() -> None:
    told = verdict("same-rate", runs(same=0.2, linear=0.0), a_run("same-rate", busy=True))

    assert told.outcome is Outcome.HOLDS


def test_a_run_cut_before_eight_devices_says_nothing() -> None:
    few = [point for point in runs(0.2, 0.0) if point.x < 8]

    assert verdict("same-rate", few, a_run("same-rate")).outcome is Outcome.TOO_NOISY
