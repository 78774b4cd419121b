from __future__ import annotations

from pathlib import Path

import pytest

from studyapp.core.days import iso_to_day
from studyapp.store.database import open_store
from tests.cli.conftest import Studyapp
from tests.study.log import study

TODAY = iso_to_day("2026-03-01")


@pytest.fixture
def log(home: Path, studyapp: Studyapp, lesson: Path) -> None:
    studyapp("due")
    with open_store(home / "data" / "study.db", now_ms=0) as store:
        study(store, ["demo/needs", "demo/warp", "demo/latency", *(f"old/{k}" for k in range(30))], TODAY)


@pytest.mark.usefixtures("log")
def test_stats_carry_the_n_of_every_figure(studyapp: Studyapp) -> None:
    data = studyapp("stats", "--json").data

    for window in data["retention"]["windows"]:
        young, mature, both = window["young"], window["mature"], window["all"]
        assert young["total"] + mature["total"] == both["total"]
        assert both["total"] == 0 or both["low"] <= both["value"] <= both["high"]
    assert data["retention"]["windows"][-1]["all"]["total"] == data["own_forecasts"]["all"]["reviews"]
    rows = data["own_forecasts"]["all"]["reliability"]
    assert sum(row["recalled"]["total"] for row in rows) == data["own_forecasts"]["all"]["reviews"]
    assert sum(day["answers"] for day in data["days"]) == data["reviews"]
    assert sum(part["cards"] for part in data["stability"]) == data["learned"] == 3
    assert len(data["forecast"]) == 30
    assert data["forgetting"]["modules"][0]["cards"] == 3
    assert data["time"]["cap_seconds"] == 60
    assert set(data["predictions"]["by_sure"]) == {"guess", "fairly", "certain"}
    assert {"id", "prompt", "lapses", "recall", "leech"} <= set(data["hardest"][0])


@pytest.mark.usefixtures("log")
def test_stats_in_lines_name_what_there_is(studyapp: Studyapp) -> None:
    out = studyapp("stats").out

    for words in ("recall, 30 days", "young", "stable for", "without a review you would forget about", "log-loss"):
        assert words in out
    assert all(len(line) <= 120 for line in out.split("\n"))


def test_stats_without_answers_name_no_figure_of_them(studyapp: Studyapp, lesson: Path) -> None:
    data, out = studyapp("stats", "--json").data, studyapp("stats").out

    assert data["own_forecasts"]["all"]["log_loss"] is None
    assert data["hardest"] == data["days"] == data["forgetting"]["modules"] == []
    assert "log-loss" not in out
    assert "forget" not in out
