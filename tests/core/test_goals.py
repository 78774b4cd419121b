"""Goals of a day: what they are called, and what reaches them."""

from __future__ import annotations

import pytest

from studyapp.core.goals import Goal, parse_goal


@pytest.mark.parametrize(
    ("text", "same", "wanted"),
    [
        ("1 answer", "1 answer", "one answer"),
        ("20  Answers", "20 answers", "giving 20 answers"),
        ("1 minutes", "1 minute", "answering for 1 minute"),
        ("10 minutes", "10 minutes", "answering for 10 minutes"),
        ("all due", "all due", "answering all that is due"),
    ],
)
def test_a_goal_is_read_and_said_in_words(text: str, same: str, wanted: str) -> None:
    goal = parse_goal(text)

    assert (goal.text, goal.wanted, parse_goal(goal.text)) == (same, wanted, goal)


@pytest.mark.parametrize("text", ["", "0 answers", "many", "2", "1441 minutes", "-1 answers", "3 cards"])
def test_a_goal_that_is_none_says_what_it_could_be(text: str) -> None:
    with pytest.raises(ValueError, match="20 answers"):
        parse_goal(text)


@pytest.mark.parametrize(
    ("goal", "answers", "seconds", "all_done", "reached"),
    [
        ("1 answer", 0, 0.0, True, False),
        ("1 answer", 1, 0.0, False, True),
        ("3 answers", 2, 900.0, True, False),
        ("3 answers", 3, 0.0, False, True),
        ("2 minutes", 9, 119.9, True, False),
        ("2 minutes", 1, 120.0, False, True),
        ("all due", 0, 0.0, True, False),
        ("all due", 1, 0.0, True, True),
        ("all due", 99, 999.0, False, False),
    ],
)
def test_a_goal_is_reached_by_what_it_names(
    goal: str, answers: int, seconds: float, all_done: bool, reached: bool
) -> None:
    assert parse_goal(goal).reached(answers, seconds, all_done) is reached


def test_one_answer_is_the_goal_of_a_learner_who_set_none() -> None:
    assert Goal() == parse_goal("1 answer")
