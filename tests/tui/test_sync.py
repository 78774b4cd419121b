"""Two machines and a shared folder: what one answered is there when the other starts; copies make themselves."""

from __future__ import annotations

from pathlib import Path

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.review import ReviewScreen
from tests.tui.conftest import settings_in
from tests.tui.drive import open_desk, release, reveal, text_of, until


async def test_an_answer_travels_through_a_shared_folder(settings: object, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    here, there = tmp_path / "here", tmp_path / "there"
    first = StudyApp(settings_in(here, sync=str(shared)))
    async with first.run_test(size=(80, 24)) as pilot:
        await open_desk(first, pilot)
        release(first)
        first.refresh_status()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(first.screen, ReviewScreen) and first.screen.showing)
        await reveal(first, pilot)
        await pilot.press("4")
        await until(pilot, lambda: first.desk is not None and len(first.desk.store.reviews()) == 1)
    assert list((here / "data" / "backups").glob("*.db"))

    second = StudyApp(settings_in(there, sync=str(shared)))
    async with second.run_test(size=(80, 24)) as pilot:
        await open_desk(second, pilot)
        await until(pilot, lambda: second.desk is not None and len(second.desk.store.reviews()) == 1)
        await until(pilot, lambda: "1 day" in text_of(second).split("\n")[0])


async def test_a_host_that_cannot_be_reached_is_named_and_costs_nothing(settings: object, tmp_path: Path) -> None:
    app = StudyApp(settings_in(tmp_path, sync="nobody@host.invalid", ssh_command="false"))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: "host.invalid" in text_of(app))
        await until(pilot, lambda: "welcome" in text_of(app))
