"""The runner alone, against a fake worker: starting, giving up, replacing, closing."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from studyapp.experiments.protocol import Cancelled, Done, Failed, Message, Ready, Request
from studyapp.experiments.runner import Runner, facts_from, run_sync
from tests.experiments.helpers import FAKE, SHORT, collect, exists, gone, points_of

ROOT = Path(__file__).parents[2]


async def start_failure(*words: str, ready_s: float = 20.0) -> Failed:
    async with Runner((*FAKE, *words), patience=replace(SHORT, ready_s=ready_s)) as runner:
        messages = await collect(runner, Request("1", "normal"))
    assert len(messages) == 1
    assert isinstance(messages[0], Failed)
    return messages[0]


async def test_a_worker_without_torch_says_so() -> None:
    failed = await start_failure("no_torch")

    assert (failed.run, failed.failure, failed.why) == ("1", "no_torch", "this python has no torch")


async def test_a_worker_that_dies_at_once_is_told_with_its_last_words() -> None:
    failed = await start_failure("dies")

    assert failed.failure == "start"
    assert "exit code 1" in failed.why
    assert failed.stderr == ["libgomp: Thread creation failed"]


async def test_a_worker_that_never_gets_ready_is_given_up() -> None:
    failed = await start_failure("never", ready_s=0.3)

    assert failed.failure == "timeout"


async def test_a_worker_of_another_version_is_refused_with_advice() -> None:
    failed = await start_failure("old")

    assert failed.failure == "version"
    assert "same version" in failed.why


async def test_a_command_that_does_not_exist_is_named() -> None:
    async with Runner(("/no/such/python",)) as runner:
        messages = await collect(runner, Request("1", "normal"))

    assert isinstance(messages[0], Failed)
    assert messages[0].failure == "start"
    assert "/no/such/python" in messages[0].why


async def test_e05_half_a_line_then_death_keeps_the_points_before_it() -> None:
    async with Runner(FAKE) as runner:
        messages = await collect(runner, Request("1", "half_a_line"))

    assert len(points_of(messages)) == 2
    assert isinstance(messages[-1], Failed)
    assert messages[-1].why == "The worker ended with exit code 7."


async def test_e05_a_failed_run_reports_the_last_twenty_lines_of_a_megabyte() -> None:
    async with Runner(FAKE) as runner:
        messages = await collect(runner, Request("1", "noise_then_crash"))

    assert isinstance(messages[-1], Failed)
    assert len(messages[-1].stderr) == 20
    assert messages[-1].stderr[-1] == "ValueError: on purpose"


async def test_messages_of_another_run_are_not_taken_for_this_one() -> None:
    async with Runner(FAKE) as runner:
        messages = await collect(runner, Request("mine", "stale"))

    assert {message.run for message in messages} == {"mine"}
    assert [point.x for point in points_of(messages)] == [1.0, 2.0, 4.0]


async def test_a_worker_that_ignores_its_limit_is_ended() -> None:
    async with Runner(FAKE, patience=SHORT) as runner:
        messages = await collect(runner, Request("1", "deaf", seconds=0.2, alarm_slack_s=0.2))

    assert isinstance(messages[-1], Failed)
    assert messages[-1].failure == "timeout"


async def test_a_worker_grown_heavy_is_replaced() -> None:
    async with Runner(FAKE) as runner:
        assert isinstance(await runner.start(), Ready)
        assert runner.child is not None
        pid = runner.child.pid

        assert isinstance((await collect(runner, Request("1", "heavy")))[-1], Done)
        assert isinstance((await collect(runner, Request("2", "normal")))[-1], Done)

        assert runner.child.pid != pid
        assert await gone(pid)


async def test_an_idle_worker_on_a_card_is_let_go_and_comes_back() -> None:
    async with Runner(FAKE, patience=replace(SHORT, idle_s=0.05)) as runner:
        assert isinstance((await collect(runner, Request("1", "on_a_card")))[-1], Done)
        assert runner.child is not None
        pid = runner.child.pid

        assert await gone(pid)
        assert isinstance((await collect(runner, Request("2", "normal")))[-1], Done)


async def test_a_worker_that_crashed_on_a_card_is_replaced() -> None:
    async with Runner(FAKE) as runner:
        assert isinstance(await runner.start(), Ready)
        assert runner.child is not None
        pid = runner.child.pid

        assert isinstance((await collect(runner, Request("1", "crash_on_a_card")))[-1], Failed)

        assert await gone(pid)
        assert isinstance((await collect(runner, Request("2", "normal")))[-1], Done)


async def test_an_idle_worker_on_a_cpu_is_kept() -> None:
    async with Runner(FAKE, patience=replace(SHORT, idle_s=0.01)) as runner:
        assert isinstance((await collect(runner, Request("1", "normal")))[-1], Done)
        assert runner.child is not None
        pid = runner.child.pid
        await asyncio.sleep(0.1)
        assert isinstance((await collect(runner, Request("2", "normal")))[-1], Done)

        assert runner.child.pid == pid


async def test_a_worker_killed_while_idle_is_replaced_at_the_next_run() -> None:
    async with Runner(FAKE) as runner:
        assert isinstance(await runner.start(), Ready)
        assert runner.child is not None
        os.kill(runner.child.pid, signal.SIGKILL)
        assert await gone(runner.child.pid)
        await asyncio.sleep(0.05)

        assert isinstance((await collect(runner, Request("1", "normal")))[-1], Done)


async def test_cancel_before_the_worker_is_ready_ends_the_run_at_once() -> None:
    async with Runner((*FAKE, "never")) as runner:
        run = asyncio.create_task(collect(runner, Request("1", "normal")))
        await asyncio.sleep(0.05)

        await runner.cancel()

        assert isinstance((await run)[-1], Cancelled)


async def test_c03_closing_during_a_run_leaves_no_process_and_ends_the_run() -> None:
    runner = Runner(FAKE)
    run = asyncio.create_task(collect(runner, Request("1", "deaf")))
    assert isinstance(await runner.start(), Ready)
    assert runner.child is not None
    pid = runner.child.pid
    await asyncio.sleep(0.1)

    await runner.close()

    assert not exists(pid)  # reaped, no zombie
    assert isinstance((await run)[-1], Cancelled)


async def test_c03_closing_while_the_worker_starts_leaves_no_process() -> None:
    runner = Runner((*FAKE, "never"))
    runner.preload()
    await asyncio.sleep(0.1)
    assert runner.child is not None
    pid = runner.child.pid

    await runner.close()

    assert not exists(pid)
    assert isinstance(await runner.start(), Failed)


async def test_closing_twice_or_unused_does_nothing() -> None:
    runner = Runner(FAKE)

    await runner.close()
    await runner.close()

    assert runner.child is None


def test_run_sync_hands_out_each_message_and_returns_the_last() -> None:
    heard: list[Message] = []

    last = run_sync(Request("1", "memory"), heard.append, command=FAKE)

    assert heard[-1] is last
    assert isinstance(last, Done)
    assert facts_from(last).why_cut == "stopped after time at 2: memory"


def test_importing_the_runner_and_the_catalog_loads_neither_torch_nor_claims() -> None:
    code = (
        "import sys, studyapp.experiments.runner, studyapp.experiments.catalog;"
        "print([m for m in sys.modules if m == 'torch' or '.claims.' in m or '.worker' in m])"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


async def test_a_run_that_needs_a_worker_to_itself_gets_one_and_leaves_none_behind() -> None:
    async with Runner(FAKE, patience=SHORT) as runner:
        await collect(runner, Request("1", "normal"))
        first = runner.child
        fresh = await collect(runner, Request("2", "normal", fresh=True))
        await collect(runner, Request("3", "normal"))
        third = runner.child

    assert isinstance(fresh[-1], Done)
    assert first is not None
    assert not exists(first.pid)
    assert third is not first
