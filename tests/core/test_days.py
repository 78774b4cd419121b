"""Study days: hand-computed dates around midnight, clock changes and the date line."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.days import (
    EarlierRollover,
    Moment,
    day_to_iso,
    instant_of,
    iso_to_day,
    rollover_instant,
    study_day,
)
from studyapp.core.reviews import Memory, Rating
from studyapp.core.scheduling import Policy, answer

UTC = timezone.utc
NEW_YORK = ZoneInfo("America/New_York")
PARIS = ZoneInfo("Europe/Paris")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
EVERY_KIND_OF_ZONE = (
    "UTC",
    "America/New_York",
    "Europe/Paris",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Pacific/Apia",
    "Africa/Casablanca",
)
MDT = timezone(timedelta(hours=-6))
MST = timezone(timedelta(hours=-7))


def at(zone: ZoneInfo, *clock: int, fold: int = 0) -> datetime:
    return datetime(*clock, tzinfo=zone, fold=fold)  # type: ignore[misc, arg-type]


def iso(now: datetime, zone: ZoneInfo, rollover: time = time(4)) -> str:
    return day_to_iso(study_day(now, zone, rollover))


ZONES_OF_A04 = ("America/New_York", "Pacific/Kiritimati", "Pacific/Pago_Pago")


@pytest.mark.parametrize("name", ZONES_OF_A04)
def test_a04_an_answer_at_one_in_the_morning_belongs_to_the_evening_before(name: str) -> None:
    zone = ZoneInfo(name)

    assert iso(at(zone, 2026, 1, 14, 23, 50), zone) == "2026-01-14"
    assert iso(at(zone, 2026, 1, 15, 1, 0), zone) == "2026-01-14"
    assert iso(at(zone, 2026, 1, 15, 3, 59), zone) == "2026-01-14"
    assert iso(at(zone, 2026, 1, 15, 4, 0), zone) == "2026-01-15"


@pytest.mark.parametrize("name", ZONES_OF_A04)
def test_a04_an_interval_of_one_day_comes_due_at_the_rollover_and_not_before(name: str) -> None:
    zone = ZoneInfo(name)
    answered_on = study_day(at(zone, 2026, 1, 14, 23, 50), zone)

    after = answer("card", Memory(), Rating.AGAIN, 0, answered_on, Policy(learning_steps=())).after

    assert after.due_day is not None
    times = [at(zone, 2026, 1, 15, 1, 0), at(zone, 2026, 1, 15, 3, 59), at(zone, 2026, 1, 15, 4, 1)]
    assert [study_day(now, zone) >= after.due_day for now in times] == [False, False, True]


def test_the_day_does_not_depend_on_the_zone_in_which_the_instant_is_written() -> None:
    now = at(NEW_YORK, 2026, 1, 15, 1, 0)

    assert {study_day(now.astimezone(zone), NEW_YORK) for zone in (UTC, PARIS, LORD_HOWE)} == {
        date(2026, 1, 14).toordinal()
    }


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        (NEW_YORK, "2026-03-07", 23),
        (NEW_YORK, "2026-10-31", 25),
        (PARIS, "2026-03-28", 23),
        (PARIS, "2026-10-24", 25),
        (LORD_HOWE, "2026-04-04", 24.5),
        (LORD_HOWE, "2026-10-03", 23.5),
        (NEW_YORK, "2026-07-01", 24),
    ],
)
def test_a_day_with_a_clock_change_is_one_day_of_another_length(zone: ZoneInfo, day: str, hours: float) -> None:
    ordinal = iso_to_day(day)
    begins, ends = rollover_instant(ordinal, zone), rollover_instant(ordinal + 1, zone)

    assert ends - begins == timedelta(hours=hours)
    assert study_day(begins, zone) == study_day(ends - timedelta(seconds=1), zone) == ordinal


@pytest.mark.parametrize("zone", [PARIS, LORD_HOWE], ids=str)
def test_reviews_early_in_the_day_keep_their_dates_over_a_clock_change(zone: ZoneInfo) -> None:
    for first in (date(2026, 10, 22), date(2026, 3, 27), date(2026, 4, 3)):
        days = [first + timedelta(days=n) for n in range(5)]
        mornings = [at(zone, day.year, day.month, day.day, 4, 30) for day in days]

        assert [iso(now, zone) for now in mornings] == [day.isoformat() for day in days]


def test_a_rollover_inside_the_missing_hour_happens_when_the_clock_jumps() -> None:
    half_past_two, day = time(2, 30), iso_to_day("2026-03-08")
    jump = datetime(2026, 3, 8, 7, 0, tzinfo=UTC)

    assert rollover_instant(day, NEW_YORK, half_past_two) == jump
    assert iso(jump - timedelta(seconds=1), NEW_YORK, half_past_two) == "2026-03-07"
    assert iso(jump, NEW_YORK, half_past_two) == "2026-03-08"


def test_a_rollover_inside_the_repeated_hour_happens_once_and_the_day_does_not_go_back() -> None:
    half_past_one, day = time(1, 30), iso_to_day("2026-11-01")
    first = datetime(2026, 11, 1, 5, 30, tzinfo=UTC)
    second_one_o_clock = at(NEW_YORK, 2026, 11, 1, 1, 0, fold=1)

    assert rollover_instant(day, NEW_YORK, half_past_one) == first
    assert iso(first - timedelta(seconds=1), NEW_YORK, half_past_one) == "2026-10-31"
    assert iso(second_one_o_clock, NEW_YORK, half_past_one) == "2026-11-01"


def test_a_date_that_a_country_skipped_holds_only_the_hours_before_the_rollover() -> None:
    apia = ZoneInfo("Pacific/Apia")
    jump = datetime(2011, 12, 30, 10, 0, tzinfo=UTC)

    assert rollover_instant(iso_to_day("2011-12-30"), apia) == jump
    assert rollover_instant(iso_to_day("2011-12-31"), apia) == jump + timedelta(hours=4)


@settings(deadline=None, derandomize=True)
@given(
    name=st.sampled_from(EVERY_KIND_OF_ZONE),
    at_s=st.integers(min_value=1_262_304_000, max_value=2_208_988_800),
    rollover=st.times(),
)
def test_every_instant_lies_between_the_two_rollovers_of_its_day(name: str, at_s: int, rollover: time) -> None:
    zone, now = ZoneInfo(name), instant_of(at_s * 1000)

    day = study_day(now, zone, rollover)

    assert rollover_instant(day, zone, rollover) <= now < rollover_instant(day + 1, zone, rollover)


@pytest.mark.parametrize(
    ("now", "days"),
    [
        (datetime(2018, 8, 9, 3, 59, 59, tzinfo=MST), 2),
        (datetime(2018, 8, 9, 4, 0, 0, tzinfo=MST), 3),
        (datetime(2019, 12, 26, 20, 0, 0, tzinfo=MST), 507),
        (datetime(2019, 12, 26, 20, 0, 0, tzinfo=MDT), 507),
        (datetime(2018, 8, 7, 2, 0, 0, tzinfo=MDT), 0),
        (datetime(2018, 8, 7, 4, 0, 0, tzinfo=MDT), 1),
    ],
)
def test_day_numbers_agree_with_ankis_for_a_collection_made_on_6_august_2018(now: datetime, days: int) -> None:
    assert study_day(now, now.tzinfo or UTC) - date(2018, 8, 6).toordinal() == days


def test_a_late_rollover_agrees_with_anki() -> None:
    made = datetime(2018, 8, 6, 2, 0, tzinfo=MDT)
    days = [study_day(made + timedelta(hours=hours), MDT, time(23)) for hours in (44, 45)]

    assert [day - made.date().toordinal() for day in days] == [0, 1]


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        study_day(datetime(2026, 1, 1), UTC)  # noqa: DTZ001
    with pytest.raises(ValueError, match="aware"):
        Moment(datetime(2026, 1, 1), UTC, "UTC")  # noqa: DTZ001


def test_a_moment_tells_what_a_review_row_stores() -> None:
    moment = Moment(datetime(2026, 1, 15, 6, 0, 0, 123_456, tzinfo=UTC), NEW_YORK, "America/New_York")

    assert moment.at_ms == 1_768_456_800_123
    assert instant_of(moment.at_ms) == datetime(2026, 1, 15, 6, 0, 0, 123_000, tzinfo=UTC)
    assert moment.offset_min == -300
    assert day_to_iso(moment.study_day) == "2026-01-14"
    assert moment.next_rollover == datetime(2026, 1, 15, 9, 0, tzinfo=UTC)


def test_an_iso_date_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError):
        iso_to_day("yesterday")


@settings(deadline=None, derandomize=True)
@given(
    name=st.sampled_from(EVERY_KIND_OF_ZONE),
    at_s=st.integers(min_value=1_262_304_000, max_value=2_208_988_800),
    old=st.times(),
    new=st.times(),
    later_s=st.lists(st.integers(0, 5 * 86_400), max_size=6),
)
def test_a_changed_rollover_cuts_no_day_anew_and_never_turns_days_back(
    name: str, at_s: int, old: time, new: time, later_s: list[int]
) -> None:
    zone, changed = ZoneInfo(name), instant_of(at_s * 1000)
    day = study_day(changed, zone, old)
    end = rollover_instant(day + 1, zone, old)

    def moment(now: datetime) -> Moment:
        return Moment(now, zone, name, new, EarlierRollover(old, changed, day))

    times = sorted([timedelta(0), end - changed, *(timedelta(seconds=s) for s in later_s)])
    moments = [moment(changed + later) for later in times]
    days = [found.study_day for found in moments]
    assert days == sorted(days)
    assert all((found.study_day == day) is (found.now < end) for found in moments)
    assert moment(end).study_day == day + 1
    assert all(found.begins(found.study_day) <= found.now < found.next_rollover for found in moments)
    assert moment(changed - timedelta(days=3)).study_day == study_day(changed - timedelta(days=3), zone, old)
    assert moment(end + timedelta(days=3)).study_day == study_day(end + timedelta(days=3), zone, new)


def test_a_rollover_changed_to_one_inside_the_missing_hour_takes_the_jump() -> None:
    changed = at(NEW_YORK, 2026, 3, 7, 13, 0)
    moment = Moment(changed, NEW_YORK, "America/New_York", time(2, 30), EarlierRollover(time(4), changed, 739_682))

    assert day_to_iso(moment.study_day) == "2026-03-07"
    assert moment.next_rollover == datetime(2026, 3, 8, 8, 0, tzinfo=UTC)  # by the earlier one, 04:00
    assert moment.begins(moment.study_day + 2) == datetime(2026, 3, 9, 6, 30, tzinfo=UTC)
