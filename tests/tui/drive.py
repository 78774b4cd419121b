"""Helpers for screen tests: wait for a condition instead of a time, and read the screen as text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual._context import visible_screen_stack
from textual.pilot import Pilot
from textual.strip import Strip

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.review import ReviewScreen

PATIENCE_S = 20.0
"""How long a condition may take on a loaded machine before the test fails."""


async def until(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Wait until a condition holds, letting the app work meanwhile."""
    for _ in range(int(PATIENCE_S / 0.02)):
        if condition():
            return
        await pilot.pause()
        await asyncio.sleep(0.02)
    raise AssertionError("the condition never held; the screen shows:\n" + text_of(pilot.app))


async def seen(app: StudyApp, pilot: Pilot[Any]) -> None:
    """Wait until what the screen shows has been painted: keys from before that do not answer it."""
    await until(pilot, lambda: app.screen.seen)  # type: ignore[attr-defined]
    await pilot.pause()


async def reveal(app: StudyApp, pilot: Pilot[Any]) -> None:
    """Wait for a question, reveal its answer, and wait until that has been painted."""
    screen: Any = app.screen
    await until(pilot, lambda: screen.seen and screen.showing and not screen.revealed)
    await pilot.press("space")
    await until(pilot, lambda: screen.seen and screen.revealed)
    await pilot.pause()


def strips_of(app: Any) -> list[Strip]:
    """Return what the screen shows, row by row, with its colours.

    What shows through a dialog is drawn as the program draws it: without these screens the dialog would be drawn
    on an empty ground, and keep that picture.
    """
    visible_screen_stack.set(app._background_screens)
    strips: list[Strip] = app.screen._compositor.render_strips()
    return strips


def text_of(app: Any) -> str:
    """Return what the screen shows, one line a row."""
    strips = strips_of(app)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def open_desk(app: StudyApp, pilot: Pilot[Any]) -> None:
    """Wait until the store is open and the screen knows."""
    await until(pilot, lambda: app.desk is not None or app.desk_error is not None)
    await pilot.pause()


def release(app: StudyApp, section: str | None = "first") -> None:
    """Read a section of the demo lesson, which releases its cards."""
    assert app.desk is not None
    app.desk.store.mark_read("demo", section, at_ms=app.desk.clock().at_ms, study_day=app.desk.clock().study_day)


async def start(app: StudyApp, pilot: Pilot[Any], section: str | None = "first") -> ReviewScreen:
    """Open the app on Home, release a section, and begin a review; a line to type may stand in front of it."""
    await open_desk(app, pilot)
    release(app, section)
    app.refresh_status()
    await pilot.press("enter")
    await until(pilot, lambda: any(isinstance(s, ReviewScreen) and s.showing for s in app.screen_stack))
    await pilot.pause()
    return next(screen for screen in app.screen_stack if isinstance(screen, ReviewScreen))
