"""Settings on screen: every one is there, a change is kept and holds at once, what a variable gives is fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from studyapp.settings import Settings, load
from studyapp.settings.values import PARSERS
from studyapp.study.setting_list import Setting, every_setting
from studyapp.tui.app import StudyApp
from studyapp.tui.applying import reloaded
from studyapp.tui.screens.settings import SettingsScreen
from studyapp.tui.screens.settings_parts import NAMES, STEPS, choices, ending, grouped, row, stepped
from tests.tui.drive import open_desk, text_of, until

Maker = Callable[..., StudyApp]


@pytest.fixture
def config(settings: Settings, tmp_path: Path) -> Settings:
    """Return the settings with a file of their own."""
    path = tmp_path / "config.toml"
    path.write_text("# mine\nretention = 0.85  # a little less\n", encoding="utf-8")
    return replace(settings, config=path, retention=0.85, sources={**settings.sources, "retention": str(path)})


async def opened(app: StudyApp, pilot: object, name: str) -> SettingsScreen:
    await open_desk(app, pilot)  # type: ignore[arg-type]
    await pilot.press("comma")  # type: ignore[attr-defined]
    await until(pilot, lambda: isinstance(app.screen, SettingsScreen) and app.screen.groups)  # type: ignore[arg-type]
    screen = app.screen
    assert isinstance(screen, SettingsScreen)
    screen.action_move(next(k for k, setting in enumerate(screen.all) if setting.name == name) - screen.at)
    return screen


def test_every_setting_has_a_row_and_every_step_is_a_value_it_takes(settings: Settings) -> None:
    found = every_setting(settings)
    rows = [setting for group in grouped(found).values() for setting in group]
    assert sorted(s.name for s in rows) == sorted(s.name for s in found)
    assert set(STEPS) | set(NAMES) <= set(PARSERS)
    for setting in found:
        for value in choices(setting):
            PARSERS[setting.name](value)
            assert row(replace(setting, value=value), 75, here=True).cell_length == 75


@pytest.mark.parametrize("width", [20, 40, 75, 113])
def test_a_row_is_as_wide_as_the_window(settings: Settings, width: int) -> None:
    for setting in every_setting(settings):
        for source in (
            "default",
            "STUDYAPP_THE_LONGEST_NAME_OF_A_VARIABLE",
            "/home/ada/.config/studyapp/config.toml",
        ):
            assert row(replace(setting, source=source), width, here=False).cell_length <= width + 30


def test_steps_end_at_both_ends_and_lead_back_onto_the_ladder() -> None:
    setting = Setting("time_limit", "20", "20", "default", "", "from 1 to 600")
    assert stepped(setting, 1) == "30"
    assert stepped(replace(setting, value="600"), 1) is None
    assert stepped(replace(setting, value="44"), 1) == "30"
    assert stepped(replace(setting, name="editor"), 1) is None


async def test_a_change_is_written_beside_the_comments_and_holds_at_once(app_of: Maker, config: Settings) -> None:
    app = app_of(over=config)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot, "retention")
        assert "config.toml" in text_of(app)
        await pilot.press("right")
        await until(pilot, lambda: app.settings.retention == 0.88)
        assert config.config.read_text() == "# mine\nretention = 0.88  # a little less\n"
        assert app.desk is not None
        assert app.desk.options.policy.desired_retention == 0.88
        await until(pilot, lambda: "✓ target recall saved in " in text_of(app))
        assert "/config.toml\n" in text_of(app)
        await pilot.press("r")
        await until(pilot, lambda: app.settings.retention == 0.9)
        assert config.config.read_text() == "# mine\n"
        assert app.settings.now == config.now, "flags hold as before"
        assert screen.chosen.source == "default"
        await until(pilot, lambda: "✓ target recall taken out of " in text_of(app))
        await pilot.press("down")
        assert "✓" not in text_of(app)


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_the_store_says_what_it_holds(app_of: Maker, config: Settings, size: tuple[int, int]) -> None:
    app = app_of(over=config)
    async with app.run_test(size=size) as pilot:
        await opened(app, pilot, "db")
        await until(pilot, lambda: "4 cards   0 answers" in text_of(app))

        rows = [line for line in text_of(app).split("\n") if "▌" in line]
        assert len(rows) == 1
        assert rows[0].split()[1] == "store"
        assert ("4 cards   0 answers   --" in rows[0] or "answers   default" in rows[0]) == (size[0] == 80)
        assert "/study.db" in rows[0] or size[0] == 60


def test_of_a_long_path_the_end_stays() -> None:
    assert ending("/home/ada/.local/share/studyapp/study.db", 40) == "/home/ada/.local/share/studyapp/study.db"
    assert ending("/home/ada/.local/share/studyapp/study.db", 24) == "…/studyapp/study.db"
    assert ending(f"{Path.home()}/study.db", 40) == "~/study.db"
    assert ending("study.db", 4) == "study.db"


async def test_a_theme_is_seen_while_it_is_chosen_here_and_behind(app_of: Maker, config: Settings) -> None:
    app = app_of(over=config)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "theme")
        for key, theme in (("right", "graphite"), ("right", "paper"), ("right", "sixteen"), ("left", "paper")):
            await pilot.press(key)
            await until(pilot, partial(lambda wanted: app.settings.theme == app.theme == wanted, theme))
        await pilot.press("q")
        await until(pilot, lambda: "enter study" in text_of(app))
        await pilot.pause(0.1)
        strips = app.screen._compositor.render_strips()
        grounds = {s.style.bgcolor.name for strip in strips for s in strip if s.style and s.style.bgcolor}
        assert grounds == {"#ffffff"}


async def test_ascii_and_no_colour_hold_at_once(app_of: Maker, config: Settings) -> None:
    app = app_of(over=config)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, "ascii")
        await pilot.press("right")
        await until(pilot, lambda: app.settings.ascii)
        await until(pilot, lambda: text_of(app).isascii())
        await pilot.press("left")
        await until(pilot, lambda: "▌" in text_of(app))


async def test_a_value_can_be_typed_and_a_wrong_one_is_refused_in_words(app_of: Maker, config: Settings) -> None:
    app = app_of(over=config)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot, "retention")
        await pilot.press("enter", *["backspace"] * 4, *"1.5", "enter")
        await until(pilot, lambda: "from 0.7 to 0.97" in text_of(app))
        assert app.settings.retention == 0.85
        assert "Not kept" in text_of(app)
        await pilot.press("enter", *["backspace"] * 4, *"0.93", "enter")
        await until(pilot, lambda: app.settings.retention == 0.93)
        await pilot.press("enter", "escape")
        assert app.screen is screen, "escape leaves the line alone"
        await pilot.press("j")
        assert screen.chosen.name != "retention", "letters are keys again"


async def test_what_a_variable_or_a_flag_gives_is_shown_as_fixed(app_of: Maker, settings: Settings) -> None:
    app = app_of()  # fuzz=off came as a flag
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot, "fuzz")
        assert "given by --fuzz" in text_of(app)
        assert "← → change" not in text_of(app)
        await pilot.press("right", "enter", "r")
        await pilot.pause()
        assert not settings.config.exists()
        assert screen.chosen.value == "off"


def test_the_settings_are_read_again_under_the_same_flags(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    environ = {"HOME": str(tmp_path), "STUDYAPP_CONFIG": str(config), "STUDYAPP_MOTION": "none"}
    flags = {"now": "2026-03-02T10:00+00:00", "db": str(tmp_path / "x.db"), "data_dir": str(tmp_path / "d")}
    before = load(flags, environ, "linux")
    config.write_text('theme = "paper"\nlessons = ["/a b", "/c"]\n')
    after = reloaded(before, environ)
    assert (after.theme, after.motion, after.now, after.db) == ("paper", "none", before.now, before.db)
    assert after.data_dir == before.data_dir
    assert after.lessons == (Path("/a b"), Path("/c"))
    assert after.sources["theme"] == str(config)


@pytest.mark.parametrize("size", [(120, 40), (60, 20), (40, 10), (20, 5), (5, 3), (1, 1), (250, 70)])
async def test_c10_the_settings_survive_every_size(app_of: Maker, config: Settings, size: tuple[int, int]) -> None:
    app = app_of(over=config)
    async with app.run_test(size=size) as pilot:
        await opened(app, pilot, "theme")
        await pilot.press("end", "up", "pageup", "home", "right", "enter", "escape")
        await until(pilot, lambda: app.settings.theme == "graphite")
        if size[0] >= 40 and size[1] >= 10:
            assert "help" in text_of(app).split("\n")[-1]
            assert "▌ theme" in text_of(app)


async def test_c02_a_hostile_value_is_shown_as_it_is(app_of: Maker, settings: Settings) -> None:
    hostile = replace(settings, editor="[/]\x1b]52;c;aGk=\x07[red]vi[/red]", sources={**settings.sources})
    app = app_of(over=hostile)
    async with app.run_test(size=(120, 60)) as pilot:
        await opened(app, pilot, "editor")
        await until(pilot, lambda: "[red]vi[/red]" in text_of(app))
        assert all(char == "\n" or (ord(char) >= 32 and ord(char) != 127) for char in text_of(app))
