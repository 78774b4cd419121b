"""Why a script in the dock ended before all was found: a sentence, what to do, the exit code."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studyapp.study.docked_words import HOOK, KINDS

LAST_LINES = 6
NO_LOOP = f"Loops that call an optimizer's step in the script's own process are seen; others need the hook. {HOOK}"
GPU_WORDS = re.compile(
    r"not compiled with CUDA|No CUDA GPUs|NVIDIA driver|CUDA is not available|deserialize object on a CUDA", re.I
)
"""How torch says that there is no GPU."""
BY_ITSELF = "Run it by itself first: the dock is for a script that runs."


@dataclass(frozen=True)
class Ending:
    """How a script ended."""

    message: str
    hint: str
    code: int
    """The exit code where nothing was found."""
    lines: Sequence[str] = ()
    """The script's last lines, where they say more."""


def ending(
    script: str, said: Mapping[str, Any], ended: Mapping[str, Any], *, limit_s: float, measuring: str
) -> Ending:
    """Return why the script ended before all was found.

    Args:
        script: Its name.
        said: The last message of each kind that the script's process sent.
        ended: The supervisor's message.
        limit_s: The time limit.
        measuring: The finding that was being made, or "".
    """
    printed = [str(line) for line in ended.get("last_lines", [])][-LAST_LINES:]
    during = f" while measuring: {KINDS[measuring].title.lower()}" if measuring in KINDS else ""
    how = ended.get("how")
    if how == "limit":
        hint = "Give it more time with --limit, or fewer steps with --steps." if during else NO_LOOP
        where = during or " without a training step that the dock could use"
        return Ending(f"{script} was ended at the limit of {limit_s:g} s{where}.", hint, 4, printed)
    if "failed" in said:
        hint = "Install torch there, or name another interpreter: worker_command."
        return Ending(f"{said['failed'].get('why')}.", hint, 4)
    if "crashed" in said:
        return _crashed(script, said["crashed"], during)
    if how == "closed":
        hint = "Leave them open: a script that closes all files up to a number closes those too."
        return Ending(f"{script} closed its descriptors, the dock's among them{during}.", hint, 4, printed)
    if how == "signal":
        name = _signal(int(ended.get("signal", 0)))
        hint = "Memory may have run out." if name == "SIGKILL" else "Run it by itself to see more."
        return Ending(f"{script} was ended by {name}{during}.", hint, 4, printed)
    left = said.get("left", {})
    code = int(left.get("code", ended.get("code", 0)))
    if during or left.get("begun"):
        hint = "Let it take more steps, or ask for fewer with --steps."
        return Ending(f"The training loop of {script} ended{during or ' too soon'}.", hint, 1)
    return _failed(script, left, code, printed) if code else _done(script, left)


def _crashed(script: str, crash: Mapping[str, Any], during: str) -> Ending:
    why, where = str(crash.get("why", "")), str(crash.get("where", ""))
    path, _, line = where.rpartition(":")
    place = f" at {Path(path).name}:{line}" if path else ""
    hint = BY_ITSELF
    if GPU_WORDS.search(why):
        hint = "It wants a GPU, and torch finds none here. If it takes a device as an argument, give it cpu."
    elif crash.get("type") == "EOFError":
        hint = "It asks for input; in the dock there is none. Give it as arguments."
    elif crash.get("type") == "ModuleNotFoundError":
        hint = "The dock uses the worker's interpreter; name the one your script needs: worker_command."
    lines = [str(entry) for entry in crash.get("lines", [])]
    return Ending(f"{script} failed{place}{during}: {why}", hint, 4, lines)


def _failed(script: str, left: Mapping[str, Any], code: int, printed: Sequence[str]) -> Ending:
    if code == 2:  # argparse's
        hint = f"Give them after its name: studyapp trial {script} --epochs 1"
        return Ending(f"{script} ended with exit code 2: it may want arguments.", hint, 2, printed)
    why = f" ({left['why']})" if left.get("why") else ""
    return Ending(
        f"{script} ended with exit code {code}{why} before a training step was seen.", BY_ITSELF, 4, printed
    )


def _done(script: str, left: Mapping[str, Any]) -> Ending:
    if not left:
        return Ending(f"{script} ended by os._exit before a training step was seen.", NO_LOOP, 1)
    if not left.get("torch"):
        hint = "Name a script that trains with torch."
        return Ending(f"No training loop was found: {script} ended without importing torch.", hint, 1)
    count = int(left.get("updates", 0))
    if count:
        steps = "1 training step" if count == 1 else f"{count} training steps"
        hint = "Let it take more steps: the dock watches a few before it measures."
        return Ending(f"{script} ended after {steps}, too few to measure.", hint, 1)
    return Ending(f"No training loop was found in {script}: no optimizer took a step.", NO_LOOP, 1)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
