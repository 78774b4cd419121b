"""What the tests of runner and worker share: commands, collecting a run, looking at processes."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from studyapp.core.points import Point
from studyapp.experiments.child import DEFAULT_COMMAND
from studyapp.experiments.listening import Patience
from studyapp.experiments.protocol import Message, PointMessage, Request
from studyapp.experiments.runner import Runner

HERE = Path(__file__).parent
FAKE = (sys.executable, str(HERE / "fake_worker.py"))
REAL = (*DEFAULT_COMMAND, "--foreign")
SHORT = replace(Patience(), slack_s=1.0, cancel_s=0.8)
"""Less silence than usual, so that a hang costs a test little; more time to cancel, for a crowded test machine."""
GONE_WITHIN_S = 2.0


async def collect(runner: Runner, request: Request) -> list[Message]:
    """Run to the end; return every message."""
    async with aclosing(runner.run(request)) as messages:
        return [message async for message in messages]


def points_of(messages: list[Message]) -> list[Point]:
    return [message.point for message in messages if isinstance(message, PointMessage)]


def runs(pid: int) -> bool:
    """Whether a process exists and is no zombie of someone else."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


def exists(pid: int) -> bool:
    """Whether a process id is taken, zombies included: ours must be reaped."""
    return Path(f"/proc/{pid}").exists()


async def gone(pid: int) -> bool:
    """Whether a process ends within two seconds."""
    for _ in range(int(GONE_WITHIN_S / 0.02)):
        if not runs(pid):
            return True
        await asyncio.sleep(0.02)
    return not runs(pid)
