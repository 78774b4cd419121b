from __future__ import annotations

import json
import subprocess
import sys

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claim import Timing
from studyapp.experiments.claims.two_card import PIECES, idle_share
from tests.conftest import ROOT
from tests.experiments.claims.builders import a_run, curve, verdict

PAPER = curve("paper", PIECES, lambda m: 100 / (m + 1), basis=Basis.ASSUMED)


def idle(whole: float, best: float, spread: float = 0.02) -> list[Point]:
    return PAPER + curve("idle", PIECES, lambda m: whole if m == 1 else best + m / 16, spread=spread)


def test_half_idle_at_first_and_less_with_pieces_lets_the_claim_hold() -> None:
    told = verdict("two-card", idle(50, 20), a_run("two-card", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 50


def test_pieces_that_gain_nothing_contradict_it() -> None:
    assert verdict("two-card", idle(50, 60), a_run("two-card", "cuda", width=64)).outcome is Outcome.DOES_NOT_HOLD


def test_cards_far_from_half_idle_contradict_it() -> None:
    assert verdict("two-card", idle(80, 20), a_run("two-card", "cuda")).outcome is Outcome.DOES_NOT_HOLD


def test_a_gain_within_the_noise_is_too_noisy() -> None:
    assert verdict("two-card", idle(50, 45, 0.2), a_run("two-card", "cuda")).outcome is Outcome.TOO_NOISY


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_without_two_cards_paper_is_shown_and_decides_nothing(device: str) -> None:
    told = verdict("two-card", PAPER, a_run("two-card", device))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.because.startswith("This takes two accelerators. On paper two cards stand idle 50 %")


def test_two_cards_that_take_as_long_as_one_were_half_idle() -> None:
    alone = Timing(1.0, 1.0, 0.9, 1.1, 9, True)

    assert idle_share(1, alone, alone).y == 50
    assert idle_share(4, alone, Timing(0.5, 0.5, 0.5, 0.5, 9, False)).y == 0
    assert not idle_share(4, alone, Timing(0.5, 0.5, 0.5, 0.5, 9, False)).settled


# A CPU that claims to be two cards: what it measures is worthless, that every lane is measured is not.
PRETEND = """
import json, warnings
warnings.simplefilter("ignore")
import torch
from studyapp.core.points import Point
from studyapp.experiments import catalog
from studyapp.experiments.claim import Timing
from studyapp.experiments.worker.lab import RealLab
torch.accelerator.synchronize = lambda *given: None
class Pretend(RealLab):
    def rounds(self, works, *, prepare=None, **settings):
        for key, work in works.items():
            if prepare: prepare(key)
            work()
            yield key, Timing(1.0, 1.0, 1.0, 1.0, 1, True)
    cards = 2
    def ranks(self, work, count, **given):
        yield Point("ddp", count, 0.5, 0.5, 0.5)
found = {}
for name, given in {"two-card": {"width": 64}, "dp-or-ddp": {"net": "two-layer"}}.items():
    experiment = catalog.experiment(name)
    lab = Pretend(torch, torch.device("cpu"), cores=2)
    lab.accelerated = True
    points = list(experiment.measure(lab, **experiment.parse_controls(given)))
    found[name] = {p.series: p.y for p in points}
print(json.dumps(found))
"""


@pytest.mark.torch
def test_two_cards_get_their_own_lanes() -> None:
    done = subprocess.run([sys.executable, "-c", PRETEND], cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["two-card"]["idle"] == 50.0
    assert found["dp-or-ddp"]["time"] == 2.0
