from __future__ import annotations

from tests.cli.conftest import Studyapp
from tests.plain.conftest import Speak


def test_reading_releases_the_cards_of_a_section_and_no_others(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["", "q"], "read", "demo")

    assert result.code == 0
    assert "Section 1 of 2: One." in result.out
    assert "Text of the first section." in result.out
    assert "- What does backward need?" in result.out
    assert "The outputs that forward kept." not in result.out
    assert "Stored as read. 2 cards released." in result.out
    assert result.out.splitlines()[-1] == "1 section read, 2 cards released; all stored."
    assert studyapp("due", "--json").data["new"] == 2


def test_reading_goes_on_where_it_stopped(speak: Speak) -> None:
    speak(["", "q"], "read", "demo")

    result = speak([""], "read", "demo")

    assert "Section 2 of 2: Two." in result.out
    assert "Section 1" not in result.out
    assert "That was the last section." in result.out


def test_looking_at_a_section_without_marking_it_releases_nothing(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["n", "b", "2", "c", "q"], "read", "demo")

    assert "1. One, not read." in result.out
    assert result.out.splitlines()[-1] == "No section was marked as read."
    assert studyapp("due", "--json").data["new"] == 0


def test_a_section_read_before_is_not_released_twice(speak: Speak) -> None:
    result = speak(["", "1", "", "q"], "read", "demo")

    assert "Section 1 of 2: One. Read before." in result.out
    assert result.out.count("Stored as read.") == 1


def test_studying_from_the_reader_returns_to_it(speak: Speak) -> None:
    result = speak(["", "s", "", "4", "q", "q"], "read", "demo")

    assert "Stored: easy." in result.out
    assert result.out.splitlines()[-1] == "1 section read, 2 cards released; all stored."


def test_an_experiment_can_be_tried_from_the_reader(speak: Speak) -> None:
    result = speak(["x", "5e8", "1", "q"], "read", "demo")

    assert "Experiment kept." in result.out
    assert "With batch 8" in result.out
    assert "The result is stored." in result.out


def test_unknown_words_are_answered_with_help(speak: Speak) -> None:
    assert "the number of a section" in speak(["99", "q"], "read", "demo").out


def test_the_end_of_the_input_ends_politely(speak: Speak) -> None:
    result = speak([], "read", "demo")

    assert result.code == 0
    assert result.out.splitlines()[-2:] == ["The input has ended.", "No section was marked as read."]


def test_an_unknown_module_is_wrong_usage(speak: Speak) -> None:
    result = speak([], "read", "nothing")

    assert result.code == 2
    assert "Modules here:" in result.err
