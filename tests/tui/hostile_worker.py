"""The pictures' worker, but every word it says of itself and of its failures is hostile."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pictures import worker  # found by the line above, wherever this was started
from tests.tui.hostile_words import SPEAKS

WORDS = ("why", "why_cpu", "host", "torch", "cpu", "device_name")
speak = worker.say


def say(kind: str, **fields: Any) -> None:
    """Write one line of the protocol with hostile words in it."""
    speak(kind, **{key: f"{field} {SPEAKS}" if key in WORDS else field for key, field in fields.items()})


if __name__ == "__main__":
    worker.say = say
    worker.main()
