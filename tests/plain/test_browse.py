from __future__ import annotations

import pytest

from tests.cli.conftest import Studyapp, home, lesson, studyapp  # noqa: F401  fixtures
from tests.plain.conftest import Speak

pytestmark = pytest.mark.usefixtures("lesson")


def test_a_query_goes_in_and_numbered_cards_come_out(speak: Speak) -> None:
    out = speak(["module:demo", "q"], "browse").out
    assert "Type words or terms such as is:due" in out
    assert "3 cards found." in out
    assert "1. What does backward need? (new)" in out
    assert "3. What is latency? (new)" in out


def test_a_number_shows_its_card_whole(speak: Speak, studyapp: Studyapp) -> None:  # noqa: F811
    studyapp("answer", "demo/needs", "4")
    out = speak(["1", "9", "q"], "browse", "id:needs").out
    for words in (
        "demo/needs, A demo lesson, One, due 2026-03-",
        "recall 100 %.",
        "The outputs that forward kept.",
        "- kept by forward",
        "1 answer, lately easy.",
        "Trial kept: not run yet.",
        "There is no card 9; 1 card found.",
    ):
        assert words in out, words


def test_more_than_a_page_is_told_on_enter(speak: Speak) -> None:
    out = speak(["", "q"], "browse", "module:gpus").out
    assert "10. " in out
    assert "11. " in out
    assert out.count(" more.\n") == 2


def test_a_query_that_means_nothing_is_explained_and_another_may_follow(speak: Speak) -> None:
    out = speak(["is:neww", "zebra", "", "h"], "browse").out
    assert "Did you mean is:new? (at character 4)" in out
    assert "0 cards found." in out
    assert "No card fits this query." in out
    assert out.count("u takes that back") == 2
    assert "The input has ended." in out


def test_a_card_is_suspended_and_taken_back(speak: Speak, studyapp: Studyapp) -> None:  # noqa: F811
    out = speak(["s 1", "is:suspended", "u", "is:suspended", "u"], "browse", "demo/warp").out
    assert "1 card suspended." in out
    assert "1. What is a warp? (suspended)" in out
    assert "Took back suspend." in out
    assert out.rstrip().count("0 cards found.") == 1
    assert "Nothing to take back." in out
