"""`streak`: the run, one day, rest in advance, and the switch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Studyapp


@pytest.fixture
def studied(studyapp: Studyapp) -> Studyapp:
    """A learner who answered one card on 1 March."""
    card = studyapp("list", "--json").data[0]["id"]
    assert studyapp("answer", card, "good").code == 0
    return studyapp


def test_rest_is_planned_and_the_streak_lives_through_it(studied: Studyapp) -> None:
    planned = studied("streak", "--rest", "tomorrow", "--until", "2026-03-06")
    after = studied("streak", "--json", now="2026-03-07T09:30+00:00").data

    assert planned.out.startswith("Rest is planned on 2026-03-02 until 2026-03-06 (5 days).\n")
    assert "recall falls" in planned.out
    assert after["length"] == 1
    assert studied("streak", "--why", "2026-03-04", now="2026-03-07T09:30+00:00").out == (
        "Wed 4 Mar 2026: a day of rest; the streak stayed at 1.\n"
    )


def test_rest_is_taken_back(studied: Studyapp) -> None:
    studied("streak", "--rest", "2026-03-02")

    assert studied("streak", "--no-rest").out == "1 day of rest taken back.\n"
    assert studied("streak", "--json").data["rest"] == []
    assert studied("streak", "--no-rest").out == "No rest was planned.\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--rest", "2026-02-01"],
        ["--rest", "soon"],
        ["--until", "2026-03-05"],
        ["--rest", "today", "--no-rest"],
        ["--rest", "tomorrow", "--until", "today"],
    ],
)
def test_rest_that_cannot_be_is_wrong_usage(studied: Studyapp, words: list[str]) -> None:
    assert studied("streak", *words).code == 2
    assert studied("streak", "--json").data["rest"] == []


def test_plain_tells_the_months_in_words(studied: Studyapp) -> None:
    lines = studied("streak", "--plain").out.splitlines()

    assert lines[0] == "1 day in a row; best 1 day; 1 of the last 30 days."
    assert lines[-1] == "March 2026: 1 studied."


def test_a_goal_set_today_leaves_yesterday_as_it_was(studied: Studyapp) -> None:
    assert studied("config", "goal", "3", "answers", now="2026-03-02T09:30+00:00").code == 0

    found = studied("streak", "--json", now="2026-03-02T09:30+00:00").data

    assert (found["goal"], found["length"], found["seconds_left"]) == ("3 answers", 1, 18 * 3600 + 1800)


def test_a_rollover_changed_today_counts_from_tomorrow(studied: Studyapp) -> None:
    studied("config", "rollover", "14:00", now="2026-03-01T13:00+00:00")

    days = [
        studied("due", "--json", now=f"2026-03-{at}:00+00:00").data["study_day"] for at in ("01T13:05", "02T05:00")
    ]

    assert days == ["2026-03-01", "2026-03-02"]
    assert studied("due", "--json", now="2026-03-03T13:00:00+00:00").data["study_day"] == "2026-03-02"


def test_a_streak_that_is_off_is_named_nowhere(studied: Studyapp) -> None:
    studied("config", "streak", "off")

    assert studied("streak").out.startswith("The streak is switched off;")
    assert studied("streak", "--json").data == {"off": True}
    for words in (["due"], ["status"], ["stats"]):
        assert "streak" not in studied(*words).out.lower()
    assert " day" not in studied("status").out
    assert studied("stats", "--json").data["streak"] is None
    assert studied("due", "--json").data["streak"] is None


def test_rest_goes_out_with_the_record_and_comes_in_elsewhere(studied: Studyapp, home: Path) -> None:
    studied("streak", "--rest", "2026-03-05")
    studied("export", str(home / "all.json"))

    studied("import", str(home / "all.json"), where=home / "elsewhere")

    assert studied("streak", "--json", where=home / "elsewhere").data["rest"] == ["2026-03-05"]
