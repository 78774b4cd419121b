from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from studyapp.core.days import iso_to_day
from studyapp.store.database import open_store
from tests.cli.conftest import ROOT, Studyapp
from tests.study.log import study

FAKE = ROOT / "tests" / "study" / "fit_worker.py"
TODAY = iso_to_day("2026-03-01")


@pytest.fixture
def log(home: Path, studyapp: Studyapp, lesson: Path) -> None:
    """A log with enough to train on: the lesson's three cards, and a hundred of another lesson."""
    studyapp("due")
    with open_store(home / "data" / "study.db", now_ms=0) as store:
        study(store, ["demo/needs", "demo/warp", "demo/latency", *(f"old/{k}" for k in range(100))], TODAY)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(FAKE), "better"]))


def test_a13_optimize_says_what_is_missing_and_succeeds(studyapp: Studyapp, lesson: Path) -> None:
    result = studyapp("optimize")

    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Your numbers stay as they are: 0 usable reviews; about 400 are needed.")
    assert studyapp("optimize", "--json").data["state"] == "too_little"


@pytest.mark.usefixtures("log", "worker")
def test_optimize_reschedule_and_back(studyapp: Studyapp) -> None:
    default = studyapp("optimize", "--dry-run", "--json").data
    assert (default["state"], default["loss_before"], default["loss_after"]) == ("better", 0.4, 0.3)

    taken = studyapp("optimize")
    assert taken.code == 0
    assert "forecast better (log-loss 0.4000 -> 0.3000" in taken.out
    assert "reschedule --dry-run" in taken.out

    load = studyapp("reschedule", "--dry-run", "--json").data
    assert len(load["load"]) == 30
    assert (load["cards"], load["moved"]) == (3, 0)
    assert "Nothing was changed." in studyapp("reschedule", "--dry-run").out
    moved = studyapp("reschedule", "--json").data["moved"]
    assert moved == load["earlier"] + load["later"] or moved > 0
    assert studyapp("reschedule").out.startswith("0 cards of 3 changed")

    back = studyapp("optimize", "--back", "--json").data
    assert back["in_force"] == default["in_force"]
    assert studyapp("optimize", "--back").out.startswith("The defaults are in force")


@pytest.mark.usefixtures("log")
def test_a13_without_torch_optimize_names_the_install_command(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(FAKE), "no_torch"]))

    result = studyapp("optimize")

    assert result.code == 4
    assert "The old numbers stay." in result.err
    assert "pip install torch" in result.err
    assert studyapp("optimize", "--json").error["hint"] == "Install torch: pip install torch"


def test_dry_run_and_back_do_not_go_together(studyapp: Studyapp) -> None:
    assert studyapp("optimize", "--dry-run", "--back").code == 2
