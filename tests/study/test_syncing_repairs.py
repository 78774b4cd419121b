"""What is repaired on one machine, and what is broken on the way, in a record that two machines share."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from studyapp.core.reviews import Rating
from studyapp.store.exporting import have, lacking
from studyapp.store.lines import Reader
from studyapp.store.merging import merge_staged
from studyapp.store.revision import SHIPPED
from studyapp.store.staging import staged_lines
from studyapp.study import moving
from studyapp.study.backing_up import copies
from studyapp.study.desk import Desk
from studyapp.study.merging import NotInTimeError, sync_in, sync_out
from studyapp.study.rebuilding import policies, rebuild
from studyapp.study.reviewing import Sitting
from tests.study.machine import Machine, assert_whole, machines, record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "shared"
    place.mkdir()
    return place


def answered_a_month_ahead(machine: Machine) -> None:
    """Answer a card with the clock a month ahead, then set the clock right."""
    machine.has("a", "b").answer("gpu/b")
    machine.now += timedelta(days=30)
    machine.answer("gpu/a")
    machine.now -= timedelta(days=30)


def merged(here: Machine, there: Machine) -> int:
    """Send over what `have` of one machine lacks, as a host would; return the rows that were new."""
    reader = Reader(SHIPPED.known)
    lines = lacking(there.desk.store, have(here.desk.store))
    with staged_lines(here.desk.store, lines, reader) as draft:
        return merge_staged(here.desk.store, draft, policies(here.desk)).reviews


def test_a_repaired_clock_travels_through_a_folder_to_those_who_have_the_answers(folder: Path) -> None:
    with machines(2) as (here, there):
        answered_a_month_ahead(here)
        there.has("a", "b")
        sync_out(here.desk, str(folder))
        sync_in(there.desk, str(folder), limit_s=60)

        rebuild(here.desk, write=True, clock=True)
        assert sync_out(here.desk, str(folder)) == 2  # the header and the row
        assert sync_out(here.desk, str(folder)) == 0
        sync_in(there.desk, str(folder), limit_s=60)

        assert record(here) == record(there)
        assert max(there.desk.store.active_days()) == there.clock().study_day
        assert_whole(there)


def test_a_repaired_clock_travels_to_a_host_that_has_the_answers() -> None:
    with machines(2) as (here, there):
        answered_a_month_ahead(here)
        there.has("a", "b")
        assert merged(there, here) == 2
        rebuild(here.desk, write=True, clock=True)

        assert merged(there, here) == 0

        assert record(here) == record(there)


@pytest.mark.parametrize("turned", [False, True])
def test_two_lines_of_one_showing_are_both_kept_and_stop_nothing(folder: Path, turned: bool) -> None:
    with machines(2) as (here, there):
        there.has("a", "b").answer("gpu/a")
        there.answer("gpu/b")
        sync_out(there.desk, str(folder))
        segment = folder / f"{there.desk.store.device}.jsonl"
        lines = segment.read_text().splitlines()
        at = next(n for n, line in enumerate(lines) if line.startswith('{"reviews"'))
        again = json.loads(lines[at])
        again["reviews"][0] = "ff" * 16
        lines.insert(at if turned else at + 1, json.dumps(again))
        segment.write_text("\n".join(lines) + "\n")

        done = sync_in(here.desk, str(folder), limit_s=60)

        assert (done.reviews, done.twice) == (3, 1)
        rows = here.desk.store.reviews(card="gpu/a")
        assert {row.uid: bool(row.showing) for row in rows} == {
            uid: uid != "ff" * 16 for uid in (row.uid for row in rows)
        }
        assert_whole(here)


def test_a_folder_that_hangs_keeps_quitting_for_no_longer_than_allowed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = threading.Event()  # the server of the folder is away until then
    monkeypatch.setattr("studyapp.study.segments._append", lambda *_: back.wait(60))
    with machines(1) as (here,):
        here.has("a").answer("gpu/a")

        with pytest.raises(NotInTimeError, match=rf"{folder} did not answer within 0\.2 s"):
            sync_out(here.desk, str(folder), limit_s=0.2)

        assert here.desk.store.reviews()
        back.set()
        [waiting] = [thread for thread in threading.enumerate() if thread.name == "sync"]
        waiting.join(10)


def test_the_record_is_copied_once_before_an_import_that_changes_something(
    desk_of: Callable[..., Desk], tmp_path: Path
) -> None:
    desk, lessons = desk_of(release="all"), tmp_path / "private" / "lessons"
    deck = tmp_path / "deck.md"
    deck.write_text("Q: What is a warp?\nA: Thirty-two lanes.\n")
    moving.bring(desk, deck, lessons)
    assert copies(desk.store.path) == []  # there was no answer to lose

    sitting = Sitting(desk)
    showing = sitting.next()
    assert showing is not None
    sitting.grade(showing, Rating.GOOD, duration_ms=1)
    moving.bring(desk, deck, lessons)
    assert copies(desk.store.path) == []  # nothing new in it
    deck.write_text("Q: What is a warp?\nA: Thirty-two lanes in step.\n")
    moving.bring(desk, deck, lessons, dry_run=True)
    assert copies(desk.store.path) == []

    moving.bring(desk, deck, lessons)

    assert [copy.why for copy in copies(desk.store.path)] == ["before-import"]
