"""Every place can be opened by its name, from Home and from the palette alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from studyapp.tui.app import StudyApp
from studyapp.tui.places import PLACES, open_place, screen_of
from tests.tui.drive import open_desk, text_of, until

Maker = Callable[..., StudyApp]


@pytest.mark.parametrize("name", PLACES)
async def test_every_place_opens_by_its_name_and_leads_back(app_of: Maker, name: str) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        first = app.screen
        assert open_place(app, name)
        await until(pilot, lambda: app.screen is not first and "?" in text_of(app).split("\n")[-1])
        assert type(app.screen).__name__ == PLACES[name].screen


async def test_no_place_that_needs_the_store_opens_before_the_store(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        desk, app.desk = app.desk, None
        assert not any(open_place(app, name) for name, place in PLACES.items() if place.needs_desk)
        assert not open_place(app, "nowhere")
        app.desk = desk


def test_a_place_says_what_one_does_there() -> None:
    for name, place in PLACES.items():
        assert place.title
        assert place.words[0].isupper()
        assert not place.words.endswith(".")
        assert screen_of(name) is not None
