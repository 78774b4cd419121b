"""`passport` and `run --stale` from the command line, with a worker that replays a recording."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Result, Studyapp

WORKER = Path(__file__).parent / "passport_worker.py"


@pytest.fixture(autouse=True)
def worker(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    behave(monkeypatch, "quiet")
    monkeypatch.setenv("STUDYAPP_DEVICE", "cpu")


def behave(monkeypatch: pytest.MonkeyPatch, behaviour: str) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", f"{sys.executable} {WORKER} {behaviour}")


def rows(home: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(next((home / "data").glob("*.db"))) as connection:
        return connection.execute(query).fetchall()


def test_a_passport_names_machine_device_day_and_every_figure_with_its_unit(studyapp: Studyapp) -> None:
    found = studyapp("passport")

    assert found.code == 0
    first = found.out.splitlines()[0]
    assert os.uname().nodename in first
    assert "Fake CPU" in first
    assert "1 Mar 2026" in first
    for words in ("110 GFLOP/s  (width 256)", "470 GFLOP/s", "640 ns", "no bus here", "25.3 GB", "41 GB/s"):
        assert words in found.out
    assert "not settled" in found.out


def test_a_passport_that_still_holds_is_shown_and_a_fresh_one_taken_on_request(
    studyapp: Studyapp, home: Path
) -> None:
    first = studyapp("passport", "--json").data
    again = studyapp("passport", "--json", now="2026-03-02T09:30+00:00").data
    fresh = studyapp("passport", "--json", "--fresh", now="2026-03-02T09:30+00:00").data

    assert again["uid"] == first["uid"] != fresh["uid"]
    assert rows(home, "SELECT count(*) FROM passports") == [(2,)]


def test_a_passport_of_another_torch_is_taken_anew(studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_TORCH", "2.12.1")
    old = studyapp("passport", "--json").data
    monkeypatch.setenv("FAKE_TORCH", "2.13.0")
    studyapp("run", "layer-batch", now="2026-03-02T09:30+00:00")  # tells the program which torch there is now

    new = studyapp("passport", "--json", now="2026-03-02T09:40+00:00").data

    assert (old["fingerprint"]["torch"], new["fingerprint"]["torch"]) == ("2.12.1", "2.13.0")


def test_json_holds_figures_points_and_fingerprint(studyapp: Studyapp) -> None:
    data = studyapp("passport", "--json").data

    peaks = {row["id"]: row["value"] for row in data["figures"] if row["group"] == "peak rate"}
    assert peaks["rate float32 one"] == 1.1e11
    assert data["bus"] is False
    assert data["fingerprint"]["machine"] == os.uname().nodename
    assert data["points"][0]["basis"] == "counted"
    assert data["expired"] == []


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("busy", "Measured beside other work: arithmetic took"), ("cut", "Part of a passport")],
)
def test_a_disturbed_or_cut_passport_says_so(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch, behaviour: str, words: str
) -> None:
    behave(monkeypatch, behaviour)

    found = studyapp("passport")

    assert found.code == 0
    assert words in found.out


def test_a_worker_that_crashes_leaves_a_part_and_exit_code_4(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    behave(monkeypatch, "crash")

    found = studyapp("passport")

    assert found.code == 4
    assert "Part of a passport" in found.out
    assert "on purpose" in found.err
    assert "card" not in found.err


def test_a_refusal_is_a_sentence_and_nothing_is_kept(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    behave(monkeypatch, "refuse")

    found = studyapp("passport", "--json")

    assert (found.code, found.error["kind"]) == (1, "refused")
    assert "268 MB" in found.error["message"]
    assert rows(home, "SELECT count(*) FROM passports") == [(0,)]


def test_an_unknown_device_is_a_usage_error(studyapp: Studyapp) -> None:
    assert studyapp("passport", "--fresh", "--device", "abacus").code == 2


def test_a_run_after_the_passport_is_compared_with_its_roofline(studyapp: Studyapp) -> None:
    studyapp("passport")

    found = studyapp("run", "layer-batch", "--predict", "52")

    assert "roofline" in found.out
    assert "You ×2.0 off, the roofline ×2.3 off." in found.out
    assert "The roofline is from this machine's passport of 1 Mar 2026." in found.out
    assert "roofline: assumed, not measured here." in found.out


def test_without_a_passport_there_is_no_roofline(studyapp: Studyapp) -> None:
    found = studyapp("run", "layer-batch", "--json").data

    assert found["roofline"] is None


def test_the_roofline_decides_nothing(studyapp: Studyapp) -> None:
    before = studyapp("run", "layer-batch", "--json").data
    studyapp("passport")
    after = studyapp("run", "layer-batch", "--json").data

    assert after["verdict"] == before["verdict"]
    assert after["points"] == before["points"]
    assert {point["basis"] for point in after["roofline"]["points"]} == {"assumed"}


def test_cards_are_written_only_with_consent(studyapp: Studyapp, home: Path) -> None:
    refused = studyapp("passport", "--cards")
    assert refused.code != 0
    assert "--yes" in refused.err
    assert not (home / "data" / "lessons").exists()

    assert studyapp("passport", "--cards", "--yes").code == 0
    listed = studyapp("list", "machine").out
    assert "peak-float32-one" in listed


def test_expired_runs_are_named_and_made_again_on_request(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_TORCH", "2.12.1")
    studyapp("run", "layer-batch")
    monkeypatch.setenv("FAKE_TORCH", "2.13.0")
    studyapp("run", "layer-batch", "--set", "width=256", now="2026-03-02T09:00+00:00")

    named = studyapp("passport", now="2026-03-02T09:30+00:00")
    assert "measured with torch 2.12: run again" in named.out

    again = studyapp("run", "--stale", "--json", now="2026-03-02T10:00+00:00").data
    assert [entry["why"] for entry in again] == ["measured with torch 2.12"]
    assert again[0]["controls"]["width"] == 512
    assert studyapp("run", "--stale", now="2026-03-02T10:00+00:00").out == "No run has expired.\n"


def test_stale_goes_with_no_name_of_an_experiment(studyapp: Studyapp) -> None:
    found: Result = studyapp("run", "layer-batch", "--stale")

    assert found.code == 2
