"""Today's trial on screen: predicted, run, kept as the day's; later that day it shows what came of it."""

from __future__ import annotations

import sys
from pathlib import Path

from studyapp.study.fresh import of_the_day, trial_done
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.daily import DailyScreen
from tests.tui.conftest import FAKE_WORKER, settings_in
from tests.tui.drive import open_desk, text_of, until


def app_in(folder: Path) -> StudyApp:
    return StudyApp(settings_in(folder, worker_command=f"{sys.executable} {FAKE_WORKER}"))


async def test_the_days_trial_is_kept_and_shown_again_and_one_more_is_not_the_days(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        name, controls = of_the_day(app.desk)
        screen = DailyScreen()
        app.push_screen(screen)
        await until(pilot, lambda: screen.trial)
        assert "PREDICT FIRST" in text_of(app)
        assert screen.trial is not None
        assert (screen.trial.experiment.id, screen.trial.controls) == (name, controls)
        await pilot.press("left", "enter")
        await until(pilot, lambda: screen.state == "done")
        kept = trial_done(app.desk)
        assert kept == screen.trial.run_uid

        await pilot.press("q")
        again = DailyScreen()
        app.push_screen(again)
        await until(pilot, lambda: "TODAY'S TRIAL IS DONE" in text_of(app))
        await pilot.press("m")
        await until(pilot, lambda: "PREDICT FIRST" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: again.state == "done")
        assert trial_done(app.desk) == kept
