from __future__ import annotations

import shlex
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Studyapp

CARD = "gpus-and-cpus/wide-wins"
TPUS = "gpus-and-cpus/tpus"


def _edit(home: Path, query: str, where: str = "data") -> None:
    with closing(sqlite3.connect(home / where / "study.db")) as raw:
        raw.execute(query)
        raw.commit()


def test_rebuild_says_that_all_cards_are_equal(studyapp: Studyapp) -> None:
    studyapp("answer", CARD, "3")

    result = studyapp("rebuild")

    assert (result.code, result.out) == (0, "1 card, 1 row in the log, all equal.\n")
    assert studyapp("rebuild", "--json").data["equal"] is True


def test_rebuild_names_what_differs_and_puts_it_right_after_a_copy(studyapp: Studyapp, home: Path) -> None:
    studyapp("answer", CARD, "3")
    before = studyapp("show", CARD, "--json").data
    _edit(home, "UPDATE memory SET due_at_ms = 7, lapses = 9")
    studyapp("answer", "gpus-and-cpus/tpus", "4")
    _edit(home, "DELETE FROM memory WHERE card LIKE '%tpus'")
    _edit(home, "UPDATE days SET n = n + 5")

    found = studyapp("rebuild")
    written = studyapp("rebuild", "--write", "--json")

    assert found.code == 1
    assert f"2 cards differ from the log: {TPUS}, {CARD}" in found.out
    assert "The figures of 1 study day differ" in found.out
    assert (written.code, written.data["written"], written.data["different"]) == (0, True, [TPUS, CARD])
    assert Path(written.data["copy"]).name.endswith("-before-rebuild.db")
    assert studyapp("show", CARD, "--json").data == before
    assert studyapp("rebuild").code == 0


def test_a06_answers_dated_after_a_clock_that_was_set_right_are_put_back(studyapp: Studyapp) -> None:
    studyapp("answer", "gpus-and-cpus/tpus", "3", now="2026-03-01T09:00+00:00")
    studyapp("answer", "gpus-and-cpus/tpus", "3", now="2025-01-25T09:00+00:00")  # 400 days behind
    studyapp("answer", CARD, "4", now="2028-03-01T09:00+00:00")  # two years ahead

    found = studyapp("rebuild", "--json")
    asked = studyapp("rebuild", "--clock")
    written = studyapp("rebuild", "--clock", "--write")

    assert (found.code, found.data["equal"], found.data["clock_ahead"]) == (0, True, 1)
    assert asked.code == 1
    assert "Dated more than a day after the clock: 1 row of the log." in asked.out
    assert written.code == 0
    shown = studyapp("show", CARD, "--json").data
    assert shown["due"].startswith("2026-03")
    assert studyapp("stats", "--json", now="2028-03-01T09:30+00:00").data["streak"]["best"] == 1
    assert studyapp("rebuild", "--json").data["clock_ahead"] == 0
    assert studyapp("undo", "--json").data["card"] in (CARD, "gpus-and-cpus/tpus")


def test_merging_a_file_or_a_data_folder_says_what_came(studyapp: Studyapp, home: Path) -> None:
    studyapp("answer", CARD, "3", where=home / "other")
    studyapp("answer", CARD, "4")

    result = studyapp("merge", str(home / "other"))
    again = studyapp("merge", str(home / "other" / "study.db"), "--json")

    assert (result.code, result.out) == (0, "1 row of the log new to this record; 1 card moved.\n")
    assert again.data == {"here": dict.fromkeys(again.data["here"], 0), "there": None}
    assert studyapp("show", CARD, "--json").data["reps"] == 2
    assert studyapp("rebuild").code == 0


def test_a_missing_file_a_strange_one_and_a_wrong_host_are_refused_in_words(
    studyapp: Studyapp, home: Path
) -> None:
    (home / "notes.db").write_text("no store" * 999, encoding="ascii")

    assert "There is no file" in studyapp("merge", str(home / "gone.db")).err
    assert "is not a studyapp store" in studyapp("merge", str(home / "notes.db")).err
    assert studyapp("merge", "--", "-oProxyCommand=touch /tmp/x").code == 2


def test_a_host_that_cannot_be_reached_costs_a_sentence(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_SSH_COMMAND", "sh -c 'echo ssh: no route to host >&2; exit 255'")

    result = studyapp("merge", "me@box", "--json")

    assert (result.code, result.error["kind"]) == (1, "far")
    assert result.error["message"] == "me@box cannot be reached: ssh: no route to host."


def test_two_records_are_level_after_merging_with_a_host(
    studyapp: Studyapp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = home / "far"
    studyapp("answer", CARD, "3", where=far)
    studyapp("answer", "gpus-and-cpus/tpus", "4")
    # in place of ssh: run the last word, what a far shell would be given
    monkeypatch.setenv("STUDYAPP_SSH_COMMAND", """sh -c 'for last; do :; done; exec sh -c "$last"' ssh""")
    monkeypatch.setenv(
        "STUDYAPP_FAR_COMMAND", shlex.join([sys.executable, "-m", "studyapp", "--data-dir", str(far)])
    )

    result = studyapp("merge", "me@box")

    assert result.out.splitlines() == [
        "1 row of the log new to this record; 1 card moved.",
        "1 row of the log new to me@box; 1 card moved.",
    ]
    assert studyapp("show", "gpus-and-cpus/tpus", "--json", where=far).data["reps"] == 1
    assert studyapp("rebuild", where=far).code == 0


def test_restore_lists_the_copies_the_latest_first(studyapp: Studyapp) -> None:
    assert "There is no copy yet" in studyapp("restore").out
    studyapp("backup", now="2026-03-01T09:00+00:00")
    studyapp("backup", now="2026-03-02T09:00+00:00")

    copies = studyapp("restore", "--json").data["copies"]

    assert [copy["made"] for copy in copies] == ["2026-03-02T09:00:00", "2026-03-01T09:00:00"]
    assert "study-20260302-090000.db" in studyapp("restore").out.splitlines()[0]


def test_a_copy_comes_back_as_another_device_and_what_was_here_is_kept(studyapp: Studyapp, home: Path) -> None:
    studyapp("answer", CARD, "3")
    studyapp("backup")
    device = _devices(home)[-1]
    studyapp("answer", "gpus-and-cpus/tpus", "4")

    result = studyapp("restore", "study-20260301-093000.db", "--json")

    assert result.data["answers"] == 1
    kept = Path(result.data["kept"])
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert studyapp("show", "gpus-and-cpus/tpus", "--json").data["reps"] == 0
    assert _devices(home)[-1] != device
    studyapp("answer", CARD, "1")
    studyapp("merge", str(kept))
    assert studyapp("show", "gpus-and-cpus/tpus", "--json").data["reps"] == 1
    assert studyapp("show", CARD, "--json").data["reps"] == 2
    assert studyapp("rebuild").code == 0


def _devices(home: Path) -> list[bytes]:
    with closing(sqlite3.connect(home / "data" / "study.db")) as raw:
        return [row[0] for row in raw.execute("SELECT device FROM devices ORDER BY rowid")]


def test_a_damaged_store_is_moved_aside_for_the_copy(studyapp: Studyapp, home: Path) -> None:
    studyapp("answer", CARD, "3")
    studyapp("backup")
    damaged = b"\x00" * 5000
    for path in (home / "data").glob("study.db*"):
        path.unlink()
    (home / "data" / "study.db").write_bytes(damaged)
    assert studyapp("show", CARD).code == 3

    result = studyapp("restore", "study-20260301-093000.db", "--json")

    assert result.code == 0
    assert Path(result.data["kept"]).read_bytes() == damaged
    assert studyapp("show", CARD, "--json").data["reps"] == 1


def test_a_damaged_copy_is_refused_and_changes_nothing(studyapp: Studyapp, home: Path) -> None:
    studyapp("answer", CARD, "3")
    copy = Path(studyapp("backup", "--json").data["path"])
    content = bytearray(copy.read_bytes())
    content[30 * 4096 : 50 * 4096] = b"\xff" * (20 * 4096)
    copy.write_bytes(content)

    result = studyapp("restore", copy.name)

    assert result.code == 3
    assert "damaged" in result.err
    assert studyapp("show", CARD, "--json").data["reps"] == 1
    assert len(list((home / "data" / "backups").iterdir())) == 1


def test_what_is_no_copy_is_refused(studyapp: Studyapp, home: Path) -> None:
    studyapp("answer", CARD, "3")

    assert studyapp("restore", "nothing.db").code == 2
    assert studyapp("restore", str(home / "data" / "study.db")).code == 2


def test_doctor_replays_the_log_and_offers_the_repair(
    studyapp: Studyapp, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = ROOT / "tests" / "experiments" / "fake_worker.py"
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(worker)]))
    studyapp("answer", CARD, "3")
    sound = studyapp("doctor", "--json")
    _edit(home, "UPDATE memory SET lapses = 9")

    found = studyapp("doctor")

    assert (sound.code, sound.data["store"]["replay"], sound.data["store"]["rows"]) == (0, "ok", 1)
    assert found.code == 1
    assert "1 card not as the log says." in found.err
    assert "`studyapp rebuild --write`" in found.err


def test_doctor_names_answers_dated_after_the_clock(studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = ROOT / "tests" / "experiments" / "fake_worker.py"
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", shlex.join([sys.executable, str(worker)]))
    studyapp("answer", CARD, "4", now="2028-03-01T09:00+00:00")

    found = studyapp("doctor")

    assert found.code == 1
    assert " cards in 1 module\n" in found.out
    assert "Dated more than a day after the clock" in found.err
    assert "`studyapp rebuild --clock --write`" in found.err
