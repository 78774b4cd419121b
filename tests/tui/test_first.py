"""The first run: a few questions, answers that need no thought, then the first section; never asked twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from studyapp.settings import Settings
from studyapp.settings.values import PARSERS
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.first import FirstScreen
from studyapp.tui.screens.first_parts import SAMPLE, ZONES, machine_words, questions, samples
from studyapp.tui.screens.home import HomeScreen
from studyapp.tui.screens.read import ReadScreen
from studyapp.tui.theme import PALETTES
from tests.tui.drive import open_desk, text_of, until
from tests.tui.terminal import Terminal

Maker = Callable[..., StudyApp]


@pytest.fixture
def fresh(settings: Settings, tmp_path: Path) -> Settings:
    """Return settings of a host that says UTC, with a settings file to come."""
    sources = {name: source for name, source in settings.sources.items() if name != "zone"}
    return replace(settings, config=tmp_path / "new" / "config.toml", sources=sources)


async def test_enter_alone_leads_into_the_first_section_and_writes_nothing(app_of: Maker, fresh: Settings) -> None:
    app = app_of("first", over=fresh)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: "WELCOME" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReadScreen) and "First steps" in text_of(app))
        assert not fresh.config.exists()
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_answers_are_kept_and_hold_at_once(app_of: Maker, fresh: Settings) -> None:
    app = app_of("first", over=fresh)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: "‹" not in text_of(app) and "[graphite]" in text_of(app))
        await pilot.press("right")
        assert app.theme == "paper", "a theme is seen while it is chosen"
        await pilot.press("down", "right", "down", "right", "down", *["right"] * 7)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReadScreen))
        lines = set(fresh.config.read_text().split("\n"))
        assert lines == {'theme = "paper"', 'rollover = "05:00"', 'gpu = "never"', 'zone = "Europe/Paris"', ""}
        assert app.settings.zone_name == "Europe/Paris"
        assert app.desk is not None
        assert app.desk.clock().rollover.hour == 5


async def test_escape_changes_nothing_and_leads_home(app_of: Maker, fresh: Settings) -> None:
    app = app_of("first", over=fresh)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("right", "escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert app.theme == "graphite"
        assert not fresh.config.exists()


async def test_it_says_how_many_experiments_this_machine_answers(app_of: Maker, fresh: Settings) -> None:
    app = app_of("first", over=fresh)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, FirstScreen) and app.screen.testable)
        assert isinstance(app.screen, FirstScreen)
        assert 0 < (app.screen.testable or 0) <= app.screen.total
        assert f"{app.screen.testable} of {app.screen.total} experiments" in " ".join(text_of(app).split())


async def test_without_torch_it_says_so_and_goes_on(app_of: Maker, fresh: Settings) -> None:
    app = app_of("first", over=replace(fresh, worker_command=("/bin/false",)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Reading works without." in " ".join(text_of(app).split()))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReadScreen))


def test_only_what_is_worth_a_question_is_asked(fresh: Settings, settings: Settings) -> None:
    assert [q.name for q in questions(fresh, "256")] == ["theme", "rollover", "gpu", "zone"]
    assert [q.name for q in questions(settings, "16")] == ["rollover", "gpu"], "the zone was named"
    for question in questions(fresh, "true"):
        for choice in question.choices:
            PARSERS[question.name](choice)
    assert all(ZoneInfo(zone) for zone in ZONES)


@pytest.mark.parametrize("width", [20, 40, 72, 120])
def test_the_themes_stand_side_by_side_as_far_as_they_fit(width: int) -> None:
    for chosen in PALETTES:
        lines = samples(chosen, width)
        assert any(chosen in line.plain for line in lines)
        assert all(line.cell_length <= max(width, SAMPLE) for line in lines)


def test_the_machine_is_spoken_of_only_as_far_as_it_is_known() -> None:
    assert "looking" in machine_words(None, 40, "", "").plain
    assert "31 of 40" in machine_words(31, 40, "cpu, 2 cores", "").plain
    assert "lacks" not in machine_words(40, 40, "cuda, 16 cores", "").plain


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 20), (40, 10), (20, 5), (5, 3), (1, 1)])
async def test_c10_the_first_run_survives_every_size(
    app_of: Maker, fresh: Settings, size: tuple[int, int]
) -> None:
    app = app_of("first", over=fresh)
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        await pilot.press("right", "down", "left", "up")
        if size[0] >= 40:
            text = text_of(app)
            assert "day starts at" in text
            assert "enter" in text.split("\n")[-1]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReadScreen))


def test_it_is_asked_once_and_never_by_a_named_command(tmp_path: Path) -> None:
    with Terminal(tmp_path, new=True, TERM="xterm-256color") as terminal:
        terminal.until("WELCOME")
        terminal.until("experiments can be tried")
        terminal.press("enter")
        terminal.until("contents")
        terminal.press("q")
        terminal.until("l read")
        terminal.press("q")
        assert terminal.ended() == 0
        assert terminal.modes_left_on() == set()
    with Terminal(tmp_path, new=True) as terminal:
        terminal.until("press enter")
        assert "WELCOME" not in terminal.text
