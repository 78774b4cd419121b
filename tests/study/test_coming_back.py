"""Coming back after a pause: offered once, counted the same everywhere, and the backlog really ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.core.reviews import Rating
from studyapp.study import coming_back
from studyapp.study.desk import Desk
from studyapp.study.reviewing import Sitting
from studyapp.study.today import counts_today
from tests.study.conftest import Watch, lesson

Maker = Callable[..., Desk]


@pytest.fixture
def away(desk_of: Maker, watch: Watch, lesson_path: Path) -> Desk:
    """Forty cards learned on 2 March; it is now 1 April."""
    lesson_path.write_text(lesson(40, 0))
    desk = desk_of(release="all", new_minutes=100)
    sitting = Sitting(desk)
    while (showing := sitting.next()) is not None:
        sitting.grade(showing, Rating.EASY, duration_ms=10_000)
    watch.set("2026-04-01T10:00")
    return desk


def test_a_part_now_and_the_rest_over_the_next_days(away: Desk, watch: Watch) -> None:
    found = coming_back.offer(away)
    assert found == coming_back.Return(away_days=29, due=40, per_day=20, days=2)
    assert found.minutes == 10
    coming_back.accept(away, found)
    assert counts_today(away)["review"] == 20
    assert counts_today(away)["held_back"] == 20
    assert coming_back.offer(away) is None
    sitting = Sitting(away)
    done = 0
    while (showing := sitting.next()) is not None:
        sitting.grade(showing, Rating.GOOD, duration_ms=1)
        done += 1
    assert done == 20
    watch.set("2026-04-02T10:00")
    assert counts_today(away)["review"] == 20
    watch.set("2026-04-03T10:00")
    assert coming_back.limit(away) is None


def test_everything_at_once_is_as_easy_and_not_asked_again(away: Desk) -> None:
    coming_back.decline(away)
    assert coming_back.offer(away) is None
    assert counts_today(away)["review"] == 40


def test_a_weekend_is_no_absence(away: Desk, watch: Watch) -> None:
    watch.set("2026-03-05T10:00")
    assert coming_back.offer(away) is None


def test_a_few_more_beyond_todays_limits(desk_of: Maker, lesson_path: Path) -> None:
    lesson_path.write_text(lesson(8, 0))
    desk = desk_of(release="all", new_minutes=4)
    sitting = Sitting(desk)
    for _ in range(2):
        showing = sitting.next()
        assert showing is not None
        sitting.grade(showing, Rating.EASY, duration_ms=1)
    assert sitting.next() is None
    assert sitting.can_have_more()
    assert sitting.more_today()
    assert sitting.counts().new == 5
    assert counts_today(desk)["new"] == 0  # the day's own limit stands
