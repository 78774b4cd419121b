"""Streaks: freezes, neutral days, travel, and why each day is what it is."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.days import Moment
from studyapp.core.streaks import ACTIVE, FROZEN, MISSED, NEUTRAL, skipped_by_travel, streak

D = date(2026, 1, 5).toordinal()
"""A Monday."""


def days(*spans: tuple[int, int]) -> set[int]:
    """Return the days of the half-open spans, counted from D."""
    return {D + n for start, end in spans for n in range(start, end)}


def test_nobody_starts_with_a_streak() -> None:
    none = streak(set(), D)

    assert (none.length, none.best, none.active_today, none.days_30, none.freezes) == (0, 0, False, 0, 0)
    assert none.kinds == {}


def test_the_first_answer_makes_a_streak_of_one() -> None:
    first = streak({D}, D)

    assert (first.length, first.best, first.active_today, first.days_30) == (1, 1, True, 1)


def test_a_streak_is_alive_until_the_day_after_its_last_active_day_is_over() -> None:
    lengths = [streak(days((0, 3)), D + today).length for today in (2, 3, 4)]

    assert lengths == [3, 3, 0]


def test_a_lost_streak_leaves_its_best_and_the_days_studied() -> None:
    lost = streak(days((0, 5), (8, 10)), D + 9)

    assert (lost.length, lost.best, lost.days_30) == (2, 5, 7)


def test_days_30_counts_today_and_the_29_days_before() -> None:
    assert streak(days((0, 40)), D + 39).days_30 == 30
    assert streak(days((0, 1)), D + 29).days_30 == 1
    assert streak(days((0, 1)), D + 30).days_30 == 0


def test_seven_active_days_earn_a_freeze_and_at_most_two_are_held() -> None:
    held = [streak(days((0, n)), D + n - 1).freezes for n in (6, 7, 13, 14, 40)]

    assert held == [0, 1, 1, 2, 2]


def test_a_freeze_bridges_a_missed_day_without_adding_to_the_length() -> None:
    bridged = streak(days((0, 7), (8, 10)), D + 9)

    assert (bridged.length, bridged.freezes) == (9, 0)
    assert bridged.kinds[D + 7] == FROZEN
    assert bridged.kinds[D + 8] == ACTIVE


def test_a_freeze_is_not_spent_before_the_day_is_over() -> None:
    assert streak(days((0, 7)), D + 7).freezes == 1
    assert streak(days((0, 7)), D + 8).freezes == 0
    assert streak(days((0, 7)), D + 8).length == 7
    assert streak(days((0, 7)), D + 9).length == 0


def test_two_freezes_bridge_two_days_and_the_third_ends_the_streak() -> None:
    alive, dead = streak(days((0, 14)), D + 16), streak(days((0, 14)), D + 17)

    assert (alive.length, alive.freezes) == (14, 0)
    assert (dead.length, dead.best) == (0, 14)
    assert D + 16 not in dead.kinds


def test_progress_towards_a_freeze_is_lost_with_the_streak() -> None:
    assert streak(days((0, 6), (7, 13)), D + 12).freezes == 0


def test_a_neutral_day_neither_breaks_nor_adds() -> None:
    neutral = streak(days((0, 3), (4, 6)), D + 5, neutral={D + 3})

    assert neutral.length == 5
    assert neutral.kinds[D + 3] == NEUTRAL


def test_an_answer_on_a_neutral_day_counts() -> None:
    assert streak({D}, D, neutral={D}).kinds == {D: ACTIVE}


def test_a_neutral_today_keeps_the_streak() -> None:
    today = streak(days((0, 3)), D + 3, neutral={D + 3})

    assert (today.length, today.active_today) == (3, False)


def test_days_that_have_not_come_yet_do_not_count() -> None:
    ahead = streak({D, D + 1, D + 700}, D + 1)

    assert (ahead.length, ahead.best) == (2, 2)
    assert D + 700 not in ahead.kinds


def test_why_explains_every_kind_of_day() -> None:
    told = streak(days((0, 7), (8, 9), (12, 13)), D + 13, neutral={D + 9})

    assert [told.why(D + n) for n in (-1, 6, 7, 9, 10, 11, 12, 13, 14)] == [
        "Sun 4 Jan 2026: before the first day of study.",
        "Sun 11 Jan 2026: studied, day 7 of the streak.",
        "Mon 12 Jan 2026: nothing answered; a freeze kept the streak at 7, 0 left.",
        "Wed 14 Jan 2026: nothing to study; the streak stayed at 8.",
        "Thu 15 Jan 2026: nothing answered and no freeze held; the streak of 8 ended.",
        "Fri 16 Jan 2026: nothing answered; no streak was running.",
        "Sat 17 Jan 2026: studied, day 1 of the streak.",
        "Sun 18 Jan 2026: today, nothing answered yet; one answer makes it day 2.",
        "Mon 19 Jan 2026: has not come yet.",
    ]
    assert told.days[D + 10].kind == MISSED
    assert streak(set(), D).why(D) == "Mon 5 Jan 2026: today, nothing answered yet; one answer starts a streak."


DAY_SETS = st.sets(st.integers(0, 60))


@settings(deadline=None, derandomize=True, max_examples=400)
@given(ours=DAY_SETS, theirs=DAY_SETS, neutral=DAY_SETS, today=st.integers(0, 70))
def test_merging_the_days_of_two_machines_can_only_help(
    ours: set[int], theirs: set[int], neutral: set[int], today: int
) -> None:
    alone = streak({D + n for n in ours}, D + today, {D + n for n in neutral})
    merged = streak({D + n for n in ours | theirs}, D + today, {D + n for n in neutral})

    assert merged.length >= alone.length
    assert merged.best >= alone.best
    assert merged.freezes >= alone.freezes


@settings(deadline=None, derandomize=True)
@given(active=DAY_SETS, today=st.integers(0, 60))
def test_what_a_day_was_does_not_change_as_time_goes_on(active: set[int], today: int) -> None:
    earlier = streak({D + n for n in active if n <= today}, D + today).days
    later = streak({D + n for n in active}, D + 70).days

    assert all(later[day] == note for day, note in earlier.items())


def answered(zone: str, *clock: int) -> tuple[int, int, int]:
    local = ZoneInfo(zone)
    moment = Moment(datetime(*clock, tzinfo=local), local, zone)  # type: ignore[misc, arg-type]
    return moment.at_ms, moment.study_day, moment.offset_min


def test_a02_a_date_skipped_by_flying_east_is_bridged() -> None:
    answers = [answered("America/Los_Angeles", 2026, 5, 10, 20), answered("Asia/Tokyo", 2026, 5, 12, 8)]
    skipped = skipped_by_travel(answers)
    active = {day for _, day, _ in answers}

    assert skipped == {date(2026, 5, 11).toordinal()}
    assert streak(active, max(active), neutral=skipped).length == 2


def test_a02_a_date_lived_twice_by_flying_west_counts_once() -> None:
    answers = [answered("Asia/Tokyo", 2026, 5, 10, 20), answered("America/Los_Angeles", 2026, 5, 10, 20)]

    assert skipped_by_travel(answers) == frozenset()
    assert streak({day for _, day, _ in answers}, answers[-1][1]).length == 1


def test_a_day_missed_at_home_is_not_a_flight() -> None:
    at_home = [answered("Europe/Paris", 2026, 5, 10, 23), answered("Europe/Paris", 2026, 5, 12, 8)]
    clock_change = [answered("Europe/Paris", 2026, 3, 28, 22), answered("Europe/Paris", 2026, 3, 30, 5)]
    two_days_later = [answered("America/Los_Angeles", 2026, 5, 10, 20), answered("Asia/Tokyo", 2026, 5, 13, 8)]

    assert skipped_by_travel(at_home) == frozenset()
    assert skipped_by_travel(clock_change) == frozenset()
    assert skipped_by_travel(two_days_later) == frozenset()


def test_a_day_short_of_its_goal_is_missed_and_says_so() -> None:
    short = streak(days((0, 2)), D + 3, answered=days((0, 4)), wanted="giving 20 answers")

    assert short.why(D + 2).endswith("the day's goal was not reached and no freeze held; the streak of 2 ended.")
    assert short.why(D + 3).endswith("today, the goal is not reached yet; giving 20 answers starts a streak.")


def test_the_next_freeze_is_named_in_active_days() -> None:
    assert [streak(days((0, n)), D + n - 1).next_freeze_in for n in (1, 6, 7, 13, 14)] == [6, 1, 7, 1, None]


@settings(deadline=None, derandomize=True)
@given(active=DAY_SETS, rest=DAY_SETS, today=st.integers(0, 40), ahead=st.integers(0, 8))
def test_the_streak_foretold_for_a_coming_day_is_the_one_it_will_have(
    active: set[int], rest: set[int], today: int, ahead: int
) -> None:
    known = {D + n for n in active if n <= today}
    planned = {D + n for n in rest}

    foretold = streak(known, D + today, planned).length_on(D + today + ahead, planned)

    assert foretold == streak(known, D + today + ahead, planned).length
