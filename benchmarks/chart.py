"""What a live chart costs at 80x24 while twenty points a second arrive: the program's CPU share and its bytes.

The points come from `programs/streaming_worker.py`: drawing is measured, no experiment runs beside it.

    python -m benchmarks.run chart
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path

from benchmarks import setting
from benchmarks.ratios import Figure, spread, words
from benchmarks.terminal import Terminal

SIZE = (80, 24)
POINTS_PER_S = 20
WATCH_S = 6.0
STREAM_S = 12
TRIES, TRY_S = 10, 3.0


def measure(rounds: int = 5) -> list[Figure]:
    """Return CPU share and bytes a second over the middle of a run."""
    shares: list[float] = []
    rates: list[float] = []
    worker = (sys.executable, str(setting.PROGRAMS / "streaming_worker.py"), str(POINTS_PER_S), str(STREAM_S))
    with setting.home() as folder:
        for _ in range(rounds):
            share, rate = _watch(folder, shlex.join(worker))
            shares.append(share)
            rates.append(rate)
    title = f"live chart, {SIZE[0]}x{SIZE[1]}, {POINTS_PER_S} points a second"
    return [
        Figure(f"{title}: CPU", spread(shares).median, "% of a core", 10.0, words(spread(shares), 1, "%")),
        Figure(f"{title}: output", spread(rates).median, "kB/s", 10.0, words(spread(rates), 1, "kB/s")),
    ]


def _watch(folder: Path, worker: str) -> tuple[float, float]:
    """Run one experiment; return the program's percent of a core and its output in kB/s."""
    environ = setting.environment(folder, STUDYAPP_WORKER_COMMAND=worker)
    with Terminal(setting.STUDYAPP, environ=environ, size=SIZE) as terminal:
        open_experiment(terminal)
        place = terminal.place
        terminal.press(b"\r")
        terminal.until_shown("measurements so far", since=place)
        terminal.listen(1.0)
        cpu_s, place, begin_s = terminal.cpu_s(), terminal.place, terminal.now_s
        terminal.listen(WATCH_S)
        took_s = terminal.now_s - begin_s
        share = (terminal.cpu_s() - cpu_s) / took_s * 100
        rate = terminal.recording.bytes_since(place) / took_s / 1000
        terminal.until_shown("run again", since=place)
        return share, rate


def open_experiment(terminal: Terminal, place: int = 0, *, at_once: bool = False) -> None:
    """Go from Home to an experiment of the list, up to the question for a prediction.

    Args:
        terminal: Where the program has just been started.
        place: Which one of the list.
        at_once: Return when the question is painted; else when the screen has come to rest.
    """
    terminal.until_shown("experiments")
    for _ in range(TRIES):
        before = terminal.place
        terminal.press(b"x")
        with contextlib.suppress(RuntimeError):  # before the store is open, the key does nothing
            terminal.until_shown("choose", since=before, patience_s=TRY_S)
            break
    terminal.press(b"j" * place)
    terminal.settle(0.5)
    terminal.press(b"\r")
    terminal.until_shown("how sure?")
    if not at_once:
        terminal.settle(0.5)
