"""Every screen in every state worth looking at: how to get there, for the pictures and for the tests alike."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Resize
from textual.geometry import Size
from textual.pilot import Pilot
from textual.screen import ModalScreen

from studyapp.core.timebox import Timebox
from studyapp.tui.app import StudyApp
from studyapp.tui.places import screen_of
from studyapp.tui.screens.home import HomeScreen
from studyapp.tui.thinking import Thinking
from tests.tui.drive import open_desk, text_of, until

HELD, CRASHES, REFUSED = "master-weights", "half-speed", "out-of-memory"
"""Experiments that the pictures' worker stops half-way, fails at, and refuses."""
BEHAVIOURS = (f"{HELD}=hold", f"{CRASHES}=crash", f"{REFUSED}=refuse")
Walk = Callable[["Guide"], Awaitable[None]]


@dataclass
class Guide:
    """Someone at the keyboard."""

    app: StudyApp
    pilot: Pilot[Any]

    @property
    def screen(self) -> Any:
        """The screen in front."""
        return self.app.screen

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds."""
        await until(self.pilot, condition)

    async def says(self, words: str) -> None:
        """Wait until the screen shows these words."""
        await until(self.pilot, lambda: words in text_of(self.app))

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)

    async def open(self, name: str, *args: Any) -> Any:
        """Go to a place, from Home."""
        await self.home()
        if name != "home":
            self.app.push_screen(screen_of(name, *args))
            await self.until(lambda: not isinstance(self.screen, HomeScreen))
        await self.pilot.pause()
        return self.screen

    async def show(self, screen: Any) -> Any:
        """Put a screen in front of Home."""
        await self.home()
        self.app.push_screen(screen)
        await self.until(lambda: self.app.screen is screen)
        await self.pilot.pause()
        return screen

    async def home(self) -> None:
        """Leave every screen but Home, as `q` would, without what it asks."""
        while len(self.app.screen_stack) > 1:
            await self.app.pop_screen()
        await open_desk(self.app, self.pilot)
        if not isinstance(self.screen, HomeScreen):
            await self.app.switch_screen(HomeScreen())
        await self.pilot.pause()


@dataclass(frozen=True)
class Scene:
    """One picture."""

    name: str
    title: str
    """What it shows, in a few words."""
    go: Walk = field(repr=False)
    record: str = "usual"
    """Whose record: `usual`, `new` (the first time), `away` (back after months) or `done` (nothing due)."""


SCENES: list[Scene] = []


def scene(name: str, title: str, record: str = "usual") -> Callable[[Walk], Walk]:
    """Register a walk as a scene."""

    def keep(walk: Walk) -> Walk:
        SCENES.append(Scene(name, title, walk, record))
        return walk

    return keep


def still(screen: Any, seconds: float = 6.0) -> None:
    """Stop a review's watch at so many seconds, so that its bar is the same in every picture."""
    screen.thinking = Thinking(lambda: 0.0)
    screen.thinking._gathered = seconds
    screen._tick()


async def prompt(guide: Guide) -> Any:
    """Open the review with its first question."""
    screen = await guide.open("review")
    await guide.until(lambda: screen.showing is not None and screen.seen)
    still(screen)
    await guide.pilot.pause()
    return screen


async def answer(guide: Guide) -> Any:
    """Reveal the first answer."""
    screen = await prompt(guide)
    await guide.press("space")
    await guide.until(lambda: screen.revealed and screen.seen)
    return screen


async def experiment(guide: Guide, name: str) -> Any:
    """Open an experiment."""
    from studyapp.tui.screens.experiment import ExperimentScreen

    screen = await guide.show(ExperimentScreen(name, {}))
    await guide.until(lambda: screen.trial is not None and guide.app.runner().ready is not None)
    screen.paint()
    await guide.pilot.pause()
    return screen


async def run(guide: Guide, name: str, state: str) -> Any:
    """Predict, run, and wait for a state."""
    screen = await experiment(guide, name)
    await guide.press("2", "enter")
    await guide.until(lambda: screen.state == state)
    screen.paint()
    await guide.pilot.pause()
    return screen


@scene("first", "First run", "new")
async def _(guide: Guide) -> None:
    from studyapp.tui.screens.first import FirstScreen

    screen = await guide.show(FirstScreen())
    await guide.until(lambda: screen.testable is not None)


@scene("home-new", "Home, nothing read yet", "new")
async def _(guide: Guide) -> None:
    await guide.open("home")


@scene("stats-new", "Stats, nothing answered yet", "new")
async def _(guide: Guide) -> None:
    await guide.open("stats")


@scene("home", "Home")
async def _(guide: Guide) -> None:
    await guide.open("home")


@scene("rewritten", "A rewritten card")
async def _(guide: Guide) -> None:
    # before the experiments: Home below shows the last one, and under a frozen clock many are the last
    from studyapp.study.settling import Rewrite
    from studyapp.tui.rewrites import CHOICES, _texts
    from studyapp.tui.screens.browse_asks import Choose

    old, new = "What does one launch cost on a GPU?", "How long may a launch take before a CPU wins?"
    await guide.open("home")
    guide.app.push_screen(Choose("This card was rewritten", _texts(Rewrite("x", old, "", new, "", 0.31)), CHOICES))
    await guide.pilot.pause()


@scene("home-done", "Home, nothing due", "done")
async def _(guide: Guide) -> None:
    await guide.open("home")


@scene("read", "Read")
async def _(guide: Guide) -> None:
    screen = await guide.open("read")
    await guide.until(lambda: screen.contents is not None)


@scene("review", "Review: say it first")
async def _(guide: Guide) -> None:
    await prompt(guide)


@scene("review-answer", "Review: check yourself")
async def _(guide: Guide) -> None:
    await answer(guide)


@scene("review-typed", "Review: the answer typed")
async def _(guide: Guide) -> None:
    await prompt(guide)
    await guide.press("i", *"Launch cost")
    await guide.says("Launch cost")


@scene("correction", "Correction")
async def _(guide: Guide) -> None:
    await answer(guide)
    await guide.press("exclamation_mark")
    await guide.says("WHAT IS WRONG")


@scene("review-back", "Review: welcome back", "away")
async def _(guide: Guide) -> None:
    await guide.open("review")
    await guide.says("WELCOME BACK")


@scene("review-over", "Review: done", "done")
async def _(guide: Guide) -> None:
    screen = await guide.open("review")
    await guide.until(lambda: screen.beyond is not None)


@scene("review-cram", "Review: a cram", "done")
async def _(guide: Guide) -> None:
    screen = await guide.open("review")
    await guide.until(lambda: screen.beyond is not None)
    await guide.press("c")
    await guide.until(lambda: screen.showing is not None and screen.seen)
    still(screen)


@scene("predict", "Experiment: predict")
async def _(guide: Guide) -> None:
    await experiment(guide, "small-net")


@scene("running", "Experiment: running")
async def _(guide: Guide) -> None:
    screen = await run(guide, HELD, "running")
    await guide.until(lambda: len(screen.trial.points) > 2)
    count = -1
    while count != len(screen.trial.points):
        count = len(screen.trial.points)
        await guide.pilot.pause(0.15)
    screen.paint()


@scene("verdict", "Experiment: the verdict")
async def _(guide: Guide) -> None:
    await run(guide, "small-net", "done")


@scene("verdict-holds", "Experiment: it holds")
async def _(guide: Guide) -> None:
    screen = await experiment(guide, "kept")
    screen.value = min(screen.options, key=lambda value: abs(value - 2e9))
    await guide.press("2", "enter")
    await guide.until(lambda: screen.state == "done")
    screen.paint()


@scene("verdict-paper", "Experiment: a rival on paper")
async def _(guide: Guide) -> None:
    await run(guide, "paper-race", "done")


@scene("verdict-not-here", "Experiment: cannot be tested here")
async def _(guide: Guide) -> None:
    await run(guide, "two-card", "done")


@scene("failed", "Experiment: failed")
async def _(guide: Guide) -> None:
    await run(guide, CRASHES, "failed")


@scene("refused", "Experiment: refused")
async def _(guide: Guide) -> None:
    await run(guide, REFUSED, "refused")


@scene("table", "A chart as a table")
async def _(guide: Guide) -> None:
    await run(guide, "small-net", "done")
    await guide.press("t")
    await guide.until(lambda: type(guide.screen).__name__ == "TableScreen" or guide.screen.table)


@scene("daily", "Today's trial")
async def _(guide: Guide) -> None:
    screen = await guide.open("daily")
    await guide.until(lambda: screen.trial is not None and guide.app.runner().ready is not None)
    screen.paint()


@scene("lab", "Lab")
async def _(guide: Guide) -> None:
    screen = await guide.open("lab")
    await guide.until(lambda: screen.lab is not None and screen.lab.machine is not None)
    screen.chosen = "kept"
    screen.paint()


async def in_the_lab(guide: Guide, key: str) -> None:
    """Open the Lab at an experiment and press a key."""
    screen = await guide.open("lab")
    await guide.until(lambda: screen.lab is not None and screen.lab.machine is not None)
    screen.chosen = "kept"
    await guide.until(lambda: screen.entry is not None and screen.entry.experiment.id == "kept")
    await guide.press(key)
    await guide.until(lambda: guide.screen is not screen)


@scene("controls", "Lab: controls")
async def _(guide: Guide) -> None:
    await in_the_lab(guide, "c")


@scene("break", "Lab: break a claim")
async def _(guide: Guide) -> None:
    await in_the_lab(guide, "b")


@scene("map", "Lab: the map of verdicts")
async def _(guide: Guide) -> None:
    await in_the_lab(guide, "m")


@scene("map-new", "Lab: a map of nothing yet")
async def _(guide: Guide) -> None:
    from studyapp.experiments.catalog import experiment as claim
    from studyapp.tui.screens.verdict_map import MapScreen

    screen = await guide.show(MapScreen(claim("width")))
    await guide.until(lambda: screen.found is not None)


@scene("compare", "Lab: two runs compared")
async def _(guide: Guide) -> None:
    await run(guide, "kept", "done")
    await in_the_lab(guide, "v")
    await guide.until(lambda: guide.screen.query("ChartView"))


@scene("race", "Race")
async def _(guide: Guide) -> None:
    screen = await guide.open("race")
    await guide.until(lambda: screen.track is not None)


@scene("race-over", "Race: over")
async def _(guide: Guide) -> None:
    screen = await guide.open("race")
    await guide.until(lambda: screen.track is not None)
    screen.action_all()
    await guide.pilot.pause()


@scene("stats", "Stats: recall")
async def _(guide: Guide) -> None:
    await guide.open("stats")


@scene("stats-ahead", "Stats: ahead")
async def _(guide: Guide) -> None:
    await guide.open("stats")
    await guide.press("2")


@scene("stats-forecasts", "Stats: predictions")
async def _(guide: Guide) -> None:
    await guide.open("stats")
    await guide.press("3")


@scene("stats-cards", "Stats: cards")
async def _(guide: Guide) -> None:
    await guide.open("stats")
    await guide.press("4")


@scene("stats-table", "Stats: the curve as a table")
async def _(guide: Guide) -> None:
    await guide.open("stats")
    await guide.press("t")


@scene("browse", "Browse")
async def _(guide: Guide) -> None:
    await guide.open("browse")
    await guide.pilot.pause(0.3)


@scene("browse-search", "Browse: a search")
async def _(guide: Guide) -> None:
    await guide.open("browse", True)
    await guide.press(*"batch")
    await guide.pilot.pause(0.4)


@scene("orphans", "Cards that left their files")
async def _(guide: Guide) -> None:
    from dataclasses import replace

    from studyapp.store.adopting import Orphan
    from studyapp.study.browsing import found_cards
    from studyapp.study.settling import Lost

    screen = await guide.open("orphans")
    await guide.until(lambda: screen.lost is not None)
    desk = guide.app.desk
    assert desk is not None
    answered = [card for card in desk.store.cards() if card.memory.reps > 1][:3]
    lost = []
    for found, likeness in zip(found_cards(desk, [card.id for card in answered]), (0.91, 0.68, 0.0), strict=True):
        card = found.card
        near = replace(card, id=f"{card.id}-again", prompt=f"In a sentence: {card.prompt}")
        orphan = Orphan(card.id, card.prompt, card.module, card.memory.reps, near.id, likeness)
        lost.append(Lost(orphan, found, near if likeness else None))
    screen.lost = lost  # no card of the record is to leave for this picture
    screen.paint()


@scene("card", "A card with its history")
async def _(guide: Guide) -> None:
    from studyapp.tui.screens.browse_card import CardScreen

    assert guide.app.desk is not None
    screen = await guide.show(CardScreen(guide.app.desk.store.cards()[0].id))
    await guide.until(lambda: screen.detail is not None)


@scene("streak", "Streak")
async def _(guide: Guide) -> None:
    await guide.open("streak")


@scene("passport", "Passport")
async def _(guide: Guide) -> None:
    screen = await guide.open("passport")
    await guide.pilot.pause(0.2)
    if screen.passport is None:
        await guide.press("enter")
    await guide.until(lambda: screen.passport is not None)


@scene("optimise", "Your own numbers")
async def _(guide: Guide) -> None:
    await guide.open("optimise")
    await guide.pilot.pause(0.2)


@scene("settings", "Settings")
async def _(guide: Guide) -> None:
    await guide.open("settings")


@scene("palette", "Palette")
async def _(guide: Guide) -> None:
    await guide.open("home")
    await guide.press("colon", *"sta")
    await guide.pilot.pause(0.3)


@scene("help", "Help")
async def _(guide: Guide) -> None:
    await answer(guide)
    await guide.press("question_mark")
    await guide.pilot.pause()


@scene("review-time", "Review: the minutes are over")
async def _(guide: Guide) -> None:
    screen = await answer(guide)
    screen.box = Timebox(10)
    for _ in range(6):
        screen.box.spend(110)
    await guide.press("3")
    await guide.until(lambda: screen.paused)


async def resize(app: StudyApp, width: int, height: int) -> None:
    """Give the window another size and wait until the screen in front is drawn for it, without idling."""
    size = Size(width, height)
    if isinstance(app._driver, HeadlessDriver):
        app._driver._size = size
    app.post_message(Resize(size, size))
    seen = [app.screen, *(app._background_screens if isinstance(app.screen, ModalScreen) else ())]
    while any(screen.size != size or screen._compositor.size != size for screen in seen):
        await asyncio.sleep(0.002)
    await painted(app)


async def painted(app: StudyApp) -> None:
    """Wait until what is scheduled has been drawn, and all that this schedules in turn."""
    before, now = "", text_of(app)
    while now != before:
        for _ in range(2):
            drawn = asyncio.Event()
            app.screen.call_after_refresh(drawn.set)
            await drawn.wait()
        before, now = now, text_of(app)
