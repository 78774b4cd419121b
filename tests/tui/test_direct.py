"""Rows that go straight to the app leave the screen as Textual's compositor would draw all of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from rich.color import ColorSystem
from textual._compositor import ChopsUpdate, CompositorUpdate
from textual.geometry import Region
from textual.widget import Widget

from studyapp.tui.app import StudyApp
from studyapp.tui.canvas import Canvas
from studyapp.tui.direct import Direct
from studyapp.tui.screens.review import ReviewScreen
from studyapp.tui.widgets.lines import Lines
from tests.tui.drive import open_desk, release, reveal, until

Maker = Callable[..., StudyApp]


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Canvas:
    """Return what the next app should have on its screen."""
    found = Canvas()

    def draw(app: StudyApp, screen: Any, renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate):
            assert found.take(renderable, ColorSystem.TRUECOLOR)
        app.post_display_hook()

    monkeypatch.setattr(StudyApp, "_display", draw)
    return found


def whole(app: StudyApp) -> list[Any]:
    """Return the screen as the compositor draws it anew."""
    anew = Canvas()
    update = app.screen._compositor.render_full_update()
    assert anew.take(update, ColorSystem.TRUECOLOR)
    return anew._wanted


def turned(screen: ReviewScreen, shown: object) -> bool:
    """Whether another card is on the screen."""
    return screen.showing is not shown


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 10), (10, 5)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_step_of_a_review_leaves_the_whole_screen_right(
    app_of: Maker, canvas: Canvas, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    straight: list[bool] = []
    update = Direct.update

    def noting(direct: Direct, *words: Any) -> ChopsUpdate | None:
        found = update(direct, *words)
        straight.append(found is not None)
        return found

    monkeypatch.setattr(Direct, "update", noting)
    app = app_of("review")
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        release(app)
        screen: Any = app.screen
        assert isinstance(screen, ReviewScreen)
        screen._synced()
        await until(pilot, lambda: screen.showing is not None)
        for grade in ("1", "3", "4"):
            await reveal(app, pilot)
            assert canvas._wanted == whole(app)
            shown = screen.showing
            await pilot.press(grade)
            await until(pilot, partial(turned, screen, shown))
            await pilot.pause()
            assert canvas._wanted == whole(app)
    assert straight.count(True) >= 6
    assert all(straight)


def test_a_block_with_something_before_it_is_not_free() -> None:
    above, below, half, apart = (Lines() for _ in range(4))
    screen = Region(0, 0, 80, 24)
    places: dict[Widget, tuple[Region, Region]] = {
        above: (Region(10, 5, 20, 2), screen),
        below: (Region(0, 0, 80, 6), screen),
        half: (Region(0, 20, 80, 8), screen),
        apart: (Region(0, 7, 80, 3), screen),
    }

    assert set(Direct().free(places)) == {above, apart}, "one lies under another, one reaches out of the screen"


def test_places_are_looked_at_once_for_each_layout() -> None:
    block, direct = Lines(), Direct()
    first: dict[Widget, tuple[Region, Region]] = {block: (Region(0, 3, 80, 2), Region(0, 0, 80, 24))}
    second: dict[Widget, tuple[Region, Region]] = {block: (Region(0, 4, 80, 2), Region(0, 0, 80, 24))}

    assert direct.free(first) is direct.free(first)
    assert direct.free(second) == {block: Region(0, 4, 80, 2)}


def test_what_is_covered_is_left_to_the_compositor() -> None:
    above, below = Lines(), Lines()
    screen = Region(0, 0, 80, 24)
    places: dict[Widget, tuple[Region, Region]] = {above: (Region(0, 0, 80, 2), screen)}
    places[below] = Region(0, 1, 80, 2), screen

    assert Direct().update(places, (80, 24), [below]) is None
    assert Direct().update(places, (80, 24), [above, below]) is None


async def test_the_next_question_is_drawn_while_the_answer_is_checked(app_of: Maker) -> None:
    app = app_of("review")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        release(app)
        screen: Any = app.screen
        screen._synced()
        await until(pilot, lambda: screen.showing is not None)
        await reveal(app, pilot)
        await pilot.pause()
        kept = set(screen.card._drawn)
        shown = screen.showing
        await pilot.press("4")
        await until(pilot, partial(turned, screen, shown))
        question = screen._question(screen.card.size.width)
        assert question
        assert {(line.plain, tuple(line.spans)) for line in question} <= kept
