"""From a key to an answer in Markdown on the screen, against the same text as it is in a plain Static.

Drawn by this project's rows, and by Textual's Markdown widget. The answer has bold words, a list, a table and a
block of code; nothing of it is parsed before the key. Three programs live at the same time and take turns.

    python -m benchmarks.run answers
"""

from __future__ import annotations

import sys
from contextlib import ExitStack

from benchmarks import setting
from benchmarks.ratios import Figure, against
from benchmarks.terminal import Terminal

SIZE = (80, 30)
WAYS = ("static", "rows", "widget")
WARM_UP = 3
"""Answers that are not timed: the first one imports the parser."""


def measure(rounds: int = 60) -> list[Figure]:
    """Return the ratios of medians, in wall time and in CPU time of the process until it is still."""
    wall_s: dict[str, list[float]] = {way: [] for way in WAYS}
    cpu_s: dict[str, list[float]] = {way: [] for way in WAYS}
    with setting.home() as folder, ExitStack() as stack:
        environ = {**setting.environment(folder), "PYTHONPATH": str(setting.ROOT)}
        command = (sys.executable, str(setting.PROGRAMS / "answers.py"))
        programs = {
            way: stack.enter_context(Terminal((*command, way), environ=environ, size=SIZE)) for way in WAYS
        }
        for terminal in programs.values():
            terminal.settle(1.0)
        for number in range(1, WARM_UP + rounds + 1):
            for way in WAYS if number % 2 else reversed(WAYS):
                terminal = programs[way]
                place, before_s = terminal.place, terminal.cpu_s()
                pressed_s = terminal.press(b" ")
                took_s = terminal.until_shown(f"end-{number:04d}", since=place) - pressed_s
                terminal.settle(0.06, 1.0)
                if number > WARM_UP:
                    wall_s[way].append(took_s)
                    cpu_s[way].append(terminal.cpu_s() - before_s)
    return [
        against("an answer in Markdown / the same text in a Static", wall_s["rows"], wall_s["static"], 2.0),
        against("CPU of it", cpu_s["rows"], cpu_s["static"], None),
        against("Textual's Markdown widget / a Static", wall_s["widget"], wall_s["static"], None),
        against("CPU of it", cpu_s["widget"], cpu_s["static"], None),
    ]
