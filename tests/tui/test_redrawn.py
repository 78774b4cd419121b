"""Whatever is pressed, the terminal shows what it would show if all of the screen were drawn anew and sent."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.pilot import Pilot

from studyapp.tui.app import StudyApp
from studyapp.tui.widgets.lines import Rows
from tests.tui.conftest import LESSON
from tests.tui.drive import open_desk, release, strips_of, text_of, until
from tests.tui.twin import Twins, look

Maker = Callable[..., StudyApp]
WIDE = """
> **Say it first:** What is 日本語 [bold]called[/bold] in English? <!-- id: wide -->
>
> 日本語は美しい。漢字とかなの混じった長い文章が画面の端で折り返されるかどうかを見る。
"""
NAMED = "question_mark exclamation_mark slash colon comma asterisk space enter left right up down tab backspace"
OTHER = "ctrl+p ctrl+d ctrl+u pageup pagedown home end X " + "escape " * 5
KEYS = [*NAMED.split(), *OTHER.split(), *"abcdfghijklmnoprstuvxyz0123456789"]
"""No key that ends the program, opens an editor or gives the terminal away."""
PLACES = {"home": "", "review": "enter", "read": "l", "lab": "x", "stats": "s", "browse": "b"}
SIZES = [(80, 24), (60, 20), (100, 30), (40, 12)]
STEPS = 40


async def act(app: StudyApp, pilot: Pilot[Any], twins: Twins, draw: random.Random) -> str:
    """Press a key, click, paste or resize; return what was done."""
    what = draw.random()
    if what < 0.04:
        size = draw.choice(SIZES)
        twins.resize(*size)
        await pilot.resize_terminal(*size)
        return f"{size}"
    if what < 0.1:
        at = draw.randrange(app.size.width), draw.randrange(app.size.height)
        await pilot.click(offset=at)
        return f"{at}"
    if what < 0.12:
        app.post_message(events.Paste("日本\nline"))
        return "paste"
    key = draw.choice(KEYS)
    await pilot.press(*[key] * draw.choice((1, 1, 1, 4)))
    return str(key)


def stale(app: StudyApp, twins: Twins) -> list[int]:
    """Return the rows of the terminal that another program's scribble could have left there as well."""
    width, height = app.size
    for screen in app.screen_stack:
        for block in screen.query(Rows):
            block._forget()  # what a block kept is no proof of what it should show
    anew = Twins(width, height)
    anew.take(LayoutUpdate([[strip] for strip in strips_of(app)], Region(0, 0, width, height)), app.console)
    rows = [(anew.full.buffer[y], twins.less.buffer[y]) for y in range(height)]
    return [y for y, (a, b) in enumerate(rows) if any(look(a[x]) != look(b[x]) for x in range(width))]


@pytest.mark.parametrize("place", PLACES)
async def test_after_any_keys_drawing_all_of_it_anew_changes_nothing(
    place: str, app_of: Maker, twins: Twins, lesson: Path
) -> None:
    lesson.write_text(LESSON + WIDE, encoding="utf-8")
    draw = random.Random(place)
    done: list[str] = []
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        for section in ("first", "second"):
            release(app, section)
        app.refresh_status()
        if PLACES[place]:
            await pilot.press(PLACES[place])
        while len(done) < STEPS and app.is_running and not app._exit:
            done.append(await act(app, pilot, twins, draw))
            try:
                await until(pilot, lambda: app._exit or not stale(app, twins))
            except AssertionError as error:
                raise AssertionError(f"rows {stale(app, twins)} after {done}\n{text_of(app)}") from error
            assert twins.differing() == [], done
    assert len(done) > STEPS // 4, done
