"""What each setting takes: every setting's name, and how its text becomes a value."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from datetime import time
from pathlib import Path
from typing import Any

COLORS = ("auto", "never", "16", "256", "true")
THEMES = ("graphite", "paper", "sixteen")


def _on_off(text: str) -> bool:
    words = {
        "on": True,
        "true": True,
        "yes": True,
        "1": True,
        "off": False,
        "false": False,
        "no": False,
        "0": False,
    }
    try:
        return words[text.strip().lower()]
    except KeyError:
        raise ValueError("say on or off") from None


def _within(low: float, high: float, kind: Callable[[str], float] = float) -> Callable[[str], Any]:
    def parse(text: str) -> float:
        allowed = ValueError(f"a number from {low:g} to {high:g}")
        try:
            number = kind(text)
        except ValueError:
            raise allowed from None
        if not low <= number <= high:
            raise allowed
        return number

    return parse


def _choice(*names: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise ValueError("one of " + ", ".join(names))
        return text

    return parse


def _device(text: str) -> str:
    if text.partition(":")[0] not in ("auto", "cpu", "cuda", "mps", "xpu"):
        raise ValueError("auto, cpu, cuda, mps or xpu")
    return text


def _retentions(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        module, _, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not module.strip() or not 0.70 <= value <= 0.97:
            raise ValueError("module-id=number from 0.7 to 0.97, several with commas between")
        found[module.strip()] = value
    return found


def _clock_time(text: str) -> time:
    try:
        return time.fromisoformat(text if ":" in text else f"{int(text):02d}:00")
    except ValueError:
        raise ValueError("a time such as 04:00") from None


def _sqlite_file(text: str) -> Path:
    name = text.removeprefix("sqlite:///")
    if not name or "://" in name:
        raise ValueError("a path or sqlite:///PATH")
    return Path(name).expanduser().absolute()


def _paths(text: str) -> tuple[Path, ...]:
    return tuple(Path(part).expanduser() for part in text.split(os.pathsep) if part)


def _words(text: str) -> tuple[str, ...]:
    import shlex

    return tuple(shlex.split(text))


def _goal(text: str) -> str:
    from studyapp.core.goals import parse_goal  # half a millisecond of every start, where no goal was chosen

    return parse_goal(text).text


PARSERS: dict[str, Callable[[str], Any]] = {
    "db": _sqlite_file,
    "zone": str,
    "rollover": _clock_time,
    "retention": _within(0.70, 0.97),
    "retention_of": _retentions,
    "new_minutes": _within(0, 600),
    "reviews_per_day": _within(0, 100_000, int),
    "goal": _goal,
    "streak": _on_off,
    "learn_ahead_minutes": _within(0, 240),
    "timebox_minutes": _within(0, 240),
    "leech": _choice("tag", "suspend"),
    "buttons": lambda text: int(_choice("4", "2")(text)),
    "fuzz": _on_off,
    "release": _choice("section", "all"),
    "typed": _on_off,
    "theme": _choice("auto", *THEMES),
    "color": _choice(*COLORS),
    "ascii": _on_off,
    "plain": _on_off,
    "motion": _choice("full", "reduced", "none"),
    "device": _device,
    "gpu": _choice("ask", "never", "idle"),
    "time_limit": _within(1, 600),
    "worker_command": _words,
    "coin": _on_off,
    "worker_host": str,
    "worker_python": _words,
    "lessons": _paths,
    "editor": str,
    "sync": str,
    "far_command": _words,
    "ssh_command": _words,
    "now": str,
}
"""Every setting's name and how its text becomes a value."""
