from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Studyapp

pytestmark = pytest.mark.usefixtures("lesson")
OTHER = "Name the four colours of a map that need no fifth."


def change(lesson: Path, old: str, new: str) -> None:
    text = lesson.read_text(encoding="utf-8")
    assert old in text
    lesson.write_text(text.replace(old, new), encoding="utf-8")


def test_a_card_that_left_is_listed_and_goes_on_under_another(studyapp: Studyapp, lesson: Path) -> None:
    studyapp("answer", "demo/latency", "3")
    change(lesson, "What is latency? <!-- id: latency -->", "What is a latency? <!-- id: lag -->")
    (found,) = studyapp("orphans", "--json").data
    assert (found["card"], found["alike"], found["answers"]) == ("demo/latency", "demo/lag", 1)
    assert "studyapp orphans --attach demo/latency demo/lag" in studyapp("orphans").out
    assert [card["id"] for card in studyapp("list", "is:orphan", "--json").data] == ["demo/latency"]

    assert "goes on with the history" in studyapp("orphans", "--attach", "demo/latency", "demo/lag").out
    assert studyapp("orphans").out == "No card with a history has left.\n"
    shown = studyapp("show", "demo/lag", "--json").data
    assert (shown["reps"], [(row["rating"], row["kind"]) for row in shown["reviews"]]) == (
        1,
        [(3, "learn"), (0, "manual")],
    )
    assert studyapp("undo").code == 0
    assert studyapp("show", "demo/lag", "--json").data["reps"] == 0


def test_what_cannot_be_attached_is_refused(studyapp: Studyapp) -> None:
    result = studyapp("orphans", "--attach", "demo/warp", "demo/latency")
    assert result.code == 3
    assert "demo/warp has not left its file." in result.err


def test_a_rewritten_card_waits_for_a_word(studyapp: Studyapp, lesson: Path) -> None:
    assert studyapp("rewrites").out == "None waits.\n"
    studyapp("answer", "demo/needs", "3")
    studyapp("answer", "demo/latency", "3")
    change(lesson, "What does backward need?", OTHER)
    change(lesson, "The outputs that forward kept.", "Red, blue, green, ochre.")
    change(lesson, "What is latency?", OTHER)
    change(lesson, "The time of one answer.", "Any.")
    found = studyapp("rewrites", "--json").data
    assert [(one["card"], one["old_prompt"], one["prompt"]) for one in found] == [
        ("demo/latency", "What is latency?", OTHER),
        ("demo/needs", "What does backward need?", OTHER),
    ]
    assert "was  What does backward need?" in studyapp("rewrites").out

    assert studyapp("rewrites", "--keep", "demo/needs").out == "demo/needs keeps its progress.\n"
    assert studyapp("rewrites", "--start-over", "demo/latency").out == "demo/latency starts over.\n"
    assert studyapp("rewrites").out == "None waits.\n"
    reps = {name: studyapp("show", name, "--json").data["reps"] for name in ("demo/needs", "demo/latency")}
    assert reps == {"demo/needs": 1, "demo/latency": 0}


def test_a_card_that_was_not_rewritten_has_nothing_to_say(studyapp: Studyapp) -> None:
    result = studyapp("rewrites", "--keep", "demo/warp", "--json")
    assert result.code == 2
    assert "no rewritten card" in result.error["message"]
    assert studyapp("rewrites", "--keep", "a", "--start-over", "b").code == 2


def test_a_query_that_means_nothing_is_said_with_its_place(studyapp: Studyapp) -> None:
    for command in ("list", "browse"):
        result = studyapp(command, "is:duee")
        assert result.code == 2
        assert "There is no is:duee. Did you mean is:due? (at character 4)" in result.err


def test_list_tells_own_tags_and_flags_from_the_lessons(studyapp: Studyapp) -> None:
    card = studyapp("list", "demo/warp", "--json").data[0]
    assert (card["own_tags"], card["flag"], card["tags"]) == ([], "", [])
