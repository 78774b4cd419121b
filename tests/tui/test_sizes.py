"""C10: the loop works at every size, down to one cell; `test_screens.py` looks at every screen at every size."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from textual.widget import Widget

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.review import ReviewScreen
from tests.tui.drive import open_desk, release, reveal, text_of, until

Maker = Callable[..., StudyApp]
SIZES = [(80, 24), (120, 40), (60, 20), (40, 12), (40, 10), (20, 5), (10, 5), (5, 3), (1, 1), (250, 70)]


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (10, 5), (1, 1)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_c10_the_whole_loop_survives_every_size(app_of: Maker, size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        release(app)
        app.refresh_status()
        for key in ("l", "space", "right", "q", "s", "q", "x", "down", "enter", "right", "2", "q", "q"):
            await pilot.press(key)
            await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and app.screen.showing)
        await reveal(app, pilot)
        text = text_of(app)
        if size[0] >= 40 and size[1] >= 10:
            rows = text.split("\n")
            assert "help" in rows[-1]
            assert any("1 Again" in row and "4 Easy" in row for row in rows[:-1])
        await pilot.press("4")
        assert app.desk is not None
        store = app.desk.store
        await until(pilot, lambda: len(store.reviews()) == 1)


async def test_c10_a_storm_of_sizes_during_a_live_chart_ends_in_a_whole_picture(app_of: Maker) -> None:
    from studyapp.tui.screens.experiment import ExperimentScreen

    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen("small-net", {}))
        await pilot.pause()
        await until(pilot, lambda: app.screen.trial is not None)  # type: ignore[attr-defined]
        await pilot.press("enter")
        for number in range(30):
            width, height = SIZES[number % len(SIZES)]
            await pilot.resize_terminal(width, height)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: app.screen.state == "done")  # type: ignore[attr-defined]
        await until(pilot, lambda: "rows per step" in text_of(app))


def stands(page: Widget, margin: object) -> bool:
    """Whether a page has this margin."""
    return page.styles.margin == margin


async def test_a_page_stands_further_in_once_its_window_is_broad(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("question_mark")
        page = app.screen.query_one("VerticalScroll")
        await until(pilot, lambda: page.region.width)
        usual = page.styles.margin
        for columns, wanted in ((120, (1, 6, 0, 8)), (80, usual), (120, (1, 6, 0, 8))):
            await pilot.resize_terminal(columns, 24)
            await until(pilot, partial(stands, page, wanted))
        app.choose_theme("paper")
        await pilot.pause()
        assert page.styles.margin == (1, 6, 0, 8)
        assert usual.left < 8
