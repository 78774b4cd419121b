"""The palette finds everything by a few letters, best first, and does it on the screen behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from studyapp.settings import Settings
from studyapp.tui.app import StudyApp
from studyapp.tui.fuzzy import fit
from studyapp.tui.places import PLACES
from studyapp.tui.screens.palette import PaletteScreen
from studyapp.tui.screens.palette_parts import Entry, ranked, row
from tests.tui.drive import open_desk, reveal, start, text_of, until

Maker = Callable[..., StudyApp]


async def asked(app: StudyApp, pilot: Pilot[Any], letters: str, key: str = "colon") -> PaletteScreen:
    await pilot.press(key)
    await until(pilot, lambda: isinstance(app.screen, PaletteScreen) and app.screen.every)
    screen = app.screen
    assert isinstance(screen, PaletteScreen)
    await pilot.press(*("space" if letter == " " else letter for letter in letters))
    await until(pilot, lambda: screen.query_one("#query").value == letters)  # type: ignore[attr-defined]
    return screen


def test_letters_at_the_start_of_words_fit_best() -> None:
    lines = ["statistics", "the stats", "restart", "s then t", "nothing"]
    assert sorted(lines, key=lambda line: -fit("st", line)) == lines
    assert fit("st", "nothing") == 0.0
    assert fit("Café", "un cafe noir") > 0
    assert fit("gpu slow", "slow on a GPU") > 0
    assert fit("gpu fast", "slow on a GPU") == 0.0


@given(st.text(max_size=30), st.text(max_size=60))
def test_a_line_always_fits_itself_and_nothing_crashes(query: str, line: str) -> None:
    assert fit(query, line) >= 0.0
    if line.split() and len(line.split()) < 8:
        assert fit(line, line) > 0.0 or not line.strip()


def test_what_is_near_comes_first_where_two_fit_alike() -> None:
    far, near = Entry("card", "race", "x"), Entry("here", "race", "x")
    assert ranked("race", [far, near]) == [near, far]


@pytest.mark.parametrize("width", [16, 30, 54, 75, 96])
def test_a_row_is_as_wide_as_the_list(width: int) -> None:
    for entry in (
        Entry("here", "a" * 40, "b" * 200, "ctrl+r"),
        Entry("card", "", "日本語" * 40),
        Entry("try", "x", ""),
    ):
        assert row(entry, width, here=True).cell_length == width


async def test_a_place_is_found_and_opened_by_colon_and_by_ctrl_p(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        for key in ("colon", "ctrl+p"):
            await asked(app, pilot, "stat", key)
            await pilot.press("enter")
            await until(pilot, lambda: type(app.screen).__name__ == PLACES["stats"].screen)
            await pilot.press("q")
        await asked(app, pilot, "")
        assert "go to" in text_of(app)
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_a_command_of_the_screen_behind_is_done_there(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        review: Any = await start(app, pilot)
        first = review.showing.card.id
        palette = await asked(app, pilot, "tomorrow")
        assert palette.found[0].words == "Put the card away until tomorrow"
        assert text_of(app).split("\n")[4].endswith(" b")
        await pilot.press("enter")
        await until(pilot, lambda: review.is_current and review.showing.card.id != first)


async def test_a08_a_grade_is_offered_only_when_the_answer_was_seen(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        palette = await asked(app, pilot, "good")
        assert not any(entry.words == "Good" for entry in palette.every)
        await pilot.press("escape")
        await reveal(app, pilot)
        await asked(app, pilot, "good")
        await pilot.press("enter")
        assert app.desk is not None
        store = app.desk.store
        await until(pilot, lambda: len(store.reviews()) == 1)
        assert store.reviews()[0].rating == 3


async def test_sections_experiments_and_cards_are_found(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await asked(app, pilot, "second st")
        await pilot.press("enter")
        await until(pilot, lambda: "More text." in text_of(app))
        await pilot.press("q")
        await asked(app, pilot, "small-net")
        await pilot.press("enter")
        await until(pilot, lambda: "experiment › small-net" in text_of(app))
        await pilot.press("q")
        palette = await asked(app, pilot, "flat stretch")
        await until(pilot, lambda: palette.cards)
        assert palette.found[0].words == "What ends the flat stretch?"
        if "browse" in PLACES:
            await pilot.press("enter")
            await until(pilot, lambda: type(app.screen).__name__ == PLACES["browse"].screen)
            await until(pilot, lambda: "What ends the flat stretch?" in text_of(app))


async def test_a_theme_chosen_here_is_kept(app_of: Maker, settings: Settings) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await asked(app, pilot, "theme pa")
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == "paper")
        assert 'theme = "paper"' in app.settings.config.read_text()


@pytest.mark.parametrize("size", [(80, 24), (20, 5), (1, 1), (250, 70)])
async def test_c10_the_palette_survives_every_size_and_hostile_words(app_of: Maker, size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        await asked(app, pilot, 'a"[/]\\(')
        await pilot.press("down", "pagedown", "up", "enter")
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
