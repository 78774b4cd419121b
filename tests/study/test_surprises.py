from __future__ import annotations

from collections.abc import Callable

import pytest

from studyapp.core.predictions import Sure
from studyapp.experiments import protocol
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial
from studyapp.study.surprises import Surprises, sure_and_wrong
from tests.experiments.claims.builders import RECORDINGS, recorded

KEPT = recorded(next(path for path in RECORDINGS if path.stem == "kept-calm"))


def tried(desk: Desk, said: float, sure: Sure, state: str = "done") -> Trial:
    """Return a trial of `kept` that measured 5.5 GB."""
    trial = Trial(desk, "kept")
    trial.predict(said, sure, device="cpu")
    trial.fold(protocol.Started(device="cpu", threads=1, cores=2))
    for point in KEPT.points:
        trial.fold(protocol.PointMessage(point=point))
    last = protocol.Done(took_s=1.0, facts={"device": "cpu"}) if state == "done" else protocol.Cancelled()
    trial.fold(last)
    return trial


@pytest.mark.parametrize(
    ("said", "sure", "comes_back"),
    [
        (1e9, Sure.CERTAIN, True),
        (5e9, Sure.CERTAIN, False),  # within a quarter: certain, and right
        (1e9, Sure.FAIRLY, False),
        (1e6, Sure.GUESS, False),
    ],
)
def test_only_a_number_said_for_certain_and_wrong_comes_back(
    desk_of: Callable[..., Desk], said: float, sure: Sure, comes_back: bool
) -> None:
    trial = tried(desk_of(), said, sure)

    assert trial.score is not None
    assert sure_and_wrong(trial) is comes_back


def test_it_comes_back_once_in_a_sitting(desk_of: Callable[..., Desk]) -> None:
    desk, met = desk_of(), Surprises()

    assert met.to_meet_again(tried(desk, 1e9, Sure.CERTAIN))
    assert not met.to_meet_again(tried(desk, 2e9, Sure.CERTAIN))


def test_a_run_that_was_broken_off_says_nothing_about_the_number(desk_of: Callable[..., Desk]) -> None:
    assert not sure_and_wrong(tried(desk_of(), 1e9, Sure.CERTAIN, "cancelled"))
