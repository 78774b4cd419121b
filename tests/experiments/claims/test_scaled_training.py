from __future__ import annotations

import subprocess
import sys

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from tests.conftest import ROOT
from tests.experiments.claims.builders import a_run, verdict

CALM = (0.1, -0.5, 0.3, 0.2, -0.4)


def pairs(lost: tuple[float, ...], basis: Basis = Basis.MEASURED) -> list[Point]:
    """Return the points of accuracy each seed's float16 net lost, and bfloat16 nets that lost a tenth."""
    found = [Point("float16", seed, y, basis=basis) for seed, y in enumerate(lost)]
    return found + [Point("bfloat16", seed, 0.1, basis=basis) for seed in range(len(lost))]


def test_differences_around_nothing_let_the_claim_hold() -> None:
    told = verdict("scaled-training", pairs(CALM), a_run("scaled-training", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == pytest.approx(0.3)
    assert (told.low, told.high) == (0.1, 0.5)
    assert told.because == "Points lost: float16 with scaler -0.1 ± 0.3, bfloat16 0.1."


def test_a_net_that_stops_learning_without_its_scaler_contradicts_the_claim() -> None:
    facts = a_run("scaled-training", "cuda", activation="sigmoid", scaler="off")

    told = verdict("scaled-training", pairs((60, 40, 80, 70, 75)), facts)

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert "without scaler" in told.because


@pytest.mark.parametrize("lost", [(8, -6, 4, -3, 2), (1.5, 2.5, 1.9, 2.2, 2.6)])
def test_seeds_that_differ_by_more_than_the_margin_are_too_noisy_to_say(lost: tuple[float, ...]) -> None:
    assert verdict("scaled-training", pairs(lost), a_run("scaled-training", "cuda")).outcome is Outcome.TOO_NOISY


def test_float16_emulated_by_rounding_is_a_stand_in_and_cannot_test_it() -> None:
    told = verdict("scaled-training", pairs(CALM, Basis.SIMULATED), a_run("scaled-training"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.because.startswith("Mechanism shown on a stand-in")


def test_four_seeds_are_too_few() -> None:
    assert (
        verdict("scaled-training", pairs(CALM[:4]), a_run("scaled-training", "cuda")).outcome is Outcome.TOO_NOISY
    )


REALLY = """
import torch
from studyapp.experiments.claims.scaled_training import Trained
from studyapp.experiments.worker.lab import RealLab
lab = RealLab(torch, torch.device("cpu"))
for real in (True, False):
    net = Trained(lab, "relu", "bfloat16", real, scaled=False)
    for step in range(100):
        net.step(step)
    print(*net.accuracies())
"""


@pytest.mark.torch
def test_computing_in_sixteen_bits_and_rounding_through_them_train_alike() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", REALLY], cwd=ROOT, capture_output=True, text=True, timeout=60
    )

    computed, rounded = ([float(word) for word in line.split()] for line in done.stdout.splitlines())
    assert computed != rounded
    assert all(abs(a - b) < 5 for a, b in zip(computed, rounded, strict=True))
    assert min(computed) > 50  # of ten classes
