from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from studyapp.study.backing_up import Copy, copies, daily, make_copy, to_drop
from tests.study.machine import machines

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


def days_ago(days: float, why: str = "daily") -> Copy:
    made = NOON - timedelta(days=days)
    return Copy(Path(f"{why}-{days}"), made, why, 1)


def kept(found: list[Copy]) -> list[str]:
    dropped = to_drop(found)
    return [copy.path.name for copy in found if copy not in dropped]


def test_seven_days_four_weeks_and_six_months_are_kept() -> None:
    year = [days_ago(days) for days in range(400)]

    left = kept(year)

    assert left[:7] == [f"daily-{days}" for days in range(7)]  # 1 March 2026 is a Sunday
    assert left[7:10] == ["daily-7", "daily-14", "daily-21"]  # Sundays before
    assert left[10:] == [
        f"daily-{days}" for days in (29, 60, 91, 121)
    ]  # ends of January, December, November, October
    assert len(left) == 14


def test_copies_are_kept_by_days_that_have_any_however_long_ago() -> None:
    pause = [days_ago(days) for days in (0, 200, 201, 202, 203, 204, 205, 206, 207)]

    assert set(kept(pause)) >= {copy.path.name for copy in pause[:7]}


def test_the_latest_of_a_day_is_the_one_that_stays() -> None:
    assert kept([days_ago(0.1), days_ago(0.2)]) == ["daily-0.1"]


def test_three_of_each_kind_of_change_are_kept_and_all_made_by_hand_or_by_an_upgrade() -> None:
    found = [days_ago(n, why) for why in ("before-merge", "before-import", "", "before-upgrade") for n in range(5)]

    assert kept(found) == [
        *(f"before-merge-{n}" for n in range(3)),
        *(f"before-import-{n}" for n in range(3)),
        *(f"-{n}" for n in range(5)),
        *(f"before-upgrade-{n}" for n in range(5)),
    ]


def test_the_days_copy_is_made_once_and_old_ones_go() -> None:
    with machines(1) as (here,):
        made = []
        for _ in range(12):
            made.append(daily(here.desk))
            assert daily(here.desk) is None
            here.now += timedelta(days=1)

        names = [copy.path.name for copy in copies(here.path)]
        assert names[:7] == [path.name for path in reversed(made[-7:]) if path is not None]
        assert 7 <= len(names) < 12


def test_two_copies_of_one_second_have_two_names() -> None:
    with machines(1) as (here,):
        first, second = make_copy(here.desk, "before-merge"), make_copy(here.desk, "before-merge")

        assert first != second
        assert [copy.why for copy in copies(here.path)] == ["before-merge"] * 2
