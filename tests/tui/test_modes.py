"""C10, C11 in a real terminal: windows of any size, storms of resizing, and pastes whole or in pieces."""

from __future__ import annotations

from pathlib import Path

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
