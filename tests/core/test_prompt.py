"""What the small status file says about an instant."""

from __future__ import annotations

from typing import Any

from studyapp.core.prompt import progress_now, streak_now

DAY_MS = 86_400_000


def a_status(*streaks: int | None, active_today: bool = False, one_answer: bool = True) -> dict[str, Any]:
    days = [{"day": n, "starts_ms": n * DAY_MS, "streak": streak} for n, streak in enumerate(streaks)]
    return {"days": days, "streak": {"active_today": active_today, "one_answer": one_answer}}


def test_the_first_answer_of_a_day_adds_to_the_streak_also_where_the_status_is_of_yesterday() -> None:
    status = a_status(3, 3, 0, active_today=True)

    assert [streak_now(status, now, True) for now in (0, DAY_MS, 2 * DAY_MS)] == [3, 4, 1]
    assert [streak_now(status, now, False) for now in (0, DAY_MS, 2 * DAY_MS)] == [3, 3, 0]


def test_a_streak_lost_while_away_is_not_shown_from_an_old_status() -> None:
    assert streak_now(a_status(7, 7, 0, active_today=True), 20 * DAY_MS, False) == 0


def test_with_another_goal_than_one_answer_the_store_says_when_the_day_counts() -> None:
    assert streak_now(a_status(3, one_answer=False), 0, True) == 3


def test_without_a_streak_or_a_status_none_is_shown() -> None:
    assert streak_now(a_status(None), 0, True) == 0
    assert streak_now({}, 0, True) == 0


def test_progress_counts_the_answers_of_this_day_alone() -> None:
    day = {"streak": 0, "review": 4, "new": 1, "relearning": 1}
    status = {"days": [{**day, "starts_ms": n * DAY_MS} for n in range(2)], "done_today": 3}

    assert [progress_now(status, now) for now in (0, DAY_MS)] == [(3, 9), (0, 6)]
    assert progress_now({}, 0) == (0, 0)
