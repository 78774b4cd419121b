"""Goes through the scenes, one program for each learner's record, and lets somebody look at each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container
from pathlib import Path

from pictures.record import BUSY_DAYS, answer_all, build, copied, settings_for
from pictures.scenes import BEHAVIOURS, SCENES, Guide, Scene
from studyapp.settings import Settings
from studyapp.tui.app import StudyApp

Look = Callable[[Guide, Scene], Awaitable[None]]
LATER = "2027-02-14T17:40+00:00"
RECORDS = ("usual", "done", "away", "new")


def records(folder: Path, *, busy_days: int = BUSY_DAYS) -> dict[str, Settings]:
    """Write the records that the scenes start from, below a folder, and return their settings."""
    usual = build(folder / "first", busy_days=busy_days)
    done = copied(usual, folder / "done", *BEHAVIOURS)
    answer_all(done)
    return {
        "usual": copied(usual, folder / "usual", *BEHAVIOURS),
        "done": done,
        "away": copied(usual, folder / "away", *BEHAVIOURS, now=LATER),
        "new": settings_for(folder / "new", *BEHAVIOURS),
    }


async def walk(
    found: dict[str, Settings], look: Look, *, size: tuple[int, int] = (80, 24), only: Container[str] = ()
) -> None:
    """Show every scene and have it looked at.

    Args:
        found: The records by name, as `records` writes them; scenes change them.
        look: Called with each scene on the screen.
        size: Columns and rows of the window.
        only: Names of scenes to show; empty for all.
    """
    for name in RECORDS:
        scenes = [one for one in SCENES if one.record == name and (not only or one.name in only)]
        if not scenes:
            continue
        app = StudyApp(found[name])
        async with app.run_test(size=size) as pilot:
            guide = Guide(app, pilot)
            for one in scenes:
                try:
                    await one.go(guide)
                    await pilot.pause()
                    await look(guide, one)
                except AssertionError as error:
                    raise AssertionError(f"{one.name}: {error}") from error
