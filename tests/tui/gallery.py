"""One walk through every screen: sizes and themes by turns, each screen kept as text for the tests to read."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from pathlib import Path

from pictures.record import lessons_from
from pictures.scenes import SCENES, Guide, Scene, painted, resize
from pictures.walk import records, walk
from tests.tui.drive import text_of

FOLDER = Path(__file__).parent / "snapshots"
KEPT = ((80, 24), (120, 40))
"""The sizes whose text is kept in files, in the first theme."""
OTHERS = ((20, 5), (40, 10), (60, 20), (100, 30), (250, 70), (5, 3))
LOOKS = (("graphite", "256"), ("paper", "256"), ("sixteen", "16"), ("sixteen", "never"))
"""Theme and number of colours."""
_PATH = re.compile(r"(?<![\w.~])/(?:[\w.-]+/)+\S*")


@dataclass(frozen=True)
class Shot:
    """One screen at one size in one theme."""

    scene: str
    size: tuple[int, int]
    look: tuple[str, str]
    text: str
    keys: str
    """What the last row should show, as the screen would have it; empty where there is no such row."""


class Gallery:
    """All of them."""

    def __init__(self) -> None:
        self.shots: list[Shot] = []

    async def _look(self, guide: Guide, scene: Scene) -> None:
        for size in KEPT:
            await self._shoot(guide, scene, size, LOOKS[0])
        for size, look in others(scene):
            await self._shoot(guide, scene, size, look)
        await self._dress(guide, LOOKS[0])
        await resize(guide.app, 80, 24)

    async def _shoot(self, guide: Guide, scene: Scene, size: tuple[int, int], look: tuple[str, str]) -> None:
        await self._dress(guide, look)
        if guide.screen.size != size:
            await resize(guide.app, *size)
        keys = getattr(guide.screen, "keys", None)
        row = str(keys.render()) if keys is not None else ""
        self.shots.append(Shot(scene.name, size, look, text_of(guide.app), row.strip()))

    async def _dress(self, guide: Guide, look: tuple[str, str]) -> None:
        app = guide.app
        if (app.settings.theme, app.settings.color) != look:
            app.settings = replace(app.settings, theme=look[0], color=look[1])
            app._change_looks()
            await painted(app)


def others(scene: Scene) -> list[tuple[tuple[int, int], tuple[str, str]]]:
    """Return the two further sizes that a scene is shown at, each with its look, by turns.

    Changing looks takes long, so every other scene is shown in another theme, once.
    """
    at = SCENES.index(scene)
    turn, plain = divmod(at, 2)
    first, second = (OTHERS[(turn + plain + step) % len(OTHERS)] for step in (len(OTHERS) // 2, 0))
    look = LOOKS[0] if plain else LOOKS[1 + (turn + turn // len(OTHERS)) % (len(LOOKS) - 1)]
    return [(first, LOOKS[0]), (second, look)]


def gallery(folder: Path) -> list[Shot]:
    """Walk through every screen with the records below a folder."""
    found = Gallery()
    with lessons_from(FOLDER / "lesson.md"):
        asyncio.run(walk(records(folder, busy_days=14), found._look))
    return found.shots


def kept(shot: Shot) -> str:
    """Return what is kept of a screen: without the paths of this machine."""
    rows = [_PATH.sub("PATH", row).rstrip() for row in shot.text.split("\n")]
    return "\n".join(rows) + "\n"


def renew(folder: Path) -> int:
    """Write the text of every screen anew; return how many files changed."""
    changed, wanted = 0, set()
    for shot in gallery(folder):
        if shot.size in KEPT and shot.look == LOOKS[0]:
            path, text = file_of(shot.scene, shot.size), kept(shot)
            wanted.add(path)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                changed += 1
    for path in set(FOLDER.glob("*.txt")) - wanted:
        path.unlink()
        changed += 1
    return changed


def file_of(scene: str, size: tuple[int, int]) -> Path:
    """Return where a screen's text is kept."""
    return FOLDER / f"{scene}-{size[0]}x{size[1]}.txt"
