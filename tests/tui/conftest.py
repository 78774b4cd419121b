"""A real desk on a real SQLite file in a temporary folder, with a lesson of five cards and a frozen clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import CompositorUpdate

from studyapp.settings import Settings, load
from studyapp.tui.app import StudyApp
from tests.tui.twin import Twins

LESSON = """---
id: demo
title: Demo lesson
---

# Demo lesson

## First steps <!-- id: first -->

Some text to read about *layers*.

**Try:** [small nets](experiment:small-net)

> **Say it first:** Why is a small net slow on a GPU? <!-- id: slow -->
>
> Its steps are fixed costs.
>
> **Check:**
>
> - launches cost time
> - the arithmetic is tiny
>
> **Try:** [measure it](experiment:small-net)

> **Say it first:** What does a launch cost? <!-- id: launch -->
>
> Microseconds.
>
> **Check:**
>
> - microseconds, not milliseconds
> - whatever the rows

> **Say it first:** What is read once? <!-- id: once -->
>
> The weights.
>
> **Check:**
>
> - weights
> - not the rows

## Second steps <!-- id: second -->

More text.

> **Say it first:** What ends the flat stretch? <!-- id: flat -->
>
> The arithmetic.
>
> **Check:**
>
> - arithmetic binds
> - lanes are full
"""

FAKE_WORKER = Path(__file__).parent.parent / "experiments" / "fake_worker.py"


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    """Return the path of the demo lesson."""
    path = tmp_path / "demo.md"
    path.write_text(LESSON, encoding="utf-8")
    return path


@pytest.fixture
def settings(tmp_path: Path, lesson: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Return settings for a private data folder, the demo lesson only, and the fake worker."""
    monkeypatch.setattr("studyapp.study.lessons.shipped", lambda: tmp_path / "demo.md")
    monkeypatch.setenv("TERM", "xterm-256color")  # not the terminal that the tests happen to run in
    for name in ("NO_COLOR", "COLORTERM", "COLORFGBG", "TERM_PROGRAM", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    return settings_in(tmp_path)


def settings_in(folder: Path, now: str = "2026-03-02T10:00+00:00", **more: str) -> Settings:
    """Return settings for a data folder."""
    flags = {"data_dir": str(folder / "data"), "now": now, "zone": "UTC", "fuzz": "off", **more}
    flags.setdefault("worker_command", f"{sys.executable} {FAKE_WORKER}")
    return load(flags, environ={"HOME": str(folder)}, platform="linux")


@pytest.fixture
def app_of(settings: Settings) -> Callable[..., StudyApp]:
    """Return a maker of apps on the demo desk."""

    def make(start: str = "home", target: str | None = None, over: Settings | None = None) -> StudyApp:
        return StudyApp(over or settings, start, target)

    return make


@pytest.fixture
def twins(monkeypatch: pytest.MonkeyPatch) -> Twins:
    """Return two terminals, and have the next app draw on both."""
    found = Twins(80, 24)

    def draw(app: StudyApp, screen: Any, renderable: Any) -> None:
        found.canvas = app.canvas
        if isinstance(renderable, CompositorUpdate):
            found.take(renderable, app.console)
        app.post_display_hook()

    monkeypatch.setattr(StudyApp, "_display", draw)
    return found
