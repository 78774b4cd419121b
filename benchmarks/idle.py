"""What the program costs while nobody touches it, and how much memory it takes, against a Textual hello world.

python -m benchmarks.run idle
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import setting
from benchmarks.ratios import Figure, against, spread
from benchmarks.terminal import Terminal

WAIT_S = 25.0
"""The thinking bar of a card moves for twenty seconds; after it nothing may."""
WATCH_S = 10.0


def measure(rounds: int = 3) -> list[Figure]:
    """Return resident memory as a ratio, CPU share and bytes of the idle screens."""
    megabytes: dict[str, list[float]] = {"hello": [], "home": [], "review": []}
    cpu_s: dict[str, list[float]] = {name: [] for name in megabytes}
    sent: dict[str, list[float]] = {name: [] for name in megabytes}
    with setting.home(with_deck=True) as folder:
        environ = setting.deck_environment(folder)
        for _ in range(rounds):
            with (
                Terminal(setting.HELLO, environ=environ) as hello,
                Terminal(setting.STUDYAPP, environ=environ) as home,
                Terminal((*setting.STUDYAPP, "review", setting.MODULE), environ=environ) as review,
            ):
                hello.until(setting.HELLO_SAYS)
                home.until(b"studyapp")
                review.until(setting.LAID_OUT)
                watched = {"hello": hello, "home": home, "review": review}
                _watch(list(watched.values()), WAIT_S)
                before = {name: (one.cpu_s(), one.place) for name, one in watched.items()}
                _watch(list(watched.values()), WATCH_S)
                for name, one in watched.items():
                    cpu_s[name].append((one.cpu_s() - before[name][0]) / WATCH_S)
                    sent[name].append(one.recording.bytes_since(before[name][1]) / WATCH_S)
                    megabytes[name].append(one.resident_mb())
    figures = []
    for name in ("home", "review"):
        ours, theirs = spread(cpu_s[name]).median * 100, spread(cpu_s["hello"]).median * 100
        words = f"hello {theirs:.2f} %"
        figures += [
            against(f"memory of {name} / hello", megabytes[name], megabytes["hello"], 1.65, scale=1, unit="MB"),
            Figure(f"CPU of {name}, idle / hello", ours / theirs, "x", 1.2, f"{ours:.2f} % of a core; {words}"),
            Figure(f"bytes of {name}, idle", max(sent[name]), "B/s", 0.0, f"hello {max(sent['hello']):.0f} B/s"),
        ]
    return figures


def _watch(terminals: Sequence[Terminal], seconds: float) -> None:
    """Read all of them for so long, so that none is held up by a full pipe."""
    end = terminals[0].now_s + seconds
    while terminals[0].now_s < end:
        for terminal in terminals:
            terminal.pump(0.1)
