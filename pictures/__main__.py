"""Draws every screen in every theme: `python -m pictures [FOLDER] [--only NAME,NAME]`.

FOLDER gets one SVG for each screen, theme and size, and `index.html`, which shows all of them. With Chromium on
the path it also gets them as one picture, `index.png`. `--sizes 60x20,40x12` draws them at other sizes, `--looks
paper` in fewer themes, `--ascii` as `studyapp --ascii` does.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pictures.record import ROOT
from pictures.scenes import SCENES, Guide, Scene, painted, resize
from pictures.svg import svg
from pictures.walk import records, walk

LOOKS = {"graphite": "256", "paper": "256", "sixteen": "16", "nocolour": "never"}
"""Name of a look, which is its theme where that is chosen, and the number of colours."""
SIZES = ((80, 24), (120, 40))
FOR_THE_DOCS = ("home", "review-answer", "predict", "verdict-holds", "lab", "race-over")
"""What README and the docs show, in `docs/pictures`."""
DOCS = ROOT / "docs" / "pictures"
HEAD = """<!doctype html><meta charset="utf-8"><title>All screens</title>
<style>body{background:#444;color:#eee;font:14px sans-serif;margin:16px}h2{font-size:15px;margin:20px 0 6px}
.row{display:flex;flex-wrap:wrap;gap:8px}img{width:%dpx;height:auto;display:block}</style>
<p>What experiments show was measured on the machine that made tests/recordings, and is replayed.</p>
"""


class Camera:
    """Draws each scene in every look and size."""

    def __init__(
        self, folder: Path, sizes: Sequence[tuple[int, int]] = SIZES, looks: Mapping[str, str] = LOOKS
    ) -> None:
        self.folder = folder
        self.sizes = sizes
        self.looks = looks

    async def look(self, guide: Guide, scene: Scene) -> None:
        """Draw one scene, and leave the window as it was."""
        app = guide.app
        for name, colors in self.looks.items():
            app.settings = replace(app.settings, theme=name if colors == "256" else "sixteen", color=colors)
            app._change_looks()
            for size in self.sizes:
                await resize(app, *size)
                await painted(app)
                file_of(self.folder, scene.name, name, size).write_text(svg(app, scene.title), encoding="utf-8")
        app.settings = replace(app.settings, theme="graphite", color="256")
        app._change_looks()
        await resize(app, *self.sizes[0])


def file_of(folder: Path, scene: str, look: str, size: tuple[int, int]) -> Path:
    """Return where a picture goes."""
    return folder / f"{scene}-{look}-{size[0]}x{size[1]}.svg"


def size_of(text: str) -> tuple[int, int]:
    """Return columns and rows of "80x24"."""
    width, _, height = text.partition("x")
    return int(width), int(height)


def sheet(folder: Path, size: tuple[int, int], names: list[Scene], looks: Iterable[str] = LOOKS) -> str:
    """Return the page that shows all pictures of a size, a row for each scene."""
    rows = [HEAD % (480 if size[0] <= 80 else 640)]
    for scene in names:
        pictures = "".join(
            f'<img src="{file_of(folder, scene.name, look, size).name}" title="{look}">' for look in looks
        )
        rows.append(f'<h2>{scene.title} ({scene.name})</h2><div class="row">{pictures}</div>')
    return "\n".join(rows)


def photograph(page: Path, width: int, height: int) -> None:
    """Make one PNG of a page with Chromium, where there is one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next((found for name in names if (found := shutil.which(name))), None)
    if browser is None:
        print("No Chromium here: open index.html in a browser.")
        return
    picture = page.with_suffix(".png")
    with tempfile.TemporaryDirectory() as profile:  # a browser of its own, kept off the network
        words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
        words += ["--disable-background-networking", f"--window-size={width},{height}", f"--screenshot={picture}"]
        command = [browser, *words, page.as_uri()]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    print(picture)


def main() -> None:
    """Draw what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m pictures", description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help="where the pictures go; a new folder if not given")
    parser.add_argument("--only", default="", help="names of scenes, with commas between")
    parser.add_argument("--docs", action="store_true", help="renew the few pictures in docs/pictures as well")
    parser.add_argument("--sizes", default="", help="other sizes than 80x24 and 120x40, with commas between")
    parser.add_argument("--looks", default="", help=f"fewer of {', '.join(LOOKS)}, with commas between")
    parser.add_argument("--ascii", action="store_true", help="without glyphs outside ASCII")
    given = parser.parse_args()
    folder: Path = given.folder or Path(tempfile.mkdtemp(prefix="pictures-"))
    folder.mkdir(parents=True, exist_ok=True)
    only = set(filter(None, given.only.split(",")))
    scenes = [scene for scene in SCENES if not only or scene.name in only]
    sizes = [size_of(text) for text in given.sizes.split(",")] if given.sizes else list(SIZES)
    looks = {name: LOOKS[name] for name in given.looks.split(",")} if given.looks else LOOKS
    with tempfile.TemporaryDirectory() as home:
        found = records(Path(home))
        if given.ascii:
            found = {name: replace(settings, ascii=True) for name, settings in found.items()}
        asyncio.run(walk(found, Camera(folder, sizes, looks).look, size=sizes[0], only=only))
    for size in sizes:
        page = folder / ("index.html" if size == sizes[0] else f"index-{size[0]}x{size[1]}.html")
        page.write_text(sheet(folder, size, scenes, looks), encoding="utf-8")
    if given.docs:
        for name in FOR_THE_DOCS:
            shutil.copy(file_of(folder, name, "graphite", SIZES[0]), DOCS / f"{name}.svg")
    print(folder / "index.html")
    photograph(folder / "index.html", 2000, len(scenes) * 345 + 80)


if __name__ == "__main__":
    main()
