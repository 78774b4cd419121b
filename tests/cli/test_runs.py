"""`runs` and `run --break`: what is stored is listed, compared, mapped, and searched for a flip."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Studyapp

SUITE = ROOT / "tests" / "cli" / "suite_worker.py"


@pytest.fixture(autouse=True)
def worker(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that crashes at one experiment and counts two bytes at all others."""
    command = [sys.executable, str(SUITE), "bert-kept=crash"]
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join(command))


def test_runs_are_listed_compared_and_mapped_from_the_same_record(studyapp: Studyapp) -> None:
    assert "has no run with a verdict yet" in studyapp("runs", "kept").out
    studyapp("run", "kept", "--json", now="2026-02-27T09:30")
    studyapp("run", "kept", "--set", "batch=32", "--json")

    listed = studyapp("runs", "kept", "--json").data["runs"]
    lines = studyapp("runs", "kept").out
    compared = studyapp("runs", "kept", "--compare", "2", "1", "--json").data
    plain = studyapp("runs", "kept", "--compare", listed[1]["run"][:8], "1", "--plain").out
    mapped = studyapp("runs", "kept", "--map", "batch", "side", "--json").data
    drawn = studyapp("runs", "kept", "--map", "batch", "side").out
    told = studyapp("runs", "kept", "--map", "batch", "side", "--plain").out

    assert [run["controls"]["batch"] for run in listed] == [32, 64]
    assert listed[0]["points"][0]["basis"] == "counted"
    assert "27 Feb" in lines
    assert "batch 64, side 224" in lines
    assert compared["before"]["number"] == 2
    assert compared["ratios"] == [{"series": "kept", "x": 1.0, "ratio": 1.0}]
    assert compared["sentence"] in plain
    assert compared["sentence"].startswith("The same as batch 64 at 1 pictures in a batch")
    assert [(cell["x"], cell["y"]) for cell in mapped["cells"]] == [(32, 224), (64, 224)]
    assert mapped["sentence"] in drawn
    assert "●" in drawn
    assert "224" in told
    assert "●" not in told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runs", "nothing"], "There is no experiment 'nothing'."),
        (["runs", "kept", "--compare", "1", "2"], "no run with a verdict yet"),
        (["runs", "kept", "--map", "batch", "tall"], "no control 'tall'"),
        (["runs", "kept", "--map", "batch", "side", "--compare", "1", "2"], "two pictures"),
        (["run", "kept", "--break", "tall"], "no control 'tall'; it has: batch, side"),
        (["run", "kept", "--break", "batch", "--why"], "many runs"),
        (["run", "kept", "--budget", "5"], "the time of a search"),
        (["run", "--all", "--break", "batch"], "its own controls"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_run(
    studyapp: Studyapp, words: list[str], message: str
) -> None:
    result = studyapp(*words)

    assert result.code == 2
    assert message in result.err


def test_break_keeps_every_run_and_says_where_it_ended(studyapp: Studyapp) -> None:
    data = studyapp("run", "kept", "--break", "batch", "--json").data
    runs = studyapp("runs", "kept", "--json").data["runs"]

    assert data["control"] == "batch"
    assert data["ended"] == "unclear"  # a single point decides nothing
    assert {one["run"] for one in data["tried"]} == {run["run"] for run in runs}
    assert f"({len(runs)} runs)" in data["sentence"]


def test_a_search_that_crashes_says_why_and_exits_with_4(studyapp: Studyapp) -> None:
    result = studyapp("run", "bert-kept", "--break", "batch", "--json")

    assert result.code == 4
    assert "ValueError: on purpose" in result.error["message"]


def test_the_lab_in_lines_has_sections_and_what_was_found(studyapp: Studyapp) -> None:
    studyapp("run", "kept", "--predict", "3e9", "--json")

    lines = studyapp("lab", "--plain").out.split("\n")

    kept = next(line for line in lines if line.startswith("kept: "))
    assert kept.startswith("kept: too noisy or too little to say, today on cpu. You said 3 GB. At batch 64")
    assert "What fills the memory:" in lines
