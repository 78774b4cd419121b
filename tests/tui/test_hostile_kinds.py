"""C01, C02: numbers, typed answers and choices with hostile words, and hostile words given as an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste

from studyapp.tui.app import StudyApp
from tests.tui.conftest import settings_in
from tests.tui.drive import open_desk, text_of, until
from tests.tui.hostile import check_strips
from tests.tui.hostile_words import LONG, SPEAKS

WIDTH = 80
LESSON = """---
id: kinds
title: Kinds
---

# Kinds

## One <!-- id: one -->

Some text.

> **{label}:** Q {text}? <!-- id: one-card -->
>
{answer}
>
> Then {text} {long}.
"""
ANSWERS = {
    "Number": "> 5 {text}.",
    "Type it": "> **pin {text}**: yes.",
    "Choose": "> - [x] right {text}\n> - [x] also {text}\n> - [ ] wrong {text}",
}


@pytest.mark.parametrize("label", ANSWERS)
async def test_c01_c02_cards_answered_first_show_hostile_words_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str
) -> None:
    answer = ANSWERS[label].replace("{text}", SPEAKS)
    text = LESSON.replace("{answer}", answer).replace("{label}", label)
    path = tmp_path / "kinds.md"
    path.write_text(text.replace("{text}", SPEAKS).replace("{long}", LONG), encoding="utf-8")
    monkeypatch.setattr("studyapp.study.lessons.shipped", lambda: path)
    app = StudyApp(settings_in(tmp_path, release="all"), "review")
    async with app.run_test(size=(WIDTH, 40)) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: "FIRST" in text_of(app))
        review: Any = next(screen for screen in app.screen_stack if hasattr(screen, "revealed"))
        await until(pilot, lambda: review.seen)
        check_strips(app.screen._compositor.render_strips(), WIDTH)
        if label == "Choose":
            await pilot.press("1", "space")
        else:
            app.post_message(Paste(f"5 {SPEAKS}"))
            await pilot.pause()
            check_strips(app.screen._compositor.render_strips(), WIDTH)
            await pilot.press("enter")
        await until(pilot, lambda: review.revealed and review.seen and app.screen is review)
        found = check_strips(app.screen._compositor.render_strips(), WIDTH)
    assert "[bold]" in found
    assert "desrever" in found, text_of(app)
