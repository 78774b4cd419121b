"""Processes beside the worker: they answer, and none survives a cancel, a crash or the worker itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from studyapp.experiments import catalog
from studyapp.experiments.protocol import PointMessage, Request
from tests.conftest import ROOT
from tests.experiments.helpers import gone, runs

if TYPE_CHECKING:
    from tests.experiments.conftest import Bench

pytestmark = [pytest.mark.torch, pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")]

CREW = """
import os, signal, time
from studyapp.experiments.processes import crew
with crew(2, pow, 2) as members:
    pids = members.pids
    print(members.answers([3, 5]), members.answers([10]), len(set(pids)))
    os.kill(pids[0], signal.SIGKILL)
    try:
        members.answers([1, 1])
    except RuntimeError as error:
        print(error)
time.sleep(0.2)  # its parent, the fork server, has to notice
print([os.path.exists(f"/proc/{pid}") for pid in pids])
"""


def test_a_crew_answers_in_turn_says_who_is_missing_and_ends_with_its_block() -> None:
    command = [sys.executable, "-W", "ignore", "-c", CREW]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert done.stdout.splitlines() == [
        "[8, 32] [1024] 2",
        "a process that was to help has ended",
        "[False, False]",
    ]


def helpers_of(worker: int) -> list[int]:
    """Return the processes that the worker's fork server has started."""
    servers = [pid for pid in children_of(worker) if b"forkserver" in command_of(pid)]
    return [pid for server in servers for pid in children_of(server)]


def children_of(parent: int) -> list[int]:
    tasks = Path(f"/proc/{parent}/task").glob("*/children")
    return [int(word) for path in tasks for word in path.read_text(encoding="ascii").split()]


def command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("ending", ["cancel", "kill -9 of the worker"])
@pytest.mark.parametrize("name", ["loader-workers", "decode-workers"])
async def test_e04_no_process_of_a_run_survives_its_end_by_two_seconds(
    real: Bench, name: str, ending: str
) -> None:
    request = Request("run", name, catalog.experiment(name).parse_controls({}), device="cpu")
    helpers: list[int] = []

    async with aclosing(real.runner.run(request)) as messages:
        async for message in messages:
            child = real.runner.child
            if isinstance(message, PointMessage) and message.point.x >= 1 and child is not None and not helpers:
                helpers = helpers_of(child.pid)
                if helpers and ending == "cancel":
                    break
                if helpers:
                    os.kill(child.pid, signal.SIGKILL)

    assert helpers
    assert all([await gone(pid) for pid in helpers])


@pytest.mark.asyncio(loop_scope="module")
async def test_the_worker_goes_on_after_runs_with_processes(real: Bench) -> None:
    request = Request("again", "decode-workers", {"pictures": 1}, device="cpu")

    heard = [message async for message in real.runner.run(request)]

    assert heard[-1].kind == "done"
    assert real.runner.child is not None
    assert not [pid for pid in helpers_of(real.runner.child.pid) if runs(pid)]
