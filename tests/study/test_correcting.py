"""Corrections: kept with the run that contradicts the card, listed, exported, merged, taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from studyapp.core.errors import UsageError
from studyapp.experiments import protocol
from studyapp.study.correcting import LONGEST, as_markdown, contradicting_run, correct, withdraw
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial
from studyapp.study.merging import sync_in, sync_out
from tests.experiments.claims.builders import RECORDINGS, recorded
from tests.study.machine import machines


@pytest.fixture
def desk(desk_of: Callable[..., Desk]) -> Desk:
    return desk_of()


def run(desk: Desk, recording: str) -> str:
    found = recorded(next(path for path in RECORDINGS if path.stem == recording))
    trial = Trial(desk, found.experiment.id)
    trial.fold(protocol.Started(device="cpu", threads=1, cores=2))
    for point in found.points:
        trial.fold(protocol.PointMessage(point=point))
    facts = found.facts
    more = {"device": facts.device, "threads": 1, "cores": 2, "more": dict(facts.more)}
    trial.fold(protocol.Done(took_s=1.0, facts=more))
    assert trial.run_uid is not None
    return trial.run_uid


def test_a_correction_carries_the_run_of_its_card_that_was_judged(desk: Desk) -> None:
    evidence = run(desk, "small-net-calm")

    uid = correct(desk, "demo/a0", "It is **not** a0.")

    (kept,) = desk.store.corrections()
    assert (kept.uid, kept.card, kept.run, kept.text) == (uid, "demo/a0", evidence, "It is **not** a0.")
    assert kept.prompt == "What is a0?"
    page = as_markdown(desk)
    assert page.startswith("# 1 correction\n")
    assert "> What is a0?\n>\n> It is a0." in page
    assert "Measured with `small-net`" in page
    assert "torch 2.13" in page
    assert "| measured |" in page


def test_without_a_run_it_says_nothing_of_one(desk: Desk) -> None:
    card = desk.store.card("demo/a0")
    assert card is not None
    assert contradicting_run(desk, card) is None

    correct(desk, "demo/a0", "No.")

    assert "Measured" not in as_markdown(desk)


@pytest.mark.parametrize(
    ("card", "text", "words"),
    [
        ("nope", "x", "no card 'nope'"),
        ("demo/a0", " \n ", "Nothing was written"),
        ("demo/a0", "x" * (LONGEST + 1), "at most"),
    ],
)
def test_what_cannot_be_a_correction_is_refused_and_nothing_is_stored(
    desk: Desk, card: str, text: str, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        correct(desk, card, text)
    assert desk.store.corrections() == []


def test_one_is_taken_back_by_the_beginning_of_its_id_and_only_if_that_names_one(desk: Desk) -> None:
    first, second = correct(desk, "demo/a0", "One."), correct(desk, "demo/a1", "Two.")
    with pytest.raises(UsageError, match="2 corrections"):
        withdraw(desk, "")

    assert withdraw(desk, first[:12]).text == "One."

    assert [kept.uid for kept in desk.store.corrections()] == [second]
    with pytest.raises(UsageError, match="no correction"):
        withdraw(desk, first)


def test_corrections_and_their_withdrawal_travel_to_the_other_machine(tmp_path: Any) -> None:
    folder = str(tmp_path / "shared")
    (tmp_path / "shared").mkdir()
    with machines(2) as (here, there):
        for machine in (here, there):
            machine.has("a")
        correct(here.desk, "gpu/a", "Wrong.")
        sync_out(here.desk, folder)
        sync_in(there.desk, folder, limit_s=60)
        (kept,) = there.desk.store.corrections()
        assert kept.text == "Wrong."
        withdraw(there.desk, kept.uid)
        sync_out(there.desk, folder)
        sync_in(here.desk, folder, limit_s=60)

        assert here.desk.store.corrections() == []
