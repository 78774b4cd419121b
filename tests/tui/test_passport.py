"""The passport's screen in every state, with a worker that replays a recording."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from studyapp.core.reviews import Rating
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.catalog import experiment
from studyapp.settings import Settings
from studyapp.store.records import NewRun
from studyapp.study.going_stale import bring_back
from studyapp.study.passport import passports
from studyapp.study.reviewing import Sitting
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.experiment import ExperimentScreen
from studyapp.tui.screens.passport_parts import table
from studyapp.tui.screens.review import ReviewScreen
from tests.tui.conftest import settings_in
from tests.tui.drive import open_desk, release, text_of, until

WORKER = Path(__file__).parents[1] / "cli" / "passport_worker.py"


@pytest.fixture
def chosen(tmp_path: Path, settings: Settings) -> Settings:
    return choose(tmp_path)


def choose(folder: Path, behaviour: str = "quiet") -> Settings:
    return settings_in(folder, worker_command=f"{sys.executable} {WORKER} {behaviour}", device="cpu")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)], ids=["60x20", "80x24", "120x40"])
async def test_enter_measures_and_every_figure_stands_with_its_unit(
    chosen: Settings, size: tuple[int, int]
) -> None:
    app = StudyApp(chosen, "passport")
    async with app.run_test(size=size) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: "There is no passport" in text_of(app))

        await pilot.press("enter")
        await until(pilot, lambda: "2 Mar 2026" in text_of(app))

        shown = text_of(app)
        for words in (
            "110 GFLOP/s",
            "910 GFLOP/s",
            "640 ns",
            "no bus here",
            "25.3 GB",
            "Fake CPU",
            "torch 2.13.0",
        ):
            assert words in shown, words
        assert "~ did not settle" in shown
        assert "measure anew" in shown
        assert all(len(line) <= size[0] for line in shown.splitlines())
        assert ("bytes copied" in shown) == (size[1] >= 34)


async def test_what_is_measured_is_drawn_at_once_and_stop_keeps_the_part(
    tmp_path: Path, settings: Settings
) -> None:
    app = StudyApp(choose(tmp_path, "slow"), "passport")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "● measuring" in text_of(app) and "640 ns" in text_of(app))
        assert "s stop" in text_of(app)

        await pilot.press("s")
        await until(pilot, lambda: "Part of a passport" in text_of(app))

        assert app.desk is not None
        assert [one.state for one in passports(app.desk)] == ["cancelled"]


async def test_leaving_while_it_measures_keeps_the_part_as_well(tmp_path: Path, settings: Settings) -> None:
    app = StudyApp(choose(tmp_path, "slow"), "passport")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "640 ns" in text_of(app))

        await pilot.press("q")
        await until(pilot, lambda: type(app.screen).__name__ == "HomeScreen")

        assert app.desk is not None
        assert [one.complete for one in passports(app.desk)] == [False]


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("busy", "Measured beside other work"),
        ("crash", "on purpose"),
        ("refuse", "It needs about 268 MB"),
    ],
)
async def test_what_went_wrong_stands_on_the_screen(
    tmp_path: Path, settings: Settings, behaviour: str, words: str
) -> None:
    app = StudyApp(choose(tmp_path, behaviour), "passport")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("enter")

        await until(pilot, lambda: words in text_of(app))

        assert "measure" in text_of(app).splitlines()[-1]


async def test_cards_are_written_after_asking_only(chosen: Settings) -> None:
    app = StudyApp(chosen, "passport")
    async with app.run_test(size=(100, 30)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "2 Mar 2026" in text_of(app))

        await pilot.press("c")
        await until(pilot, lambda: "into your own lessons?" in text_of(app))
        assert f"one core of {os.uname().nodename}?" in text_of(app)
        await pilot.press("n")
        await until(pilot, lambda: "into your own lessons?" not in text_of(app))
        assert not (chosen.data_dir / "lessons").exists()

        await pilot.press("c")
        await until(pilot, lambda: "into your own lessons?" in text_of(app))
        await pilot.press("y")
        await until(pilot, lambda: "among your own lessons" in text_of(app))
        assert len(list((chosen.data_dir / "lessons").glob("machine-*.md"))) == 1


def test_an_empty_passport_has_no_table() -> None:
    assert table([], 80).plain == ""


async def test_a_card_that_went_stale_says_so_above_its_question(app_of: Callable[..., StudyApp]) -> None:
    app = app_of("review")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        assert app.desk is not None
        desk, at = app.desk, app.desk.clock()
        release(app)
        sitting = Sitting(desk)
        showing = sitting.show("demo/slow")
        assert showing is not None
        sitting.grade(showing, Rating.EASY, duration_ms=1)
        controls = experiment("small-net").parse_controls({})
        for hour, torch, outcome in ((1, "2.12.0", Outcome.DOES_NOT_HOLD), (2, "2.13.0", Outcome.HOLDS)):
            facts = Facts(device_name="Test CPU", more={"torch": torch})
            run = NewRun("small-net", controls, facts, at.at_ms + hour, at.study_day, "done")
            uid = desk.store.save_run(run, [], Verdict(outcome, ""))
        assert bring_back(desk, uid, "small-net") == ["demo/slow"]

        for other in ("demo/launch", "demo/once"):
            desk.store.set_suspended(other, True, at=at)
        app.switch_screen(ReviewScreen(None))
        await until(pilot, lambda: "Why is a small net slow" in text_of(app))

        assert "went stale: small-net holds now" in text_of(app)


async def test_the_verdict_compares_learner_and_roofline_in_one_line(chosen: Settings) -> None:
    app = StudyApp(chosen, "passport")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "2 Mar 2026" in text_of(app))

        app.push_screen(ExperimentScreen("layer-batch", {}))
        await until(pilot, lambda: "how sure?" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "from this machine's passport." in text_of(app))

        assert "off, the roofline ×2.3 off, from this machine's passport." in text_of(app)
        assert "roofline: assumed, not measured here." in text_of(app)
