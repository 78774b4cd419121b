from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from tests.cli.conftest import ROOT, Studyapp
from tests.plain.conftest import Speak


@pytest.fixture(autouse=True)
def _released(speak: Speak) -> None:
    """The demo lesson was read, so its cards are in the queue."""
    speak(["", "", "q"], "read", "demo")


def test_a_card_is_asked_answered_checked_and_stored(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["", "4", "q"], "review", "demo")

    lines = result.out.splitlines()
    order = [
        "3 cards today: 3 new.",
        "Card 1. New.",
        "What does backward need?",
        "Say the answer aloud, then press enter; x tries it in an experiment, u takes back, h helps, q quits. ",
        "Answer:",
        "The outputs that forward kept.",
        "Did you say:",
        "- outputs",
        "- kept by forward",
    ]
    assert [line for line in lines if line in order] == order
    assert result.code == 0
    assert lines[-1] == "1 answer stored. 2 cards still due today."
    assert studyapp("show", "demo/needs", "--json").data["reviews"][0]["rating"] == 4


def test_the_grade_says_exactly_what_is_stored(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["", "4", "q"], "review", "demo")

    days = studyapp("show", "demo/needs", "--json").data["interval_days"]
    assert f"4 easy, {days} days." in result.out
    assert f"Stored: easy. It comes back in {days} days." in result.out


def test_undo_brings_the_card_back(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["", "4", "u", "", "1", "q"], "review", "demo")

    assert "Taken back: easy for demo/needs. It comes again now." in result.out
    shown = studyapp("show", "demo/needs", "--json").data
    assert [row["rating"] for row in shown["reviews"]] == [1]


def test_undo_of_nothing_says_so(speak: Speak) -> None:
    assert "There is nothing to take back." in speak(["u", "q"], "review", "demo").out


def test_undo_works_at_the_grades_and_after_a_restart(speak: Speak, studyapp: Studyapp) -> None:
    speak(["", "4", "q"], "review", "demo")

    speak(["", "u", "q"], "review", "demo")

    assert studyapp("show", "demo/needs", "--json").data["reviews"] == []


def test_the_end_of_the_input_ends_politely_with_everything_stored(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["", "3", ""], "review", "demo")

    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-2:] == [
        "The input has ended.",
        "1 answer stored. 3 cards still due today.",
    ]
    assert studyapp("show", "demo/needs", "--json").data["reps"] == 1


def test_any_other_word_is_answered_with_help_and_stores_nothing(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["what?", "", "7", "", "good", "q"], "review", "demo")

    assert result.out.count("Press enter to hear the answer.") == 1
    assert result.out.count("Type 1, 2, 3 or 4.") == 3
    assert studyapp("show", "demo/needs", "--json").data["reps"] == 0


def test_a_sitting_ends_when_nothing_is_due(speak: Speak) -> None:
    result = speak(["", "4", "", "4", "", "4"], "review", "demo")

    assert result.out.splitlines()[-1] == "3 answers stored. Nothing more is due today."


def test_a_sitting_with_nothing_due_says_so(speak: Speak) -> None:
    speak(["", "4", "", "4", "", "4"], "review", "demo")

    assert speak([], "review", "demo").out == (
        "Nothing was answered. Nothing more is due today. "
        "Reading a section brings new cards: `studyapp read --plain`.\n"
    )


def test_the_beginning_of_a_modules_name_is_enough(speak: Speak) -> None:
    assert "What does backward need?" in speak(["q"], "review", "dem").out


def test_an_unknown_module_is_wrong_usage(speak: Speak) -> None:
    result = speak([], "review", "nothing")

    assert result.code == 2
    assert "Modules here: gpus-and-cpus, demo." in result.err


def test_a_trial_needs_the_number_first_and_goes_with_the_answer(speak: Speak, studyapp: Studyapp) -> None:
    result = speak(["x", "lots", "5e8", "3", "", "3", "q"], "review", "demo")

    asked, ran = result.out.index("Your number in bytes?"), result.out.index("Your number is stored. Running")
    assert asked < ran < result.out.index("The result is stored.")
    assert "Type a plain number" in result.out
    shown = studyapp("show", "demo/needs", "--json").data
    assert shown["runs"][0]["experiment"] == "kept"
    assert shown["reviews"][0]["run"] is not None
    assert studyapp("stats", "--json").data["predictions"]["made"] == 1


def test_a_trial_is_told_in_sentences_without_art(speak: Speak) -> None:
    result = speak(["x", "5e8", "", "q"], "review", "demo")

    assert "On cpu" in result.out
    assert not set("│┴●○─⣀◆\x1b") & set(result.out)


def test_a_card_without_experiment_says_so(speak: Speak) -> None:
    assert "This card has no experiment." in speak(["", "4", "x", "q"], "review", "demo").out


def test_a_failed_trial_leaves_the_card_where_it_was(
    speak: Speak, studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDYAPP_WORKER_COMMAND", "/no/such/python -m worker")

    result = speak(["x", "5e8", "2", "", "3", "q"], "review", "demo")

    assert "cannot be started" in result.out
    assert "Stored: good." in result.out
    assert studyapp("show", "demo/needs", "--json").data["reps"] == 1


@pytest.mark.parametrize(("key", "words"), [("b", "until tomorrow"), ("z", "for good")])
def test_a_card_is_put_away_and_taken_back(speak: Speak, studyapp: Studyapp, key: str, words: str) -> None:
    away = speak([key, "q"], "review", "demo")

    assert f"Put away {words}. u takes it back.\n\nCard 2. New.\nWhat is a warp?" in away.out
    assert studyapp("due", "--json").data["due"] == 2

    speak(["u", "q"], "review", "demo")

    assert studyapp("due", "--json").data["due"] == 3


def test_a_card_is_corrected_where_it_is_asked(speak: Speak, studyapp: Studyapp) -> None:
    said = ["!", "", "", "!", "Outputs and inputs.", "h", "q"]

    out = speak(said, "review", "demo").out

    assert "Nothing was written." in out
    assert "Your correction is stored." in out
    assert "b puts the card away until tomorrow" in out
    assert [c["text"] for c in studyapp("corrections", "--json").data] == ["Outputs and inputs."]


def test_thinking_time_is_stored(speak: Speak, home: Path) -> None:
    import sqlite3
    from contextlib import closing

    speak(["", "4", "q"], "review", "demo")

    with closing(sqlite3.connect(home / "data" / "study.db")) as raw:
        (spent,) = raw.execute("SELECT duration_ms FROM reviews WHERE rating > 0").fetchone()
    assert 0 <= spent <= 60_000


def test_in_a_terminal_ctrl_c_says_what_was_stored_and_is_130(home: Path) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "studyapp", "--data-dir", str(home / "data"), "--now", "2026-03-01T09:30", "review", "--plain"],
        cwd=str(ROOT),
        env={**os.environ, "TERM": "dumb"},
        encoding="utf-8",
        timeout=30,
    )
    child.expect_exact("q quits.")
    child.sendline("")
    child.expect_exact("Grade:")
    child.sendline("4")
    child.expect_exact("Stored: easy.")
    child.expect_exact("q quits.")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()

    assert child.exitstatus == 130
    assert "1 answer stored." in str(child.before)
    assert "Traceback" not in str(child.before)
    assert "\x1b" not in str(child.before)


def test_a08_a_card_answered_in_another_window_is_not_stored_twice(
    speak: Speak, studyapp: Studyapp, home: Path
) -> None:
    def elsewhere() -> None:
        words = ["--data-dir", str(home / "data"), "--now", "2026-03-01T09:30", "answer", "demo/needs", "4"]
        subprocess.run([sys.executable, "-m", "studyapp", *words], cwd=ROOT, check=True, capture_output=True)

    result = speak(["", elsewhere, "1", "q"], "review", "demo")

    assert "was answered in another window meanwhile" in result.out
    assert "Nothing was answered." in result.out
    assert [row["rating"] for row in studyapp("show", "demo/needs", "--json").data["reviews"]] == [4]


def test_ctrl_c_at_a_question_says_what_was_stored(speak: Speak) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    result = speak(["", "4", interrupt], "review", "demo")

    assert result.code == 130
    assert result.out.splitlines()[-1] == "1 answer stored. 2 cards still due today."


def test_a_cram_moves_nothing_and_says_so_until_each_card_was_good_once(speak: Speak, studyapp: Studyapp) -> None:
    speak(["", "4", "", "4", "", "4"], "review", "demo")
    before = studyapp("show", "demo/needs", "--json").data["due"]

    result = speak(["", "1", "", "3", "", "3", "", "3"], "review", "--cram", "demo", now="2026-03-03T09:30+00:00")

    lines = result.out.splitlines()
    assert lines[0] == "3 cards (cram): 3 to review."
    assert lines[1] == "Answers are kept and move nothing. Each card comes until it was good once."
    assert result.out.count("1 again, no change. 2 hard, no change.") == 4
    assert "Stored: again. Its due day stays as it is. It comes again in this sitting." in result.out
    assert lines[-1] == "4 answers stored. That was all of it."
    shown = studyapp("show", "demo/needs", "--json").data
    assert (shown["due"], shown["reps"]) == (before, 1)
    assert studyapp("due", "--json", now="2026-03-03T09:30+00:00").data["streak"] == 1


def test_undo_in_a_cram_brings_the_card_back_without_moving_it(speak: Speak, studyapp: Studyapp) -> None:
    speak(["", "4", "", "4", "", "4"], "review", "demo")

    result = speak(["", "3", "u", "", "3", "q"], "review", "--cram", now="2026-03-03T09:30+00:00")

    assert "Taken back: good for demo/" in result.out
    assert "It comes again now." in result.out
    assert result.out.count("Its due day stays as it is.") == 2
    assert result.out.splitlines()[-1] == "1 answer stored. 2 cards left."


def test_ahead_brings_cards_early_as_true_reviews(speak: Speak, studyapp: Studyapp) -> None:
    speak(["", "4", "", "4", "", "4"], "review", "demo")
    later = "2026-03-03T09:30+00:00"

    assert "Nothing was answered. That was all of it." in speak([], "review", "--ahead", "2", now=later).out
    result = speak(["", "3", "q"], "review", "--ahead", "30", now=later)

    assert result.out.startswith("3 cards (30 days ahead): 3 to review.")
    assert "Stored: good. It comes back in" in result.out
    assert studyapp("stats", "--json", now=later).data["retention"]["total"] == 1


def test_what_asks_for_two_things_at_once_is_wrong_usage(speak: Speak) -> None:
    for words in (["--ahead", "3", "--cram"], ["--reschedule"], ["--ahead", "0"], ["--minutes", "-1"]):
        assert speak([], "review", *words).code == 2


def test_when_the_minutes_are_over_enter_goes_on_and_q_ends(speak: Speak, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studyapp.core.timebox.Timebox.over", property(lambda box: box.cards >= 1))

    result = speak(["", "4", "later", "", "", "4", "q"], "review", "demo", "--minutes", "5")

    over = "5 minutes are over: 1 card answered, {} wait{}. Press enter to go on, q ends."
    assert over.format(2, "") in result.out
    assert "Press enter, or q." in result.out
    assert over.format(1, "s") in result.out
    assert result.out.splitlines()[-1] == "2 answers stored. 1 card still due today."


def test_with_two_buttons_there_is_again_and_good(speak: Speak, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYAPP_BUTTONS", "2")

    result = speak(["", "4", "3", "q"], "review", "demo")

    assert "Grade: 1 again, 1 min. 3 good, 10 min." in result.out
    assert "Type 1 or 3." in result.out
    assert "Stored: good." in result.out


@pytest.mark.parametrize(("said", "due"), [("s", 12), ("", 24)])
def test_a_learner_who_was_away_may_take_a_part_now(
    speak: Speak, studyapp: Studyapp, monkeypatch: pytest.MonkeyPatch, said: str, due: int
) -> None:
    monkeypatch.setenv("STUDYAPP_RELEASE", "all")
    monkeypatch.setenv("STUDYAPP_NEW_MINUTES", "60")
    speak(["", "4"] * 24 + ["q"], "review", "gpus-and-cpus")
    monkeypatch.setenv("STUDYAPP_NEW_MINUTES", "0")

    back = speak([said, "q"], "review", now="2026-04-01T09:30+00:00").out

    assert "Welcome back. Away 30 days, 24 due: 12 now (about 6 minutes), the rest tomorrow?" in back
    assert f"{due} cards today: {due} to review." in back
    again = speak(["q"], "review", now="2026-04-01T09:40+00:00").out
    assert "Welcome back" not in again
    assert f"{due} cards today" in again
