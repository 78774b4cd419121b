"""C10, C11 in a real terminal: windows of any size, storms of resizing, and pastes whole or in pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.terminal import Terminal
from tests.tui.test_terminal import begin_review

PASTE = "\x1b[200~ 3\n3\r\n4\nu\nq\n\x1b[201~"
"""Keys that would reveal, grade, undo and leave."""


def test_c10_a_window_of_one_cell_starts_and_leaves(tmp_path: Path) -> None:
    with Terminal(tmp_path, size=(1, 1)) as terminal:
        while b"\x1b[?1049h" not in terminal.output:
            terminal.pump()
        terminal.pump(1.0)
        terminal.press("q")
        assert terminal.ended() == 0
        assert terminal.modes_left_on() == set()


def test_c10_a_storm_of_resizing_leaves_the_question_and_its_keys(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        for width, height in [(1, 1), (0, 0), (500, 200), (5, 3), (40, 10), (250, 1), (1, 70)] * 4:
            terminal.resize(width, height)
            terminal.pump(0.03)
        terminal.resize(80, 24)
        terminal.until("SAY IT FIRST")
        terminal.until("space reveal")
        terminal.pump(0.3)
        terminal.press("space")
        terminal.until("CHECK YOURSELF")
        terminal.press("q")
        terminal.until("x lab")
        terminal.press("q")
        assert terminal.ended() == 0
        assert b"Traceback" not in terminal.output
        assert terminal.reviews() == 0


def test_c11_a_paste_reveals_grades_and_leaves_nothing(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        terminal.until("space reveal")
        terminal.press(PASTE)
        terminal.pump(0.5)
        assert "SAY IT FIRST" in terminal.text
        terminal.press("space")
        terminal.until("CHECK YOURSELF")
        terminal.pump(0.3)
        for piece in (
            PASTE,
            PASTE[:9],
            PASTE[9:14],
            PASTE[14:-3],
            PASTE[-3:],
        ):  # whole, then as a slow line brings it
            terminal.press(piece)
            terminal.pump(0.25)
        assert "CHECK YOURSELF" in terminal.text
        assert terminal.reviews() == 0
        terminal.press("4")
        terminal.until("1/20")
        assert terminal.reviews() == 1


def test_c11_lines_pasted_into_one_line_stand_beside_one_another(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        terminal.until("space reveal")
        terminal.pump(0.3)
        terminal.press("i")
        terminal.pump(0.5)
        terminal.press("\x1b[200~one\r\ntwo\nthree\x1b[201~")
        terminal.until("one two three")
        assert "TYPE IT FIRST" in terminal.text
        assert terminal.reviews() == 0


LINES = {
    "palette": ":",
    "query of browse": "b/",
    "tag": "bt",
    "words of the lab": "x/",
    "setting": ",jjjj\r",
}
"""Keys from Home to each place with one line to type in."""


@pytest.mark.parametrize("place", LINES)
def test_c11_a_paste_into_a_line_stays_on_it(tmp_path: Path, place: str) -> None:
    with Terminal(tmp_path, STUDYAPP_RELEASE="all") as terminal:
        terminal.until("next 7 days")
        for key in LINES[place]:
            terminal.press(key)
            terminal.pump(0.25)
        terminal.press("\x1b[200~zq 3\r\nq\r\n\x03zq\x1b[201~")
        terminal.pump(0.5)

        assert "zq 3 q ␃zq" in terminal.text or "zq 3 q zq" in terminal.text, terminal.text
        assert terminal.reviews() == 0
        assert (tmp_path / ".config/studyapp/config.toml").read_text() == ""
        terminal.press("\x03")
        assert terminal.ended() == 0


def test_c11_a_paste_predicts_and_runs_nothing(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        terminal.until("space reveal")
        terminal.pump(0.3)
        terminal.press("x")
        terminal.until("enter run")
        terminal.pump(0.3)
        before = terminal.text
        terminal.press("\x1b[200~12\r\n3\r\nq\r\n\r\n5\r\n\x1b[201~")
        terminal.pump(0.5)

        assert terminal.text == before
        terminal.press("\x03")
        assert terminal.ended() == 0


def test_c11_a_paste_into_several_lines_is_no_key(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        terminal.until("space reveal")
        terminal.pump(0.3)
        terminal.press("!")
        terminal.pump(0.5)
        terminal.press(PASTE)
        terminal.pump(0.5)

        assert "space reveal" not in terminal.text
        assert terminal.reviews() == 0
        terminal.press("\x03")
        assert terminal.ended() == 0
