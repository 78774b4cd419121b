"""C01, C02, C08 on the real program in a real terminal: the case files as a person would see them, and colours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tui.terminal import Terminal

CASES = Path(__file__).parent.parent / "decks" / "cases"
POINTER = b"\x1b]22;default\x07"
"""Textual's own: the pointer looks as ever."""
COLOUR = re.compile(rb"\x1b\[[\d;]*m")
FORBIDDEN = (
    b"\x1b]52",
    b"\x1b[2J",
    b"\x1b]8",
    b"\x1b]0",
    b"\x1b[6n",
    "\u009b".encode(),
    b"\x07",
    b"\x00",
    "\u202e".encode(),
)


def seen(folder: Path, case: str, words: str) -> Terminal:
    """Return a terminal in which the cards of a case file were shown with their answers."""
    lessons = folder / "data" / "lessons"
    lessons.mkdir(parents=True)
    (lessons / case).write_bytes((CASES / case).read_bytes())
    terminal = Terminal(folder, "browse", words, STUDYAPP_RELEASE="all")
    terminal.until("enter open")
    terminal.pump(0.3)
    terminal.press("enter")
    terminal.until("m lesson")
    terminal.pump(0.3)
    return terminal


def test_c01_the_case_file_stands_in_the_terminal_character_by_character(tmp_path: Path) -> None:
    with seen(tmp_path, "C01_brackets.md", "type") as terminal:
        text = " ".join(terminal.text.split())

        assert "What is the type of [x for x in xs]? [/" in text
        assert "[red]not red[/red]" in text


def test_c02_the_case_file_sends_no_sequence_of_its_own(tmp_path: Path) -> None:
    with seen(tmp_path, "C02_escapes.md", "harmless") as terminal:
        assert "harmless" in terminal.text
        assert "␛]52;c;" in terminal.text
        terminal.press("\x03")
        assert terminal.ended() == 0
        sent = terminal.output.replace(POINTER, b"")
        assert [mark for mark in FORBIDDEN if mark in sent] == []


@pytest.mark.parametrize(
    ("environ", "allowed"),
    [
        ({"NO_COLOR": "1"}, r""),
        ({"TERM": "linux"}, r"3[0-9]|4[0-9]|9[0-7]|10[0-7]"),
        ({"TERM": "screen"}, r"3[0-9]|4[0-9]|9[0-7]|10[0-7]"),
        ({"TERM": "tmux-256color"}, r"38;5;\d+|48;5;\d+"),
        ({"STUDYAPP_COLOR": "16", "COLORTERM": "truecolor"}, r"3[0-9]|4[0-9]|9[0-7]|10[0-7]"),
        ({"STUDYAPP_COLOR": "never", "COLORTERM": "truecolor"}, r""),
    ],
    ids=["no colour", "linux", "screen", "tmux", "16", "never"],
)
def test_c08_no_more_colours_are_sent_than_the_terminal_has(
    tmp_path: Path, environ: dict[str, str], allowed: str
) -> None:
    with Terminal(tmp_path, STUDYAPP_RELEASE="all", **environ) as terminal:  # type: ignore[arg-type]
        terminal.until("next 7 days")
        terminal.press("b")
        terminal.until("by lesson")
        terminal.press("\x03")
        terminal.ended()
        numbers = re.compile(r"(?:(?:38;2|48;2);\d+;\d+;\d+|(?:38|48);5;\d+|\d+)")
        sent = {
            part for codes in COLOUR.findall(terminal.output) for part in numbers.findall(codes[2:-1].decode())
        }

        attributes = {"", "0", "1", "2", "3", "4", "7", "22", "23", "24", "27"}
        assert {
            part for part in sent if part not in attributes and not re.fullmatch(allowed or "x", part)
        } == set()
        assert "5" not in sent, "nothing blinks"
