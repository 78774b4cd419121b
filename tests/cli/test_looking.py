from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Studyapp

pytestmark = pytest.mark.usefixtures("lesson")


def test_list_finds_cards_by_all_words(studyapp: Studyapp) -> None:
    found = studyapp("list", "demo", "FORWARD", "--json").data

    assert [card["id"] for card in found] == ["demo/needs"]
    assert found[0]["state"] == "new"
    assert found[0]["due"] is None
    assert found[0]["experiments"] == [{"experiment": "kept", "controls": {"batch": "8"}}]


def test_list_in_lines_has_id_due_and_question(studyapp: Studyapp) -> None:
    studyapp("answer", "demo/warp", "4")

    lines = studyapp("list", "demo").out.splitlines()

    assert [line.split()[0] for line in lines] == ["demo/needs", "demo/warp", "demo/latency"]
    assert "2026-03-" in lines[1]
    assert lines[0].endswith("new         What does backward need?")


def test_list_says_that_it_found_nothing(studyapp: Studyapp) -> None:
    result = studyapp("list", "zebra")

    assert (result.code, result.out) == (0, "No card fits this query.\n")
    assert studyapp("list", "zebra", "--json").data == []


def test_show_has_the_answer_the_memory_and_the_log(studyapp: Studyapp) -> None:
    studyapp("answer", "demo/needs", "4")

    data = studyapp("show", "demo/needs", "--json").data
    text = studyapp("show", "demo/needs").out

    assert data["answer"] == "The outputs that forward kept."
    assert data["key_points"] == ["outputs", "kept by forward"]
    assert data["reps"] == 1
    assert [row["rating"] for row in data["reviews"]] == [4]
    assert "The outputs that forward kept." in text
    assert "On trial: studyapp run kept --set batch=8" in text
    assert "2026-03-01  easy" in text


def test_stats_tell_today_streak_and_retention(studyapp: Studyapp) -> None:
    due = studyapp("answer", "demo/warp", "4", "--json").data["due"]
    studyapp("answer", "demo/warp", "3", now=f"{due}T12:00")

    data = studyapp("stats", "--json", now=f"{due}T13:00").data

    assert data["today"]["answers"] == 1
    assert (data["retention"]["passed"], data["retention"]["total"]) == (1, 1)
    assert data["retention"]["low"] < 1 == data["retention"]["value"]
    assert data["reviews"] == 2
    assert len(data["forecast"]) == 30


def test_stats_in_lines_stay_honest_without_answers(studyapp: Studyapp) -> None:
    assert "no card has come back yet" in studyapp("stats").out


def test_streak_explains_a_day(studyapp: Studyapp) -> None:
    studyapp("answer", "demo/warp", "4")

    why = studyapp("streak", "--why", "today", "--json").data["why"]

    assert why["day"] == "2026-03-01"
    assert why["kind"] == "active"
    assert studyapp("streak", "--why", "2026-03-01").out == "Sun 1 Mar 2026: studied, day 1 of the streak.\n"
    assert "before the first day" in studyapp("streak", "--why", "yesterday").out
    assert studyapp("streak", "--json").data["length"] == 1


def test_due_in_words_names_the_parts(studyapp: Studyapp) -> None:
    studyapp("answer", "demo/warp", "1")

    assert studyapp("due").out == "1 card due today (1 learning). Streak: 1 day.\n"


def test_a12_cards_beyond_the_days_limit_are_named_and_never_hidden(
    studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    for card in ("demo/warp", "demo/needs", "gpus-and-cpus/tpus"):
        studyapp("answer", card, "4")
    monkeypatch.setenv("STUDYAPP_REVIEWS_PER_DAY", "1")

    said = studyapp("due", now="2027-03-01T09:30+00:00").out

    assert said == "1 card due today (1 to review). 2 more wait their turn. Streak: 0 days.\n"


def test_a_newcomer_is_told_where_cards_come_from(studyapp: Studyapp) -> None:
    assert studyapp("due").out == (
        "0 cards due today. Streak: 0 days. Reading a section brings new cards: `studyapp read`.\n"
    )


def test_ascii_holds_for_commands_that_open_no_store(studyapp: Studyapp) -> None:
    result = studyapp("experiments", "--ascii")

    assert result.out.isascii()
    assert "in us" in result.out


def test_experiments_are_listed_with_controls_and_needs(studyapp: Studyapp) -> None:
    found = {entry["id"]: entry for entry in studyapp("experiments", "--json").data}

    assert {"small-net", "kept", "race"} <= set(found)
    assert found["kept"]["testable_here"] is None
    assert found["race"]["needs"] == ["accelerator"]
    assert found["race"]["sibling"] in found
    assert {"name", "default", "help", "low", "high", "choices"} == set(found["kept"]["controls"][0])
    assert "--set batch=64" in studyapp("experiments").out


def test_check_lists_cards_problems_and_what_was_left_out(studyapp: Studyapp, lesson: Path) -> None:
    good = studyapp("check", str(lesson), "--json")
    lesson.write_text(
        lesson.read_text(encoding="utf-8").replace("experiment:kept", "experiment:kep"), encoding="utf-8"
    )
    bad = studyapp("check", str(lesson), "--json")

    assert good.code == 0
    assert [card["id"] for card in good.data["cards"]] == ["demo/needs", "demo/warp", "demo/latency"]
    assert good.data["problems"] == good.data["left_out"] == []
    assert bad.code == 1
    assert bad.data["problems"][0]["path"] == str(lesson)
    assert "kep" in bad.data["problems"][0]["message"]
    assert bad.data["problems"][0]["line"] > 1


def test_b04_one_bad_entry_never_hides_the_others(studyapp: Studyapp) -> None:
    result = studyapp("check", "tests/decks/cases/B04_mistakes.md")

    assert result.code == 1
    assert "B04_mistakes.md:" in result.err
    assert "problem" in result.out


def test_check_of_a_folder_reads_every_file(studyapp: Studyapp) -> None:
    found = studyapp("check", "tests/decks/cases", "--json").data

    assert len({card["path"] for card in found["cards"]}) > 3


def test_check_never_opens_the_store(studyapp: Studyapp, lesson: Path, home: Path) -> None:
    studyapp("check", str(lesson))

    assert not (home / "data").exists()


def test_check_of_nothing_says_so(studyapp: Studyapp) -> None:
    result = studyapp("check", "no/such/file.md", "--json")

    assert result.code == 1
    assert result.error["kind"] == "deck"
    assert "no/such/file.md" in result.error["message"]


def test_a_term_with_a_minus_in_front_is_no_option(studyapp: Studyapp) -> None:
    found = studyapp("list", "-forward", "demo", "--json").data

    assert [card["id"] for card in found] == ["demo/warp", "demo/latency"]
    assert studyapp("list", "-(is:new OR is:due)", "-has:flag", "demo", "--json").data == []
    assert studyapp("list", "-h").out.startswith("Usage: studyapp list")
