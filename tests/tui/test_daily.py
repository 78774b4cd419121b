"""Today's trial on screen: predicted, run, kept as the day's; later that day it shows what came of it."""

from __future__ import annotations

import sys
from pathlib import Path

from studyapp.core.reviews import Rating
from studyapp.experiments.catalog import experiment
from studyapp.study.fresh import of_the_day, trial_done
from studyapp.study.reviewing import Sitting
from studyapp.study.status_file import read_status
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.daily import DailyScreen
from studyapp.tui.screens.home_parts import trial, words
from tests.tui.conftest import FAKE_WORKER, settings_in
from tests.tui.drive import open_desk, text_of, until

HOME = {"version": 1, "heat": {"10": 3}, "streak": {"length": 1}, "modules": [], "done_today": 0}
QUESTION = "From how many rows do all cores beat one?"


def test_home_invites_to_the_trial_and_says_when_it_counts_for_the_streak() -> None:
    status = {**HOME, "daily": {"day": 11, "done": False, "question": QUESTION}}

    assert trial(status, 11, 80).plain == f"d today's trial  {QUESTION}"
    assert trial(status, 11, 40).cell_length <= 35
    assert trial(status, 12, 80).plain == ""
    assert "d for today's trial: it counts for the streak" in words(status, {}, 0).plain
    done = {**status, "daily": {"day": 11, "done": True, "question": QUESTION}}
    assert trial(done, 11, 80).plain == "today's trial is done; d shows what came of it"
    assert "counts for the streak" not in words(done, {}, 0).plain
    assert "counts for the streak" not in words({**status, "done_today": 2}, {}, 0).plain


def test_a_learner_who_has_not_begun_is_not_invited() -> None:
    status = {**HOME, "heat": {}, "daily": {"day": 11, "done": False, "question": QUESTION}}

    assert trial(status, 11, 80).plain == ""
    assert "trial" not in words(status, {}, 0).plain


def app_in(folder: Path) -> StudyApp:
    return StudyApp(settings_in(folder, worker_command=f"{sys.executable} {FAKE_WORKER}", release="all"))


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


async def test_home_names_the_days_question_and_the_status_file_keeps_it(tmp_path: Path) -> None:
    app = app_in(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        question = experiment(of_the_day(app.desk)[0]).question
        sitting = Sitting(app.desk)
        showing = sitting.next()
        assert showing is not None
        sitting.grade(showing, Rating.GOOD, duration_ms=30_000)
        app.push_screen(DailyScreen())
        await pilot.press("q")
        await until(pilot, lambda: question[:40] in text_of(app))
        kept = read_status(app.desk.status_path)
        assert kept is not None
        assert kept["daily"] == {"day": app.desk.clock().study_day, "done": False, "question": question}
