from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pexpect
import pytest

from studyapp.settings import load
from studyapp.study.opening import open_desk_from
from tests.cli.conftest import ROOT, Result, Studyapp
from tests.experiments.helpers import runs

FAKE = ROOT / "tests" / "experiments" / "fake_worker.py"
CARD = ROOT / "tests" / "cli" / "card_worker.py"
Worker = Callable[..., None]


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Worker:
    """Name the worker's command: a script and its arguments."""

    def use(script: Path, *arguments: str) -> None:
        monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(script), *arguments]))

    return use


@pytest.fixture
def untouched(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A worker that leaves a file behind when it is started."""
    trace = home / "started"
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join(["touch", str(trace)]))
    return trace


@pytest.mark.torch
def test_run_json_has_exactly_the_fields_scripts_rely_on(studyapp: Studyapp) -> None:
    data = studyapp("run", "kept", "--set", "batch=8", "--predict", "7e8", "--sure", "guess", "--json").data

    assert data["experiment"] == "kept"
    assert data["device"] == "cpu"
    assert data["threads"] >= 1
    assert datetime.fromisoformat(data["started_at"]) == datetime.fromisoformat("2026-03-01T09:30+00:00")
    assert data["controls"]["batch"] == 8
    point = data["points"][0]
    assert {"series", "x", "y", "low", "high", "repeats", "settled", "basis"} == set(point)
    assert {entry["basis"] for entry in data["points"]} == {"counted"}
    assert data["verdict"]["outcome"] in ("holds", "does_not_hold")
    assert data["verdict"]["unit"] == "B"
    assert data["verdict"]["because"]
    prediction = data["prediction"]
    assert {"value", "low", "high", "sure", "score", "made_at"} == set(prediction)
    assert (prediction["value"], prediction["sure"]) == (7e8, "guess")
    assert prediction["score"]["closeness"] in ("spot on", "close", "right order", "far off")
    assert prediction["made_at"] == "2026-03-01T09:30:00+00:00"


@pytest.mark.torch
def test_picture_words_and_numbers_agree(studyapp: Studyapp) -> None:
    drawn = studyapp("run", "kept", "--set", "batch=8", "--color", "never")
    spoken = studyapp("run", "kept", "--set", "batch=8", "--plain")
    sentence = studyapp("run", "kept", "--set", "batch=8", "--json").data["verdict"]["because"]

    assert drawn.code == spoken.code == 0
    assert sentence in drawn.out
    assert sentence in spoken.out
    assert "│" in drawn.out
    assert not set("│┴●⣀") & set(spoken.out)
    assert "\x1b" not in drawn.out + spoken.out


@pytest.mark.torch
def test_e01_a_claim_that_needs_a_gpu_names_the_reason_and_its_sibling(studyapp: Studyapp) -> None:
    drawn, spoken = studyapp("run", "race", "--device", "auto"), studyapp("run", "race", "--plain")
    data = studyapp("run", "race", "--json").data

    if data["device"] != "cpu":
        pytest.skip("this machine has a GPU")
    assert (drawn.code, data["verdict"]["outcome"], data["sibling"]) == (0, "cannot_test", "paper-race")
    for text in (drawn.out, spoken.out):
        assert "No GPU: torch" in text
        assert "`studyapp run paper-race` shows the same law on this machine." in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kep"], "Did you mean kept"),
        (["kept", "--set", "batch=0"], "from 1 to 128"),
        (["kept", "--set", "batch=many"], "whole number"),
        (["kept", "--set", "depth=3"], "no control 'depth'"),
        (["kept", "--set", "batch"], "name=value"),
        (["kept", "--device", "gpu"], "no device 'gpu'"),
        (["kept", "--predict", "lots"], "no number"),
        (["kept", "--predict", "inf"], "no number"),
        (["kept", "--predict", "never"], "never is no answer"),
        (["kept", "--sure", "guess"], "--predict"),
        (["kept", "--nproc", "2"], "averaged-gradients"),
        (["fsdp", "--nproc", "0"], "nproc"),
        (["fsdp", "--nnodes", "2"], "--nproc N"),
        (["--all", "--nproc", "2"], "own controls"),
        (["kept", "--sure", "maybe", "--predict", "3"], "maybe"),
    ],
)
def test_wrong_wishes_are_refused_before_the_worker_starts(
    studyapp: Studyapp, untouched: Path, words: list[str], said: str
) -> None:
    result = studyapp("run", *words)

    assert result.code == 2
    assert said in result.err
    assert not untouched.exists()


def test_a_crash_is_4_and_the_points_are_kept(studyapp: Studyapp, worker: Worker) -> None:
    worker(FAKE, "", "crash")

    result = studyapp("run", "small-net", "--json")

    assert result.code == 4
    assert result.error["kind"] == "experiment"
    assert "on purpose" in result.error["message"]
    assert '"points": [{' in result.out
    assert studyapp("run", "small-net").err.startswith("ValueError: on purpose\n")


def test_no_torch_is_4_and_everything_else_works(
    studyapp: Studyapp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torchless = home / "bin"
    torchless.mkdir()
    (torchless / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')")
    command = ["env", f"PYTHONPATH={torchless}", sys.executable, "-m", "studyapp.experiments.worker"]
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join(command))

    result = studyapp("run", "kept")

    assert (result.code, "has no torch" in result.err) == (4, True)
    assert "pip install 'torch" in result.err
    assert studyapp("answer", "gpus-and-cpus/wide-wins", "4").code == 0
    assert studyapp("due").code == 0


def test_a_worker_that_cannot_start_is_4(studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", "/no/such/python -m studyapp.experiments.worker")

    assert studyapp("run", "kept").code == 4


def test_a_run_stopped_by_memory_is_0(studyapp: Studyapp, worker: Worker) -> None:
    worker(FAKE, "", "memory")

    data = studyapp("run", "small-net", "--json").data

    assert data["facts"]["cut_short"] is True
    assert data["points"]


def test_a_refusal_is_1(studyapp: Studyapp, worker: Worker, home: Path) -> None:
    refusing = FAKE.read_text(encoding="utf-8").replace('if name == "refused":', "if True:")
    script = home / "refusing.py"
    script.write_text(refusing, encoding="utf-8")
    worker(script)

    result = studyapp("run", "small-net", "--json")

    assert result.code == 1
    assert result.error["kind"] == "refused"
    assert "64.0 GB" in result.error["message"]


def test_e09_what_is_not_finite_is_null_in_strict_json(studyapp: Studyapp, worker: Worker) -> None:
    worker(FAKE, "", "nan")

    result = studyapp("run", "small-net", "--json")

    assert result.code == 0
    assert None in [point["y"] for point in result.data["points"]]


def test_c02_a_workers_noise_never_reaches_the_terminal(studyapp: Studyapp, worker: Worker, home: Path) -> None:
    script = home / "hostile.py"
    script.write_text(
        "import json, sys\n"
        "sys.stderr.write('\\x1b]52;c;aGVsbG8=\\x07 last words\\n'); sys.stderr.flush()\n"
        "why = '\\x1b[2J gone \\x9b6n'\n"
        "print(json.dumps({'studyapp': 1, 'kind': 'failed', 'failure': 'crashed', 'why': why}))\n",
        encoding="utf-8",
    )
    worker(script)

    result = studyapp("run", "kept")

    assert result.code == 4
    assert "gone" in result.err
    assert not set("\x1b\x07\x9b") & set(result.out + result.err)


def test_colours_are_used_when_they_are_asked_for(studyapp: Studyapp, worker: Worker) -> None:
    worker(FAKE, "", "normal")

    asked, piped = studyapp("run", "small-net", "--color", "256"), studyapp("run", "small-net")

    assert "\x1b[38;5;" in asked.out
    assert "\x1b" not in piped.out


def test_ascii_draws_with_ascii_alone(studyapp: Studyapp, worker: Worker) -> None:
    worker(FAKE, "", "normal")

    assert studyapp("run", "small-net", "--ascii").out.isascii()


def test_where_nobody_can_be_asked_the_cpu_is_used_and_the_way_to_the_gpu_named(
    studyapp: Studyapp, worker: Worker
) -> None:
    worker(CARD)

    result = studyapp("run", "kept", "--json")

    assert result.data["device_name"] == "asked for cpu"
    assert "--device cuda" in result.err
    assert "STUDYAPP_GPU=idle" in result.err


@pytest.mark.parametrize(
    ("setting", "asked"), [({"STUDYAPP_GPU": "idle"}, "auto"), ({"STUDYAPP_DEVICE": "cuda"}, "cuda")]
)
def test_a_setting_is_consent_in_itself(
    studyapp: Studyapp,
    worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
    setting: dict[str, str],
    asked: str,
) -> None:
    worker(CARD)
    for name, value in setting.items():
        monkeypatch.setenv(name, value)

    result = studyapp("run", "kept", "--json")

    assert (result.data["device_name"], result.err) == (f"asked for {asked}", "")


def test_a_prediction_belongs_to_the_device_that_is_there(
    studyapp: Studyapp, worker: Worker, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    worker(CARD)
    monkeypatch.setenv("STUDYAPP_GPU", "idle")
    studyapp("run", "kept", "--predict", "1e9")
    monkeypatch.setenv("STUDYAPP_GPU", "never")
    studyapp("run", "kept", "--predict", "1e9")

    with open_desk_from(load({"data_dir": str(home / "data")})) as desk:
        stored = desk.store.predictions()

    assert sorted(entry.device for entry in stored) == ["cpu", "cuda"]
    assert all(entry.first for entry in stored)


def test_on_a_terminal_the_gpu_is_asked_for_once_and_remembered(home: Path, worker: Worker) -> None:
    worker(CARD)
    words = ["-m", "studyapp", "--data-dir", str(home / "data"), "run", "kept", "--json"]

    def answer(reply: str | None) -> str:
        child = pexpect.spawn(sys.executable, words, cwd=str(ROOT), encoding="utf-8", timeout=30)
        if reply:
            child.expect_exact("[y/n]")
            child.sendline(reply)
        child.expect(pexpect.EOF)
        child.close()
        return str(child.before)

    assert "asked for auto" in answer("y")
    assert "asked for auto" in answer(None)


def test_live_progress_is_for_a_terminals_standard_error_alone(
    process: Callable[..., Result], worker: Worker
) -> None:
    worker(FAKE, "", "normal")

    result = process("run", "small-net")

    assert (result.code, result.err) == (0, "")


def test_e04_ctrl_c_is_130_and_the_worker_is_gone(home: Path, worker: Worker) -> None:
    place = home / "pid"
    script = home / "endless.py"
    script.write_text(
        FAKE.read_text(encoding="utf-8").replace(
            "def main(", f"open({str(place)!r}, 'w').write(str(os.getpid()))\n\n\ndef main(", 1
        ),
        encoding="utf-8",
    )
    worker(script, "", "endless")
    words = [sys.executable, "-m", "studyapp", "--data-dir", str(home / "data"), "run", "small-net", "--json"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        until(lambda: place.exists() and place.read_text(encoding="ascii") != "")
        time.sleep(0.3)  # a few points
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=20)

    assert program.returncode == 130, err
    assert not runs(int(place.read_text(encoding="ascii")))
    assert b'"state": "cancelled"' in out
    assert b'"points": [{' in out
    assert b"Traceback" not in err


def until(done: Callable[[], bool]) -> None:
    for _ in range(1000):
        if done():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen within 20 s")


@pytest.mark.torch
def test_processes_named_on_the_command_line_come_from_torchrun(studyapp: Studyapp) -> None:
    data = studyapp("run", "fsdp", "--nproc", "2", "--device", "cpu", "--json").data

    assert data["verdict"]["outcome"] == "holds"
    assert round(data["verdict"]["measured"]) == 50
