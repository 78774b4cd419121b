"""The race screen: measured first, then raced; the winner in words and the strip that draws the crossover."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.race import RaceScreen
from tests.tui.conftest import FAKE_WORKER, settings_in
from tests.tui.drive import open_desk, text_of, until


@pytest.mark.torch
async def test_a_race_has_a_winner_in_words_and_a_basis(settings: object, tmp_path: Path) -> None:
    worker = f"{sys.executable} -m studyapp.experiments.worker"
    app = StudyApp(settings_in(tmp_path, worker_command=worker, motion="none"))
    async with app.run_test(size=(80, 40)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, RaceScreen) and app.screen.track)
        assert isinstance(app.screen, RaceScreen)
        assert "0 / 64 rows" in text_of(app)
        await pilot.press("left", "space")
        await until(pilot, lambda: "wins" in text_of(app) or "A tie" in text_of(app))
        assert "one batch of 32:" in text_of(app)
        assert "the GPU is on paper, assumed" in text_of(app)
        await pilot.press("a")
        await until(pilot, lambda: "At width 512 the paper GPU" in text_of(app))
        assert "rows, reckoned" not in text_of(app), "the strip alone says from where the rival leads"
        assert "launch 25 µs, bus 16 GB/s, arithmetic 8 TFLOP/s" in text_of(app)
        if app.screen._cores > 1:
            await pilot.press("m", "space")
            await until(pilot, lambda: "both lanes measured here" in text_of(app))
            assert f"all {app.screen._cores} cores" in text_of(app)
            await pilot.press("a", "m")
            await until(pilot, lambda: "paper GPU" in text_of(app))


async def test_a_worker_that_fails_leaves_a_sentence_and_a_way_back(settings: object, tmp_path: Path) -> None:
    app = StudyApp(settings_in(tmp_path, worker_command=f"{sys.executable} {FAKE_WORKER} no_torch"))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await pilot.press("r")
        await until(pilot, lambda: "no torch" in text_of(app))
        await pilot.press("q")
        await until(pilot, lambda: "welcome" in text_of(app))


async def test_the_race_as_the_first_screen_has_its_own_styles(tmp_path: Path) -> None:
    app = StudyApp(settings_in(tmp_path), "race")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        await until(pilot, lambda: "Who has the whole batch" in text_of(app))

        rows = text_of(app).split("\n")
        assert next(row for row in rows if "Who has" in row).startswith("   Who")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_batches_below_the_slider_are_evenly_chosen_and_whole(width: int) -> None:
    from studyapp.tui.screens.race_parts import _labels

    room = max(16, min(width - 21, 78))
    columns = {2**k: round((room - 1) * k / 12) for k in range(13)}

    shown = [int(word) for word in _labels(columns, room + 8).split()]

    assert set(shown) <= set(columns)
    assert len({b // a for a, b in pairwise(shown)}) == 1
    assert len(shown) > 3
