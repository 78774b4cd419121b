"""The orphans screen: what is known of cards that left their files, and how another goes on with their history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from studyapp.core.reviews import Memory
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.browse import BrowseScreen
from studyapp.tui.screens.browse_asks import Choose, Line
from studyapp.tui.screens.browse_card import CardScreen
from studyapp.tui.screens.orphans import OrphansScreen
from studyapp.tui.screens.orphans_parts import question
from tests.study.log import live
from tests.tui.conftest import LESSON
from tests.tui.drive import open_desk, release, text_of, until

Maker = Callable[..., StudyApp]
RENAMED = LESSON.replace("<!-- id: launch -->", "<!-- id: start -->").replace("a launch cost", "one launch cost")


async def orphans(app: StudyApp, pilot: Pilot[Any], lesson: Path, text: str = RENAMED) -> OrphansScreen:
    """Answer `launch` and `slow`, change the lesson, and open the screen."""
    from studyapp.study.lessons import bring_in

    await open_desk(app, pilot)
    assert app.desk is not None
    release(app)
    day = app.desk.clock().study_day
    live(app.desk.store, "demo/launch", [(day - 9, 3), (day - 3, 1)])
    live(app.desk.store, "demo/slow", [(day - 3, 3)])
    lesson.write_text(text, encoding="utf-8")
    bring_in(app.desk)
    screen = OrphansScreen()
    app.push_screen(screen)
    await until(pilot, lambda: screen.lost is not None)
    await pilot.pause()
    return screen


def memory(app: StudyApp, card: str) -> Memory:
    assert app.desk is not None
    found = app.desk.store.card(card)
    assert found is not None
    return found.memory


async def says(app: StudyApp, pilot: Pilot[Any], words: str) -> None:
    await until(pilot, lambda: words in text_of(app))


async def test_what_is_known_of_a_card_that_left_is_shown_with_the_nearest_one(
    app_of: Maker, lesson: Path
) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await orphans(app, pilot, lesson)
        text = text_of(app)
        for words in ("1 answered card is in no file", "2 answers", "% alike", "was  What does a launch cost?"):
            assert words in text
        for words in (
            "Microseconds.",
            "now  What does one launch cost?",
            "good again",
            "id demo/launch",
            "% today",
        ):
            assert words in text
        row = next(at for at, line in enumerate(text.split("\n")) if "2 answers" in line)
        await pilot.click(offset=(20, row))
        await until(pilot, lambda: isinstance(app.screen, CardScreen))


async def test_enter_asks_and_the_nearest_card_goes_on_until_undo(app_of: Maker, lesson: Path) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await orphans(app, pilot, lesson)
        before = memory(app, "demo/launch")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "Its 2 answers and its schedule go on" in text_of(app)
        await pilot.press("escape")
        assert memory(app, "demo/start") == Memory()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("y")
        await says(app, pilot, "demo/start goes on with the history of demo/launch.")
        assert memory(app, "demo/start") == before
        await until(pilot, lambda: screen.lost == [])
        assert "No card with a history has left its file." in text_of(app)
        await pilot.press("u")
        await until(pilot, lambda: screen.lost)
        assert memory(app, "demo/start") == Memory()
        await says(app, pilot, "Taken back.")
        assert "undo" not in text_of(app).split("\n")[-1]


async def test_a_card_named_by_its_id_goes_on_and_one_with_a_history_does_not(app_of: Maker, lesson: Path) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await orphans(app, pilot, lesson, LESSON.replace("<!-- id: launch -->", "<!-- id: x -->"))

        async def name(card: str) -> None:
            await pilot.press("i")
            await until(pilot, lambda: isinstance(app.screen, Line) and app.screen.focused is not None)
            await pilot.press("ctrl+u", *card, "enter")

        await name("demo/nobody")
        await says(app, pilot, "There is no card demo/nobody in any file.")
        await name("demo/slow")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("y")
        await says(app, pilot, "Not stored: demo/slow was answered already")
        await name("demo/flat")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("y")
        await says(app, pilot, "demo/flat goes on with the history of demo/launch.")
        assert memory(app, "demo/flat").reps == 2


async def test_browse_leads_from_an_orphan_to_its_successor(app_of: Maker, lesson: Path) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await orphans(app, pilot, lesson)
        await pilot.press("q")
        browse = BrowseScreen(query="is:orphan")
        app.push_screen(browse)
        await until(pilot, lambda: browse.browsing is not None and browse.count == 1 and not browse.seeking)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, OrphansScreen) and app.screen.here is not None)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("y")
        await says(app, pilot, "demo/start goes on")
        await pilot.press("q")
        await until(pilot, lambda: app.screen is browse and not browse.seeking)
        await pilot.press("slash", "ctrl+u", *"has:answers", "enter")
        await until(pilot, lambda: browse.count == 2)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 10)])
async def test_the_orphans_fit_every_window(app_of: Maker, lesson: Path, size: tuple[int, int]) -> None:
    app = app_of()
    async with app.run_test(size=size) as pilot:
        await orphans(app, pilot, lesson)
        lines = text_of(app).split("\n")
        assert any("What does" in line for line in lines)
        assert all(len(line) <= size[0] for line in lines)


async def test_what_cannot_be_taken_back_is_said_before(app_of: Maker, lesson: Path) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await orphans(app, pilot, lesson)
        assert screen.here is not None
        lost, near = screen.here, screen.here.near
        assert near is not None
        last = "That card has no id of its own, so this cannot be taken back."

        def asked(explicit_id: bool) -> str:
            card = replace(near, explicit_id=explicit_id)
            return "\n".join(line.plain for line in question(lost, card, 200))

        assert last in asked(explicit_id=False)
        assert last not in asked(explicit_id=True)
