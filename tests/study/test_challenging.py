"""A challenge: written from real runs, judged anew where it is opened, and harmless whatever the file says."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from studyapp.core.errors import UsageError
from studyapp.core.predictions import Prediction, Sure
from studyapp.core.verdicts import Outcome
from studyapp.experiments import protocol
from studyapp.plain.challenge import play
from studyapp.plain.talk import Talk
from studyapp.store.challenges import put_challenge
from studyapp.study.challenge_files import LARGEST_BYTES, MOST_POINTS, MOST_TRIALS, ChallengeError, read, write
from studyapp.study.challenging import Challenge, answered, keep, tally
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial
from studyapp.study.exporting import everything
from studyapp.study.merging import sync_in, sync_out
from studyapp.study.taking_in import take_in
from tests.experiments.claims.builders import RECORDINGS, recorded
from tests.study.machine import Machine, machines


@pytest.fixture
def desk(desk_of: Callable[..., Desk]) -> Desk:
    return desk_of()


def run(desk: Desk, recording: str, said: float | None = None) -> Trial:
    found = recorded(next(path for path in RECORDINGS if path.stem == recording))
    trial = Trial(desk, found.experiment.id)
    if said is not None:
        trial.predict(said, Sure.CERTAIN, device="cpu")
    trial.fold(protocol.Started(device="cpu", device_name="AMD EPYC", threads=1, cores=2))
    for point in found.points:
        trial.fold(protocol.PointMessage(point=point))
    facts = {"device": "cpu", "device_name": "AMD EPYC", "threads": 1, "cores": 2, "more": {"torch": "2.13.0"}}
    trial.fold(protocol.Done(took_s=1.0, facts=facts))
    return trial


@pytest.fixture
def written(desk: Desk, tmp_path: Path) -> Path:
    run(desk, "kept-calm", said=3e9)
    run(desk, "master-weights-calm")
    path = tmp_path / "challenge.json"
    assert write(desk, path, "Ada") == 2
    return path


def changed(path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


def by_id(challenge: Challenge) -> dict[str, Any]:
    return {riddle.experiment.id: riddle for riddle in challenge.riddles}


def test_a_friend_gets_the_questions_the_machine_and_what_was_predicted(written: Path) -> None:
    found = read(written)

    assert (found.sender, found.machine) == ("Ada", "AMD EPYC, 2 cores, torch 2.13.0")
    kept = by_id(found)["kept"]
    assert kept.controls == {"batch": 64, "side": 224}
    assert kept.verdict.outcome is Outcome.HOLDS
    assert kept.verdict.measured == pytest.approx(5.5e9, rel=0.01)
    assert kept.theirs.value == 3e9
    assert by_id(found)["master-weights"].theirs is None


def test_the_file_says_nothing_of_the_machine_but_its_kind(written: Path) -> None:
    text = written.read_text()

    assert "because" not in text  # the verdict is computed where it is opened
    assert 'more": {}' in text
    assert "/home" not in text


def test_the_verdict_comes_from_the_points_so_a_file_cannot_claim_one(written: Path) -> None:
    def halve(data: dict[str, Any]) -> None:
        for point in data["trials"][0]["points"] + data["trials"][1]["points"]:
            if point["series"] == "kept" and point["y"]:
                point["y"] /= 100

    found = by_id(read(changed(written, halve)))

    assert found["kept"].verdict.outcome is Outcome.DOES_NOT_HOLD


def test_who_was_closer_is_counted_over_what_both_predicted(written: Path) -> None:
    found = read(written)

    assert tally(found, {"kept": Prediction(5e9)}).sentence == "You knew it better: closer in 1 of 1."
    assert tally(found, {"kept": Prediction(1e9)}).they == 1
    assert tally(found, {"kept": Prediction(3e9)}).sentence.startswith("Nobody knew it better")
    assert "Nothing to compare" in tally(found, {"master-weights": Prediction(2.0)}).sentence


def test_a_number_is_predicted_once_and_kept_when_the_reader_leaves(desk: Desk, written: Path) -> None:
    found = read(written)
    first = found.riddles[0].experiment.id
    out = io.StringIO()

    play(desk, Talk(io.StringIO("4e9\n3\nq\n"), out), found)

    assert answered(desk, found) == {first: Prediction(4e9, Sure.CERTAIN)}
    again = io.StringIO()
    play(desk, Talk(io.StringIO("2\n\n"), again), found)
    assert again.getvalue().count("Your number is stored.") == 1
    assert set(answered(desk, found)) == {riddle.experiment.id for riddle in found.riddles}


def test_nothing_measured_yet_and_a_file_in_the_way_are_sentences(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Nothing was measured"):
        write(desk, tmp_path / "a.json", "Ada")
    run(desk, "kept-calm")
    (tmp_path / "b.json").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        write(desk, tmp_path / "b.json", "Ada")
    assert (tmp_path / "b.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "is no challenge"),
        (b'{"studyapp_challenge": 2}', "format 2"),
        (b'{"studyapp_challenge": 1}', "no list of trials"),
        (b'{"studyapp_challenge": 1, "trials": [1, null, {}]}', "holds nothing"),
        (b'{"studyapp_challenge": 1, "trials": [{"experiment": "rm -rf"}]}', "no experiment"),
        (b" " * (LARGEST_BYTES + 1), "too long"),
    ],
)
def test_a_broken_or_hostile_file_is_one_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)

    with pytest.raises(ChallengeError, match=words):
        read(path)


def test_a_pipe_or_device_that_may_never_end_is_no_challenge(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ChallengeError, match="is no file"):
            read(path)


def test_what_cannot_be_used_is_left_out_by_name_and_the_rest_is_played(desk: Desk, written: Path) -> None:
    def spoil(data: dict[str, Any]) -> None:
        good = next(t for t in data["trials"] if t["experiment"] == "kept")
        data["from"] = "Eve\x1b[2J\u202e\n" + "x" * 500
        data["trials"] = [
            good,
            {**good, "points": good["points"] * (MOST_POINTS // len(good["points"]) + 1)},
            {**good, "points": [{"series": "kept"}]},
            {**good, "controls": {"batch": 10**30}},
            {**good, "points": [{**p, "basis": "assumed"} for p in good["points"]]},
            {**good, "points": [{**p, "y": "1e400"} for p in good["points"]]},
            *[good] * MOST_TRIALS,
        ]

    found = read(changed(written, spoil))

    assert {riddle.experiment.id for riddle in found.riddles} == {"kept"}
    assert len(found.riddles) <= MOST_TRIALS
    words = " ".join(found.left_out)
    for reason in ("500 at most", "not a point", "batch must be", "none of its points was measured", "are used"):
        assert reason in words, reason
    assert "\x1b" not in found.sender
    assert "\u202e" not in found.sender
    assert len(found.sender) <= 120
    keep(desk, found, {"kept": Prediction(None)})
    assert answered(desk, found)["kept"].value is None


def test_predictions_for_a_challenge_meet_in_a_merge_and_of_each_the_earlier_stays(written: Path) -> None:
    found = read(written)
    with machines(3) as (here, there, third):
        keep(here.desk, found, {"kept": Prediction(1e9)})
        there.now += timedelta(hours=1)
        keep(there.desk, found, {"kept": Prediction(5.0), "master-weights": Prediction(2.0)})
        third.now += timedelta(hours=2)
        keep(third.desk, found, {"master-weights": Prediction(7.0)})

        third.merge(there)
        third.merge(here)
        here.merge(third)
        there.merge(third)

        for machine in (here, there, third):
            told = answered(machine.desk, found)
            assert {name: p.value for name, p in told.items()} == {"kept": 1e9, "master-weights": 2.0}
        assert not here.merge(there).anything
        assert not third.merge(here).anything


def test_answers_to_a_challenge_go_through_a_folder_both_ways_and_then_it_is_quiet(
    written: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    found = read(written)
    with machines(2) as (here, there):
        for machine, name in ((here, "kept"), (there, "master-weights")):
            keep(machine.desk, found, {name: Prediction(3.0)})
        for _ in range(3):  # the last round carries back what was combined
            for machine in (here, there):
                sync_in(machine.desk, str(folder), limit_s=60)
                sync_out(machine.desk, str(folder))

        assert all(set(answered(m.desk, found)) == {"kept", "master-weights"} for m in (here, there))
        assert [sync_out(machine.desk, str(folder)) for machine in (here, there)] == [0, 0]


def test_a_challenge_is_in_the_export_and_comes_back_once(written: Path, tmp_path: Path) -> None:
    found, path = read(written), tmp_path / "all.json"
    with machines(2) as (here, there):
        keep(here.desk, found, {"kept": Prediction(1e9)})
        path.write_text(json.dumps(everything(here.desk, [])))

        for _ in range(2):
            take_in(there.desk, path, tmp_path / "lessons")

        assert answered(there.desk, found) == {"kept": Prediction(1e9)}
        assert not there.merge(here).anything


@pytest.mark.parametrize("answers", ["[]", "{", '{"kept": 3}', '{"kept": {"value": "x", "at_ms": "y"}}'])
def test_answers_that_cannot_be_read_harm_nobody(written: Path, answers: str) -> None:
    found = read(written)
    with machines(2) as (here, there):
        put_row(there, (found.uid, "Eve", 5, "{}", answers))

        here.merge(there)
        keep(here.desk, found, {"master-weights": Prediction(2.0)})

        assert answered(here.desk, found) == {"master-weights": Prediction(2.0)}


def put_row(machine: Machine, row: tuple[str, str, int, str, str]) -> None:
    with machine.desk.store.write() as connection:
        put_challenge(connection, row)
