"""The program itself sends what differs: through every place, at other sizes, after others wrote on the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from studyapp.tui.app import StudyApp
from tests.tui.drive import open_desk, release
from tests.tui.terminal import Terminal
from tests.tui.twin import Twins

Maker = Callable[..., StudyApp]
PLACES = ("l", "x", "s", "b", "question_mark", "ctrl+p")
"""Keys that lead somewhere from Home."""


async def test_every_place_looks_as_if_all_of_it_were_sent_for_a_fifth_of_the_bytes(
    app_of: Maker, twins: Twins
) -> None:
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_desk(app, pilot)
        release(app)
        for key in PLACES:
            await pilot.press(key)
            await pilot.pause(0.3)
            assert twins.differing() == []
            await pilot.press("escape")
            await pilot.pause(0.3)
            assert twins.differing() == []
        for size in ((60, 20), (100, 30), (80, 24)):
            twins.resize(*size)
            await pilot.resize_terminal(*size)
            await pilot.pause(0.3)
            assert twins.differing() == []
    full, less = twins.sizes
    assert less < full / 5, (full, less)


def shows(terminal: Terminal, text: str) -> bool:
    """Wait until the screen shows exactly this."""
    for _ in range(100):
        if terminal.text == text:
            return True
        terminal.pump(0.05)
    return False


def test_ctrl_l_mends_what_another_program_wrote(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until("press enter to read")
        terminal.pump(1.0)
        before = terminal.text
        terminal.scribble("\x1b[2;1Hwall: the machine goes down\x1b[12;1H\x1b[K")
        assert terminal.text != before
        terminal.press("\x0c")
        assert shows(terminal, before)


def test_a_window_that_was_smaller_for_a_moment_is_drawn_in_full(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until("press enter to read")
        terminal.pump(1.0)
        before = terminal.text
        terminal.resize(50, 12)
        terminal.resize(80, 24)
        assert terminal.text != before
        assert shows(terminal, before)


def test_a_key_that_does_nothing_takes_no_byte(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until("press enter to read")
        terminal.pump(1.0)
        place = len(terminal.output)
        terminal.press("\x1b[19~")  # F8
        terminal.pump(0.3)
        assert len(terminal.output) == place


def test_a_grade_typed_while_the_answer_is_under_way_is_not_stored(tmp_path: Path) -> None:
    with Terminal(tmp_path, "review", STUDYAPP_RELEASE="all") as terminal:
        terminal.until("space reveal")
        terminal.pump(0.5)
        terminal.answers = False  # what was sent is still on the line
        terminal.press("space")
        terminal.pump(0.5)
        terminal.press("4")
        terminal.pump(0.5)
        assert terminal.reviews() == 0
        terminal.answer()
        terminal.press("4")
        terminal.until(" 1/")
        assert terminal.reviews() == 1


def test_frames_of_keys_become_one_while_the_line_is_behind(tmp_path: Path) -> None:
    with Terminal(tmp_path, "browse", STUDYAPP_RELEASE="all") as terminal:
        terminal.until("by lesson")
        terminal.pump(1.0)
        terminal.answers = False
        terminal.press("j")
        terminal.pump(1.0)
        place = len(terminal.output)
        for _ in range(5):
            terminal.press("j")
            terminal.pump(0.1)
        assert len(terminal.output) == place, "the line has not taken the first frame yet"
        terminal.answers = True
        terminal.answer()
        terminal.pump(1.0)
        rows = terminal.text.split("\n")
        assert "▌" in rows[5 + 6], terminal.text
        assert terminal.output[place:].count(b"\x1b[5n") == 1, "five keys, one frame"
