"""C01, C02: one walk through every screen that shows outside text, all of it hostile."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import Paste
from textual.strip import Strip

import pictures.record as record
from pictures.scenes import SCENES, Guide, Scene, resize
from pictures.walk import records, walk
from studyapp.study.settling import Rewrite
from studyapp.tui.rewrites import CHOICES, _texts
from studyapp.tui.screens.browse_asks import Choose
from tests.tui.hostile import check_strips, hostile_lesson, hostile_recordings
from tests.tui.hostile_words import LONG, SPEAKS

WIDTH = 80
TOLD = {
    "home", "read", "review-answer", "correction", "failed", "refused",
    "daily", "lab", "controls", "compare", "stats-cards", "browse", "browse-search", "card", "streak",
    "passport", "optimise", "settings", "palette", "first",
}  # fmt: skip
"""Scenes in which many words from outside stand: from a lesson, a worker, the settings, the learner's keys."""
OTHERS = {scene.name for scene in SCENES} - TOLD
"""All the rest: outside words stand there too, in a title, a device's name, a reason."""
PASTED = {"correction", "browse-search", "palette"}
"""Scenes with a line to type in."""
SAID = {
    "home", "notice", "read", "review-answer", "failed", "refused", "lab", "stats-cards", "browse", "card",
    "passport", "settings, typing", "rewritten", *(f"{name}, pasted into" for name in PASTED),
}  # fmt: skip
"""Where the hostile words must be in sight, so that the walk cannot pass without having met them."""


class Inspector:
    """Looks at each scene, and keeps where the hostile words were read."""

    def __init__(self) -> None:
        self.said: set[str] = set()
        self.faults: list[str] = []

    async def look(self, guide: Guide, scene: Scene) -> None:
        """Check a scene, and what more can be done to it."""
        self.check(guide, scene.name)
        if scene.name in PASTED:
            guide.app.post_message(Paste(SPEAKS))
            await guide.pilot.pause(0.1)
            self.check(guide, f"{scene.name}, pasted into")
        elif scene.name == "settings":
            while guide.screen.chosen.name != "editor":
                await guide.press("down")
            await guide.press("enter")
            self.check(guide, "settings, typing")
        elif scene.name == "home":
            await self.look_at_news(guide)

    async def look_at_news(self, guide: Guide) -> None:
        """Check Home with a notice, and the panel of a rewritten card."""
        guide.app.sync_trouble = SPEAKS
        await guide.open("streak")
        await guide.open("home")
        await resize(guide.app, WIDTH, 40)
        self.check(guide, "notice", ("␛]52",))
        await resize(guide.app, WIDTH, 24)
        guide.app.sync_trouble = ""
        texts = _texts(Rewrite("x", f"{SPEAKS} {LONG}", "", f"{LONG} {SPEAKS}", "", 0.31))
        await guide.show(Choose("This card was rewritten", texts, CHOICES))
        self.check(guide, "rewritten")

    def check(self, guide: Guide, name: str, words: tuple[str, ...] = ("zq", "desrever")) -> None:
        """Look at what is sent to the terminal, and note whether any of the hostile words is in sight."""
        strips: list[Strip] = guide.app.screen._compositor.render_strips()
        try:
            text = check_strips(strips, WIDTH)
        except AssertionError as error:
            self.faults.append(f"{name}: {error}")
            return
        if any(word in text for word in words):
            self.said.add(name)


@pytest.mark.parametrize(
    ("scenes", "said"),
    [(TOLD, SAID), (OTHERS, {"home-done", "home-new", "review", "review-cram", "review-typed"})],
    ids=["most", "others"],
)
def test_c01_c02_hostile_text_is_only_text_on_every_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scenes: set[str], said: set[str]
) -> None:
    for number, name in enumerate(("RECORDINGS", "OWN")):
        monkeypatch.setattr(record, name, hostile_recordings(getattr(record, name), tmp_path / str(number)))
    monkeypatch.setattr(record, "WORKER", Path(__file__).with_name("hostile_worker.py"))
    inspector = Inspector()
    with record.lessons_from(hostile_lesson(tmp_path / "lesson.md")):
        found = records(tmp_path, busy_days=14)
        found = {name: replace(settings, editor=f"vi {SPEAKS}") for name, settings in found.items()}
        asyncio.run(walk(found, inspector.look, size=(WIDTH, 24), only=scenes))

    assert inspector.faults == []
    assert inspector.said >= said
