"""What `shell` prints works in real shells: they read one small file, and nothing in them is loud."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import tomllib

from studyapp.core.prompt import prompt_file, prompt_lines
from tests.conftest import RunPython

SHELLS = [name for name in ("bash", "zsh", "fish", "dash") if shutil.which(name)]
DAY_S = 86_400


def day(start_s: int, due: int, streak: int | None) -> dict[str, object]:
    return {"starts_ms": start_s * 1000, "review": due, "new": 0, "relearning": 0, "streak": streak, "iso": ""}


def snippet(run_python: RunPython, what: str, runtime: Path, *more: str) -> str:
    done = run_python("-m", "studyapp", "shell", what, *more, environ={"XDG_RUNTIME_DIR": str(runtime)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def ask(
    shell: str, script: str, runtime: Path, tmp_path: Path, path: str = "/usr/bin:/bin"
) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": path, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(runtime), "PS1": "$ "}
    words = [shell, "-c", script + "\nstudyapp_prompt"]
    return subprocess.run(words, env=environ, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    (tmp_path / "run" / "studyapp").mkdir(parents=True)
    return tmp_path / "run"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_prompt_shows_what_is_due_on_the_day_that_has_begun(
    shell: str, run_python: RunPython, runtime: Path, tmp_path: Path
) -> None:
    now = int(time.time())
    days = [day(now - DAY_S, 3, 11), day(now - 60, 14, 12), day(now + DAY_S, 40, 0)]
    (runtime / "studyapp" / "prompt").write_text(prompt_lines({"days": days}))
    text = snippet(run_python, "bash" if shell == "dash" else shell, runtime)

    done = ask(shell, text, runtime, tmp_path)

    assert (done.stdout, done.stderr) == ("14 due 12 days ", "")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("due", "streak", "words"), [(0, 5, "5 days "), (1, 1, "1 due 1 day "), (2, None, "2 due "), (0, 0, "")]
)
def test_what_is_nothing_is_not_said(
    shell: str, due: int, streak: int | None, words: str, run_python: RunPython, runtime: Path, tmp_path: Path
) -> None:
    (runtime / "studyapp" / "prompt").write_text(prompt_lines({"days": [day(1, due, streak)]}))
    text = snippet(run_python, "bash" if shell == "dash" else shell, runtime)

    done = ask(shell, text, runtime, tmp_path)

    assert (done.stdout, done.stderr) == (words, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_missing_file_is_silence(shell: str, run_python: RunPython, runtime: Path, tmp_path: Path) -> None:
    text = snippet(run_python, "bash" if shell == "dash" else shell, runtime)

    done = ask(shell, text, runtime, tmp_path)

    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("restarted", [False, True])
def test_a_home_that_hangs_does_not_hold_the_prompt(
    shell: str, restarted: bool, run_python: RunPython, runtime: Path, tmp_path: Path
) -> None:
    data, program = tmp_path / ".local/share/studyapp", tmp_path / "bin" / "studyapp"
    data.mkdir(parents=True)
    program.parent.mkdir()
    for name in ("prompt", "status.json"):  # whoever opens one waits for ever, as on a mount that hangs
        os.mkfifo(data / name)
    program.write_text(f"#!/bin/sh\nexec cat {data}/status.json\n")
    program.chmod(0o700)
    if not restarted:
        (runtime / "studyapp" / "prompt").write_text(prompt_lines({"days": [day(1, 4, 2)]}))
    text = snippet(run_python, "bash" if shell == "dash" else shell, runtime)

    try:
        done = ask(shell, text, runtime, tmp_path, path=f"{program.parent}:/usr/bin:/bin")
    finally:
        if restarted:
            let_go(data / "status.json")

    assert (done.stdout, done.stderr) == ("" if restarted else "4 due 2 days ", "")


def let_go(fifo: Path) -> None:
    """End whoever waits for a pipe to be written."""
    for _ in range(20):
        with contextlib.suppress(OSError):
            os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
            return
        time.sleep(0.05)


@pytest.mark.parametrize("shell", [name for name in ("bash", "zsh", "fish") if name in SHELLS])
def test_completion_is_the_shells_own_language(shell: str, run_python: RunPython, runtime: Path) -> None:
    text = snippet(run_python, shell, runtime, "--complete")

    checked = subprocess.run([shell, "-n"], input=text, capture_output=True, text=True, timeout=60)

    assert checked.returncode == 0, checked.stderr
    assert "_STUDYAPP_COMPLETE" in text


def test_commands_and_experiments_complete(run_python: RunPython) -> None:
    environ = {"_STUDYAPP_COMPLETE": "bash_complete", "COMP_CWORD": "2", "COMP_WORDS": "studyapp run core"}

    done = run_python("-m", "studyapp", environ=environ)

    assert "plain,core-race" in done.stdout.split("\n")


@pytest.mark.parametrize(
    ("typed", "found"), [("runs kep", "kept"), ("config mot", "motion"), ("passp", "passport")]
)
def test_what_is_typed_in_part_is_found(run_python: RunPython, typed: str, found: str) -> None:
    words = f"studyapp {typed}"
    environ = {"_STUDYAPP_COMPLETE": "bash_complete", "COMP_CWORD": str(words.count(" ")), "COMP_WORDS": words}

    done = run_python("-m", "studyapp", environ=environ)

    assert f"plain,{found}" in done.stdout.split("\n")


def test_the_other_snippets_are_what_their_readers_take(run_python: RunPython, runtime: Path) -> None:
    starship = tomllib.loads(snippet(run_python, "starship", runtime))
    timer = snippet(run_python, "systemd", runtime)

    assert str(runtime) in starship["custom"]["studyapp"]["when"]
    assert "OnCalendar=18:30" in timer
    assert "status --exit-code" in snippet(run_python, "cron", runtime)
    assert " status)" in snippet(run_python, "tmux", runtime)


def test_starship_runs_its_lines_in_sh(run_python: RunPython, runtime: Path) -> None:
    module = tomllib.loads(snippet(run_python, "starship", runtime))["custom"]["studyapp"]
    (runtime / "studyapp" / "prompt").write_text(
        prompt_lines({"days": [day(1, 14, 3), day(9_999_999_999, 40, 4)]})
    )

    done = subprocess.run(["sh", "-c", f"{module['when']} && {module['command']}"], capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (0, "14 due\n", "")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_the_units_are_what_systemd_takes(run_python: RunPython, runtime: Path, tmp_path: Path) -> None:
    service, timer = snippet(run_python, "systemd", runtime).split("\n\n")
    for name, text in (("studyapp.service", service), ("studyapp.timer", timer)):
        (tmp_path / name).write_text(text + "\n")

    units = [str(tmp_path / f"studyapp.{kind}") for kind in ("service", "timer")]
    words = ["systemd-analyze", "verify", "--man=no", *units]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)

    assert [line for line in (done.stdout + done.stderr).splitlines() if "studyapp" in line] == []
    assert done.returncode == 0


def test_the_file_is_in_memory_unless_the_data_folder_was_chosen() -> None:
    assert prompt_file({"XDG_RUNTIME_DIR": "/run/user/1", "HOME": "/h"}, "linux") == "/run/user/1/studyapp/prompt"
    assert prompt_file({"HOME": "/h"}, "linux") == "/h/.local/share/studyapp/prompt"
    chosen = {"XDG_RUNTIME_DIR": "/run/user/1", "STUDYAPP_DATA_DIR": "/d"}
    assert prompt_file(chosen, "linux") == "/d/prompt"
    assert prompt_file({"XDG_RUNTIME_DIR": "relative", "HOME": "/h"}, "linux") == "/h/.local/share/studyapp/prompt"


def test_status_brings_the_file_back_after_a_restart(run_python: RunPython, tmp_path: Path) -> None:
    place = tmp_path / "home" / ".local/share/studyapp"
    place.mkdir(parents=True)
    (place / "status.json").write_text(json.dumps({"version": 1, "days": [day(1, 4, 2)]}))

    done = run_python("-m", "studyapp", "status", environ={"XDG_RUNTIME_DIR": str(tmp_path / "run")})

    assert done.stdout == "4 due, 2 days\n"
    assert (tmp_path / "run" / "studyapp" / "prompt").read_text() == "1 4 2\n"
    assert (tmp_path / "run" / "studyapp").stat().st_mode & 0o777 == 0o700
