"""Your own numbers on screen: trained, compared, taken on request, gone back on, and due days moved on request."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from studyapp.core.reviews import Memory, State
from studyapp.study.optimising import Rescheduling
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.optimise import OptimiseScreen
from tests.study.fit_worker import NUMBERS
from tests.study.log import study
from tests.tui.conftest import settings_in
from tests.tui.drive import open_desk, text_of, until

FIT = Path(__file__).parents[1] / "study" / "fit_worker.py"
Maker = Callable[..., StudyApp]


def with_fit(folder: Path, mode: str) -> StudyApp:
    return StudyApp(settings_in(folder, worker_command=f"{sys.executable} {FIT} {mode}"))


async def test_better_numbers_are_taken_on_request_and_given_back(tmp_path: Path) -> None:
    app = with_fit(tmp_path, "better")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        study(app.desk.store, (f"old/{k}" for k in range(100)), app.desk.clock().study_day)
        screen = OptimiseScreen()
        app.push_screen(screen)
        await until(pilot, lambda: "usable reviews" in text_of(app))
        assert "the usual numbers" in text_of(app)
        assert "numbers before" not in text_of(app)

        await pilot.press("enter")
        await until(pilot, lambda: "kept out" in text_of(app) and not screen.busy)
        assert app.desk.store.parameters_in_force() is None  # only compared so far
        assert "take them" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: "are in force" in text_of(app))
        own = app.desk.store.parameters_in_force()
        assert own is not None
        assert list(own.numbers) == NUMBERS

        await pilot.press("r")
        await until(pilot, lambda: "No due day would move." in text_of(app))
        assert "move them" not in text_of(app)  # there is nothing to move
        await pilot.press("r", "b")
        await until(pilot, lambda: "Back to the defaults" in text_of(app))
        assert app.desk.store.parameters_in_force() is None


async def test_the_load_that_moving_due_days_would_bring_is_told_in_numbers_and_columns(tmp_path: Path) -> None:
    now, then = (Memory(State.REVIEW, due_day=day) for day in (9, 8))
    before, after = dict.fromkeys(range(30), 1), dict.fromkeys(range(30), 2) | {0: 40}
    app = with_fit(tmp_path, "better")
    async with app.run_test(size=(60, 20)) as pilot:
        await open_desk(app, pilot)
        await app.push_screen(screen := OptimiseScreen())
        screen.planned = Rescheduling(before, after, (("c", now, then), ("d", now, now)), {}, 5)
        screen.paint()
        await pilot.pause()

        rows = [row.strip() for row in text_of(app).splitlines()]

    assert "Of 5 cards 1 would come sooner, 0 later." in rows
    assert "as it is  1 today, 22 in 22 days" in rows
    assert "moved     40 today, 82 in 22 days" in rows
    assert rows.count("█") == 2  # today's column is three rows high, the others lie in the lowest
    assert "today" + "in 22 days".rjust(38) in rows


async def test_numbers_that_are_no_better_are_not_offered(tmp_path: Path) -> None:
    app = with_fit(tmp_path, "worse")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        study(app.desk.store, (f"old/{k}" for k in range(100)), app.desk.clock().study_day)
        screen = OptimiseScreen()
        app.push_screen(screen)
        await until(pilot, lambda: "usable reviews" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: screen.found is not None)
        await pilot.pause()

        assert screen.found is not None
        assert screen.found.state == "kept_old"
        assert "take them" not in text_of(app)
        assert app.desk.store.parameters_in_force() is None


async def test_too_little_to_train_on_and_a_worker_that_dies_are_sentences(tmp_path: Path) -> None:
    app = with_fit(tmp_path, "crash")
    async with app.run_test(size=(60, 20)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        screen = OptimiseScreen()
        app.push_screen(screen)
        await until(pilot, lambda: "Too little to train on yet" in text_of(app))
        last_row = text_of(app).splitlines()[-1]
        assert last_row.split() == ["q", "back", "?", "help"]  # nothing to train on, to move or to go back to
        await pilot.press("enter", "r", "b")
        await pilot.pause()
        assert (screen.busy, screen.planned, screen.done) == ("", None, "")

        await app.pop_screen()
        study(app.desk.store, (f"old/{k}" for k in range(100)), app.desk.clock().study_day)
        app.push_screen(screen := OptimiseScreen())
        await until(pilot, lambda: "usable reviews" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "old numbers stay" in " ".join(text_of(app).split()))
