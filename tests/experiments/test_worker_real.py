"""The real worker beyond the common suite: limits, death of the parent, its environment, broken torches."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from studyapp.experiments.child import MODULE, PACKAGE_HOME
from studyapp.experiments.protocol import (
    Cancelled,
    Done,
    Failed,
    Message,
    PointMessage,
    Ready,
    Request,
    Warm,
)
from studyapp.experiments.runner import Runner, facts_from
from studyapp.experiments.wire import decode, encode
from studyapp.experiments.worker.start import OLDEST, too_old
from tests.conftest import ROOT
from tests.experiments.helpers import REAL, collect, gone, points_of, runs

if TYPE_CHECKING:
    from tests.experiments.conftest import Bench

pytestmark = [pytest.mark.torch, pytest.mark.asyncio(loop_scope="module")]


@contextmanager
def raw_worker(request: Request) -> Iterator[subprocess.Popen[bytes]]:
    """Start a worker without a runner and send it one request."""
    with subprocess.Popen(
        REAL,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=PACKAGE_HOME,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(encode(request))
        process.stdin.flush()
        try:
            yield process
        finally:
            process.kill()


async def test_e04_code_that_holds_the_gil_is_ended_by_the_alarm(real: Bench) -> None:
    request = Request("gil", real.name("gil"), device="cpu", seconds=0.2, alarm_slack_s=0.3)

    with raw_worker(request) as process:
        assert process.wait(timeout=30) == -signal.SIGALRM


async def test_the_runner_calls_the_alarm_a_time_limit(real: Bench) -> None:
    request = Request("gil", real.name("gil"), device="cpu", seconds=0.2, alarm_slack_s=0.0)

    last = (await collect(real.runner, request))[-1]

    assert isinstance(last, Failed)
    assert last.failure == "timeout"


async def test_e04_every_line_on_the_wire_is_a_message_and_the_end_of_input_ends_the_worker(real: Bench) -> None:
    with raw_worker(Request("noise", real.name("noise"), device="cpu")) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        messages: list[Message | None] = []
        while not messages or not isinstance(messages[-1], Done):
            messages.append(decode(process.stdout.readline()))
        process.stdin.close()

        assert None not in messages
        assert process.stdout.read() == b""
        process.wait(timeout=5)


PARENT = """
import asyncio, sys
from studyapp.experiments.protocol import Request
from studyapp.experiments.runner import Runner
async def main():
    runner = Runner(sys.argv[2:])
    async for message in runner.run(Request("1", sys.argv[1], device="cpu")):
        if message.kind == "point":
            print(runner.child.pid, int(message.point.x), flush=True)
asyncio.run(main())
"""


@pytest.mark.parametrize("behaviour", ["deaf", "brood"])
async def test_e04_kill_9_of_the_parent_takes_the_worker_along(real: Bench, behaviour: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, real.name(behaviour), *REAL],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=PACKAGE_HOME,
    ) as parent:
        assert parent.stdout is not None
        worker, child = (int(word) for word in parent.stdout.readline().split())
        assert runs(worker)

        parent.kill()

        assert await gone(worker)
        assert behaviour != "brood" or await gone(child)


async def test_e04_kill_9_of_the_worker_takes_along_what_it_started(real: Bench) -> None:
    with raw_worker(Request("brood", real.name("brood"), device="cpu")) as process:
        assert process.stdout is not None
        message: Message | None = None
        while not isinstance(message, PointMessage):
            message = decode(process.stdout.readline())
        assert runs(int(message.point.x))

        process.kill()

        assert await gone(int(message.point.x))


async def test_descriptors_0_and_1_lead_away_from_the_wire(real: Bench) -> None:
    points = points_of(await collect(real.runner, Request("fds", real.name("surroundings"))))

    assert {point.series: point.y for point in points} == {"stdin": 1.0, "stdout": 1.0}


async def test_threads_are_put_back_after_a_run(real: Bench) -> None:
    two = await collect(real.runner, Request("two", real.name("two_threads"), device="cpu"))
    one = await collect(real.runner, Request("one", real.name("one_thread"), device="cpu"))

    assert [point.y for point in points_of(two)] == [2.0]
    assert [point.y for point in points_of(one)] == [1.0]


async def test_the_runs_own_memory_limit_stops_an_experiment_that_does_not_look(real: Bench) -> None:
    messages = await collect(real.runner, Request("greedy", real.name("greedy"), device="cpu", memory_mb=500))
    again = await collect(real.runner, Request("again", real.name("normal"), device="cpu"))

    done = messages[-1]
    assert isinstance(done, Done)
    assert facts_from(done).why_cut == "stopped after time at 1: memory"
    assert isinstance(again[-1], Done)


async def test_the_deadline_cuts_a_run_short_between_points_and_inside_rounds(real: Bench) -> None:
    for behaviour in ("endless", "endless_rounds"):
        messages = await collect(real.runner, Request(behaviour, real.name(behaviour), seconds=0.2))

        done = messages[-1]
        assert isinstance(done, Done)
        assert facts_from(done).cut_short
        assert "time limit of 0.2 s" in facts_from(done).why_cut


async def test_cancel_is_heard_inside_rounds(real: Bench) -> None:
    async with aclosing(real.runner.run(Request("inside", real.name("endless_rounds")))) as messages:
        async for message in messages:
            if isinstance(message, PointMessage):
                cancelling = asyncio.create_task(real.runner.cancel())
                break
        last = [message async for message in messages][-1]
    await cancelling

    assert isinstance(last, Cancelled)
    assert not last.killed


async def test_wrong_words_are_answered_in_words(real: Bench) -> None:
    unknown = (await collect(real.runner, Request("u", "small-nat")))[-1]
    control = (await collect(real.runner, Request("c", real.name("normal"), controls={"size": 1e9})))[-1]
    missing = (await collect(real.runner, Request("m", real.name("no_such_toy"))))[-1]

    assert isinstance(unknown, Failed)
    assert isinstance(control, Failed)
    assert isinstance(missing, Failed)
    assert (unknown.failure, control.failure, missing.failure) == ("usage", "usage", "usage")
    assert "Did you mean small-net" in unknown.why
    assert "size must be from 16 to 64" in control.why


async def test_e01_a_device_that_is_not_there_is_refused_in_one_line(real: Bench) -> None:
    messages = await collect(real.runner, Request("d", real.name("normal"), device="xpu"))

    assert [message.kind for message in messages] == ["refused"]
    assert "\n" not in messages[0].why  # type: ignore[attr-defined]


async def test_modules_an_experiment_names_are_imported_once_and_before_it_starts(real: Bench) -> None:
    first = await collect(real.runner, Request("d1", real.name("dynamo"), device="cpu"))
    second = await collect(real.runner, Request("d2", real.name("dynamo"), device="cpu"))

    assert [message.kind for message in first] == ["warm", "started", "point", "done"]
    assert isinstance(first[0], Warm)
    assert first[0].what == "torch._dynamo"
    assert [message.kind for message in second] == ["started", "point", "done"]


async def greeting(command: tuple[str, ...] = REAL, **environ: str) -> Ready | Failed:
    async with Runner(command, environ={**os.environ, **environ}) as runner:
        return await runner.start()


async def test_e06_a_wish_for_more_threads_than_cores_wins_with_a_notice() -> None:
    ready = await greeting(OMP_NUM_THREADS="64")

    assert isinstance(ready, Ready)
    assert (ready.cores, ready.threads) == (64, 1)
    assert "64 threads" in ready.notices[0]


async def test_e01_an_interpreter_without_torch_says_so() -> None:
    failed = await greeting((sys.executable, "-S", "-m", MODULE))

    assert isinstance(failed, Failed)
    assert failed.failure == "no_torch"
    assert sys.executable in failed.why


async def test_g05_a_torch_that_is_too_old_is_named_with_what_is_needed(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("__version__ = '2.5.1+cu121'", encoding="utf-8")

    failed = await greeting(PYTHONPATH=str(tmp_path))

    assert isinstance(failed, Failed)
    assert (failed.failure, failed.why) == ("torch_broken", "torch 2.5.1+cu121 is too old: 2.6 or newer is needed")
    assert f'"torch>={OLDEST}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert [too_old(v) for v in ("1.13.1", "2.6.0", "2.13.0+cpu", "3.0.0a0", "main")] == [True] + 4 * [False]


async def test_e01_a_torch_that_fails_to_import_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(
        "raise ImportError('libcudart.so.12: cannot open shared object file\\nmore')", encoding="utf-8"
    )

    failed = await greeting(PYTHONPATH=str(tmp_path))

    assert isinstance(failed, Failed)
    assert failed.failure == "torch_broken"
    assert failed.why == "torch cannot be imported: libcudart.so.12: cannot open shared object file"
