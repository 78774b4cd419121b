"""The days behind the streak: a calendar with a sentence on every day, at every size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from studyapp.core.reviews import Rating
from studyapp.core.streaks import NOTHING_DUE, streak
from studyapp.settings import Settings
from studyapp.study.reviewing import Sitting
from studyapp.study.streak_page import StreakPage
from studyapp.study.streaks import planned_rest
from studyapp.tui.app import StudyApp
from studyapp.tui.applying import take_up
from studyapp.tui.screens import streak_parts as parts
from studyapp.tui.screens.streak import StreakScreen
from tests.study.log import study
from tests.tui.conftest import settings_in
from tests.tui.drive import open_desk, text_of, until

Maker = Callable[..., StudyApp]
TODAY = date(2026, 3, 2).toordinal()


def page_of(active: set[int], today: int = TODAY, **more: object) -> StreakPage:
    found = streak(active, today, {TODAY - 9: "a day of rest"})
    filled: dict[str, object] = {
        "answers": dict.fromkeys(active, 3),
        "goal": "1 answer",
        "left": timedelta(hours=18),
        "ends": "04:00",
        "planned": frozenset(),
        **more,
    }
    return StreakPage(found, **filled)  # type: ignore[arg-type]


def test_every_kind_of_day_has_its_own_sign() -> None:
    page = page_of({*range(TODAY - 30, TODAY - 9), *range(TODAY - 8, TODAY - 3), TODAY - 2})

    lines = parts.calendar(page, TODAY, 30).plain.splitlines()

    assert lines[0].split() == ["Feb", "2026", "Mar", "2026"]
    assert lines[6].startswith("■ ■ ■ ■ □ ■")  # 23 February on: the 27th was kept by a freeze
    assert lines[5].startswith("■ ■ ■ ■ ■ –")  # the 21st was rest
    assert lines[3].endswith("▸")  # today, Monday 2 March


def test_the_months_follow_the_cursor_and_begin_with_the_first_day() -> None:
    page = page_of(set(range(TODAY - 500, TODAY)))

    assert [f"{m:%y-%m}" for m in parts.months_shown(page, TODAY, 3, 1)] == ["26-01", "26-02", "26-03"]
    assert [f"{m:%y-%m}" for m in parts.months_shown(page, TODAY - 100, 3, 1)] == ["25-11", "25-12", "26-01"]
    assert f"{parts.months_shown(page, TODAY + 40, 3, 1)[-1]:%y-%m}" == "26-04"
    assert len(parts.months_shown(page_of({TODAY}), TODAY, 6, 2)) == 1


def test_a_lost_streak_is_told_calmly() -> None:
    page = page_of(set(range(TODAY - 40, TODAY - 5)), today=TODAY)

    assert page.run() == "Best 35 days; 24 of the last 30 days."
    assert page.now().startswith("Today: one answer starts a streak.")


def test_the_page_is_told_in_sentences() -> None:
    page = page_of({*range(TODAY - 30, TODAY - 2), TODAY}, planned=frozenset({TODAY + 2, TODAY + 3}))

    assert page.lines() == [
        "29 days in a row; best 29 days; 28 of the last 30 days.",
        "No freeze held; 6 more active days earn the next.",
        "Today counts. 18 h left, until 04:00.",
        "Rest planned: Wed 4 Mar to Thu 5 Mar.",
        "January 2026: 31 studied.",
        "February 2026: 1 to 27 studied, 28 kept by a freeze.",
        "March 2026: 1 kept by a freeze, 2 studied.",
    ]


def test_a_day_with_nothing_due_names_the_trial_that_makes_it_count() -> None:
    active = set(range(TODAY - 5, TODAY))
    page = replace(page_of(active), streak=streak(active, TODAY, {TODAY: NOTHING_DUE}))

    assert "`studyapp run --daily`" in page.why(TODAY)
    assert "--daily" not in page.why(TODAY - 1)
    assert "--daily" not in page_of(active).why(TODAY)  # something is due
    assert "--daily" not in page_of({*active, TODAY}).why(TODAY)  # it counts already


async def opened(app: StudyApp, pilot: object) -> StreakScreen:
    await open_desk(app, pilot)  # type: ignore[arg-type]
    assert app.desk is not None
    cards = [card.id for card in app.desk.store.cards()]
    study(app.desk.store, cards, app.desk.clock().study_day, days=60)
    app.refresh_status()
    app.push_screen(StreakScreen())
    await until(pilot, lambda: isinstance(app.screen, StreakScreen))  # type: ignore[arg-type]
    await pilot.pause()  # type: ignore[attr-defined]
    assert isinstance(app.screen, StreakScreen)
    return app.screen


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 20), (40, 12)])
async def test_the_run_the_calendar_and_the_day_fit(app_of: Maker, size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        screen = await opened(app, pilot)

        await pilot.press("left")

        text = " ".join(text_of(app).split())
        assert screen.page is not None
        assert screen.page.run().split(";")[0].rstrip(".") in text
        assert "Feb 2026" in text
        assert screen.page.why(screen.cursor) in text
        assert "help" in text


async def test_the_arrows_move_by_day_and_week_within_the_days_there_are(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        assert screen.page is not None
        today, first = screen.page.streak.today, min(screen.page.streak.days)
        for key, day in (("left", today - 1), ("up", today - 8), ("j", today - 1), ("l", today)):
            await pilot.press(key)
            assert screen.cursor == day
        for _ in range(20):
            await pilot.press("up")
        assert screen.cursor == first
        await pilot.press("t")
        assert screen.cursor == today


async def test_rest_is_planned_on_a_coming_day_and_taken_back(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        assert app.desk is not None
        await pilot.press("left", "r")
        assert planned_rest(app.desk) == []  # a past day cannot be rested

        await pilot.press("t", "right", "r")
        await pilot.pause()
        assert planned_rest(app.desk) == [screen.cursor]
        assert "a day of rest is planned" in text_of(app)
        assert "no rest" in text_of(app)

        await pilot.press("r")
        assert planned_rest(app.desk) == []


async def test_a_rollover_changed_in_the_running_program_leaves_today_as_it_is(
    settings: Settings, app_of: Maker
) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None

        take_up(app.desk, settings_in(settings.data_dir.parent, rollover="14:00"))

        assert app.desk.clock().study_day == TODAY
        assert app.desk.clock().next_rollover == settings.clock().next_rollover


async def test_a_streak_that_is_switched_off_is_shown_nowhere(settings: Settings, app_of: Maker) -> None:
    folder = settings.data_dir.parent
    app = app_of(over=settings_in(folder, streak="off", release="all"))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        sitting = Sitting(app.desk)
        showing = sitting.next()
        assert showing is not None
        sitting.grade(showing, Rating.GOOD, duration_ms=1000)
        app.refresh_status()
        await pilot.press("s")
        await pilot.pause()
        assert "streak" not in text_of(app).lower()
        assert "▲" not in text_of(app)
        await pilot.press("q")
        await pilot.press("enter")
        await pilot.pause()
        assert "▲" not in text_of(app)

        app.push_screen(StreakScreen())
        await until(pilot, lambda: "switched off" in text_of(app))
        assert "■" not in text_of(app)


@pytest.mark.parametrize("size", [(60, 20), (60, 22), (80, 24), (120, 40)])
async def test_the_calendar_stands_apart_and_nothing_moves_with_the_cursor(
    app_of: Maker, size: tuple[int, int]
) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        screen = StreakScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen.page is not None and screen.query_one("#why").region.height)
        screen.page = page_of({*range(TODAY - 30, TODAY - 9), *range(TODAY - 8, TODAY)})
        places = set()
        for step in range(4):
            screen.cursor = TODAY - step
            screen.paint()
            await pilot.pause()
            regions = {part: screen.query_one(f"#{part}").region for part in ("head", "days", "legend", "why")}
            places.add(tuple(region.y for region in regions.values()))
            assert regions["why"].bottom <= size[1] - 1
            assert regions["days"].y > regions["head"].bottom
            assert regions["why"].y > regions["legend"].bottom
        assert len(places) == 1


def test_in_a_low_window_a_full_stock_of_freezes_is_told_briefly() -> None:
    page = page_of(set(range(TODAY - 30, TODAY)))

    assert page.freezes() == "2 freezes held, the most there can be; a missed day takes one by itself."
    assert "2 freezes held, the most there can be.\n" in parts.head(page, 20).plain
