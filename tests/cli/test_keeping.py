from __future__ import annotations

import shlex
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from studyapp.cli import doctor
from studyapp.cli.colors import depth, palette
from tests.cli.conftest import ROOT, Studyapp

FAKE = ROOT / "tests" / "experiments" / "fake_worker.py"


def test_a_backup_is_a_whole_store_that_nobody_else_reads(studyapp: Studyapp, home: Path) -> None:
    studyapp("answer", "gpus-and-cpus/wide-wins", "4")

    data = studyapp("backup", "--json").data

    path = Path(data["path"])
    assert path == home / "data" / "backups" / "study-20260301-093000.db"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    restored = studyapp("show", "gpus-and-cpus/wide-wins", "--json", "--db", str(path))
    assert restored.data["reps"] == 1


def test_a_backup_goes_into_a_folder_or_a_new_file(studyapp: Studyapp, home: Path) -> None:
    studyapp("backup", str(home))
    studyapp("backup", str(home / "mine.db"))

    assert sorted(path.name for path in home.glob("*.db")) == ["mine.db", "study-20260301-093000.db"]


def test_a_backup_never_replaces_a_file(studyapp: Studyapp, home: Path) -> None:
    precious = home / "thesis.tex"
    precious.write_text("ten years", encoding="utf-8")

    result = studyapp("backup", str(precious))

    assert result.code == 2
    assert precious.read_text(encoding="utf-8") == "ten years"


def test_a_backup_that_cannot_be_written_is_store_trouble(studyapp: Studyapp, home: Path) -> None:
    assert studyapp("backup", str(home / "no" / "such" / "place.db")).code == 3


def test_doctor_starts_the_worker_and_examines_the_store(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(FAKE)]))

    result = studyapp("doctor", "--json")

    assert result.code == 0
    assert result.data["worker"]["state"] == "ready"
    assert result.data["store"]["integrity"] == "ok"
    assert result.data["store"]["journal_mode"] in ("wal", "delete")
    assert result.data["store"]["sqlite"] == sqlite3.sqlite_version
    assert result.data["time"]["zone"] == "UTC"
    assert result.data["problems"] == []
    assert "All is well." in studyapp("doctor").out


@pytest.mark.torch
def test_doctor_names_the_torch_that_the_real_worker_has(studyapp: Studyapp) -> None:
    worker = studyapp("doctor", "--json").data["worker"]

    assert worker["state"] == "ready"
    assert worker["torch"]
    assert worker["cores"] >= 1


def test_doctor_gives_the_command_that_installs_torch(studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(FAKE), "no_torch"]))

    result = studyapp("doctor")

    assert result.code == 1
    assert f"Install torch: {sys.executable} -m pip install 'torch>=2.6'" in result.err
    assert "Reading and reviewing work without." in result.err


@pytest.mark.parametrize(
    ("raises", "why", "more"),
    [
        (
            "ImportError('libgomp.so.1: cannot open shared object file: No such file or directory')",
            "libgomp.so.1: cannot open shared object file: No such file or directory",
            "If libgomp.so.1 is still missing then, install the system's package that holds it. Reading",
        ),
        (
            "ModuleNotFoundError(\"No module named 'torch._C'\", name='torch._C')",
            "No module named 'torch._C'",
            " Reading",
        ),
        ("OSError('torch_cpu: file too short')", "torch_cpu: file too short", " Reading"),
    ],
)
def test_g05_doctor_has_a_torch_that_cannot_be_imported_installed_anew(
    studyapp: Studyapp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raises: str, why: str, more: str
) -> None:
    (tmp_path / "torch.py").write_text(f"raise {raises}", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    result = studyapp("doctor")

    assert result.code == 1
    assert f"Experiments cannot run: torch cannot be imported: {why}." in result.err
    command = f"{sys.executable} -m pip install --force-reinstall 'torch>=2.6'"
    assert f"Install torch anew: {command}" in result.err
    if sys.platform == "linux" and not doctor._has_gpu():
        assert f"(the small CPU build: {doctor.SMALL_BUILD})" in result.err
    assert more in result.err


def test_g05_pip_replaces_a_torch_that_is_too_old_by_itself(
    studyapp: Studyapp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("__version__ = '2.5.1'", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    result = studyapp("doctor")

    assert "torch 2.5.1 is too old: 2.6 or newer is needed." in result.err
    assert f"Install torch: {sys.executable} -m pip install 'torch>=2.6'" in result.err


def test_doctor_reports_a_store_that_cannot_be_opened(
    studyapp: Studyapp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(FAKE)]))
    (home / "broken.db").write_bytes(b"no store" * 1000)

    result = studyapp("doctor", "--db", str(home / "broken.db"))

    assert result.code == 3
    assert "not a studyapp store" in result.err
    assert result.out.startswith("studyapp")


def test_doctor_warns_of_sqlite_with_the_wal_reset_fault(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(FAKE)]))

    store = studyapp("doctor", "--json").data["store"]

    old = sqlite3.sqlite_version_info < doctor.SAFE_SQLITE and store["journal_mode"] == "wal"
    assert ("warning" in store) == old


def test_c08_wanted_colours_win_over_guessing() -> None:
    plain = {"NO_COLOR": "1", "TERM": "dumb"}

    assert depth("true", False, plain) == "true"
    assert depth("never", True, {"TERM": "xterm-256color"}) == "never"


@pytest.mark.parametrize(
    ("terminal", "environ", "found"),
    [
        (False, {"TERM": "xterm-256color"}, "never"),
        (True, {"TERM": "xterm-256color"}, "256"),
        (True, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "true"),
        (True, {"TERM": "xterm-256color", "NO_COLOR": "1"}, "never"),
        (True, {"TERM": "linux"}, "16"),
        (True, {"TERM": "dumb"}, "never"),
        (True, {}, "never"),
    ],
)
def test_c08_the_terminal_says_how_many_colours(terminal: bool, environ: dict[str, str], found: str) -> None:
    assert depth("auto", terminal, environ) == found


def test_true_colours_are_the_indexed_ones() -> None:
    assert palette("256")["cpu"] == "38;5;215"
    assert palette("true")["cpu"] == "38;2;255;175;95"
    assert palette("true")["axis"] == "38;2;88;88;88"
    assert palette("256", "0;15")["cpu"] == "38;5;130"
    assert palette("never") == {}
    assert palette("16")["you"] == "35"
