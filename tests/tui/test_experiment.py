"""The experiment screen: predicted before it runs, every ending has its sentence, and the program works on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot

from studyapp.core.cards import ExperimentLink
from studyapp.experiments.protocol import Refused
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.experiment import ExperimentScreen
from studyapp.tui.widgets.bars import shortened
from tests.tui.conftest import FAKE_WORKER, settings_in
from tests.tui.drive import open_desk, text_of, until

Maker = Callable[..., StudyApp]


def with_worker(folder: Path, *words: str) -> StudyApp:
    command = " ".join([sys.executable, str(FAKE_WORKER), *(word or "''" for word in words)])
    return StudyApp(settings_in(folder, worker_command=command))


async def open_trial(app: StudyApp, pilot: Pilot[Any], **controls: str) -> ExperimentScreen:
    await open_desk(app, pilot)
    screen = ExperimentScreen("small-net", controls)
    app.push_screen(screen)
    await until(pilot, lambda: screen.is_mounted and (screen.trial or "no" in text_of(app)))
    await pilot.pause()
    return screen


@pytest.mark.parametrize(
    ("start", "name", "said"),
    [
        ("", "small-net", "about 1 s here (cpu, 2 cores)"),
        ("", "paper-race", "(cpu, 2 cores); paper GPU: assumed, not measured here"),
        ("", "race", "It needs a GPU, and there is none to use here."),
        ("no_torch", "small-net", "It cannot run now: this python has no torch"),
    ],
)
async def test_what_will_be_measured_is_said_once_torch_is_there_without_a_key(
    tmp_path: Path, start: str, name: str, said: str
) -> None:
    app = with_worker(tmp_path, start)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen(name, {}))
        await until(pilot, lambda: "PREDICT FIRST" in text_of(app))
        rows = len(text_of(app).split("\n"))
        await until(pilot, lambda: said in text_of(app))

        assert "torch is starting" not in text_of(app)
        assert len(text_of(app).split("\n")) == rows


async def test_a_prediction_is_stored_before_the_run_and_the_verdict_after(
    settings: object, app_of: Maker
) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_trial(app, pilot)
        assert "PREDICT FIRST" in text_of(app)
        await pilot.press("left", "left", "3", "enter")
        await until(pilot, lambda: screen.state == "done")
        await until(pilot, lambda: "VERDICT" in text_of(app))
        text = text_of(app)
        assert app.desk is not None
        [kept] = app.desk.store.predictions()
        run = app.desk.store.last_run("small-net")
    assert run is not None
    assert run.verdict is not None
    assert run.verdict.outcome.value == "cannot_test"
    assert run.verdict.measured == pytest.approx(1.1)
    assert kept.run == run.uid
    assert kept.prediction.sure.value == "certain"
    assert kept.score is not None
    assert "cannot be tested here" in text
    assert "measured 1.1" in text


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_the_chart_begins_on_the_same_row_before_during_and_after_a_run(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = with_worker(tmp_path, "fine")
    async with app.run_test(size=size) as pilot:
        screen = await open_trial(app, pilot)
        tops, heads = [], []
        assert screen.trial is not None
        for state in ("running", "predicting", "done"):
            if state == "done":
                await pilot.press("enter")
                await until(pilot, lambda: screen.state == "done")
            screen.trial.state = state
            screen.paint()
            await pilot.pause()
            tops.append(screen.query_one("#chart").region.y)
            heads.append(text_of(app).splitlines()[tops[-1] - 2])
    assert len(set(tops)) == 1
    assert len(set(heads)) == 1


def test_what_is_too_long_for_its_rows_is_cut_between_words() -> None:
    text = Content("one two three four five six seven")

    assert [line.plain for line in shortened(text, 14, 2)] == ["one two three", "four five …"]
    assert [line.plain for line in shortened(text, 40, 2)] == [text.plain]
    assert [line.plain for line in shortened(Content("Donaudampfschiff"), 6, 1)] == ["Donau…"]


@pytest.mark.parametrize(
    ("behaviour", "state", "words"),
    [
        ("crash", "failed", "ValueError: on purpose"),
        ("segfault", "failed", "worker"),
        ("half_a_line", "failed", "worker"),
        ("noise", "done", "cannot be tested here"),
        ("memory", "done", "stopped after time at 2: memory"),
    ],
)
async def test_e04_e05_every_ending_has_its_sentence_and_the_next_run_works(
    settings: object, tmp_path: Path, behaviour: str, state: str, words: str
) -> None:
    app = with_worker(tmp_path, "", behaviour)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_trial(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: screen.state == state)
        await until(pilot, lambda: words in text_of(app))
        await pilot.press("q")
        await pilot.pause()
        assert "welcome" in text_of(app)


async def test_e01_without_torch_the_card_says_how_to_get_it(settings: object, tmp_path: Path) -> None:
    app = with_worker(tmp_path, "no_torch")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_trial(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: screen.state == "failed")
        await until(pilot, lambda: "pip install torch" in text_of(app))


async def test_e04_leaving_the_screen_cancels_the_run(settings: object, tmp_path: Path) -> None:
    app = with_worker(tmp_path, "", "endless")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_trial(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: screen.trial is not None and screen.trial.points)
        await pilot.press("q")
        await until(pilot, lambda: app.runner()._active is None)
        assert app.runner().child is not None


async def test_an_unknown_experiment_is_named_with_its_neighbours(settings: object, app_of: Maker) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen("small-nett", {}))
        await until(pilot, lambda: "small-net" in text_of(app) and "small-nett" in text_of(app))


async def test_a_control_out_of_range_is_refused_in_words_before_the_worker_is_asked(
    settings: object, app_of: Maker
) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen("small-net", {"hidden": "0"}))
        await until(pilot, lambda: "hidden must be from 4 to 4096, not 0" in text_of(app))
        assert app.runner().child is None


async def test_a_gpu_is_used_only_after_the_learner_said_yes_once(settings: object, tmp_path: Path) -> None:
    app = with_worker(tmp_path, "card")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_trial(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "This machine has a GPU" in text_of(app))
        assert app.desk is not None
        assert app.desk.store.predictions() == []
        await pilot.press("o")
        await until(pilot, lambda: screen.state == "done")
        assert screen.trial is not None
        assert screen.trial.device == "cpu"
        await pilot.press("p")
        await pilot.press("enter")  # asked once: the answer is remembered for this host
        await until(pilot, lambda: screen.state == "done" and len(app.desk.store.predictions()) == 2)  # type: ignore[union-attr]


@pytest.mark.torch
async def test_why_takes_the_named_cause_away_and_says_what_became_of_the_reason(
    tmp_path: Path, lesson: Path
) -> None:
    app = StudyApp(settings_in(tmp_path, worker_command=f"{sys.executable} -m studyapp.experiments.worker"))
    async with app.run_test(size=(100, 40)) as pilot:
        await open_desk(app, pilot)
        screen = ExperimentScreen("kept", {})
        app.push_screen(screen)
        await until(pilot, lambda: screen.trial is not None)
        await pilot.press("enter")
        await until(pilot, lambda: screen.state == "done")
        await until(pilot, lambda: "why?" in text_of(app))
        await pilot.press("w")
        await until(pilot, lambda: "the reason survives" in text_of(app))
        assert "as the lesson says: Holds here. ResNet-50 keeps 5.5 GB" in text_of(app)
        await until(pilot, lambda: "without the cause: Does not hold here." in text_of(app))
        assert app.desk is not None
        assert len(app.desk.store.runs("kept")) == 2


async def test_tab_goes_through_all_trials_of_a_card(app_of: Maker) -> None:
    links = (ExperimentLink("small-net"), ExperimentLink("core-race", {"width": "64"}))
    app = app_of()
    async with app.run_test(size=(100, 30)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen.of(links, "demo/slow"))
        await until(pilot, lambda: "small-net   1 of 2" in text_of(app))
        await pilot.press("tab")
        await until(pilot, lambda: "core-race   2 of 2" in text_of(app))
        assert "width 64" in text_of(app)
        await pilot.press("tab")
        await until(pilot, lambda: "small-net   1 of 2" in text_of(app))


async def test_keys_work_while_torch_is_starting(settings: object, tmp_path: Path) -> None:
    app = with_worker(tmp_path, "never")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_trial(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "starting torch" in text_of(app))
        await pilot.press("q")
        await until(pilot, lambda: "welcome" in text_of(app))


async def test_a_refused_next_trial_leaves_nothing_of_the_one_before(app_of: Maker) -> None:
    links = (ExperimentLink("small-net"), ExperimentLink("core-race", {"width": "0"}))
    app = app_of()
    async with app.run_test(size=(100, 30)) as pilot:
        await open_desk(app, pilot)
        screen = ExperimentScreen.of(links)
        app.push_screen(screen)
        await until(pilot, lambda: "small-net   1 of 2" in text_of(app))
        await pilot.press("tab")
        await until(pilot, lambda: "width must be from" in text_of(app))
        assert screen.trial is None


async def test_a_refused_run_says_why_in_place_of_an_empty_chart(tmp_path: Path) -> None:
    app = with_worker(tmp_path, "fine")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_trial(app, pilot)
        assert screen.trial is not None
        screen.trial.fold(Refused(why="It needs about 64.0 GB of memory; 20.0 GB are free."))
        screen.paint()
        await until(pilot, lambda: "└" not in text_of(app))

        assert "20.0 GB are free.\n   Nothing was run" in text_of(app)


@pytest.mark.parametrize("size", [(60, 20), (60, 12)])
async def test_a_verdict_is_said_once(tmp_path: Path, size: tuple[int, int]) -> None:
    app = with_worker(tmp_path, "fine")
    async with app.run_test(size=size) as pilot:
        screen = await open_trial(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: screen.state == "done" and "VERDICT" in text_of(app))
        await pilot.pause()

        assert text_of(app).lower().count("cannot be tested here") == 1
        assert ("└┴" in text_of(app)) == (size[1] == 20)
