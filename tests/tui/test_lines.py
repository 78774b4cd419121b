"""Blocks of rows look as Textual would draw them, and paint what changed once, in the turn of the key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from studyapp.tui.app import StudyApp
from studyapp.tui.widgets.bars import trail
from studyapp.tui.widgets.lines import MOST_DRAWN, Lines
from tests.tui.conftest import settings_in
from tests.tui.drive import start, until

Maker = Callable[..., StudyApp]
SAMPLES = [
    Content("plain"),
    Content(""),
    Content.assemble(("bold", "bold $s-bright"), " and ", ("code", "$s-text on $s-panel"), " 漢字 \u0301e"),
    Content.styled("wider than the block " * 9, "$s-muted"),
    Content.assemble("a\ttab", ("\tand more", "$s-sky")),
    Content("two\nlines"),
    Content.styled("漢" * 60, "$s-again"),
]


def cells(strip: Strip) -> list[tuple[str, str]]:
    """Return every character with its style, however the strip is cut into pieces."""
    return [(letter, str(piece.style)) for piece in strip if piece.text for letter in piece.text]


@pytest.mark.parametrize("theme", ["graphite", "paper", "sixteen"])
@pytest.mark.parametrize("more", [{}, {"color": "never"}, {"ascii": "on"}], ids=["colours", "none", "ascii"])
async def test_rows_look_as_textual_draws_them(
    app_of: Maker, tmp_path: Path, theme: str, more: dict[str, str]
) -> None:
    app = app_of(over=settings_in(tmp_path, theme=theme, **more))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await start(app, pilot)
        screen.card.show(SAMPLES)

        ours = screen.card.render_lines(screen.card.size.region)
        theirs = Widget.render_lines(screen.card, screen.card.size.region)

        assert [cells(strip) for strip in ours] == [cells(strip) for strip in theirs]
        assert {strip.cell_length for strip in ours} == {screen.card.size.width}


async def test_a_change_of_theme_draws_kept_rows_anew(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await start(app, pilot)
        before = [cells(strip) for strip in screen.card.render_lines(screen.card.size.region)]

        app.choose_theme("paper")
        await pilot.pause()

        assert [cells(strip) for strip in screen.card.render_lines(screen.card.size.region)] != before


async def test_what_is_kept_beside_the_screen_is_bounded(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await start(app, pilot)

        screen.card.prepare(Content(f"row {number}") for number in range(3 * MOST_DRAWN))

        assert len(screen.card._drawn) <= MOST_DRAWN


async def test_neighbouring_rows_are_painted_together(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        card = (await start(app, pilot)).card
        await pilot.pause()
        card._dirty_regions.clear()
        card.changed([0, 1, 2, 5])

        assert sorted((region.y, region.height) for region in card._dirty_regions) == [(0, 3), (5, 1)]


async def test_a_key_is_painted_in_its_own_turn_and_in_one_frame(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await start(app, pilot)
        await until(pilot, lambda: screen.seen)
        frames: list[object] = []
        shown = app._display

        def noted(screen: Any, renderable: Any) -> None:
            frames.append(renderable)
            shown(screen, renderable)

        app._display = noted  # type: ignore[method-assign]
        screen._pressed_at = float("inf")
        screen.action_reveal()

        blocks: list[Lines] = [screen.card, screen.tiles]
        assert len(frames) == 1
        assert not any(block._repaint_required for block in (screen.top, screen.keys, *blocks))
        assert "grade" in screen.keys.render().plain


def test_a_trail_names_no_place_twice_and_shows_what_is_hidden_in_names() -> None:
    assert trail("Nets", "Nets") == "Nets"
    assert trail("Nets", "", "Loss\x1b[31m") == "Nets › Loss␛[31m"
