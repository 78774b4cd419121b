"""The streak of a learner over a real store: flights, days without cards, rest, goals, a changed rollover."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, time

import pytest

from studyapp.core.errors import UsageError
from studyapp.core.reviews import Rating
from studyapp.core.streaks import ACTIVE, MISSED, NEUTRAL
from studyapp.study.day_start import kept_clock
from studyapp.study.desk import Desk
from studyapp.study.reviewing import Sitting
from studyapp.study.streaks import drop_rest, goal_today, left_today, plan_rest, planned_rest, streak_of
from studyapp.study.today import overview, streak_today, write_status
from tests.study.conftest import Watch

Maker = Callable[..., Desk]


def answer(desk: Desk, count: int = 1) -> None:
    sitting = Sitting(desk)
    for _ in range(count):
        showing = sitting.next()
        assert showing is not None
        sitting.grade(showing, Rating.EASY, duration_ms=30_000)


def ordinal(iso: str) -> int:
    return date.fromisoformat(iso).toordinal()


def set_goal(desk: Desk, goal: str) -> None:
    desk.options = replace(desk.options, goal=goal)


# Travel


def test_a02_six_days_in_tokyo_stay_six_days_in_berlin(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=100, reviews_per_day=0)
    for day in range(10, 16):
        watch.set(f"2026-05-{day}T07:30", "Asia/Tokyo")
        answer(desk)

    watch.set("2026-05-15T20:00", "Europe/Berlin")

    assert (streak_of(desk).length, list(desk.store.active_days())) == (
        6,
        [ordinal(f"2026-05-{d}") for d in range(10, 16)],
    )


def test_a02_a_date_skipped_by_a_flight_east_is_bridged_wherever_the_streak_is_shown(
    desk_of: Maker, watch: Watch
) -> None:
    watch.set("2026-05-10T20:00", "America/Los_Angeles")
    desk = desk_of(release="all")
    answer(desk)
    watch.set("2026-05-12T08:00", "Asia/Tokyo")
    answer(desk)

    found = streak_today(desk)

    assert (found.length, overview(desk)["streak"]["length"]) == (2, 2)
    assert found.why(ordinal("2026-05-11")).endswith("a date that a flight skipped; the streak stayed at 1.")


def test_a02_a_flight_long_ago_is_remembered_and_looked_up_anew_after_a_change_in_the_past(
    desk_of: Maker, watch: Watch
) -> None:
    watch.set("2026-05-10T20:00", "America/Los_Angeles")
    desk = desk_of(release="all", new_minutes=100)
    answer(desk)
    watch.set("2026-05-12T08:00", "Asia/Tokyo")
    answer(desk)
    for day in range(14, 32, 2):  # enough gaps for what they hold to be kept
        watch.set(f"2026-05-{day}T08:00")
        sitting = Sitting(desk)
        showing = sitting.next() or sitting.show("demo/a0")
        assert showing is not None
        sitting.grade(showing, Rating.AGAIN, duration_ms=1000)
    skipped = ordinal("2026-05-11")

    assert streak_of(desk).kinds[skipped] == NEUTRAL
    assert desk.store.meta_get("flights") is not None
    assert streak_of(desk).kinds[skipped] == NEUTRAL
    with desk.store.write() as connection:  # as a merge does it: one more answer before the flight, at home
        connection.exec_driver_sql("UPDATE reviews SET offset_min = 540 WHERE study_day = ?", (skipped - 1,))
        connection.exec_driver_sql("UPDATE days SET n = n + 1 WHERE study_day = ?", (skipped - 1,))
    assert skipped not in streak_of(desk).kinds


# Days without cards


def test_a_day_on_which_nothing_was_due_is_noted_when_it_is_seen(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=100)
    answer(desk, 6)
    watch.set("2026-03-03T10:00")
    write_status(desk)
    watch.set("2026-03-05T10:00")

    kinds = {day: note.kind for day, note in streak_of(desk).days.items()}

    assert kinds == {
        ordinal("2026-03-02"): ACTIVE,
        ordinal("2026-03-03"): NEUTRAL,
        ordinal("2026-03-04"): MISSED,  # nobody looked: it is not inferred later
    }


def test_a_day_with_cards_is_not_neutral(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=2)
    answer(desk)
    watch.set("2026-03-03T10:00")

    write_status(desk)

    assert desk.store.day_notes() == []


def test_a_learner_who_has_not_begun_gets_no_notes(desk_of: Maker) -> None:
    desk = desk_of()

    write_status(desk)

    assert desk.store.day_notes() == []


def test_a_trial_counts_on_a_day_without_cards_and_only_there(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=100)
    answer(desk, 6)
    watch.set("2026-03-03T10:00")
    desk.store.put_day_note(ordinal("2026-03-03"), "trial", "run-1", at_ms=watch().at_ms)
    assert streak_of(desk).length == 1

    write_status(desk)

    assert (streak_of(desk).length, streak_of(desk).active_today) == (2, True)


def test_a_trial_on_a_day_without_cards_starts_a_streak_too(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of()
    desk.store.put_day_note(watch().study_day, "trial", "run-1", at_ms=watch().at_ms)

    write_status(desk)

    assert (streak_of(desk).length, streak_of(desk).active_today) == (1, True)


def test_undoing_the_only_answer_of_a_day_removes_the_day(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all")
    answer(desk)
    watch.set("2026-03-03T10:00")
    answer(desk)
    assert streak_of(desk).length == 2

    Sitting(desk).undo()

    assert (streak_of(desk).length, streak_of(desk).active_today) == (1, False)


# Rest


def test_a_planned_break_keeps_the_streak_and_says_why(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all")
    answer(desk)
    planned = plan_rest(desk, ordinal("2026-03-03"), ordinal("2026-03-08"))
    watch.set("2026-03-09T10:00")

    assert planned.days == 6
    assert streak_of(desk).length == 1
    assert streak_of(desk).why(ordinal("2026-03-05")).endswith("a day of rest; the streak stayed at 1.")


def test_a_break_that_is_taken_back_no_longer_covers_the_days_to_come(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all")
    answer(desk)
    plan_rest(desk, ordinal("2026-03-03"), ordinal("2026-03-08"))
    watch.set("2026-03-05T10:00")

    assert drop_rest(desk) == [ordinal(f"2026-03-0{day}") for day in (5, 6, 7, 8)]

    assert planned_rest(desk) == []
    watch.set("2026-03-06T10:00")
    assert streak_of(desk).days[ordinal("2026-03-04")].kind == NEUTRAL
    assert streak_of(desk).length == 0


@pytest.mark.parametrize(
    ("first", "last"), [("2026-03-01", None), ("2026-03-05", "2026-03-04"), ("2026-03-05", "2027-03-05")]
)
def test_a_break_in_the_past_or_without_end_is_refused(desk_of: Maker, first: str, last: str | None) -> None:
    desk = desk_of()

    with pytest.raises(UsageError):
        plan_rest(desk, ordinal(first), None if last is None else ordinal(last))

    assert planned_rest(desk) == []


def test_the_status_file_counts_on_freezes_and_planned_rest(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all")
    answer(desk)
    plan_rest(desk, ordinal("2026-03-03"), ordinal("2026-03-04"))

    ahead = [day["streak"] for day in overview(desk)["days"]]

    assert ahead == [1, 1, 1, 1, 0, 0, 0, 0]
    watch.set("2026-03-05T10:00")
    assert streak_of(desk).length == 1


# Goals


def test_a_goal_holds_from_the_day_it_is_set_and_the_past_stays(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=100)
    answer(desk)
    write_status(desk)
    watch.set("2026-03-03T10:00")
    set_goal(desk, "2 answers")
    answer(desk)
    write_status(desk)

    assert goal_today(desk).text == "2 answers"
    assert (streak_of(desk).length, streak_of(desk).active_today) == (1, False)
    assert streak_of(desk).why(ordinal("2026-03-03")) == (
        "Tue 3 Mar 2026: today, the goal is not reached yet; giving 2 answers makes it day 2."
    )
    answer(desk)
    assert streak_of(desk).length == 2
    set_goal(desk, "1 answer")
    watch.set("2026-03-04T10:00")
    answer(desk)
    write_status(desk)
    assert streak_of(desk).length == 3


def test_a_goal_in_minutes_counts_the_time_spent_answering(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=100)
    answer(desk)
    set_goal(desk, "2 minutes")
    write_status(desk)
    answer(desk, 2)
    assert not streak_of(desk).active_today

    answer(desk)

    assert streak_of(desk).active_today


def test_all_due_is_reached_when_nothing_is_left_and_stays_so(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of(release="all", new_minutes=100)
    set_goal(desk, "all due")
    answer(desk, 5)
    write_status(desk)
    assert not streak_of(desk).active_today

    answer(desk)
    write_status(desk)

    assert streak_of(desk).active_today
    watch.set("2026-03-03T10:00")
    assert streak_of(desk).length == 1


# When days begin


def test_hours_left_are_counted_to_the_rollover_over_a_clock_change(desk_of: Maker, watch: Watch) -> None:
    watch.set("2026-03-29T00:00", "Europe/Paris")  # the clock goes forward at 02:00
    desk = desk_of()

    assert left_today(desk).total_seconds() == 3 * 3600


@pytest.mark.parametrize(
    ("new", "days"),
    [
        # changed at 13:00 on 3 March; the days at 12:00 and 13:30, on the 4th at 03:00, 05:00, 13:00 and 15:00
        (time(14), [3, 3, 3, 4, 4, 4]),
        (time(0), [3, 3, 3, 4, 4, 4]),
        (time(4), [3, 3, 3, 4, 4, 4]),
    ],
)
def test_a_rollover_changed_in_the_afternoon_leaves_today_as_it_is(
    desk_of: Maker, watch: Watch, new: time, days: list[int]
) -> None:
    desk = desk_of(release="all", new_minutes=100)
    store = desk.store
    watch.set("2026-03-03T12:00")
    found = [desk.clock().study_day]
    answer(desk)

    def changed() -> object:
        return replace(watch(), rollover=new)

    watch.set("2026-03-03T13:00")
    desk.clock = kept_clock(store, changed)  # type: ignore[arg-type]
    for at in ("03T13:30", "04T03:00", "04T05:00", "04T13:00", "04T15:00"):
        watch.set(f"2026-03-{at}")
        desk.clock = kept_clock(store, changed)  # type: ignore[arg-type]
        found.append(desk.clock().study_day)

    assert [day - ordinal("2026-03-01") + 1 for day in found] == days


def test_a_rollover_moved_back_to_the_morning_lets_today_end_when_it_would_have(
    desk_of: Maker, watch: Watch
) -> None:
    desk = desk_of()
    late = lambda: replace(watch(), rollover=time(14))  # noqa: E731
    watch.set("2026-02-01T15:00")
    kept_clock(desk.store, late)
    days = []
    for at in ("03T12:00", "03T13:00", "03T13:59", "03T14:00", "04T03:59", "04T04:00"):
        watch.set(f"2026-03-{at}")
        days.append(kept_clock(desk.store, watch)().study_day - ordinal("2026-03-01") + 1)

    assert days == [2, 2, 2, 3, 3, 4]


def test_a_rollover_changed_and_changed_back_changes_nothing(desk_of: Maker, watch: Watch) -> None:
    desk = desk_of()
    late = lambda: replace(watch(), rollover=time(14))  # noqa: E731
    watch.set("2026-03-03T13:00")
    kept_clock(desk.store, late)
    watch.set("2026-03-03T13:05")
    clock = kept_clock(desk.store, watch)

    days = []
    for at in ("03T13:05", "04T03:59", "04T04:00", "05T03:59", "05T04:00"):
        watch.set(f"2026-03-{at}")
        days.append(clock().study_day - ordinal("2026-03-01") + 1)
    assert days == [3, 3, 4, 4, 5]


def test_a06_a_rollover_changed_under_a_clock_far_ahead_is_changed_when_the_clock_is_right(
    desk_of: Maker, watch: Watch
) -> None:
    desk = desk_of()
    late = lambda: replace(watch(), rollover=time(14))  # noqa: E731
    watch.set("2028-03-03T13:00")
    kept_clock(desk.store, late)
    watch.set("2026-03-03T13:00")
    kept_clock(desk.store, late)

    watch.set("2026-03-06T13:00")
    assert kept_clock(desk.store, late)().study_day == ordinal("2026-03-05")
