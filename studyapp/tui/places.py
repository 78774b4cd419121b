"""Every place one can go to, by name: Home's keys, the palette and the first screen all look here.

A screen's module is imported when its place is opened, never before: start-up pays for one screen alone. A new
screen becomes reachable by one line in `PLACES`; Home's key for it appears with that line.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from studyapp.tui.app import StudyApp
    from studyapp.tui.screens.base import StudyScreen


class Place(NamedTuple):
    """A screen that can be opened by name."""

    title: str
    """What it is called, in one or two words."""
    words: str
    """What one does there, for the palette and for help."""
    module: str
    """Where its screen lives, below `studyapp.tui.screens`."""
    screen: str
    """The class in that module."""
    needs_desk: bool = True
    """Whether the store must be open before it can be entered."""


PLACES: dict[str, Place] = {
    "home": Place("home", "What is due, the year behind, the week ahead", "home", "HomeScreen", needs_desk=False),
    "review": Place("review", "Say the answers that are due", "review", "ReviewScreen"),
    "read": Place("read", "Read the lesson, section by section", "read", "ReadScreen"),
    "browse": Place("browse", "Look through all cards, and change many at once", "browse", "BrowseScreen"),
    "orphans": Place("orphans", "Cards that left their files, and who they are now", "orphans", "OrphansScreen"),
    "lab": Place("lab", "All experiments with their verdicts here", "lab", "LabScreen"),
    "daily": Place("today's trial", "One experiment a day, predicted first", "daily", "DailyScreen"),
    "race": Place("race", "CPU against GPU, batch by batch", "race", "RaceScreen"),
    "passport": Place("passport", "What this machine reaches, and cards about it", "passport", "PassportScreen"),
    "streak": Place("streak", "The days behind the streak, and rest ahead", "streak", "StreakScreen"),
    "optimise": Place("your own numbers", "Train the scheduler on your reviews", "optimise", "OptimiseScreen"),
    "stats": Place("stats", "How it has been going", "stats", "StatsScreen"),
    "settings": Place("settings", "What can be set, and where it comes from", "settings", "SettingsScreen", False),
}
"""Place by name, in the order the palette shows them."""


def screen_of(name: str, *args: Any) -> StudyScreen:
    """Import a place's screen and return a new one.

    Args:
        name: A key of `PLACES`.
        args: What its constructor takes; `review` and `read` take a module or None.
    """
    place = PLACES[name]
    kind = getattr(import_module(f"studyapp.tui.screens.{place.module}"), place.screen)
    if name in ("review", "read") and not args:
        args = (None,)
    made: StudyScreen = kind(*args)
    return made


def open_place(app: StudyApp, name: str, *args: Any) -> bool:
    """Open a place in front of the present screen; say whether it could be opened.

    A place that needs the store is not entered before the store is open, and a name that is not (yet) a place
    leads nowhere.
    """
    place = PLACES.get(name)
    if place is None or (place.needs_desk and app.desk is None):
        return False
    app.push_screen(screen_of(name, *args))
    return True
