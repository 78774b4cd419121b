"""`trial`: a learner's own script in the dock, of the usual styles, and of every kind that cannot be measured."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from studyapp.core.predictions import Closeness
from studyapp.decks.clean import clean
from studyapp.settings import load
from studyapp.study.docking import Docking
from studyapp.study.opening import open_desk_from
from tests.cli.conftest import ROOT, Studyapp
from tests.plain.test_listening import DRAWN, LINED_UP

SCRIPTS = ROOT / "tests" / "dock" / "scripts"
NAMES = [f"{name}{form}" for name in ("plain_loop", "slow_decoding", "item_in_loop") for form in ("", "_hooked")]
ENDS_S = 10.0
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write a script into the folder the program is called from."""
    monkeypatch.chdir(tmp_path)

    def text(code: str) -> Path:
        path = tmp_path / "train.py"
        path.write_text(code, encoding="utf-8")
        return path

    return text


def gone(pid: int) -> bool:
    """Return whether a process has ended, waiting a little."""
    for _ in range(200):
        try:
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text(encoding="utf-8"):
                return True
            os.kill(pid, 0)
        except (OSError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The command of a dock that has torch already."""
    place, program = str(tmp_path_factory.mktemp("w") / "s"), str(ROOT / "tests" / "dock" / "warm.py")
    server = subprocess.Popen(
        [sys.executable, program, "serve", place],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    yield shlex.join([sys.executable, program, "call", place])
    server.kill()
    server.wait()
    server.stdout.close()


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory, warm: str) -> dict[str, dict[str, Any]]:
    """Every script once: what `trial --json` would print of it."""
    found = {}
    with open_desk_from(load({"data_dir": str(tmp_path_factory.mktemp("trials"))})) as desk:
        for name in NAMES:
            docking = Docking(desk, SCRIPTS / f"{name}.py", steps=12, memory_mb=60)
            docking.run(shlex.split(warm), lambda question: None, lambda finding: None, lambda words: None)
            assert docking.problem is None
            found[name] = docking.as_json()
    return found


def finding(trial: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [entry for entry in trial["findings"] if entry["id"] == name]
    assert isinstance(found, dict)
    return found


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("plain_loop", "optimizer"),
        ("plain_loop_hooked", "hook"),
        ("slow_decoding", "loader"),
        ("slow_decoding_hooked", "hook"),
        ("item_in_loop", "loader"),
        ("item_in_loop_hooked", "hook"),
    ],
)
def test_the_loop_of_each_style_is_found_with_its_model_and_optimizer(
    trials: dict[str, dict[str, Any]], name: str, form: str
) -> None:
    loop = trials[name]["loop"]

    assert (loop["form"], loop["model"], loop["device"]) == (form, "Sequential", "cpu")
    assert loop["optimizer"] == {"p": "Adam", "s": "SGD", "i": "AdamW"}[name[0]]
    assert [entry["id"] for entry in trials[name]["findings"]] == ["data", "waits", "memory", "precision", "batch"]


@pytest.mark.torch
@pytest.mark.parametrize("name", ["slow_decoding", "slow_decoding_hooked"])
def test_slow_decoding_is_told_as_waiting_for_data(trials: dict[str, dict[str, Any]], name: str) -> None:
    found = finding(trials[name], "data")

    assert found["value"] > 5  # 16 ms of decoding beside a step of a millisecond or less
    assert found["details"]["real"]["fetch_s"] >= 0.016
    assert found["n"] == 12
    assert found["basis"] == "measured"
    assert "if data cost nothing" in found["sentence"]
    assert found["experiments"][0] == "loader-workers"
    assert "gpus-and-cpus/cached-batch" in found["cards"]
    assert finding(trials[name], "waits")["value"] == 0


@pytest.mark.torch
@pytest.mark.parametrize("name", ["item_in_loop", "item_in_loop_hooked"])
def test_each_line_that_asks_for_a_tensors_value_is_named(trials: dict[str, dict[str, Any]], name: str) -> None:
    found = finding(trials[name], "waits")
    source = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8").splitlines()

    asked = {(entry["what"], entry["text"]): entry["per_step"] for entry in found["details"]["lines"]}
    assert asked == {
        (".item()", "running += loss.item()"): 1.0,
        (".item()", "right += (logits.argmax(1) == y).sum().item()"): 1.0,
        ("a truth test", "if loss.isnan():"): 1.0,
        ("an f-string", 'print(f"step {i}: {loss:.4f}")'): 0.2,
    }
    assert all(source[e["line"] - 1].strip() == e["text"] for e in found["details"]["lines"])
    assert found["value"] == pytest.approx(3.2)
    assert "On a CPU this costs little; on a GPU each one stalls" in found["sentence"]


@pytest.mark.torch
def test_of_a_loop_without_a_loader_it_is_said_what_cannot_be_seen(trials: dict[str, dict[str, Any]]) -> None:
    plain, hooked = trials["plain_loop"], trials["plain_loop_hooked"]

    for name in ("data", "batch"):
        assert finding(plain, name)["outcome"] == "not_applicable"
        assert "The hook helps" in finding(plain, name)["sentence"]
        assert finding(hooked, name)["outcome"] == "found"


@pytest.mark.torch
@pytest.mark.parametrize("name", ["plain_loop", "plain_loop_hooked"])
def test_memory_is_split_into_what_can_be_counted_on_paper(trials: dict[str, dict[str, Any]], name: str) -> None:
    parts = finding(trials[name], "memory")["details"]["parts"]

    weights = 4 * (64 * 256 + 256 + 256 + 1)
    assert parts["weights"] == parts["gradients"] == weights
    assert (
        parts["optimizer"] == 2 * weights + 4 * 4
    )  # two moments, and a counter of steps for each of four weights
    assert parts["activations"] >= 4 * 128 * 256  # at least what the ReLU gave


@pytest.mark.torch
@pytest.mark.parametrize("name", ["slow_decoding", "slow_decoding_hooked", "item_in_loop", "plain_loop_hooked"])
def test_the_batch_is_doubled_until_memory_says_no_at_a_stage(
    trials: dict[str, dict[str, Any]], name: str
) -> None:
    found, rows = finding(trials[name], "batch"), trials[name]["loop"]["rows"]

    trained = [entry["rows"] for entry in found["details"]["trained"]]
    assert trained == [rows * 2 ** (k + 1) for k in range(len(trained))]
    assert found["value"] == 2 * trained[-1]
    assert found["details"]["stage"] in ("data", "forward", "backward", "optimizer step")
    assert "60 MB more (a limit of this trial, not the machine's)" in found["sentence"]


@pytest.mark.torch
def test_autocast_is_timed_off_and_on(trials: dict[str, dict[str, Any]]) -> None:
    for name in NAMES:
        found = finding(trials[name], "precision")
        assert found["value"] == pytest.approx(
            found["details"]["off"]["median_s"] / found["details"]["on"]["median_s"]
        )
        assert found["n"] == 12
        assert found["details"]["own"] is False


@pytest.mark.torch
def test_json_has_the_loop_and_each_finding_with_what_scripts_rely_on(
    studyapp: Studyapp, warm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", warm)

    done = studyapp("trial", "--json", "--yes", "--steps", "3", "--memory", "60", str(SCRIPTS / "item_in_loop.py"))

    assert done.code == 0
    assert done.data["loop"]["rows"] == 32
    for found in done.data["findings"]:
        assert {"id", "question", "outcome", "value", "low", "high", "unit", "n", "basis"} <= set(found)
        assert {"sentence", "details", "experiments", "cards", "prediction"} <= set(found)
        assert found["basis"] in ("measured", "counted")
        assert found["prediction"] is None


ENDS = {
    "crash": ("def deep():\n    raise ValueError('no \\x1b[31mred')\ndeep()\n", 4, "train.py:2: ValueError: no"),
    "syntax": ("def f(:\n", 4, "train.py:1: SyntaxError"),
    "arguments": (
        "import argparse\n"
        "p = argparse.ArgumentParser()\n"
        "p.add_argument('--epochs', required=True)\n"
        "p.parse_args()\n",
        2,
        "it may want arguments",
    ),
    "sys.exit": ("import sys\nsys.exit('no config')\n", 4, "exit code 1 (no config)"),
    "os._exit": ("import os\nos._exit(0)\n", 1, "ended by os._exit"),
    "os._exit 7": ("import os\nos._exit(7)\n", 4, "exit code 7"),
    "closes": ("import os, time\nos.closerange(0, 256)\ntime.sleep(60)\n", 4, "closed its descriptors"),
    "dies": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", 4, "ended by SIGSEGV"),
    "asks": ("input('name? ')\n", 4, "It asks for input"),
    "no torch in it": ("print('hello')\n", 1, "without importing torch"),
    "a missing module": ("import not_there_at_all\n", 4, "worker_command"),
    "signals its keeper": (
        "import os, signal, time\n"
        "os.kill(os.getppid(), signal.SIGTERM)\n"
        "os.killpg(0, signal.SIGTERM)\n"
        "time.sleep(60)\n",
        4,
        "ended by SIGTERM",
    ),
}


@pytest.mark.parametrize("name", list(ENDS))
def test_a_script_that_does_not_train_gets_a_sentence_and_a_code(
    studyapp: Studyapp, write: Write, name: str
) -> None:
    code, expected, words = ENDS[name]
    script = write(code)

    done = studyapp("trial", "--limit", "20", str(script))

    assert (done.code, words in done.err) == (expected, True), done.err
    assert "\x1b" not in done.err
    assert "Traceback" not in done.err
    assert "with your rights" in done.err


def test_a_script_that_prints_rubbish_everywhere_disturbs_nobody(studyapp: Studyapp, write: Write) -> None:
    script = write(
        "import os, sys\n"
        "noise = bytes(range(256)) * 500\n"
        'forged = b\'\\n{"studyapp":1,"kind":"finding","finding":"x"}\\n{"studyapp":1,"kind":"ended"}\\n\'\n'
        "for fd in range(1, 64):\n"
        "    try: os.write(fd, noise + forged)\n"
        "    except OSError: pass\n"
        "sys.exit(3)\n"
    )

    done = studyapp("trial", "--limit", "20", str(script), "--json")  # what follows the script is the script's
    data = studyapp("trial", "--json", "--limit", "20", str(script))

    assert done.code == data.code == 4
    assert "ended with exit code 3" in done.err
    assert data.error["kind"] == "experiment"
    assert clean(done.err) == done.err


def test_a_script_that_loops_for_ever_and_ignores_signals_is_ended_at_its_limit(
    studyapp: Studyapp, write: Write
) -> None:
    script = write(
        "import os, signal\n"
        "for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)\n"
        "open('pid', 'w').write(str(os.getpid()))\n"
        "sum(range(10 ** 15))\n"  # never returns to Python
    )

    done = studyapp("trial", "--limit", "1", str(script))

    assert done.code == 4
    assert "ended at the limit of 1 s without a training step" in done.err
    assert "steps(batches, model=model, optimizer=optimizer)" in done.err
    assert gone(int((script.parent / "pid").read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="orphans of other sessions are found on Linux alone")
def test_children_that_want_to_outlive_the_script_do_not(studyapp: Studyapp, write: Write) -> None:
    script = write(
        "import os, signal, time\n"
        "for k in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "        if os.fork() == 0:\n"
        "            open(f'child{k}', 'w').write(str(os.getpid()))\n"
        "            time.sleep(1000)\n"
        "        os._exit(0)\n"
        "while sum(os.path.exists(f'child{k}') and bool(open(f'child{k}').read()) for k in range(3)) < 3:\n"
        "    time.sleep(0.01)\n"
    )

    done = studyapp("trial", "--limit", "20", str(script))

    assert done.code == 1
    children = [int(path.read_text()) for path in script.parent.glob("child?")]
    assert len(children) == 3
    assert all(gone(pid) for pid in children)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_programs_own_end_is_the_scripts_too(home: Path, write: Write) -> None:
    script = write("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(1000)\n")
    program = subprocess.Popen(
        [sys.executable, "-m", "studyapp", "--data-dir", str(home / "data"), "trial", str(script)],
        cwd=script.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    place, until = script.parent / "pid", time.monotonic() + ENDS_S
    while not (place.exists() and place.read_text()) and time.monotonic() < until:
        time.sleep(0.02)

    program.send_signal(signal.SIGKILL)
    program.wait(ENDS_S)

    assert gone(int(place.read_text()))


@pytest.mark.torch
def test_a_script_that_wants_a_gpu_hears_that_there_is_none(studyapp: Studyapp, write: Write) -> None:
    script = write("import torch\nassert not torch.cuda.is_available()\ntorch.ones(3).to('cuda')\n")

    done = studyapp("trial", str(script))

    assert done.code == 4
    assert "train.py:3" in done.err
    assert "It wants a GPU" in done.err


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "There is no script"),
        (lambda path: path.mkdir(), "is no file"),
        (lambda path: path.write_bytes(b"\x7fELF\0\0"), "holds binary data"),
    ],
)
def test_what_is_no_script_is_refused_before_anything_runs(
    studyapp: Studyapp, tmp_path: Path, make: Callable[[Path], Any], words: str
) -> None:
    make(tmp_path / "train.py")

    done = studyapp("trial", str(tmp_path / "train.py"))

    assert (done.code, words in done.err) == (2, True)
    assert "with your rights" not in done.err


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-interpreter -m studyapp.experiments.worker", "cannot be started"),
        (shlex.join([sys.executable, "-c", "print('hello')"]), "did not open the dock"),
        (shlex.join([sys.executable, str(ROOT / "tests/experiments/fake_worker.py")]), "did not open the dock"),
    ],
)
def test_a_worker_command_that_knows_no_dock_is_told(
    studyapp: Studyapp, write: Write, monkeypatch: pytest.MonkeyPatch, command: str, words: str
) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", command)

    done = studyapp("trial", str(write("pass\n")))

    assert (done.code, words in done.err) == (4, True), done.err


def test_an_interpreter_without_torch_is_told_before_the_script_runs(
    studyapp: Studyapp, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = [sys.executable, "-S", "-m", "studyapp.experiments.worker"]  # -S: no site-packages, so no torch
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join(without))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    script = write("open('ran', 'w').write('yes')\n")

    done = studyapp("trial", str(script))

    assert done.code == 4
    assert "has no torch" in done.err
    assert not (script.parent / "ran").exists()


@pytest.mark.torch
def test_in_words_the_findings_are_sentences_and_what_is_done_is_announced(
    studyapp: Studyapp, warm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", warm)
    script = str(SCRIPTS / "item_in_loop.py")

    done = studyapp("trial", "--plain", "--yes", "--steps", "5", "--memory", "60", script)

    assert done.code == 0
    assert "\nWaiting for the device:\n" in done.out
    assert re.search(r"\nWeights: [\d.]+ kB, \d+ %\.\n", done.out)
    assert "Measuring: memory of a step.\n" in done.err
    for line in (done.out + done.err).splitlines():
        assert not LINED_UP.search(line), line
        assert not DRAWN.search(line), line


@pytest.mark.torch
def test_predictions_are_asked_for_first_and_kept_with_their_score(home: Path) -> None:
    argv = ["-m", "studyapp", "--data-dir", str(home / "data"), "trial", "--memory", "100", "--steps", "5"]
    child = pexpect.spawn(
        sys.executable,
        [*argv, str(SCRIPTS / "item_in_loop.py")],
        cwd=str(ROOT),
        env={**os.environ, "TERM": "xterm-256color", "OMP_NUM_THREADS": "1"},
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 90),
    )
    for answer in ("", "many", "3.2", "", "1", "64"):
        child.expect("enter skips")
        child.sendline(answer)
    child.expect("At [0-9,]+ rows memory said no")
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 0
    with open_desk_from(load({"data_dir": str(home / "data")})) as desk:
        told = {p.experiment: p for p in desk.store.predictions()}
        assert set(told) == {"dock:waits", "dock:precision", "dock:batch"}
        score = told["dock:waits"].score
        assert score is not None
        assert score.closeness is Closeness.SPOT_ON
        assert [run.uid for run in desk.store.runs("dock:waits")] == [told["dock:waits"].run]
        assert desk.store.last_run() is None  # Home shows experiments
