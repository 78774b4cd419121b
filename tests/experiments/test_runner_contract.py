"""What every worker must answer to the runner: one suite for the fake worker and the real one."""

from __future__ import annotations

import asyncio
import math
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from studyapp.core.points import latest
from studyapp.experiments.protocol import Cancelled, Done, Failed, PointMessage, Ready, Refused, Request, Started
from studyapp.experiments.runner import facts_from
from tests.experiments.helpers import collect, gone, points_of

if TYPE_CHECKING:
    from tests.experiments.conftest import Bench

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def pid_of(bench: Bench) -> int:
    assert isinstance(await bench.runner.start(), Ready)
    assert bench.runner.child is not None
    return bench.runner.child.pid


async def test_a_run_starts_streams_points_and_ends_with_done(bench: Bench) -> None:
    messages = await collect(bench.runner, Request("run-1", bench.name("normal"), device="cpu"))

    kinds = [message.kind for message in messages]
    assert kinds[0] == "started"
    assert set(kinds[1:-1]) == {"point"}
    assert kinds[-1] == "done"
    assert {message.run for message in messages} == {"run-1"}
    assert [point.x for point in latest(points_of(messages))] == [1.0, 2.0, 4.0]


async def test_facts_come_with_done(bench: Bench) -> None:
    done = (await collect(bench.runner, Request("facts", bench.name("normal"))))[-1]

    assert isinstance(done, Done)
    facts = facts_from(done, {"size": 32})
    assert (facts.device, facts.threads, facts.controls) == ("cpu", 1, {"size": 32})
    assert facts.cores >= 1
    assert facts.device_name
    assert not facts.cut_short


async def test_e04_cancel_between_points_keeps_the_worker(bench: Bench) -> None:
    pid = await pid_of(bench)

    async with aclosing(bench.runner.run(Request("c", bench.name("endless")))) as messages:
        async for message in messages:
            if isinstance(message, PointMessage):
                cancelling = asyncio.create_task(bench.runner.cancel())
                break
        last = [message async for message in messages][-1]
    await cancelling

    assert isinstance(last, Cancelled)
    assert not last.killed
    assert await pid_of(bench) == pid


async def test_e04_cancel_of_a_deaf_worker_kills_it_and_the_next_run_works(bench: Bench) -> None:
    pid = await pid_of(bench)

    async with aclosing(bench.runner.run(Request("deaf", bench.name("deaf")))) as messages:
        async for message in messages:
            if isinstance(message, PointMessage):
                await asyncio.sleep(0.2)  # until it is deaf: right after a point, it still listens
                cancelling = asyncio.create_task(bench.runner.cancel())
                break
        last = [message async for message in messages][-1]
    await cancelling

    assert isinstance(last, Cancelled)
    assert last.killed
    assert await gone(pid)
    again = await collect(bench.runner, Request("next", bench.name("normal")))
    assert isinstance(again[-1], Done)
    assert await pid_of(bench) != pid


async def test_e04_two_quick_cancels_end_one_run_and_the_next_starts_at_once(bench: Bench) -> None:
    run = asyncio.create_task(collect(bench.runner, Request("twice", bench.name("endless"))))
    await asyncio.sleep(0.05)

    await asyncio.gather(bench.runner.cancel(), bench.runner.cancel())
    again = await collect(bench.runner, Request("after", bench.name("normal")))

    assert [message.kind for message in await run].count("cancelled") == 1
    assert isinstance(again[-1], Done)
    assert {message.run for message in again} == {"after"}


async def test_e04_leaving_the_loop_early_cancels_the_run(bench: Bench) -> None:
    async with aclosing(bench.runner.run(Request("left", bench.name("endless")))) as messages:
        async for message in messages:
            if isinstance(message, PointMessage):
                break

    again = await collect(bench.runner, Request("after-leaving", bench.name("normal")))

    assert isinstance(again[-1], Done)


async def test_e04_a_cancelled_caller_cancels_the_run(bench: Bench) -> None:
    caller = asyncio.create_task(collect(bench.runner, Request("caller", bench.name("endless"))))
    await asyncio.sleep(0.1)

    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller

    again = await collect(bench.runner, Request("after-caller", bench.name("normal")))
    assert isinstance(again[-1], Done)


async def test_a_crash_is_told_with_its_last_words_and_the_worker_lives_on(bench: Bench) -> None:
    pid = await pid_of(bench)

    messages = await collect(bench.runner, Request("crash", bench.name("crash")))

    last = messages[-1]
    assert isinstance(last, Failed)
    assert (last.failure, last.why) == ("crashed", "ValueError: on purpose")
    assert any("ValueError: on purpose" in line for line in last.stderr)
    assert len(points_of(messages)) == 1
    assert await pid_of(bench) == pid


async def test_a_segmentation_fault_is_noticed_and_a_fresh_worker_takes_over(bench: Bench) -> None:
    pid = await pid_of(bench)

    messages = await collect(bench.runner, Request("segv", bench.name("segfault")))

    last = messages[-1]
    assert isinstance(last, Failed)
    assert last.failure == "died"
    assert "SIGSEGV" in last.why
    assert len(points_of(messages)) == 1
    assert await pid_of(bench) != pid


async def test_e04_a_hanging_worker_is_ended_with_all_it_started(bench: Bench) -> None:
    pid = await pid_of(bench)

    messages = await collect(bench.runner, Request("hang", bench.name("hang"), seconds=0.2))

    last = messages[-1]
    assert isinstance(last, Failed)
    assert last.failure == "timeout"
    assert await gone(pid)
    for point in points_of(messages):
        if point.series == "child":
            assert await gone(int(point.x))


async def test_e05_noise_on_every_channel_leaves_the_points_intact(bench: Bench) -> None:
    messages = await collect(bench.runner, Request("noise", bench.name("noise"), device="cpu"))

    assert isinstance(messages[-1], Done)
    assert [point.x for point in points_of(messages)] == [1.0, 1.0, 2.0, 4.0]
    assert bench.runner.child is not None
    noise = bench.runner.child.noise
    assert noise == 0 if bench.kind == "real" else noise >= 6  # the real one keeps the wire clean
    assert bench.runner.child.last_words()[-1].startswith("noise on stderr, line 19999")
    assert len(bench.runner.child.last_words()) == 20


async def test_e05_e09_nan_and_infinity_arrive_as_points_that_are_not_finite(bench: Bench) -> None:
    messages = await collect(bench.runner, Request("nan", bench.name("nan")))

    assert isinstance(messages[-1], Done)
    assert [point.finite for point in points_of(messages)] == [False, False, True]
    assert all(point.y is None or math.isfinite(point.y) or math.isinf(point.y) for point in points_of(messages))


async def test_out_of_memory_keeps_the_points_and_says_where_it_stopped(bench: Bench) -> None:
    messages = await collect(bench.runner, Request("oom", bench.name("memory")))

    done = messages[-1]
    assert isinstance(done, Done)
    assert [point.x for point in points_of(messages)] == [1.0, 2.0]
    assert facts_from(done).cut_short
    assert facts_from(done).why_cut == "stopped after time at 2: memory"


async def test_what_does_not_fit_is_refused_before_it_begins(bench: Bench) -> None:
    messages = await collect(bench.runner, Request("big", bench.name("refused")))

    assert [message.kind for message in messages] == ["refused"]
    assert isinstance(messages[0], Refused)
    assert "free" in messages[0].why


async def test_runs_asked_for_together_take_turns(bench: Bench) -> None:
    first, second = await asyncio.gather(
        collect(bench.runner, Request("a", bench.name("normal"))),
        collect(bench.runner, Request("b", bench.name("normal"))),
    )

    assert {message.run for message in first} == {"a"}
    assert {message.run for message in second} == {"b"}
    assert isinstance(first[-1], Done)
    assert isinstance(second[-1], Done)


async def test_a_preloaded_worker_takes_the_next_run(bench: Bench) -> None:
    bench.runner.preload()
    pid = await pid_of(bench)

    messages = await collect(bench.runner, Request("pre", bench.name("normal")))

    assert isinstance(messages[0], Started)
    assert await pid_of(bench) == pid
    assert replace(messages[0], run=None).run is None
