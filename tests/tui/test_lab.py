"""The Lab on screen: its list, its filter, its controls, two runs compared, a claim broken, the map."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from studyapp.chart.mapping import SYMBOLS
from studyapp.core.points import Point
from studyapp.core.predictions import Prediction, Sure
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.catalog import experiment, ids
from studyapp.store.records import NewRun
from studyapp.tui.app import StudyApp
from studyapp.tui.screens.breaking import BreakScreen
from studyapp.tui.screens.compare import CompareScreen
from studyapp.tui.screens.controls import ControlsScreen
from studyapp.tui.screens.experiment import ExperimentScreen
from studyapp.tui.screens.experiment_parts import OUTCOME_STYLES
from studyapp.tui.screens.lab import LabScreen
from studyapp.tui.screens.verdict_map import MapScreen
from tests.conftest import ROOT
from tests.tui.conftest import settings_in
from tests.tui.drive import text_of, until

Maker = Callable[..., StudyApp]
HERE = Facts(device="cpu", device_name="Fake CPU", cores=2, more={"took_s": 6.0})
SUITE = ROOT / "tests" / "cli" / "suite_worker.py"
SIZES = [(120, 40), (40, 12), (1, 1)]


def keep(app: StudyApp, name: str, outcome: Outcome, days_ago: int, y: float = 1e9, **controls: Any) -> None:
    assert app.desk is not None
    given = experiment(name).parse_controls(controls)
    facts = replace(HERE, controls=given)
    run = NewRun(name, given, facts, app.desk.clock().at_ms - days_ago * 86_400_000, 1)
    points = [Point("kept", 2.0**n, y * n, y * n, y * n) for n in (1, 2, 3)]
    app.desk.store.save_run(run, points, Verdict(outcome, "So it came out.", 3.0, experiment(name).unit))


async def in_the_lab(app: StudyApp, pilot: Pilot[Any]) -> LabScreen:
    await until(pilot, lambda: isinstance(app.screen, LabScreen) and app.screen.lab is not None)
    screen = app.screen
    assert isinstance(screen, LabScreen)
    # the fake worker has reported, so that what is here and what is elsewhere is settled
    await until(pilot, lambda: screen.lab is not None and screen.lab.machine is not None)
    return screen


async def with_runs(app: StudyApp, pilot: Pilot[Any]) -> LabScreen:
    screen = await in_the_lab(app, pilot)
    keep(app, "kept", Outcome.HOLDS, 3, batch=32)
    keep(app, "kept", Outcome.DOES_NOT_HOLD, 0, y=2e9)
    assert app.desk is not None
    made = Prediction(2e9, Sure.GUESS, 1)
    app.desk.store.save_prediction(made, experiment="kept", controls={}, device="cpu")
    screen.chosen = "kept"
    screen._gather()
    await until(pilot, lambda: screen.entry is not None and screen.entry.last is not None)
    await pilot.pause()
    return screen


async def test_the_list_has_sections_and_the_detail_all_that_is_known(app_of: Maker) -> None:
    app = app_of("lab")
    async with app.run_test(size=(80, 24)) as pilot:
        await with_runs(app, pilot)
        await until(pilot, lambda: "So it came out." in text_of(app))
        rows = text_of(app).split("\n")

    row = next(row for row in rows if "▌" in row)
    assert row.split() == ["▌", "kept", "○", "does", "not", "hold", "3", "B", "cpu", "today", "2", "GB"]
    text = "\n".join(rows)
    assert "In no lesson here" in text or "First steps" in text
    assert "At batch 64 what training must keep outweighs" in text
    assert "you said 2 GB (a guess)" in text
    assert "about 6 s (your run of today)" in text


async def test_columns_line_up_whatever_stands_in_them(app_of: Maker) -> None:
    app = app_of("lab")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_runs(app, pilot)
        keep(app, "bert-kept", Outcome.TOO_NOISY, 1)
        screen.chosen = "bert-kept"
        screen._gather()
        await until(pilot, lambda: "too noisy" in text_of(app))
        rows = text_of(app).split("\n")
    one, other = (next(row for row in rows if name in row) for name in ("does not hold", "too noisy"))
    head = next(row for row in rows if "last verdict" in row)

    assert one.index("○") == other.index("≈") == head.index("last verdict")
    assert one.index("cpu") == other.index("cpu") == head.index("on  ")
    assert one.index("3 B") == other.index("3 B")
    assert one.index("today") == other.index("1 Mar") == head.index("when")


async def test_the_cursor_goes_everywhere_and_stays_in_sight(app_of: Maker) -> None:
    app = app_of("lab")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await in_the_lab(app, pilot)
        lab = screen.lab
        assert lab is not None
        order = [entry.experiment.id for entry in lab.entries]
        assert sorted(order) == sorted(ids())
        for key, at in (("end", -1), ("up", -2), ("home", 0), ("j", 1), ("k", 0), ("pagedown", 8), ("pageup", 0)):
            await pilot.press(key)
            await until(pilot, lambda at=at: f"▌ {order[at]} " in text_of(app))  # type: ignore[misc]


async def test_slash_filters_by_typing_and_escape_shows_all_again(app_of: Maker) -> None:
    app = app_of("lab")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await in_the_lab(app, pilot)
        await pilot.press("slash", *"adam")
        await until(pilot, lambda: "▌ optimizer-state" in text_of(app))
        await pilot.press("enter", "j")  # j moves again once the line is left
        await until(pilot, lambda: screen.words == "adam" and screen.focused is None)
        await pilot.press("slash", *"zzz")
        await until(pilot, lambda: "No experiment holds 'zzz'" in text_of(app))  # typed over what stood there
        await pilot.press("escape")
        await until(pilot, lambda: screen.words == "" and "two-card" in text_of(app))
        assert app.screen is screen
        await pilot.press("q")
        await until(pilot, lambda: app.screen is not screen)


async def test_changed_controls_say_what_they_cost_and_go_into_the_run(app_of: Maker) -> None:
    app = app_of("lab")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await with_runs(app, pilot)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, ControlsScreen) and "your run of today" in text_of(app))
        assert "with these it was: does not hold, 3 B (today on cpu)" in text_of(app)
        await pilot.press("left")
        await until(pilot, lambda: "[32]" in text_of(app) and "your run of 27 Feb" in text_of(app))
        await pilot.press("left")
        await until(pilot, lambda: "scaled from your runs with batch 32 and 64" in text_of(app))
        await pilot.press("down", "right", "right")
        await until(pilot, lambda: "not known here; 6 s with batch 64" in text_of(app))
        assert "at most 34 MB" in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExperimentScreen))
        chosen = app.screen.wanted_controls  # type: ignore[attr-defined]
        assert chosen["batch"] == 16
        assert chosen["side"] != 224
        await pilot.press("q")
        await until(pilot, lambda: isinstance(app.screen, ControlsScreen))
        await pilot.press("d", "q")
        await until(pilot, lambda: app.screen is screen)
        assert screen.settings["kept"]["batch"] == 64


async def test_two_runs_stand_in_one_chart_with_one_sentence(app_of: Maker) -> None:
    app = app_of("lab")
    async with app.run_test(size=(80, 24)) as pilot:
        await with_runs(app, pilot)
        keep(app, "kept", Outcome.DOES_NOT_HOLD, 9)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, CompareScreen) and "2.0× more than with" in text_of(app))
        text = text_of(app)
        assert "batch 32" in text
        assert "batch 64" in text
        await pilot.press("end", "enter")
        await until(pilot, lambda: "the verdict is" in text_of(app) or "with batch 32" in text_of(app))
        screen = app.screen
        assert isinstance(screen, CompareScreen)
        assert screen.marked == [0, 2]
        await until(pilot, lambda: "2.0× more than on 21 Feb" in text_of(app))
        await pilot.press("t")
        await until(pilot, lambda: "pictures in a batch" in text_of(app) and "21 Feb" in text_of(app))


async def test_the_map_shows_places_and_turns(app_of: Maker) -> None:
    app = app_of("lab")
    async with app.run_test(size=(80, 24)) as pilot:
        await with_runs(app, pilot)
        await pilot.press("m")
        await until(pilot, lambda: "Of 2 places tried it holds at 1, does not hold at 1." in text_of(app))
        assert [row.split() for row in text_of(app).split("\n") if row.strip().startswith("224")] == [
            ["224", "│", "●", "○"]
        ]
        await pilot.press("x")
        screen = app.screen
        assert isinstance(screen, MapScreen)
        await until(pilot, lambda: screen.found is not None and screen.found.x.name == "side")
        await pilot.press("t")
        await until(pilot, lambda: "does not hold here" in text_of(app))


async def test_an_empty_map_says_what_it_will_show_and_how_it_begins(app_of: Maker) -> None:
    app = app_of("lab")
    async with app.run_test(size=(60, 20)) as pilot:
        await in_the_lab(app, pilot)
        screen = MapScreen(experiment("kept"), "side")
        app.push_screen(screen)
        await until(pilot, lambda: "NOTHING TRIED YET" in text_of(app))
        text = " ".join(text_of(app).split())
        assert "a sign here, side to the right and batch upwards: ● holds ○ does not" in text
        assert "press b to try one value after another" in text

        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, BreakScreen) and "[side]" in text_of(app))
        text = " ".join(text_of(app).split())
        assert "Every value tried gets a row with its verdict, until two neighbours differ: ● holds" in text
        assert "press enter to start at 224" in text

        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, MapScreen) and app.screen is not screen)
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, BreakScreen))
        assert [type(one) for one in app.screen_stack[-3:]] == [LabScreen, MapScreen, BreakScreen]


async def test_a_claim_is_broken_live_and_every_run_is_kept(settings: object, tmp_path: Path) -> None:
    app = StudyApp(settings_in(tmp_path, worker_command=f"{sys.executable} {SUITE} all=fast"), "lab")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await in_the_lab(app, pilot)
        screen.chosen = "kept"
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, BreakScreen) and "[batch]" in text_of(app))
        await pilot.press("right")
        await until(pilot, lambda: "[side]" in text_of(app))
        await pilot.press("enter")
        found = app.screen
        assert isinstance(found, BreakScreen)
        await until(pilot, lambda: found.search is not None and found.search.ended)
        assert found.search is not None
        assert found.search.ended == "unclear"
        await until(pilot, lambda: "Too noisy or too little to say at every value" in text_of(app))
        assert app.desk is not None
        assert len(app.desk.store.runs("kept")) == len(found.search.tried) > 8


async def test_a_stopped_search_keeps_what_it_has_and_a_crash_says_why(settings: object, tmp_path: Path) -> None:
    words = f"{sys.executable} {SUITE} kept=endless bert-kept=crash"
    app = StudyApp(settings_in(tmp_path, worker_command=words), "lab")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await in_the_lab(app, pilot)
        for name, said in (("kept", "Nothing clear. Stopped."), ("bert-kept", "ValueError: on purpose")):
            screen.chosen = name
            await pilot.press("b")
            await until(pilot, lambda: isinstance(app.screen, BreakScreen) and "walk along" in text_of(app))
            await pilot.press("enter")
            if name == "kept":
                await until(pilot, lambda: "measurements so far" in text_of(app))
                await pilot.press("s")
            search = app.screen
            assert isinstance(search, BreakScreen)
            await until(pilot, lambda search=search: not search.running)  # type: ignore[misc]
            await until(pilot, lambda said=said: said in text_of(app))  # type: ignore[misc]
            assert search.search is not None
            assert search.search.ended == ("cancelled" if name == "kept" else "failed")
            await pilot.press("q")
            await until(pilot, lambda: app.screen is screen)


async def test_a_worker_that_cannot_start_is_named_and_the_list_stays(settings: object, tmp_path: Path) -> None:
    app = StudyApp(settings_in(tmp_path, worker_command="/nowhere/python"), "lab")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "cannot be started" in text_of(app))
        assert "not run yet" in text_of(app)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_c10_every_screen_of_the_lab_survives_every_size(app_of: Maker, size: tuple[int, int]) -> None:
    app = app_of("lab")
    async with app.run_test(size=size) as pilot:
        screen = await with_runs(app, pilot)
        for key in ("c", "v", "m", "b"):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not screen)
            await pilot.press("down", "right", "q")
            await until(pilot, lambda: app.screen is screen)
        if size[0] >= 40:
            rows = text_of(app).split("\n")
            assert any("▌ kept" in row and "3 B" in row for row in rows)
            assert "help" in rows[-1]


def test_a_verdict_has_one_sign_in_the_lab_and_on_the_map() -> None:
    assert {outcome: signs[0] for outcome, signs in SYMBOLS.items()} == {
        outcome: sign for outcome, (sign, _) in OUTCOME_STYLES.items()
    }
