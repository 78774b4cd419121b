"""What a command does is told where the mouse rests on its words, by the binding's own words; any key ends it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.events import AppBlur
from textual.pilot import Pilot

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.experiment import ExperimentScreen
from studyapp.tui.screens.home import HomeScreen
from studyapp.tui.screens.settings import SettingsScreen
from studyapp.tui.widgets.hint import Hint, rows_of
from tests.tui.drive import open_desk, text_of, until

Maker = Callable[..., StudyApp]


def words_of(kind: type, name: str) -> str:
    """Return the words of a screen's command."""
    return str(next(b.tooltip for b in kind.BINDINGS if getattr(b, "id", "") == name))  # type: ignore[attr-defined]


async def rest_on(app: StudyApp, pilot: Pilot[int], words: str) -> tuple[int, int]:
    """Let the mouse rest on words of the screen; return their column and row."""
    rows = text_of(app).split("\n")
    row = next(k for k, line in reversed(list(enumerate(rows))) if words in line)
    at = rows[row].index(words), row
    await pilot.hover(offset=at)
    return at


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_the_words_of_a_key_stand_above_it_until_a_key_is_pressed(
    app_of: Maker, size: tuple[int, int]
) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        before = text_of(app).split("\n")
        words = words_of(HomeScreen, "home.lab")

        column, row = await rest_on(app, pilot, "lab")
        await until(pilot, lambda: words in text_of(app))

        shown = text_of(app).split("\n")
        assert shown[row - 1].strip() == f"▌ x  {words}"
        assert [line for at, line in enumerate(shown) if at != row - 1] == [
            line for at, line in enumerate(before) if at != row - 1
        ]
        assert shown[row - 1].index("▌") < column
        await pilot.press("f9")
        assert text_of(app).split("\n") == before


async def test_every_key_that_a_label_names_has_a_row(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(60, 20)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen("small-net", {}))
        await until(pilot, lambda: "how sure" in text_of(app).split("\n")[-1])

        await rest_on(app, pilot, "how sure")
        await until(pilot, lambda: words_of(ExperimentScreen, "sure.certain") in text_of(app))

        told = [line.split("▌ ")[1] for line in text_of(app).split("\n")[-4:-1]]
        for digit, name, line in zip("123", ("sure.guess", "sure.fairly", "sure.certain"), told, strict=True):
            assert f"{line} ".startswith(f"{digit}  {words_of(ExperimentScreen, name)} ")


async def test_it_goes_when_the_mouse_leaves_or_the_window_loses_the_focus(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        words = words_of(HomeScreen, "home.browse")
        for leave in (lambda: pilot.hover(offset=(40, 10)), lambda: app.on_event(AppBlur())):
            await rest_on(app, pilot, "browse")
            await until(pilot, lambda: words in text_of(app))
            await leave()
            await until(pilot, lambda: words not in text_of(app))


async def test_a_row_says_what_a_click_on_it_does(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("comma")
        await until(pilot, lambda: "target recall" in text_of(app))
        words = words_of(SettingsScreen, "settings.type")

        _, row = await rest_on(app, pilot, "target recall")
        await until(pilot, lambda: f"two clicks  {words}" in text_of(app))

        rows = text_of(app).split("\n")
        assert "target recall" in rows[row]
        assert f"two clicks  {words}" in rows[row + 1]
        await pilot.click(offset=(10, row))
        await pilot.hover(offset=(12, row))
        await until(pilot, lambda: f"▌ click  {words}" in text_of(app))


async def test_nothing_is_made_before_the_mouse_rests_on_something(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.hover(offset=(40, 12))

        assert not app.screen.query(Hint)


@pytest.mark.parametrize("size", [(19, 24), (80, 3)])
async def test_in_a_tiny_window_nothing_is_told(app_of: Maker, size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        await pilot.hover(offset=(2, size[1] - 1))
        await pilot.pause(0.6)

        assert "▌" not in text_of(app)


def test_long_words_are_wrapped_under_each_other() -> None:
    said = [("q, esc", "Back to the list, and all that was changed is kept"), ("x", "Open")]

    assert [row.plain for row in rows_of(said, 40)] == [
        "▌ q, esc  Back to the list, and all ",
        "▌         that was changed is kept  ",
        "▌ x       Open                      ",
    ]
