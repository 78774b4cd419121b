"""The real program in a real terminal: kill -9, signals, a store that cannot be opened, one key many times."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from tests.tui.terminal import KEYBOARD, ROOT, Terminal


def begin_review(folder: Path) -> Terminal:
    """Return a terminal on the first card of the shipped lesson, everything released."""
    terminal = Terminal(folder, "review", STUDYAPP_RELEASE="all", STUDYAPP_NEW_MINUTES="40")
    terminal.until("SAY IT FIRST")
    return terminal


def answer(terminal: Terminal, count: int) -> None:
    """Answer one card with Easy; `count` is how many will be stored then."""
    terminal.until("space reveal")
    terminal.press("space")
    terminal.until("CHECK YOURSELF")
    terminal.pump(0.2)
    terminal.press("4")
    terminal.until(f"{count}/20")


def test_a15_kill_minus_nine_loses_no_grade(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        for count in range(1, 8):
            answer(terminal, count)
        os.kill(terminal.child.pid, signal.SIGKILL)
        terminal.ended()
        assert terminal.reviews() == 7
    with begin_review(tmp_path) as again:
        again.until("7/20")  # the queue goes on at card 8
        assert again.reviews() == 7


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])
def test_c03_every_signal_restores_the_terminal_and_says_128_plus_n(
    tmp_path: Path, number: signal.Signals
) -> None:
    with begin_review(tmp_path) as terminal:
        answer(terminal, 1)
        os.kill(terminal.child.pid, number)
        code = terminal.ended()
        assert code == 128 + number
        assert terminal.modes_left_on() == set()
        assert terminal.line_as_before
        assert terminal.reviews() == 1


def test_c03_q_and_ctrl_c_leave_with_zero_and_a_clean_terminal(tmp_path: Path) -> None:
    for key in ("q", "\x03"):
        with Terminal(tmp_path) as terminal:
            terminal.until("press enter to read")
            terminal.press(key)
            assert terminal.ended() == 0
            assert terminal.modes_changed() >= {7, 25, 1000, 1003, 1004, 1006, 1049, 2004, KEYBOARD}
            assert terminal.modes_left_on() == set()
            assert terminal.line_as_before


def test_q_in_a_review_opened_by_name_leads_home(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        terminal.press("q")
        terminal.until("x lab")
        terminal.press("q")
        assert terminal.ended() == 0


def test_a08_keys_sent_in_one_write_grade_at_most_what_was_seen(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        terminal.press("space", "3", "space", "3", "space", "3")
        terminal.pump(1.0)
        assert terminal.reviews() == 0
        terminal.until("CHECK YOURSELF")
        terminal.press(*"3333333333")
        terminal.until("1/2")  # Good brings the card back today: one of 21
        terminal.pump(0.5)
        assert terminal.reviews() == 1


def test_an_idle_screen_writes_no_byte(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until("press enter to read")
        terminal.pump(1.0)
        before = len(terminal.output)
        terminal.pump(2.0)
        assert len(terminal.output) == before


def test_d06_a_newer_store_is_refused_with_a_sentence_and_left_alone(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until("press enter to read")
        terminal.press("q")
        terminal.ended()
    database = tmp_path / "data" / "study.db"
    connection = sqlite3.connect(database)
    connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    before = database.read_bytes()
    (tmp_path / "data" / "status.json").unlink()
    with Terminal(tmp_path) as terminal:
        terminal.until("newer")
        terminal.press("q")
        terminal.ended()
    assert database.read_bytes() == before


def test_c09_ascii_opens_the_screen_and_sends_nothing_else(tmp_path: Path) -> None:
    with Terminal(tmp_path, "--ascii", LC_ALL="C") as terminal:
        terminal.until("press enter to read")
        terminal.press("?")
        terminal.until("everywhere")
        terminal.press("q", "q")
        assert terminal.ended() == 0
        assert terminal.output.isascii()
        assert b"UTF-8" not in terminal.output


def test_c10_a_window_of_ten_by_five_starts_and_leaves(tmp_path: Path) -> None:
    with Terminal(tmp_path, size=(10, 5)) as terminal:
        terminal.until("study")
        time.sleep(1)
        terminal.pump()
        terminal.press("q")
        assert terminal.ended() == 0


def test_a_fault_of_ours_leaves_a_clean_terminal_and_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    # a fault planted where the program reads its lessons, in a copy that only this test sees
    (broken / "sitecustomize.py").write_text(
        "import studyapp.study.lessons as lessons\n"
        "def fail(*_, **__):\n    raise RuntimeError('planted [/] fault')\n"
        "lessons.bring_in = fail\n"
    )
    with Terminal(tmp_path, PYTHONPATH=f"{broken}:{ROOT}") as terminal:
        code = terminal.ended()
        assert code == 1
        assert terminal.modes_left_on() == set()
        assert terminal.line_as_before
        assert b"studyapp failed: RuntimeError: planted [/] fault" in terminal.output
        assert b"Traceback" not in terminal.output
    assert "planted" in (tmp_path / "data" / "last-error.txt").read_text()


def test_c11_a_split_arrow_key_neither_leaves_nor_grades(tmp_path: Path) -> None:
    with begin_review(tmp_path) as terminal:
        terminal.press("space")
        terminal.until("CHECK YOURSELF")
        for piece in ("\x1b", "[A", "\x1b", "[<0;10;5M", "\x1b[200~3\n3\n3\n4\n\x1b[201~"):
            terminal.child.send(piece.encode())
            terminal.pump(0.3)
        assert terminal.reviews() == 0
        terminal.press("q")
        terminal.pump(0.5)
    with Terminal(tmp_path) as terminal:
        terminal.until("due")
        terminal.child.send(b"\x1b")
        terminal.pump(0.4)
        terminal.child.send(b"[A")
        terminal.pump(0.4)
        assert terminal.child.isalive()


@pytest.mark.parametrize(
    ("editor", "told"),
    [("false", "The editor false"), ("no-such-editor", "no-such-editor cannot be started: No such file")],
)
def test_an_editor_that_fails_gives_the_screen_back(tmp_path: Path, editor: str, told: str) -> None:
    lessons = tmp_path / "data" / "lessons"
    lessons.mkdir(parents=True)
    (lessons / "mine.md").write_text("# Mine\n\nQ: Why? <!-- id: why -->\nA: Because.\n")
    with Terminal(tmp_path, "browse", EDITOR=editor) as terminal:
        terminal.until("by lesson")
        terminal.press("/")
        terminal.press("mine")
        terminal.until("Because.")
        terminal.press("enter")
        terminal.until("/ search")
        terminal.press("e")
        terminal.until(told)
        terminal.press("\x03")
        assert terminal.ended() == 0


@pytest.mark.parametrize("last", [b"\x03", b"q", b""])
def test_c03_a_terminal_that_goes_while_the_program_ends_leaves_no_process_behind(
    tmp_path: Path, last: bytes
) -> None:
    terminal = begin_review(tmp_path)
    pid, master = terminal.child.pid, os.dup(terminal.child.child_fd)
    os.write(master, last)
    os.close(terminal.child.child_fd)
    os.close(master)  # the window is closed: a hang-up, and nobody reads any more
    terminal.child.closed, terminal.child.child_fd = True, -1
    deadline, done = time.monotonic() + 20, 0
    while not done and time.monotonic() < deadline:
        done, _ = os.waitpid(pid, os.WNOHANG)
        time.sleep(0.05)
    if not done:
        os.kill(pid, signal.SIGKILL)

    assert done == pid
