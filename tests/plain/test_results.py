from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from studyapp.core.points import Point
from studyapp.core.predictions import Sure
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.protocol import Done, Failed, PointMessage, Started
from studyapp.plain.results import verdict_lines, words_of
from studyapp.settings import load
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial
from studyapp.study.opening import open_desk_from


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    with open_desk_from(load({"data_dir": str(home / "data"), "now": "2026-03-01T09:30"})) as opened:
        yield opened


def finished(trial: Trial) -> Trial:
    trial.started_at_ms = trial.desk.clock().at_ms
    trial.fold(Started(experiment=trial.experiment.id))
    for x in (1.0, 2.0, 4.0):
        trial.fold(PointMessage(point=Point("kept", x, 1e8 * x)))
    trial.fold(Done(facts={"device": "cpu", "threads": 1}))
    return trial


def test_the_sentences_hold_verdict_prediction_and_table(desk: Desk) -> None:
    trial = Trial(desk, "kept")
    trial.predict(3e8, Sure.FAIRLY)
    finished(trial)
    assert trial.verdict is not None
    trial.verdict = replace(trial.verdict, outcome=Outcome.HOLDS, measured=4e8, unit="B")

    lines = words_of(trial)

    assert "Measured: 400 MB. You said 300 MB." in lines
    assert trial.verdict.because in " ".join(lines)
    assert lines[-1] == "pictures in a batch 4: kept 400 MB."


def test_never_is_a_measured_answer_too(desk: Desk) -> None:
    trial = finished(Trial(desk, "core-race"))
    trial.verdict = Verdict(Outcome.DOES_NOT_HOLD, "They never cross.", never=True)

    assert verdict_lines(trial)[0] == "Measured: never."


def test_a_reckoned_number_is_named_so(desk: Desk) -> None:
    trial = finished(Trial(desk, "kept"))
    assumed = Point("kept", 1.0, 1.0, basis=trial.points[0].basis.__class__("assumed"))
    trial.verdict = Verdict(Outcome.CANNOT_TEST, "On paper.", measured=2.0, unit="B", decided_by=(assumed,))

    assert verdict_lines(trial)[0] == "Reckoned: 2 B."


def test_a_failure_gives_its_reason_and_an_advice(desk: Desk) -> None:
    trial = Trial(desk, "kept")
    trial.facts = Facts()
    trial.fold(Failed(failure="no_torch", why="this python has no torch"))

    lines = words_of(trial)

    assert "this python has no torch" in lines
    assert lines[-1].startswith("Install it")


def test_ascii_words_are_ascii(desk: Desk) -> None:
    trial = Trial(desk, "core-race")
    trial.predict(8, Sure.GUESS)

    assert all(line.isascii() for line in words_of(finished(trial), ascii=True))
