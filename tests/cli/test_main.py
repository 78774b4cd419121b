from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from studyapp import __version__
from studyapp.cli.call import Call
from studyapp.cli.main import _explain, run
from tests.cli.conftest import Studyapp


def test_version_is_printed(studyapp: Studyapp) -> None:
    assert studyapp("--version").out == f"studyapp {__version__}\n"


def test_global_options_may_stand_before_or_after_the_command(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(home / "elsewhere")

    before = run(["--json", "--now", "2026-03-01T09:30", "--data-dir", folder, "due"]), capsys.readouterr().out
    after = run(["due", "--data-dir", folder, "--now=2026-03-01T09:30", "--json"]), capsys.readouterr().out

    assert before == after
    assert before[0] == 0
    assert json.loads(before[1])["data"]["study_day"] == "2026-03-01"


def test_a_wrong_command_is_usage_and_names_the_near_one(studyapp: Studyapp) -> None:
    result = studyapp("stat")

    assert (result.code, result.out) == (2, "")
    assert "There is no command 'stat'" in result.err
    assert "stats" in result.err


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["due", "--nonsense"],
        ["answer", "only-a-card"],
        ["run"],
        ["due", "extra"],
        ["due", "--color", "pink"],
        ["due", "--now", "yesterday-ish"],
        ["due", "--db", "postgresql://box/db"],
        ["streak", "--why", "someday"],
        ["review"],
        ["list", "--plain", "--set"],
    ],
)
def test_wrong_usage_is_2_and_keeps_the_envelope_when_json_was_asked(studyapp: Studyapp, words: list[str]) -> None:
    result = studyapp(*words, "--json", now=None)

    assert result.code == 2
    assert result.error["kind"] == "usage"
    assert result.error["message"]
    assert result.err == ""


def test_without_json_an_error_is_two_lines_on_standard_error(studyapp: Studyapp) -> None:
    result = studyapp("answer", "gpus-and-cpus/wide-win", "3")

    assert (result.code, result.out) == (2, "")
    assert result.err == "There is no card 'gpus-and-cpus/wide-win'.\nDid you mean gpus-and-cpus/wide-wins?\n"


def test_a_command_without_data_has_no_json(studyapp: Studyapp) -> None:
    result = studyapp("--json", "review", "--plain")

    assert result.code == 2
    assert "no --json" in result.error["message"]


def test_json_without_a_command_is_usage(studyapp: Studyapp) -> None:
    assert studyapp("--json").error["kind"] == "usage"


def test_an_unknown_setting_is_usage_and_names_its_source(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_RETENTION", "2")

    result = studyapp("due")

    assert result.code == 2
    assert "STUDYAPP_RETENTION" in result.err


def test_d05_a_store_that_is_no_database_is_3_and_left_alone(studyapp: Studyapp, home: Path) -> None:
    broken = home / "broken.db"
    broken.write_bytes(b"not a database at all" * 100)

    result = studyapp("due", "--json", "--db", str(broken))

    assert result.code == 3
    assert result.error["kind"] == "store"
    assert broken.read_bytes() == b"not a database at all" * 100


def test_d02_a_store_of_a_newer_program_is_3_and_left_as_it_is(studyapp: Studyapp, home: Path) -> None:
    import sqlite3
    from contextlib import closing

    studyapp("due")
    store = home / "data" / "study.db"
    with closing(sqlite3.connect(store)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
        raw.commit()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = store.read_bytes()

    results = [studyapp(*words) for words in (["due"], ["answer", "gpus-and-cpus/wide-wins", "3"], ["undo"])]

    assert [result.code for result in results] == [3, 3, 3]
    assert "9999" in results[0].err
    assert store.read_bytes() == before


def test_a_store_named_by_a_flag_leaves_the_status_file_alone(studyapp: Studyapp, home: Path) -> None:
    studyapp("due", now=None)
    before = (home / "data" / "status.json").read_bytes()

    result = studyapp("answer", "gpus-and-cpus/wide-wins", "good", "--db", str(home / "other.db"))

    assert result.code == 0
    assert (home / "data" / "status.json").read_bytes() == before


def test_an_unexpected_failure_is_one_line_and_a_private_traceback(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Call(flags={"data_dir": str(home / "data")})

    code = _explain(ValueError("of our own making"), call, asked_json=False)

    err = capsys.readouterr().err
    place = home / "data" / "last-error.txt"
    assert code == 1
    assert err.count("\n") == 1
    assert "ValueError: of our own making" in err
    assert str(place) in err
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert "ValueError" in place.read_text(encoding="utf-8")


def test_a_failure_that_came_of_ctrl_c_is_130(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        """A learner who presses Ctrl-C while something is being tidied up that cannot be."""

        def isatty(self) -> bool:
            return False

        def readline(self) -> str:
            try:
                raise KeyboardInterrupt
            finally:
                raise RuntimeError("cannot be tidied up")

    monkeypatch.setattr("sys.stdin", Interrupted())
    monkeypatch.setenv("STUDYAPP_RELEASE", "all")

    code = run(["--data-dir", str(home / "data"), "review", "--plain"])

    assert code == 130
    assert "studyapp failed" not in capsys.readouterr().err


def test_an_unexpected_failure_keeps_the_envelope(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = _explain(ValueError("x"), Call(flags={"data_dir": str(home / "data")}), asked_json=True)

    assert code == 1
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "internal"


def test_the_shell_can_complete_commands(studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_STUDYAPP_COMPLETE", "bash_source")

    assert "_studyapp_completion" in studyapp().out


def test_a_problem_in_a_lesson_is_mentioned_once(studyapp: Studyapp, lesson: Path) -> None:
    lesson.write_text(lesson.read_text(encoding="utf-8") + "\n> **Say it first:** No answer?\n", encoding="utf-8")

    first, second = studyapp("due"), studyapp("due")

    assert "demo.md:" in first.err
    assert "studyapp check" in first.err
    assert second.err == ""


def test_a06_a_clock_set_back_is_mentioned_on_standard_error(studyapp: Studyapp) -> None:
    studyapp("answer", "gpus-and-cpus/wide-wins", "4")

    result = studyapp("due", "--json", now="2026-02-01T09:30")

    assert result.code == 0
    assert "The clock says 1 Feb 2026" in result.err
    assert result.data["study_day"] == "2026-02-01"
