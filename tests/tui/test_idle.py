"""Nothing happens, nothing is written: no screen blinks, counts or draws itself anew while it is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.terminal import Terminal
from tests.tui.test_terminal import begin_review

SETTLES_S = 0.6
LOOKED_AT_S = 1.2
"""More than two blinks of a cursor."""
DOWN = "\x1b[B"


def silent(terminal: Terminal) -> bool:
    """Return whether nothing is written while somebody looks."""
    terminal.pump(SETTLES_S)
    before = len(terminal.output)
    terminal.pump(LOOKED_AT_S)
    return len(terminal.output) == before


@pytest.mark.parametrize(
    "places",
    [
        {"x lab": "", "everywhere": "?", "not here": "x", "by lesson": "b"},
        {"RECALL": "s", "studyapp  streak": ":streak\r", "SCREEN": ","},
    ],
    ids=["lists", "figures"],
)
def test_no_place_writes_while_it_is_looked_at(tmp_path: Path, places: dict[str, str]) -> None:
    with Terminal(tmp_path, STUDYAPP_RELEASE="all") as terminal:
        terminal.until("next 7 days")
        for words, keys in places.items():
            for key in keys:
                terminal.press(key)
                terminal.pump(0.25)
            terminal.until(words)
            assert silent(terminal), f"{words}\n{terminal.text}"
            if keys:
                terminal.press("q")
                terminal.pump(0.25)


def test_no_line_to_type_in_blinks(tmp_path: Path) -> None:
    with Terminal(tmp_path, STUDYAPP_RELEASE="all") as terminal:
        terminal.until("next 7 days")
        for keys in ([":"], ["b", "/"], [",", *[DOWN] * 7, "enter"]):
            for key in keys:
                terminal.press(key)
                terminal.pump(0.15)
            assert silent(terminal), terminal.text
            terminal.press("esc")
            terminal.pump(0.4)
            if "x lab" not in terminal.text:  # out of the line, then off the screen
                terminal.press("q")
                terminal.until("x lab")


@pytest.mark.parametrize("key", ["i", "!", "?"])
def test_the_thinking_bar_rests_behind_what_is_in_front(tmp_path: Path, key: str) -> None:
    with begin_review(tmp_path) as terminal:
        terminal.until("space reveal")
        terminal.pump(0.3)
        terminal.press(key)

        assert silent(terminal), terminal.text
