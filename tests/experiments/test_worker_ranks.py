"""Several processes for one experiment: what comes back, and that none of them stays."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from studyapp.core.points import Point
from studyapp.experiments.child import PACKAGE_HOME
from studyapp.experiments.protocol import (
    Cancelled,
    Done,
    Failed,
    PointMessage,
    Request,
)
from studyapp.experiments.runner import Runner
from studyapp.experiments.wire import decode, encode
from studyapp.experiments.worker import ranks
from studyapp.experiments.worker.lab import RealLab
from tests.experiments.helpers import REAL, collect, gone, points_of, runs

MANY = "tests.experiments.many"


def a_torch(cards: int) -> Any:
    return SimpleNamespace(accelerator=SimpleNamespace(device_count=lambda: cards))


def a_lab(cards: int, kind: str, **more: Any) -> RealLab:
    return RealLab(a_torch(cards), SimpleNamespace(type=kind), **more)


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect how processes would be started."""
    found: list[Any] = []
    monkeypatch.setattr(ranks, "forked", lambda work, count, given, over: found.append(("forked", count)))
    monkeypatch.setattr(ranks, "torchrun", lambda argv, over: found.append(argv))
    return found


def work(rank: Any, size: int) -> Iterator[Point]:
    yield Point("x", 0, size)


def test_one_accelerator_each_means_torchrun(launched: list[Any]) -> None:
    lab = a_lab(2, "cuda")
    lab.ranks(work, 2, size=8)

    argv = launched[0]
    assert not lab.ranks_on_cpu
    assert argv[1:6] == ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    assert argv[-3:] == [f"{__name__}:work", "cuda", '{"size": 8}']


@pytest.mark.parametrize(("cards", "kind"), [(0, "cpu"), (1, "cuda")])
def test_too_few_accelerators_mean_processes_on_the_cpu(launched: list[Any], cards: int, kind: str) -> None:
    lab = a_lab(cards, kind)
    lab.ranks(work, 2, size=8)

    assert launched == [("forked", 2)]
    assert lab.ranks_on_cpu  # and the run then says cpu: a CPU never passes for the card it began on


def test_named_processes_and_hosts_are_passed_through_to_torchrun(launched: list[Any]) -> None:
    a_lab(0, "cpu", nproc=3, nnodes=2).ranks(work, 2, size=8)

    argv = launched[0]
    assert argv[3:7] == ["--nnodes", "2", "--nproc-per-node", "3"]
    assert argv[-2] == "cpu"
    assert "--standalone" not in argv  # the PET_* variables say where hosts meet


@pytest.mark.parametrize("kind", ["cpu", "cuda"])
def test_more_named_processes_than_cards_run_on_the_cpu(launched: list[Any], kind: str) -> None:
    a_lab(2 if kind == "cuda" else 0, kind, nproc=4).ranks(work, 2, size=8)

    assert launched[0][-2] == "cpu"


def stubborn() -> subprocess.Popen[bytes]:
    """Start a process that ignores SIGTERM."""
    script = 'trap "" TERM; echo ready; while :; do sleep 0.05; done'
    process = subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def test_e04_a_torchrun_that_ignores_sigterm_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "TERM_S", 0.1)
    process = stubborn()

    ranks.end(process)

    assert process.returncode == -signal.SIGKILL


def test_e04_a_torchrun_that_listens_gets_its_sigterm() -> None:
    process = subprocess.Popen(["sleep", "600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    ranks.end(process)

    assert process.returncode == -signal.SIGTERM


# -- for real ---------------------------------------------------------------------------------------------------

real = pytest.mark.torch
either = pytest.mark.parametrize("nproc", [None, 2], ids=["gloo", "torchrun"])


def request(name: str, nproc: int | None = None) -> Request:
    return Request("r", f"{MANY}:{name}", device="cpu", nproc=nproc, seconds=60.0)


@real
@either
async def test_only_rank_0_is_heard_and_ranks_reach_each_other(nproc: int | None) -> None:
    async with Runner(REAL) as runner:
        messages = await collect(runner, request("GREETING", nproc))

    assert isinstance(messages[-1], Done), messages[-1]
    assert [(p.series, p.y) for p in points_of(messages)] == [("world", 2.0), ("sum", 8.0)]


@real
async def test_a_failing_rank_is_named_with_its_reason_and_the_worker_lives_on() -> None:
    async with Runner(REAL) as runner:
        failed = (await collect(runner, request("FAILING")))[-1]
        again = (await collect(runner, request("GREETING")))[-1]

    assert isinstance(failed, Failed)
    assert "rank 1: ValueError: on purpose" in failed.why
    assert isinstance(again, Done)


@real
def test_a_rank_that_vanishes_is_noticed() -> None:
    from tests.experiments.many import vanish

    with pytest.raises(ranks.RanksError, match="without a word"):
        list(ranks.forked(vanish, 2, {}, lambda: False))


@real
@either
async def test_e04_nothing_stays_two_seconds_after_a_cancel(nproc: int | None) -> None:
    async with Runner(REAL) as runner:
        pids = []
        async with aclosing(runner.run(request("LINGERING", nproc))) as messages:
            async for message in messages:
                if isinstance(message, PointMessage):
                    pids.append(int(message.point.y or 0))
                    if len(pids) == 2:
                        cancelling = asyncio.create_task(runner.cancel())
                last = message
        await cancelling

        assert isinstance(last, Cancelled)
        assert [await gone(pid) for pid in pids] == [True, True]


def lingering_worker(nproc: int | None) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Start a worker without a runner; return it and its ranks' process ids."""
    process = subprocess.Popen(
        REAL,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=PACKAGE_HOME,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(encode(request("LINGERING", nproc)))
    process.stdin.flush()
    pids: list[int] = []
    while len(pids) < 2:
        message = decode(process.stdout.readline())
        if isinstance(message, PointMessage):
            pids.append(int(message.point.y or 0))
    return process, pids


def parent_of(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    return int(stat.rsplit(")", 1)[1].split()[1])


@real
@either
async def test_e04_kill_9_of_the_worker_takes_its_ranks_along(nproc: int | None) -> None:
    process, pids = lingering_worker(nproc)
    with process:
        assert all(map(runs, pids))

        process.kill()

        assert [await gone(pid) for pid in pids] == [True, True]


@real
async def test_e04_kill_9_of_torchrun_takes_its_ranks_along_and_is_told() -> None:
    process, pids = lingering_worker(2)
    with process:
        assert process.stdout is not None
        assert {os.getsid(pid) for pid in pids}.isdisjoint({process.pid})  # why the group's kill is not enough

        os.kill(parent_of(pids[0]), signal.SIGKILL)

        assert [await gone(pid) for pid in pids] == [True, True]
        end = decode(process.stdout.readline())
        process.kill()
    assert isinstance(end, Failed)
    assert "torchrun" in end.why
