from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from studyapp.core.calibration import Calibration, Share
from studyapp.core.percent import percent
from studyapp.study.statistics import Hard, gather
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.stats import StatsScreen, foot_rows
from studyapp.tui.screens.stats_ahead import ahead
from studyapp.tui.screens.stats_forecasts import forecasts
from studyapp.tui.screens.stats_parts import whole
from studyapp.tui.screens.stats_recall import recall_foot
from studyapp.tui.screens.table import TableScreen
from studyapp.tui.widgets.chart_view import ChartView
from tests.study.log import study
from tests.tui.drive import open_desk, reveal, start, text_of, until

Maker = Callable[..., StudyApp]


async def opened(app: StudyApp, pilot: Pilot[Any], *, studied: bool = True) -> StatsScreen:
    await open_desk(app, pilot)
    assert app.desk is not None
    if studied:
        cards = [card.id for card in app.desk.store.cards()]
        study(app.desk.store, [*cards, *(f"old/{k}" for k in range(40))], app.desk.clock().study_day, days=150)
        app.refresh_status()
    await pilot.press("s")
    await until(pilot, lambda: isinstance(app.screen, StatsScreen) and app.screen.found is not None)
    await pilot.pause()
    assert isinstance(app.screen, StatsScreen)
    return app.screen


async def test_the_four_panels_show_the_figures_that_were_gathered(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        assert app.desk is not None
        found = gather(app.desk)
        share = found.recall(screen.last_days or 1_000_000).all

        text = text_of(app)
        assert "RECALL" in text
        assert share.value is not None
        assert percent(share.value) in text
        assert f"{share.total} answers" in text
        assert "target 90 %" in text
        assert "reviews ahead" in text

        await pilot.press("tab")
        text = text_of(app)
        assert "AHEAD" in text
        assert f"{sum(found.forecast.values())} in 30 days" in text
        assert f"{found.learned} of {found.cards} cards learned" in text

        await pilot.press("tab")
        text = text_of(app)
        assert f"log-loss {found.own.log_loss:.3f}" in text
        assert f"{found.own.reviews} forecasts" in text
        assert "none yet: press x" in text

        await pilot.press("tab")
        text = text_of(app)
        assert "hardest cards" in text
        for card in found.hardest[:5]:
            assert card.prompt[:20] in text
        assert "less" in text  # the days studied

        await pilot.press("tab")
        assert "RECALL" in text_of(app)


async def test_panels_are_reached_by_number_and_backwards(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        for key, panel in (("3", "forecasts"), ("shift+tab", "ahead"), ("1", "recall"), ("shift+tab", "cards")):
            await pilot.press(key)
            assert screen.panel == panel


async def test_the_range_of_the_curve_goes_round_and_its_points_stand_in_a_table(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        seen = []
        for _ in range(4):
            seen.append(screen.last_days)
            await pilot.press("r")
        assert set(seen) == {30, 90, 365, None}
        assert screen.last_days == seen[0]

        figure = screen.query_one(ChartView).figure
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert figure is not None
        assert figure.sentence[:30] in text_of(app)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is screen)


async def test_without_an_answer_every_panel_says_so_and_nothing_is_drawn(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot, studied=False)
        texts = []
        for _ in range(4):
            texts.append(text_of(app))
            await pilot.press("tab")
        for text, words in zip(
            texts,
            (
                "no card has come back yet",
                "nothing is in memory yet",
                "no forecast of its own",
                "none was forgotten",
            ),
            strict=True,
        ):
            assert words in text
        assert not screen.query_one(ChartView).display
        assert "range" not in texts[0].split("\n")[-1]


@pytest.mark.parametrize("size", [(120, 40), (60, 20), (40, 12), (20, 5), (5, 3), (1, 1)], ids=str)
async def test_c10_every_panel_survives_every_size(app_of: Maker, size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await opened(app, pilot)
        for _ in range(4):
            await pilot.pause()
            text = text_of(app)
            if size[0] >= 40:
                assert "help" in text.split("\n")[-1]
            await pilot.press("r", "down", "tab")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "recall" in text_of(app).lower()


async def test_c01_a_hostile_question_is_shown_as_text(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        assert app.desk is not None
        with app.desk.store.write() as connection:
            connection.exec_driver_sql("UPDATE cards SET prompt = ?", ("[bold red]x[/] \x1b[31mred\x07 \u202e",))
        screen.begin()
        await pilot.press("4")
        text = text_of(app)
        assert "[bold red]x[/]" in text
        assert "\x1b" not in text


def test_half_a_figure_is_never_shown() -> None:
    groups = [[("12 answers", "")], [("   target 90 %", "")]]

    assert whole("all", groups, 80).plain.endswith("target 90 %")
    assert whole("all", groups, 30).plain.endswith("12 answers")
    assert whole("all", groups, 10).plain.strip() == "all"


async def test_ascii_bars_hold_only_ascii(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        assert screen.found is not None
        for content in (
            ahead(screen.found, 74, 24, ascii_only=True),
            forecasts(screen.found, 74, ascii_only=True),
            recall_foot(screen.found, 74, ascii_only=True),
        ):
            assert content.plain.isascii()


async def test_too_sure_is_said_whole_in_a_narrow_window_with_its_n(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        assert screen.found is not None
        by_sure = {"certain": Share(0, 7)}
        screen.found = replace(
            screen.found,
            calibration=Calibration(7, {"far off": 7}, 0, 7, 300.0, by_sure),
            missed=("kept", "small-net"),
            missed_cards=3,
        )
        await pilot.press("3")
        await until(pilot, lambda: "too sure: say guess more often (n = 7)" in text_of(app))
        assert "sure and wrong  7 of 7   worth another look: 3 cards" in text_of(app)
        assert "                kept, small-net" in text_of(app)


@pytest.mark.parametrize(("height", "hardest"), [(20, None), (24, 0), (30, 1), (40, 3)])
async def test_numbers_and_hard_cards_stand_under_the_curve_where_there_are_rows(
    app_of: Maker, height: int, hardest: int | None
) -> None:
    app = app_of()
    async with app.run_test(size=(80, height)) as pilot:
        screen = await opened(app, pilot)
        assert screen.found is not None
        cards = [Hard(str(k), f"Question {k}?", 3 - k, 0.5, False) for k in range(3)]
        made = Calibration(7, {"close": 5}, 5, 7, 1.7, {})
        foot = recall_foot(
            replace(screen.found, calibration=made, hardest=cards), 74, rows=foot_rows(height)
        ).plain
        assert ("7 made   5 close   median 1.7× off" in foot) == (hardest is not None)
        assert [f"Question {k}?" in foot for k in range(3)] == [k < (hardest or 0) for k in range(3)]
        assert all(len(line) <= 74 for line in foot.split("\n"))


async def test_the_time_of_first_answers_says_how_many_they_were(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await reveal(app, pilot)
        await pilot.press("3")
        await until(pilot, lambda: "SAY IT FIRST" in text_of(app))
        await pilot.press("q", "s")
        await until(pilot, lambda: "no card has come back yet" in text_of(app))
        assert "1 answer in 0 s" in text_of(app)
