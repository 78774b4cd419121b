"""Every command of every screen under another key, from one settings file: bindings, help, footer and palette."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from studyapp.settings import Settings, load
from studyapp.tui.app import StudyApp
from studyapp.tui.commands import FORGEABLE, Command, named
from studyapp.tui.keymap import EVERYWHERE, all_commands, check_keys
from studyapp.tui.places import PLACES, open_place
from studyapp.tui.screens.base import StudyScreen
from studyapp.tui.screens.help import HelpScreen
from tests.tui.drive import open_desk, release, text_of, until

Maker = Callable[..., StudyApp]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
POOL = [
    *(f"f{number}" for number in range(1, 13)),
    *(f"ctrl+{letter}" for letter in "aefgklnorstuvwxy"),
    *(letter for letter in LETTERS if letter not in FORGEABLE),
]


def other_keys() -> dict[str, str]:
    """Return another key for every command, no two of one screen alike."""
    usual = all_commands({})
    screens: dict[str, set[str]] = defaultdict(set)
    old: dict[str, set[str]] = defaultdict(set)
    for command in usual:
        screens[command.id].add(command.screen)
        old[command.id] |= set(command.keys)
    taken: dict[str, set[str]] = defaultdict(set)
    given: dict[str, str] = {}
    for name in sorted(screens, key=lambda name: -len(screens[name])):
        here = screens[name] if EVERYWHERE not in screens[name] else {command.screen for command in usual}
        used = set().union(*(taken[screen] for screen in here), taken[EVERYWHERE], old[name])
        given[name] = next(key for key in POOL if key not in used)
        for screen in here:
            taken[screen].add(given[name])
    return given


@pytest.fixture(scope="module")
def given() -> dict[str, str]:
    return other_keys()


def test_every_command_may_have_another_key_in_the_file(given: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[keys]\n" + "".join(f'"{name}" = "{key}"\n' for name, key in given.items()), encoding="utf-8")

    keys = load({}, {"HOME": str(tmp_path), "STUDYAPP_CONFIG": str(path)}, "linux").keys

    assert keys == given
    check_keys(keys, path)
    assert {command.id: command.keys for command in all_commands(keys)} == {n: (k,) for n, k in given.items()}


def lines_of(command: Command, text: str) -> list[str]:
    """Return the lines that name a command with its key."""
    key = named(command.keys[0])
    return [line for line in text.split("\n") if key in line and command.words[:30] in line]


async def test_under_other_keys_help_names_and_does_them_on_every_place(
    given: dict[str, str], app_of: Maker, settings: Settings
) -> None:
    app = app_of(over=replace(settings, keys=given))
    async with app.run_test(size=(120, 70)) as pilot:
        await open_desk(app, pilot)
        release(app)
        app.refresh_status()
        for place in PLACES:
            if place != "home":
                assert open_place(app, place)
                await pilot.pause(0.1)
            screen = app.screen
            assert isinstance(screen, StudyScreen)
            now = [command for command, offered in screen.every_command() if offered]
            await pilot.press(given["help"])
            await until(pilot, lambda: isinstance(app.screen, HelpScreen))
            await pilot.pause()
            text = text_of(app)
            assert [c.id for c in now if c.id != "help" and not lines_of(c, text)] == [], f"{place}\n{text}"
            assert len(now) >= 3
            assert all(c.keys == (given[c.id],) for c in now)
            await pilot.press(given["back"])
            await until(pilot, lambda: not isinstance(app.screen, HelpScreen))
            if place != "home":
                await pilot.press(given["back"])
                await until(pilot, lambda: len(app.screen_stack) == 1)
