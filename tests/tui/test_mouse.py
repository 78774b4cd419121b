"""The mouse: a click on the last row is its key; lists follow the wheel and open by clicks. Nothing needs it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.events import MouseScrollDown

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.browse import BrowseScreen
from studyapp.tui.screens.browse_card import CardScreen
from studyapp.tui.screens.experiment import ExperimentScreen
from studyapp.tui.screens.help import HelpScreen
from studyapp.tui.screens.lab import LabScreen
from studyapp.tui.screens.settings import SettingsScreen
from studyapp.tui.widgets.bars import KeyBar
from studyapp.tui.widgets.lines import Lines
from tests.tui.drive import open_desk, release, text_of, until

Maker = Callable[..., StudyApp]


def place_of(app: StudyApp, words: str) -> tuple[int, int]:
    """Return column and row of words on the screen."""
    rows = text_of(app).split("\n")
    row = next(k for k, line in enumerate(rows) if words in line)
    return rows[row].index(words), row


async def test_a_click_on_the_last_row_is_its_key(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.click(offset=place_of(app, "help"))
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.click(offset=place_of(app, "back"))
        await until(pilot, lambda: not isinstance(app.screen, HelpScreen))
        await pilot.click(offset=place_of(app, "x lab"))
        await until(pilot, lambda: isinstance(app.screen, LabScreen))


@pytest.mark.parametrize(
    ("at", "key"), [("←", "left"), ("→", "right"), ("1", "1"), ("3", "3"), ("enter", "enter"), ("move", "")]
)
async def test_of_a_label_with_several_keys_the_one_clicked_counts(app_of: Maker, at: str, key: str) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen("small-net", {}))
        await until(pilot, lambda: "how sure" in text_of(app).split("\n")[-1])

        assert app.screen.query_one(KeyBar).key_at(text_of(app).split("\n")[-1].index(at)) == key


async def test_a_click_chooses_a_card_another_opens_it_and_the_wheel_moves(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        release(app)
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, BrowseScreen) and "read once" in text_of(app))
        screen = app.screen
        assert isinstance(screen, BrowseScreen)
        await pilot.click(offset=place_of(app, "What is read once"))
        await until(pilot, lambda: screen.at == 2)
        screen.query_one("#list", Lines).post_message(MouseScrollDown(None, 5, 5, 0, 1, 0, False, False, False))
        await until(pilot, lambda: screen.at == 3)
        await pilot.click(offset=place_of(app, "What ends the flat"))
        await until(pilot, lambda: isinstance(app.screen, CardScreen))


async def test_a_click_chooses_a_setting(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("comma")
        await until(pilot, lambda: "target recall" in text_of(app))
        await pilot.click(offset=place_of(app, "target recall"))

        screen = app.screen
        assert isinstance(screen, SettingsScreen)
        await until(pilot, lambda: screen.chosen.name == "retention")
