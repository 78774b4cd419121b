"""What `--plain` prints is listened to: sentences, nothing lined up with blanks, nothing drawn."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from studyapp.core.days import iso_to_day
from studyapp.store.database import open_store
from tests.cli.conftest import ROOT, Studyapp
from tests.plain.conftest import Speak
from tests.study.log import study

LINED_UP = re.compile(r"\S  +\S|^ ")
DRAWN = re.compile("[\u2500-\u27bf\u2800-\u28ff\u2591-\u2593]")
WORKER = ROOT / "tests" / "cli" / "passport_worker.py"


@pytest.fixture
def log(home: Path, studyapp: Studyapp, speak: Speak) -> None:
    studyapp("due")
    with open_store(home / "data" / "study.db", now_ms=0) as store:
        study(store, ["demo/needs", "demo/warp", *(f"old/{k}" for k in range(9))], iso_to_day("2026-03-01"))


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("words", ["", "stats", "streak", "lab", "passport", "run kept", "run --daily", "race"])
def test_a_command_in_words_has_nothing_that_must_be_seen(
    studyapp: Studyapp, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if words == "passport":
        monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", f"{sys.executable} {WORKER} quiet")
    result = studyapp(*words.split(), "--plain")

    lines = [line for line in result.out.splitlines() if line]
    assert result.code == 0
    assert len(lines) > 2
    for line in lines:
        assert not LINED_UP.search(line), line
        assert not DRAWN.search(line), line
        assert line.rstrip()[-1] in ".:?`", line


def test_home_in_words_names_the_module_the_trial_of_the_day_and_the_ways_on(speak: Speak) -> None:
    out = speak([]).out

    assert ": 0 of 3 cards learned, 0 due" in out
    assert "Today's trial: " in out
    assert "Review with `studyapp review --plain`" in out


@pytest.mark.usefixtures("log")
def test_the_days_ahead_have_names(studyapp: Studyapp) -> None:
    for words in (["stats"], ["stats", "--plain"]):
        assert re.search(r"Mon \d+, Tue \d+, Wed \d+, Thu \d+, Fri \d+, Sat \d+, Sun \d+", studyapp(*words).out)


@pytest.mark.usefixtures("log")
def test_the_hardest_questions_are_told_whole_in_words(studyapp: Studyapp) -> None:
    out = studyapp("stats", "--plain").out

    assert "Hardest, number 1: " in out
    assert "…" not in out
