from __future__ import annotations

import math
import shlex
import sys
from pathlib import Path

import pytest

from studyapp.plain.trial import read_number
from tests.cli.conftest import ROOT, Studyapp
from tests.plain.conftest import Speak

LESSON = """---
id: trials
title: Trials
---

# Trials

## One <!-- id: one -->

> **Say it first:** Which of the two? <!-- id: which -->
>
> The second.
>
> **Try:** [how much is kept](experiment:kept) and [a GPU on paper](experiment:paper-race)
"""


@pytest.fixture(autouse=True)
def _two_experiments(speak: Speak, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "trials.md"
    path.write_text(LESSON, encoding="utf-8")
    monkeypatch.setenv("STUDYAPP_LESSONS", str(path))
    monkeypatch.setenv("STUDYAPP_RELEASE", "all")


def test_one_of_several_experiments_is_chosen_by_number(speak: Speak) -> None:
    result = speak(["x", "3", "2", "8", "", "q"], "review", "trials")

    assert "Experiment 1: how much is kept." in result.out
    assert "Type a number from 1 to 2." in result.out
    assert "Experiment paper-race." in result.out


def test_never_is_an_answer_where_it_can_be(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["x", "2", "never", "3", "q"], "review", "trials")

    assert "Your number in rows, or never?" in result.out
    assert "The result is stored." in result.out
    assert studyapp("stats", "--json").data["predictions"]["made"] == 1


def test_never_is_no_answer_elsewhere(speak: Speak) -> None:
    assert "Type a plain number" in speak(["x", "1", "never", "q"], "review", "trials").out


@pytest.mark.parametrize("said", [["q"], ["1", "q"], ["1", "3e9", "q"]])
def test_leaving_before_the_run_goes_back_to_the_card_and_stores_no_prediction(
    speak: Speak, studyapp: Studyapp, said: list[str]
) -> None:
    out = speak(["x", *said, "", "4", "q"], "review", "trials").out

    assert "Back; nothing was run.\nSay the answer aloud" in out
    assert "Stored: easy." in out
    assert studyapp("stats", "--json").data["predictions"]["made"] == 0


@pytest.mark.parametrize(("reply", "device"), [("y", "cuda"), ("n", "cpu")])
def test_a_gpu_is_asked_for_in_words_once(
    speak: Speak, studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch, reply: str, device: str
) -> None:
    worker = ROOT / "tests" / "cli" / "card_worker.py"
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(worker)]))

    result = speak(["x", "1", "maybe", reply, "3e9", "2", "x", "1", "4e9", "2", "q"], "review", "trials")

    assert result.out.count("This machine has a GPU.") == 2  # asked again after "maybe", not after the answer
    assert "Type y or n." in result.out
    assert f"It will run on {device}." in result.out
    assert [run["device"] for run in studyapp("show", "trials/which", "--json").data["runs"]] == [device]


def test_a_device_that_does_not_exist_is_refused_before_anything_is_asked(
    speak: Speak, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_DEVICE", "abacus")

    result = speak(["x", "1", "", "4"], "review", "trials")

    assert result.code == 2
    assert result.out == ""
    assert "STUDYAPP_DEVICE: device cannot be 'abacus'." in result.err
    assert "auto, cpu, cuda, mps or xpu" in result.err


def test_every_prompt_says_how_to_leave(speak: Speak) -> None:
    out = speak(["x", "1", "3e9", "", "", "3"], "review", "trials").out
    prompts = [line for line in out.splitlines() if line.endswith(" ")]  # the learner's words would follow

    for words in ("Say the answer aloud", "Which one?", "Your number in bytes?", "How sure?", "Grade:"):
        assert any(line.startswith(words) for line in prompts), words
    assert all("q quits" in line or "q goes back" in line for line in prompts), prompts


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [("3 GB", "B", 3e9), ("3e9", "B", 3e9), ("2 s", "ms", 2000.0), ("80 %", "%", 80.0), ("3x", "x", 3.0),
     ("30 min", "h", 0.5), ("64 rows", "rows", 64.0)],
)  # fmt: skip
def test_a_number_may_carry_its_unit(text: str, unit: str, number: float) -> None:
    assert read_number(text, unit) == pytest.approx(number)


@pytest.mark.parametrize(("text", "unit"), [("3 GB", "ms"), ("no idea", "B"), ("", "x"), ("5 s", "rows")])
def test_a_number_of_another_kind_is_none(text: str, unit: str) -> None:
    assert math.isnan(read_number(text, unit))
