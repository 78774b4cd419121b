"""Home's figures and the small status file: true now, and true on the days it looks ahead to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from studyapp.core.prompt import summary
from studyapp.core.reviews import Rating
from studyapp.study.desk import Desk
from studyapp.study.reviewing import Sitting
from studyapp.study.status_file import read_status, replace_status
from studyapp.study.today import WRITES_PER_CHECKPOINT, write_status
from tests.study.conftest import Watch

Maker = Callable[..., Desk]


def test_the_status_file_says_tomorrow_what_a_fresh_look_says_then(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=2)
    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    sitting.grade(showing, Rating.EASY, duration_ms=1)
    cached = write_status(desk)
    assert summary(cached, watch().at_ms) == {
        "due": 0, "review": 0, "new": 0, "relearning": 0, "streak": 1, "study_day": "2026-03-02",
    }  # fmt: skip
    for iso in ("2026-03-03T04:00", "2026-03-03T23:00"):
        watch.set(iso)
        fresh = summary(write_status(desk), watch().at_ms)
        assert summary(cached, watch().at_ms) == fresh
        assert fresh is not None
        assert fresh["new"] == 1
        assert fresh["streak"] == 1
    watch.set("2026-03-05T10:00")
    assert summary(cached, watch().at_ms)["streak"] == 0  # type: ignore[index]
    watch.set("2026-03-03T03:59")
    assert summary(cached, watch().at_ms)["study_day"] == "2026-03-02"  # type: ignore[index]


def test_the_status_file_is_private_and_whole(desk_of: Maker, tmp_path: Path) -> None:
    desk = desk_of()
    write_status(desk)
    path = desk.status_path
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["version"] == 1
    assert [p.name for p in path.parent.glob(".status-*")] == []


def test_a_status_file_that_cannot_be_read_or_written_is_no_error(tmp_path: Path) -> None:
    assert read_status(tmp_path / "none.json") is None
    (tmp_path / "bad.json").write_text("{")
    assert read_status(tmp_path / "bad.json") is None
    replace_status(tmp_path / "missing" / "status.json", {"version": 1})
    assert not (tmp_path / "missing").exists()


def test_the_write_ahead_log_is_moved_into_the_file_between_answers_now_and_then(desk_of: Maker) -> None:
    desk = desk_of()
    main_file = desk.store.path
    before = main_file.stat().st_mtime_ns
    for number in range(WRITES_PER_CHECKPOINT):
        desk.store.meta_set("key", str(number))
    assert main_file.stat().st_mtime_ns == before

    write_status(desk)

    assert main_file.stat().st_mtime_ns > before
