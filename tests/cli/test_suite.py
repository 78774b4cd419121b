from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from studyapp.experiments.catalog import experiments, ids
from studyapp.settings import load
from studyapp.study.opening import open_desk_from
from tests.cli.conftest import ROOT, Studyapp

WORKER = ROOT / "tests" / "cli" / "suite_worker.py"
Worker = Callable[..., None]
NEEDY = [entry.id for entry in experiments() if entry.needs & {"accelerator", "two accelerators"}]
FIRST = next(name for name in ids() if name not in NEEDY)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    """Have the fake worker behave: NAME=BEHAVIOUR words."""

    def use(*behaviours: str) -> None:
        monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(WORKER), *behaviours]))

    return use


def rows(out: str) -> dict[str, str]:
    return {line.split()[0]: line for line in out.splitlines()[1 : len(ids()) + 1]}


def test_all_ends_with_a_table_of_every_verdict_and_counts_that_add_up(studyapp: Studyapp, worker: Worker) -> None:
    worker()

    result = studyapp("run", "--all")

    assert result.code == 0
    assert list(rows(result.out)) == list(ids())
    assert f"{len(ids())} claims were tried" in result.out
    data = studyapp("run", "--all", "--json").data
    assert sum(data["counts"].values()) == len(data["results"]) == data["planned"] == len(ids())
    assert data["machine"]["cpu"] == "Fake CPU"
    assert data["machine"]["accelerator"] == "none: no GPU was found"
    assert data["machine"]["memory free"] == "4.0 GB"


def test_what_needs_an_absent_gpu_is_answered_at_once_and_never_run(studyapp: Studyapp, worker: Worker) -> None:
    worker(*(f"{name}=die" for name in NEEDY))

    data = studyapp("run", "--all", "--json").data

    skipped = {entry["experiment"]: entry for entry in data["results"] if entry["state"] == "skipped"}
    assert set(skipped) >= set(NEEDY)
    for name in NEEDY:
        assert skipped[name]["verdict"]["outcome"] == "cannot_test"
        assert "no GPU was found" in skipped[name]["verdict"]["because"]
        assert skipped[name]["points"] == []


@pytest.mark.parametrize("behaviour", ["crash", "die", "refuse"])
def test_one_that_fails_never_stops_the_others_and_is_named(
    studyapp: Studyapp, worker: Worker, behaviour: str, home: Path
) -> None:
    worker(f"{FIRST}={behaviour}")

    result = studyapp("run", "--all", "--report", str(home / "out"))

    assert result.code == 1
    assert f"{FIRST} gave no result: " in result.err
    assert list(rows(result.out)) == list(ids())
    assert "1 gave no result" in result.out
    assert "1 gave no result" in (home / "out" / "report.md").read_text(encoding="utf-8")


def test_where_all_fail_the_code_is_4(studyapp: Studyapp, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studyapp.experiments.catalog.CLAIMS", ("kept",))
    worker("all=crash")

    assert studyapp("run", "--all").code == 4


def test_without_torch_nothing_runs_and_the_code_is_4(
    studyapp: Studyapp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = ROOT / "tests" / "experiments" / "fake_worker.py"
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(fake), "no_torch"]))

    result = studyapp("run", "--all", "--report", str(home / "out"))

    assert result.code == 4
    assert "this python has no torch" in result.err
    assert "pip install" in result.err
    assert studyapp("run", "--all", "--json").error["kind"] == "experiment"
    assert not list((home / "out").iterdir())


def test_progress_goes_to_standard_error_a_line_each_where_it_is_no_terminal(
    studyapp: Studyapp, worker: Worker
) -> None:
    worker()

    result = studyapp("run", "--all")

    told = [line for line in result.err.splitlines() if f" of {len(ids())}: " in line]
    assert [line.split(" of ")[0] for line in told] == [str(k + 1) for k in range(len(ids()))]
    assert "\x1b" not in result.err + result.out


def test_the_report_is_three_files_and_leaves_strangers_alone(
    studyapp: Studyapp, worker: Worker, home: Path
) -> None:
    worker()
    out = home / "deep" / "out"
    studyapp("run", "--all", "--report", str(out))
    before = (out / "index.html").read_bytes()
    (out / "notes.txt").write_text("mine", encoding="utf-8")
    worker(f"{FIRST}=crash")

    result = studyapp("run", "--all", "--report", str(out))

    assert f"Report: {out / 'index.html'}" in result.err
    assert sorted(p.name for p in out.iterdir()) == ["index.html", "notes.txt", "report.json", "report.md"]
    assert (out / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert (out / "index.html").read_bytes() != before
    data = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert [entry["experiment"] for entry in data["results"]] == list(ids())


def test_a_strangers_page_or_a_file_in_the_way_is_refused_before_anything_runs(
    studyapp: Studyapp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = home / "started"
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join(["touch", str(trace)]))
    (home / "site").mkdir()
    (home / "site" / "index.html").write_text("<h1>My site</h1>", encoding="utf-8")
    (home / "file").write_text("", encoding="utf-8")

    for name, said in (("site", "left alone"), ("file", "No report can be written")):
        for words in (["--all"], ["kept"]):
            result = studyapp("run", *words, "--report", str(home / name))
            assert (result.code, said in result.err) == (2, True)

    assert (home / "site" / "index.html").read_text(encoding="utf-8") == "<h1>My site</h1>"
    assert not trace.exists()


def test_one_experiment_has_a_report_of_its_own(studyapp: Studyapp, worker: Worker, home: Path) -> None:
    worker()

    result = studyapp("run", "kept", "--set", "batch=8", "--report", str(home / "out"))

    page = (home / "out" / "index.html").read_text(encoding="utf-8")
    assert result.code == 0
    assert "<title>A claim on trial</title>" in page
    assert "studyapp run kept --set batch=8 --report DIR" in page


@pytest.mark.parametrize(
    "words",
    [["kept", "--all"], ["--all", "--set", "batch=8"], ["--all", "--predict", "3"], ["--all", "--why"], []],
)
def test_wishes_for_one_do_not_go_with_all(studyapp: Studyapp, words: list[str]) -> None:
    assert studyapp("run", *words).code == 2


def test_e04_ctrl_c_keeps_what_was_measured_and_still_writes_the_report(home: Path, worker: Worker) -> None:
    second = [name for name in ids() if name not in NEEDY][1]
    worker(f"{second}=endless")
    words = ["run", "--all", "--report", str(home / "out")]
    command = [sys.executable, "-m", "studyapp", "--data-dir", str(home / "data"), *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stderr is not None
        assert FIRST in program.stderr.readline()
        time.sleep(0.5)  # the endless one has begun
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=30)

    assert program.returncode == 130, err
    assert "Traceback" not in err
    assert "The run was ended early" in out
    data = json.loads((home / "out" / "report.json").read_text(encoding="utf-8"))
    assert (data["results"][0]["experiment"], data["planned"]) == (FIRST, len(ids()))
    last = data["results"][-1]
    assert (last["experiment"], last["verdict"], bool(last["points"])) == (second, None, True)


def test_recording_keeps_only_undisturbed_runs_of_a_real_device(
    studyapp: Studyapp, worker: Worker, home: Path
) -> None:
    worker("kept=fast", "half-speed=busy", "core-race=crash")

    result = studyapp("run", "--all", "--record", "--report", str(home / "out"))

    found = json.loads(next((home / "out" / "reference").glob("*.json")).read_text(encoding="utf-8"))
    recorded = [entry["experiment"] for entry in found["runs"]]
    assert "kept" in recorded
    assert not {"half-speed", "core-race", *NEEDY} & set(recorded)
    assert "half-speed is not recorded: the machine was busy." in result.err
    assert "core-race is not recorded: it has no result." in result.err
    assert (found["format"], found["recorded_at"]) == ("studyapp reference", "2026-03-01T09:30:00+00:00")
    assert found["machine"]["torch"] == "0.0"
    assert found["runs"][0]["device_name"] == "Fake CPU"


def test_a_busy_run_alone_is_not_recorded_and_says_so(studyapp: Studyapp, worker: Worker, home: Path) -> None:
    worker("kept=busy")

    result = studyapp("run", "kept", "--record")

    assert result.code == 1
    assert "kept is not recorded: the machine was busy." in result.err
    assert not (home / "data" / "reference").exists()


def test_why_runs_the_ablation_and_says_what_became_of_the_reason(studyapp: Studyapp, worker: Worker) -> None:
    worker()

    told = studyapp("run", "kept", "--why")
    why = studyapp("run", "kept", "--why", "--json").data["why"]

    assert told.code == 0
    assert "With its cause: " in told.out
    assert "Without it: " in told.out
    assert why["sentence"] in told.out
    assert why["ablated"]["controls"] == {"batch": 1, "side": 64}
    assert why["fate"] in ("survives", "wrong", "open")


def test_why_needs_a_cause_that_can_be_taken_away(studyapp: Studyapp, home: Path) -> None:
    result = studyapp("run", "kept", "--why", "--set", "batch=1", "--set", "side=64")

    assert result.code == 2
    assert "gone already" in result.err


@pytest.mark.torch
def test_real_experiments_run_one_after_another_in_one_worker(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr("studyapp.experiments.catalog.CLAIMS", ("kept", "race", "layer_batch"))

    result = studyapp("run", "--all", "--report", str(home / "out"), "--json", "--device", "cpu")

    outcomes = {entry["experiment"]: entry["verdict"]["outcome"] for entry in result.data["results"]}
    assert outcomes == {"kept": "holds", "race": "cannot_test", "layer-batch": "cannot_test"}
    page = (home / "out" / "index.html").read_text(encoding="utf-8")
    assert page.count('class="chart"') == 2


def test_on_a_terminal_one_line_moves_and_names_what_is_left(home: Path, worker: Worker) -> None:
    worker()
    words = ["-m", "studyapp", "--data-dir", str(home / "data"), "run", "--all", "--color", "never"]
    environ = {**os.environ, "TERM": "xterm-256color"}

    child = pexpect.spawn(sys.executable, words, cwd=str(ROOT), encoding="utf-8", timeout=60, env=environ)
    child.expect(rf"1 of {len(ids())}: {FIRST}.*, about \d+ s left")
    child.expect_exact("claims were tried")
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 0


def test_the_days_trial_is_the_same_all_day_and_kept_as_the_days(
    studyapp: Studyapp, worker: Worker, home: Path
) -> None:
    worker()
    at = "2026-03-02T09:00+00:00"

    first, second = (studyapp("run", "--daily", "--json", now=at).data for _ in range(2))

    assert (first["experiment"], first["controls"]) == (second["experiment"], second["controls"])
    with open_desk_from(load({"data_dir": str(home / "data")})) as desk:
        (note,) = desk.store.day_notes(kind="trial")
        (run,) = [run for run in desk.store.runs() if run.uid == note.value]
    assert (run.experiment, run.verdict is not None) == (first["experiment"], True)


@pytest.mark.parametrize("more", ["--nproc=2", "--record", "--break=batch", "--budget=9", "--set=batch=1"])
def test_the_days_trial_takes_no_other_numbers_or_machines(studyapp: Studyapp, more: str) -> None:
    found = studyapp("run", "--daily", more)

    assert found.code == 2
    assert "Leave out" in found.err
