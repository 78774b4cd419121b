"""Cards that are answered before the reveal: what was typed or chosen stays, and suggests a grade."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from studyapp.core.choices import order
from studyapp.tui.app import StudyApp
from tests.tui.conftest import settings_in
from tests.tui.drive import reveal, start, text_of, until

Maker = Callable[..., StudyApp]
NUMBER = "> **Number:** How large is it? <!-- id: large -->\n>\n> About 5.5 GB."
TYPED = "> **Type it:** Which flag? <!-- id: flag -->\n>\n> `pin_memory`"
CHOICE = "> **Choose:** What grows? <!-- id: grow -->\n>\n> - [x] activations\n> - [ ] weights\n>\n> One set each."
SEVERAL = "> **Choose:** What grows? <!-- id: grow -->\n>\n> - [x] activations\n> - [x] inputs\n> - [ ] weights"


@pytest.fixture
def lesson(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return the path of a lesson with the one card at hand."""
    path = tmp_path / "demo.md"
    head = "---\nid: demo\ntitle: Demo\n---\n\n## First <!-- id: first -->\n\nText.\n\n"
    path.write_text(f"{head}{request.param}\n", encoding="utf-8")
    return path


def ratings(app: StudyApp) -> list[int]:
    assert app.desk is not None
    return [row.rating for row in app.desk.store.reviews()]


@pytest.mark.parametrize("lesson", [NUMBER], indirect=True)
async def test_a_number_is_asked_for_first_and_suggests_a_grade_that_enter_takes(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await until(pilot, lambda: "NUMBER FIRST" in text_of(app))
        assert "5.5 GB" not in text_of(app)
        await pilot.press(*"5500 MB", "enter")
        await until(pilot, lambda: "you said  5500 MB  right" in text_of(app))
        await until(pilot, lambda: app.screen.seen)  # type: ignore[attr-defined]
        assert "3 Good  enter" in text_of(app)
        assert ratings(app) == []
        await pilot.press("enter")
        await until(pilot, lambda: ratings(app) == [3])


@pytest.mark.parametrize("lesson", [NUMBER], indirect=True)
async def test_the_learner_may_grade_otherwise_or_say_it_instead(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await until(pilot, lambda: "a number, with its unit" in text_of(app))
        await pilot.press("escape")
        await reveal(app, pilot)
        assert "you said" not in text_of(app)
        assert "enter" not in text_of(app)
        await pilot.press("4")
        await until(pilot, lambda: ratings(app) == [4])


@pytest.mark.parametrize("lesson", [TYPED], indirect=True)
async def test_a_slip_of_the_fingers_is_shown_letter_by_letter_without_colour(
    app_of: Maker, tmp_path: Path
) -> None:
    app = app_of(over=settings_in(tmp_path, color="never"))
    async with app.run_test(size=(80, 24)) as pilot:
        await start(app, pilot)
        await until(pilot, lambda: "TYPE IT FIRST" in text_of(app))
        await pilot.press(*"pin_memry", "enter")
        await until(pilot, lambda: "compared  pin_mem{+o+}ry" in text_of(app))
        assert "2 Hard  enter" in text_of(app)


@pytest.mark.parametrize("lesson", [CHOICE], indirect=True)
async def test_a_digit_chooses_before_the_reveal_and_grades_after_it(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await start(app, pilot)
        await until(pilot, lambda: screen.seen)
        assert "1–2 choose" in text_of(app)
        wrong = order(2, screen.showing.key).index(1) + 1  # type: ignore[union-attr]
        await pilot.press(str(wrong), "3", "9")
        await until(pilot, lambda: "(x) weights" in text_of(app))
        assert "( ) activations" in text_of(app)
        await pilot.press("space")
        await until(pilot, lambda: screen.revealed and screen.seen)
        await pilot.pause()
        assert "right  ( ) activations" in text_of(app)
        assert "wrong  (x) weights" in text_of(app)
        assert "One set each." in text_of(app)
        assert "1 Again  enter" in text_of(app)
        assert ratings(app) == []
        await pilot.press("2")
        await until(pilot, lambda: ratings(app) == [2])


@pytest.mark.parametrize("lesson", [SEVERAL], indirect=True)
async def test_a_right_option_that_was_not_taken_is_called_missed(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(60, 20)) as pilot:
        screen = await start(app, pilot)
        await until(pilot, lambda: screen.seen)
        places = order(3, screen.showing.key)  # type: ignore[union-attr]
        await pilot.press(str(places.index(0) + 1))
        await until(pilot, partial(lambda: screen.chosen == {0}))
        await pilot.press("space")
        await until(pilot, lambda: screen.revealed and screen.seen)
        await pilot.pause()
        assert "right  [x] activations" in text_of(app)
        assert "missed [ ] inputs" in text_of(app)


@pytest.mark.parametrize("lesson", [SEVERAL], indirect=True)
async def test_several_options_are_taken_and_left_again(app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(60, 20)) as pilot:
        screen = await start(app, pilot)
        await until(pilot, lambda: screen.seen)
        places = order(3, screen.showing.key)  # type: ignore[union-attr]
        first, second, wrong = (str(places.index(at) + 1) for at in range(3))
        await pilot.press(first, wrong, second, wrong)
        await until(pilot, partial(lambda: screen.chosen == {0, 1}))
        await pilot.press("space")
        await until(pilot, lambda: screen.revealed and screen.seen)
        await pilot.pause()
        assert "right  [x] inputs" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: ratings(app) == [3])
