from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import NOW, ROOT, Result, Studyapp

CARD = "demo/needs"
pytestmark = pytest.mark.usefixtures("lesson")


def counts(result: Any) -> tuple[int, int, int]:
    return result.data["review"], result.data["new"], result.data["relearning"]


def test_an_answer_has_the_fields_that_scripts_rely_on(studyapp: Studyapp) -> None:
    data = studyapp("answer", CARD, "easy", "--json").data

    assert data["card"] == CARD
    assert data["rating"] == 4
    assert data["interval_days"] > 1
    assert data["study_day"] == "2026-03-01"
    assert data["due"] == f"2026-03-{1 + data['interval_days']:02d}"
    assert data["stability"] > 0
    assert 1 <= data["difficulty"] <= 10


def test_a_step_is_an_instant_and_no_interval(studyapp: Studyapp) -> None:
    data = studyapp("answer", CARD, "3", "--json").data

    assert data["interval_days"] == 0
    assert data["due"] == "2026-03-01T09:40:00+00:00"


def test_an_answered_card_is_due_on_its_day_and_not_before(studyapp: Studyapp) -> None:
    answer = studyapp("answer", CARD, "easy", "--json").data
    day = int(answer["due"][-2:])

    before = studyapp("due", "--json", now=f"2026-03-{day - 1:02d}T23:00")
    on_the_day = studyapp("due", "--json", now=f"2026-03-{day:02d}T04:00")

    assert counts(before) == (0, 0, 0)
    assert counts(on_the_day) == (1, 0, 0)
    assert on_the_day.data["due"] == 1


def test_before_the_rollover_it_is_still_the_day_before(studyapp: Studyapp) -> None:
    answer = studyapp("answer", CARD, "easy", "--json").data

    early = studyapp("due", "--json", now=f"{answer['due']}T03:59")

    assert early.data["due"] == 0


@pytest.mark.parametrize(("word", "rating"), [("1", 1), ("again", 1), ("HARD", 2), ("Good", 3), ("4", 4)])
def test_ratings_are_numbers_or_words(studyapp: Studyapp, word: str, rating: int) -> None:
    assert studyapp("answer", CARD, word, "--json").data["rating"] == rating


@pytest.mark.parametrize("word", ["0", "5", "fine", "٣", ""])
def test_another_rating_is_refused_and_nothing_is_stored(studyapp: Studyapp, word: str) -> None:
    result = studyapp("answer", CARD, word)

    assert result.code == 2
    assert studyapp("show", CARD, "--json").data["reps"] == 0


def test_an_unknown_card_names_near_ones(studyapp: Studyapp) -> None:
    result = studyapp("answer", "needs", "3")

    assert result.code == 2
    assert "demo/needs" in result.err


def test_a_card_that_left_its_lesson_takes_no_answer(studyapp: Studyapp, lesson: Path) -> None:
    studyapp("due")
    lesson.write_text(lesson.read_text(encoding="utf-8").replace("id: warp", "id: warps"), encoding="utf-8")

    result = studyapp("answer", "demo/warp", "3")

    assert result.code == 2
    assert "no longer" in result.err


def test_undo_takes_back_answer_by_answer(studyapp: Studyapp) -> None:
    studyapp("answer", CARD, "easy")
    studyapp("answer", "demo/warp", "2")

    first, second = studyapp("undo", "--json").data, studyapp("undo", "--json").data
    third = studyapp("undo", "--json")

    assert (first["card"], first["rating"], first["due"]) == ("demo/warp", 2, None)
    assert (second["card"], second["answered_at"]) == (CARD, NOW.replace("+", ":00+"))
    assert third.code == 1
    assert third.error["kind"] == "nothing"


def test_an_answer_in_words_says_when_the_card_comes_back(studyapp: Studyapp) -> None:
    assert studyapp("answer", CARD, "3").out == (
        "Stored: demo/needs, good. It comes back in 10 minutes, at 09:40.\n"
    )
    assert studyapp("undo").out == "Taken back: demo/needs, good, answered on 2026-03-01.\n"


def test_a_reschedule_is_taken_back_whole_and_named_so(studyapp: Studyapp) -> None:
    studyapp("answer", CARD, "easy")
    studyapp("answer", "demo/warp", "easy")
    before = studyapp("show", CARD, "--json").data["due"]
    studyapp("config", "retention", "0.97")
    studyapp("reschedule")

    assert studyapp("show", CARD, "--json").data["due"] != before
    assert studyapp("undo").out == "Taken back: the reschedule of all cards on 2026-03-01.\n"
    assert studyapp("show", CARD, "--json").data["due"] == before


def test_an_answer_counts_for_the_streak_of_its_day(studyapp: Studyapp) -> None:
    studyapp("answer", CARD, "easy", now="2026-02-28T23:00")
    studyapp("answer", "demo/warp", "easy", now="2026-03-01T03:59")  # still the evening of the 28th
    studyapp("answer", "demo/latency", "easy", now="2026-03-01T04:00")

    assert studyapp("due", "--json").data["streak"] == 2


def test_status_says_what_the_last_answer_left(studyapp: Studyapp) -> None:
    assert studyapp("status").out == "studyapp: not started\n"
    assert studyapp("status", "--json").data["due"] is None

    studyapp("answer", CARD, "3")

    assert studyapp("status").out == "1 due, 1 day\n"
    assert studyapp("status", "--json").data["relearning"] == 1
    assert studyapp("status", "--exit-code").code == 1


@pytest.mark.parametrize("words", [["status"], ["status", "--json"], ["status", "--exit-code"]])
def test_the_quick_and_the_slow_way_to_the_status_say_the_same(
    studyapp: Studyapp, process: Callable[..., Result], home: Path, words: list[str]
) -> None:
    studyapp("answer", CARD, "1", now=None)
    where = {"STUDYAPP_DATA_DIR": str(home / "data")}

    quick = subprocess.run(
        [sys.executable, "-m", "studyapp", *words],
        cwd=ROOT,
        env={**os.environ, **where},
        capture_output=True,
        text=True,
        check=False,
    )
    slow = process(*words)

    assert (quick.returncode, quick.stdout) == (slow.code, slow.out)
    assert "1" in slow.out


def test_a_look_with_a_frozen_clock_leaves_the_status_file_alone(studyapp: Studyapp, home: Path) -> None:
    studyapp("due", now="2030-01-01")

    assert not (home / "data" / "status.json").exists()


def test_a_leech_is_suspended_with_the_answer_by_choice_and_the_words_say_so(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_LEECH", "suspend")
    studyapp("answer", "demo/needs", "easy", now="2026-03-01T09:30")
    for year in range(7):
        studyapp("answer", "demo/needs", "again", now=f"{2030 + year}-03-01T09:30")
        studyapp("answer", "demo/needs", "good", now=f"{2030 + year}-03-01T09:50")

    last = studyapp("answer", "demo/needs", "again", now="2040-03-01T09:30")

    assert last.out == "Stored: demo/needs, again. Forgotten 8 times: it is suspended.\n"
    assert studyapp("show", "demo/needs", "--json").data["suspended"] is True
    assert studyapp("undo", now="2040-03-01T09:31").code == 0
    assert studyapp("show", "demo/needs", "--json").data["suspended"] is False
    again = studyapp("answer", "demo/needs", "again", "--json", now="2040-03-01T09:32").data
    assert (again["leech"], again["suspended"]) == (True, True)
