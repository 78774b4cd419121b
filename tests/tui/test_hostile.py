"""C01, C02: outside text is data, from the file to the pixel, on every screen."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.review import ReviewScreen
from tests.tui.conftest import settings_in
from tests.tui.drive import open_desk, reveal, text_of, until

CASES = Path(__file__).parent.parent / "decks" / "cases"
Maker = Callable[..., StudyApp]
BRACKETS = "[/] list[int] t[i][j] [red]x[/red] [@click=app.quit]go[/] [link=x]y[/link] \\[bold]"
HOSTILE = "evil \x1b]52;c;aGk=\x07 \x1b[2J \x9b6n \x00 \u202edesrever &#27;[2J"

LESSON = """---
id: hostile
title: 'T {text}'
---

# T

## S {text} <!-- id: s -->

Text {text} and `code {text}` and

| a {text} | b |
|---|---|
| c | {text} |

> **Say it first:** Q {text}? <!-- id: q -->
>
> A {text}.
>
> **Check:**
>
> - one {text}
> - two {text}
>
> **Try:** [L {text}](experiment:small-net)
"""


def visible(text: str) -> bool:
    return all(char == "\n" or (ord(char) >= 32 and not 127 <= ord(char) < 160) for char in text)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> StudyApp:
    (tmp_path / "hostile.md").write_text(LESSON.replace("{text}", request.param), encoding="utf-8")
    monkeypatch.setattr("studyapp.study.lessons.shipped", lambda: tmp_path / "hostile.md")
    return StudyApp(settings_in(tmp_path, release="all"))


@pytest.mark.parametrize("app", [BRACKETS, HOSTILE], indirect=True, ids=["c01", "c02"])
async def test_c01_c02_hostile_text_is_shown_as_it_is_on_every_screen(app: StudyApp) -> None:
    seen = {}
    async with app.run_test(size=(120, 50)) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: "T " in text_of(app))
        seen["home"] = text_of(app)
        for key, name in (("l", "read"), ("q", ""), ("enter", "prompt"), ("space", "answer"), ("x", "experiment")):
            await pilot.press(key)
            await pilot.pause()
            await pilot.pause(0.1)
            if name:
                seen[name] = text_of(app)
        for key, name in (("question_mark", "help"), ("q", ""), ("q", ""), ("q", ""), ("s", "stats")):
            await pilot.press(key)
            await pilot.pause(0.1)
            if name:
                seen[name] = text_of(app)
    assert set(seen) == {"home", "read", "prompt", "answer", "experiment", "help", "stats"}
    for name, text in seen.items():
        assert visible(text), f"{name} holds control characters"
        assert "\u202e" not in text, name


@pytest.mark.parametrize("app", [BRACKETS], indirect=True)
async def test_c01_no_bracket_is_lost_in_question_answer_and_key_points(app: StudyApp) -> None:
    async with app.run_test(size=(120, 50)) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: app.status.get("modules"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and app.screen.showing)
        await reveal(app, pilot)
        text = text_of(app)
    for piece in ("[/]", "list[int]", "t[i][j]", "[red]x[/red]", "[@click=app.quit]go[/]", "[link=x]y[/link]"):
        assert text.count(piece) >= 3, piece


async def test_c01_the_case_file_is_shown_character_by_character(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(CASES / "C01_brackets.md", tmp_path / "c01.md")
    monkeypatch.setattr("studyapp.study.lessons.shipped", lambda: tmp_path / "c01.md")
    app = StudyApp(settings_in(tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: app.status.get("modules"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and app.screen.showing)
        await reveal(app, pilot)
        text = " ".join(text_of(app).split())
    assert "What is the type of [x for x in xs]? [/" in text
    for piece in ("list[int], t[i][j], x[:, None],", "[red]not red[/red]", "[type=x, v={'a[0]'}]", "[ZLEX b [+"):
        assert piece in text, piece
