"""C05: ctrl+z gives the shell a clean terminal, fg brings everything back, and the time away is no thinking."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from studyapp.tui.app import StudyApp
from studyapp.tui.screens.experiment import ExperimentScreen
from tests.tui.conftest import FAKE_WORKER, settings_in
from tests.tui.drive import open_desk, until
from tests.tui.terminal import Terminal

Maker = Callable[..., StudyApp]

OF_THE_SHELL = {2004}
"""Bash asks for bracketed paste itself."""


def shell(folder: Path) -> Terminal:
    """Return bash in a terminal, as a learner has it."""
    return Terminal(
        folder, "--norc", "--noprofile", "-i", program=("bash",), PS1="ready> ", STUDYAPP_RELEASE="all"
    )


def test_c05_ctrl_z_and_fg_keep_the_card_and_leave_the_time_away_out(tmp_path: Path) -> None:
    with shell(tmp_path) as terminal:
        terminal.until("ready>")
        began = time.monotonic()
        terminal.press(f"{sys.executable} -m studyapp review", "enter")
        terminal.until("SAY IT FIRST")
        question = terminal.text.split("\n")[8:12]
        terminal.press("\x1a")
        terminal.until("Stopped")
        assert terminal.modes_left_on() <= OF_THE_SHELL
        assert not terminal.cursor_hidden
        terminal.press("echo still $((40+2)) here", "enter")
        terminal.until("still 42 here")
        left = time.monotonic()
        terminal.pump(3.0)
        away_s = time.monotonic() - left
        terminal.press("fg", "enter")
        terminal.until("SAY IT FIRST")
        assert terminal.text.split("\n")[8:12] == question, "the same card, drawn in full"
        terminal.until("space reveal")
        terminal.pump(0.3)
        terminal.press("space")
        terminal.until("CHECK YOURSELF")
        here_s = time.monotonic() - began - away_s
        terminal.pump(0.3)
        terminal.press("4")
        terminal.until("1/")
        terminal.press("q")
        terminal.until("x lab")
        terminal.press("q")
        terminal.until("ready>")
        assert terminal.modes_left_on() <= OF_THE_SHELL
    connection = sqlite3.connect(f"file:{tmp_path / 'data' / 'study.db'}?mode=ro", uri=True)
    try:
        (taken_ms,) = connection.execute("SELECT duration_ms FROM reviews").fetchone()
    finally:
        connection.close()
    assert taken_ms <= here_s * 1000


async def test_c05_a_run_is_cancelled_before_the_program_stops(tmp_path: Path, settings: object) -> None:
    app = StudyApp(settings_in(tmp_path, worker_command=f"{sys.executable} {FAKE_WORKER} '' endless"))
    stopped: list[str] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        app.push_screen(ExperimentScreen("small-net", {}))
        screen: Any = None
        await until(pilot, lambda: getattr(app.screen, "trial", None))
        screen = app.screen
        await pilot.press("enter")
        await until(pilot, lambda: screen.state == "running")
        app.action_suspend_process = lambda: stopped.append(screen.state)  # type: ignore[method-assign]
        await pilot.press("ctrl+z")
        await until(pilot, lambda: stopped)
        await until(pilot, lambda: screen.state == "cancelled")
    assert stopped
