"""On which device a run is made, and that a GPU is used only by somebody's leave, asked once for each machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from studyapp.core.errors import UsageError
from studyapp.experiments.protocol import Failed, Ready
from studyapp.experiments.runner import Runner
from studyapp.study.desk import Desk
from studyapp.study.devices import Settled, consent, host_key, keep_answer, settle, settled, wished
from tests.experiments.helpers import FAKE

CPU = Ready(devices=[{"type": "cpu", "count": 1, "name": "a CPU"}])
GPU = Ready(devices=[*CPU.devices, {"type": "cuda", "count": 1, "name": "a card"}])


@pytest.fixture
def desk(desk_of: Callable[..., Desk]) -> Desk:
    return desk_of()


def _far(desk: Desk) -> Desk:
    return dataclasses.replace(desk, options=dataclasses.replace(desk.options, worker_host="me@box"))


@pytest.mark.parametrize(
    ("gpu", "device", "remembered", "expected"),
    [
        ("ask", "auto", None, "ask"),
        ("ask", "auto", "yes", "auto"),
        ("ask", "auto", "no", "cpu"),
        ("idle", "auto", None, "auto"),
        ("idle", "auto", "no", "cpu"),
        ("never", "auto", "yes", "cpu"),
        ("never", "cuda:1", "no", "cuda:1"),  # to name a device is consent in itself
    ],
)
def test_consent_comes_from_the_setting_the_answer_or_a_device_named(
    gpu: str, device: str, remembered: str | None, expected: str
) -> None:
    assert consent(gpu, device, remembered) == expected


def test_a_device_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="There is no device 'tpu'"):
        consent("ask", "tpu", None)


@pytest.mark.parametrize(
    ("wish", "greeting", "expected"),
    [
        ("ask", CPU, Settled("cpu", "cpu")),
        ("ask", GPU, Settled("cpu", "cpu", must_ask=True)),
        ("ask", Failed(why="no torch"), Settled("cpu", "cpu")),
        ("ask", None, Settled("cpu", "cpu")),
        ("auto", CPU, Settled("auto", "cpu")),
        ("auto", GPU, Settled("auto", "cuda")),  # left to the worker: a card that fails gives way to the CPU
        ("cpu", GPU, Settled("cpu", "cpu")),
        ("cuda", CPU, Settled("cuda", "cuda")),
    ],
)
def test_a_run_stays_on_the_cpu_until_its_gpu_was_asked_about(
    wish: str, greeting: Ready | Failed | None, expected: Settled
) -> None:
    assert settled(wish, greeting) == expected


def test_an_answer_counts_for_the_machine_that_measures_alone(desk: Desk) -> None:
    keep_answer(_far(desk), True)

    assert wished(_far(desk), "ask", "auto") == "auto"
    assert wished(desk, "ask", "auto") == "ask"

    keep_answer(desk, False)

    assert wished(desk, "ask", "auto") == "cpu"
    assert wished(_far(desk), "ask", "auto") == "auto"


async def test_the_worker_says_what_devices_there_are(desk: Desk) -> None:
    async with Runner((*FAKE, "card")) as runner:
        unasked = await settle(desk, runner, "ask", "auto")
        idle = await settle(desk, runner, "idle", "auto")

    assert unasked == Settled("cpu", "cpu", must_ask=True)
    assert idle == Settled("auto", "cuda")


def test_a_machine_is_known_by_its_name_without_the_users() -> None:
    assert host_key("me@box") == host_key("box") == "gpu:box"
    assert host_key() != host_key("box")
