"""What `--plain` prints is listened to: sentences, nothing lined up with blanks, nothing drawn."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from studyapp.cli.main import PLACES
from studyapp.core.days import iso_to_day
from studyapp.core.predictions import Sure
from studyapp.experiments import protocol
from studyapp.settings import load
from studyapp.store.database import open_store
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial
from studyapp.study.opening import open_desk_from
from tests.cli.conftest import NOW, ROOT, Studyapp
from tests.experiments.claims.builders import RECORDINGS, recorded
from tests.plain.conftest import Speak
from tests.study.log import study

LINED_UP = re.compile(r"\S  +\S|^ ")
DRAWN = re.compile("[\u2500-\u27bf\u2800-\u28ff\u2591-\u2593]")
WORKER = ROOT / "tests" / "cli" / "passport_worker.py"
PRINTS = {
    "run": "run kept --why",
    "runs": "runs kept",
    "experiments": "experiments",
    "due": "due",
    "status": "status",
    "stats": "stats",
    "streak": "streak --why today",
    "list": "list",
    "show": "show demo/needs",
    "orphans": "orphans",
    "rewrites": "rewrites",
    "answer": "answer demo/needs good",
    "undo": "undo",
    "optimize": "optimize",
    "reschedule": "reschedule --dry-run",
    "check": "check --preview {home}/demo.md",
    "new-module": "new-module {home}/new.md",
    "ids": "ids {home}/bare.md",
    "import": "import --dry-run {home}/bare.md",
    "export": "export {home}/out.csv",
    "backup": "backup",
    "restore": "restore",
    "rebuild": "rebuild",
    "merge": "merge {home}/other/study.db",
    "doctor": "doctor",
    "config": "config",
    "corrections": "corrections",
    "challenge": "challenge export {home}/challenge.json",
    "keys": "keys",
}
"""A call of each command that prints."""
MORE = ["run --all", "runs kept --compare 2 1", "runs kept --map batch side", "config theme", "streak"]
ELSEWHERE = {
    "review", "read", "browse", "race", "lab", "passport",  # told above or in files of their own
    "trial",  # needs torch: tests/cli/test_dock.py
    "exchange", "shell",  # print JSON lines and the shell's own language
}  # fmt: skip
BARE = "Q: What is a warp?\nA: Thirty-two lanes in step.\n"


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


def test_each_command_that_prints_is_listened_to() -> None:
    assert set(PRINTS) | ELSEWHERE == set(PLACES)


def trial_as_recorded(desk: Desk, recording: str, batch: int) -> None:
    found = recorded(next(path for path in RECORDINGS if path.stem == recording))
    trial = Trial(desk, found.experiment.id, {"batch": batch})
    trial.predict(3e9, Sure.FAIRLY, device="cpu")
    trial.fold(protocol.Started(device="cpu", device_name="AMD EPYC", threads=1, cores=2))
    for point in found.points:
        trial.fold(protocol.PointMessage(point=point))
    facts = {"device": "cpu", "device_name": "AMD EPYC", "threads": 1, "cores": 2, "more": {"torch": "2.13.0"}}
    trial.fold(protocol.Done(took_s=1.0, facts=facts))


@pytest.fixture
def record(home: Path, studyapp: Studyapp, log: None) -> None:
    """What the lists have to tell: runs, a correction, a copy, a card that left, another store."""
    (home / "bare.md").write_text(BARE, encoding="utf-8")
    studyapp("due", where=home / "other")
    with open_desk_from(load({"data_dir": str(home / "data"), "now": NOW})) as desk:
        for recording, batch in (("kept-calm", 64), ("kept-batch-1-calm", 1)):
            trial_as_recorded(desk, recording, batch)
    assert studyapp("corrections", "--add", "demo/warp", "--text", "It is\n  32.").code == 0
    assert studyapp("answer", "demo/latency", "good").code == 0
    assert studyapp("backup").code == 0


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize("words", [*PRINTS.values(), *MORE])
def test_what_a_command_prints_needs_no_eye(studyapp: Studyapp, home: Path, words: str) -> None:
    result = studyapp(*words.format(home=home).split(), "--plain")

    assert result.code in (0, 1), result.err
    assert result.out
    for line in filter(None, result.out.splitlines()):
        assert not LINED_UP.search(line), line
        assert not DRAWN.search(line), line


@pytest.mark.usefixtures("record")
def test_lists_tell_every_value_with_its_name(studyapp: Studyapp) -> None:
    assert (
        "; on cpu; verdict holds; measured 5.5 GB; controls batch 64, side 224.\n"
        in studyapp("runs", "kept", "--plain").out
    )
    assert "\ndemo/latency, due 2026-03-01 at 09:40: What is latency?\n" in studyapp("list", "--plain").out
    assert "\nStore: " in studyapp("doctor", "--plain").out
    assert "Control batch: " in studyapp("experiments", "--plain").out
    assert ", of demo/warp: It is 32.\n" in studyapp("corrections", "--plain").out
    assert "\nhome.stats, s: " in studyapp("keys", "--plain").out
    assert "\nplain: on, from --plain.\n" in studyapp("config", "--plain").out


@pytest.mark.usefixtures("record")
def test_plain_is_a_setting_that_holds_for_every_command(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = studyapp("list", "--plain").out
    monkeypatch.setenv("STUDYAPP_PLAIN", "on")

    assert studyapp("list").out == asked
    assert studyapp().out.startswith("1 card due today")


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
