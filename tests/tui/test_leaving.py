"""C03, C05: whatever screen is in front and whatever runs, every way out is the same one."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.tui.conftest import FAKE_WORKER
from tests.tui.terminal import ROOT, Terminal
from tests.tui.test_suspend import OF_THE_SHELL

SCREENS = {
    "home": "",
    "read": "l",
    "browse": "b",
    "lab": "x",
    "stats": "s",
    "settings": ",",
    "palette": ":",
    "help": "?",
    "streak": ":streak\r",
    "a line to type in": "b/",
}
"""Keys that lead to each from Home."""
SIGNALS = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT]
ENDS_S = 5.0


def at(folder: Path, keys: str, path: str = str(ROOT)) -> Terminal:
    """Return a terminal with the screen that keys lead to from Home, the store open."""
    worker = shlex.join([sys.executable, str(FAKE_WORKER), "", "endless"])
    terminal = Terminal(folder, STUDYAPP_RELEASE="all", STUDYAPP_WORKER_COMMAND=worker, PYTHONPATH=path)
    terminal.until("next 7 days")
    for key in keys:
        terminal.press(key)
        terminal.pump(0.2)
    return terminal


def running(folder: Path) -> Terminal:
    """Return a terminal in which an experiment runs that never ends by itself."""
    terminal = at(folder, "x")
    terminal.until("enter open")
    terminal.press("enter")
    terminal.until("enter run")
    terminal.pump(0.3)
    terminal.press("enter")
    terminal.until("● running")
    return terminal


def workers(folder: Path) -> list[int]:
    """Return the processes that were started with this home, but for the program itself: its workers."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            home = f"HOME={folder}".encode() in (entry / "environ").read_bytes().split(b"\0")
            worker = b"fake_worker" in (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if home and worker:
            found.append(int(entry.name))
    return found


def gone(folder: Path) -> bool:
    """Return whether all workers end soon."""
    deadline = time.monotonic() + ENDS_S
    while workers(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(
    ("screen", "number"), [(screen, SIGNALS[turn % len(SIGNALS)]) for turn, screen in enumerate(SCREENS)]
)
def test_c03_a_signal_restores_the_terminal_from_every_screen(
    tmp_path: Path, screen: str, number: signal.Signals
) -> None:
    with at(tmp_path, SCREENS[screen]) as terminal:
        os.kill(terminal.child.pid, number)

        assert terminal.ended() == 128 + number
        assert terminal.modes_left_on() == set()
        assert terminal.line_as_before


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("way", [*SIGNALS, "\x03", "\x11"], ids=str)
def test_c03_a_run_under_way_ends_with_the_program(tmp_path: Path, way: signal.Signals | str) -> None:
    with running(tmp_path) as terminal:
        assert workers(tmp_path)
        if isinstance(way, str):
            terminal.press(way)
        else:
            os.kill(terminal.child.pid, way)

        assert terminal.ended() == (0 if isinstance(way, str) else 128 + way)
        assert terminal.modes_left_on() == set()
        assert terminal.line_as_before
        assert gone(tmp_path)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("number", [None, signal.SIGKILL])
def test_c03_a_window_closed_over_a_run_leaves_no_process(tmp_path: Path, number: signal.Signals | None) -> None:
    terminal = running(tmp_path)
    if number is not None:
        os.kill(terminal.child.pid, number)
    os.close(terminal.child.child_fd)
    terminal.child.closed, terminal.child.child_fd = True, -1
    deadline, done = time.monotonic() + ENDS_S, 0
    while not done and time.monotonic() < deadline:
        done, _ = os.waitpid(terminal.child.pid, os.WNOHANG)
        time.sleep(0.05)
    if not done:
        os.kill(terminal.child.pid, signal.SIGKILL)

    assert done == terminal.child.pid
    assert gone(tmp_path)


FAULTS = {
    "a key's handler": "import studyapp.tui.screens.home as it\nit.open_place = fail\n",
    "a screen's beginning": "import studyapp.tui.screens.stats as it\nit.StatsScreen.begin = fail\n",
    "a thread": "import studyapp.study.statistics as it\nit.gather = fail\n",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_c03_a_fault_anywhere_leaves_a_clean_terminal_and_one_line(tmp_path: Path, fault: str) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    # a fault planted in a copy that only this test sees
    (broken / "sitecustomize.py").write_text(
        "def fail(*_, **__):\n    raise RuntimeError('planted [/] fault')\n" + FAULTS[fault], encoding="utf-8"
    )
    with at(tmp_path, "", path=f"{broken}:{ROOT}") as terminal:
        terminal.press("s")

        assert terminal.ended() == 1
        assert terminal.modes_left_on() == set()
        assert terminal.line_as_before
        assert b"studyapp failed: RuntimeError: planted [/] fault" in terminal.output
        assert b"Traceback" not in terminal.output


@pytest.mark.parametrize("screen", ["home", "stats", "a line to type in"])
def test_c05_ctrl_z_and_fg_bring_every_screen_back(tmp_path: Path, screen: str) -> None:
    with Terminal(
        tmp_path, "--norc", "--noprofile", "-i", program=("bash",), PS1="ready> ", STUDYAPP_RELEASE="all"
    ) as terminal:
        terminal.until("ready>")
        terminal.press(f"{sys.executable} -m studyapp", "enter")
        terminal.until("next 7 days")
        for key in SCREENS[screen]:
            terminal.press(key)
            terminal.pump(0.3)
        before = terminal.text
        terminal.press("\x1a")
        terminal.until("Stopped")
        assert terminal.modes_left_on() <= OF_THE_SHELL
        terminal.press("fg", "enter")
        terminal.until(next(line for line in before.split("\n") if line.strip()))
        terminal.pump(0.3)
        assert terminal.text == before
        terminal.press("\x03")
        terminal.until("ready>")
        assert terminal.modes_left_on() <= OF_THE_SHELL
