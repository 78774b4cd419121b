"""Quitting with a shared folder that is gone, or that holds whoever touches it: never in the way, never silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from studyapp.study.merging import NotInTimeError, leave_in_step, sync_in, sync_out
from studyapp.study.reachable import answers
from studyapp.study.today import overview
from tests.study.machine import machines


def test_answers_that_did_not_go_out_are_named_at_the_next_start_until_they_do(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    with machines(1) as (here,):
        here.has("a").answer("gpu/a")
        leave_in_step(here.desk, str(folder))
        assert overview(here.desk)["notices"][0] == (
            f"The last answers did not go out. The folder {folder} is not there. "
            "Mount it, or change the setting sync."
        )

        folder.mkdir()
        leave_in_step(here.desk, str(folder))

        assert not here.desk.sync_trouble()
        assert not any("did not go out" in notice for notice in overview(here.desk)["notices"])
        assert len(list(folder.iterdir())) == 1


def test_who_no_longer_keeps_in_step_is_told_of_no_trouble(tmp_path: Path) -> None:
    with machines(1) as (here,):
        leave_in_step(here.desk, str(tmp_path / "gone"))
        assert here.desk.sync_trouble()

        leave_in_step(here.desk, "")

        assert not here.desk.sync_trouble()


def test_a_folder_that_holds_whoever_touches_it_is_given_up_untouched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, programs = tmp_path / "shared", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    held = programs / "test"
    held.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    held.chmod(0o755)
    with machines(1) as (here,):
        here.has("a").answer("gpu/a")
        monkeypatch.setenv("PATH", str(programs))

        for way in (sync_in, sync_out):
            with pytest.raises(NotInTimeError, match="did not answer within"):
                way(here.desk, str(folder), -1)

        assert list(folder.iterdir()) == []


def test_a_folder_answers_whether_it_is_there_or_not(tmp_path: Path) -> None:
    assert answers(tmp_path, 60)
    assert answers(tmp_path / "gone", 60)


def test_without_a_program_to_ask_the_folder_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert answers(tmp_path, 60)
