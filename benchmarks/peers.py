"""First paint and memory of other Textual programs beside ours, in the same run.

STUDYAPP_PEERS=/path/to/venv/bin[:/another/bin] python -m benchmarks.run peers

The peers are not installed by anything here. Make environments for them (`pip install posting "tree-sitter<0.26"
harlequin`; `recto` needs Python 3.12) and name their folders of programs; those that are not there are left out.
Each is compared with the hello world of this environment's Python and Textual, so a peer under another Python is
only roughly comparable.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import setting
from benchmarks.ratios import Figure, against, interleave
from benchmarks.terminal import Terminal

PEERS = {"posting": b"Collection", "harlequin": b"Query Editor", "recto": b"No deck yet"}
"""Each program with a word of its first screen."""
SETTLE_S = 1.0


def measure(rounds: int = 5) -> list[Figure]:
    """Return first paint and resident memory of every peer found, and of ours, as ratios to hello."""
    with setting.home() as folder:
        environ = setting.environment(folder) | {"ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none"}
        found: dict[str, tuple[Sequence[str], bytes]] = {
            "hello": (setting.HELLO, setting.HELLO_SAYS),
            "studyapp": (setting.STUDYAPP, b"studyapp"),
            **{name: peer for name, peer in _peers().items() if _starts(name, peer, environ)},
        }
        megabytes: dict[str, list[float]] = {name: [] for name in found}
        entries = {
            name: _start(command, marker, environ, megabytes[name]) for name, (command, marker) in found.items()
        }
        wall_s = interleave(entries, rounds)
    figures = []
    for name in found:
        if name != "hello":
            figures.append(against(f"first paint of {name} / hello", wall_s[name], wall_s["hello"], None))
            memory = (megabytes[name], megabytes["hello"])
            figures.append(against(f"memory of {name} / hello", *memory, None, scale=1, unit="MB"))
    return figures


def _peers() -> dict[str, tuple[Sequence[str], bytes]]:
    folders = [Path(entry) for entry in os.environ.get("STUDYAPP_PEERS", "").split(os.pathsep) if entry]
    return {
        name: ((str(folder / name),), marker)
        for name, marker in PEERS.items()
        for folder in folders
        if (folder / name).exists()
    }


def _starts(name: str, peer: tuple[Sequence[str], bytes], environ: dict[str, str]) -> bool:
    """Return whether a peer comes to its first screen at all; one that does not is named and left out."""
    try:
        _start(*peer, environ=environ, megabytes=[])()
    except RuntimeError:
        print(f"{name} does not start here and is left out.")
        return False
    return True


def _start(
    command: Sequence[str], marker: bytes, environ: dict[str, str], megabytes: list[float]
) -> Callable[[], float]:
    def once() -> float:
        with Terminal(command, environ=environ) as terminal:
            at_s = terminal.until(marker)
            end_s = terminal.now_s + SETTLE_S
            while terminal.now_s < end_s:
                terminal.pump(0.1)
            megabytes.append(terminal.resident_mb())
            return at_s

    return once
