"""Which device a run is made on, on which machine, and whether the learner lets its GPU be used."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studyapp.core.errors import UsageError
from studyapp.experiments.protocol import Failed, Ready

if TYPE_CHECKING:
    from studyapp.experiments.runner import Runner
    from studyapp.study.desk import Desk

ACCELERATORS = ("cuda", "mps", "xpu")


def consent(settings_gpu: str, device: str, remembered: str | None) -> str:
    """Return the device to ask the worker for.

    Args:
        settings_gpu: The setting `gpu`: ask, never or idle.
        device: The setting or flag `device`; anything but "auto" is consent in itself.
        remembered: What the learner answered on this host: "yes", "no" or None.

    Returns:
        "auto", "cpu", or "ask" when the learner must be asked first.

    Raises:
        UsageError: If the device is none we know.
    """
    kind = device.partition(":")[0]
    if kind not in ("auto", "cpu", *ACCELERATORS):
        raise UsageError(f"There is no device {device!r}.", "Use auto, cpu, cuda, mps or xpu.")
    if device != "auto":
        return device
    if settings_gpu == "never" or remembered == "no":
        return "cpu"
    return "auto" if settings_gpu == "idle" or remembered == "yes" else "ask"


def actual_device(wanted: str, devices: Sequence[Mapping[str, Any]]) -> str:
    """Return the device type a run will be made on.

    Args:
        wanted: "auto" or a device.
        devices: What the worker reported in its greeting.
    """
    if wanted != "auto":
        return wanted
    return next((str(device["type"]) for device in devices if device.get("type") != "cpu"), "cpu")


def short_host(host: str) -> str:
    """Return a machine's name without the user's.

    >>> short_host("me@box")
    'box'
    """
    return host.rpartition("@")[2]


def host_key(host: str = "") -> str:
    """Return the key under which the answer for a machine is remembered; without a name, for this one."""
    return f"gpu:{short_host(host) or os.uname().nodename}"


@dataclass(frozen=True)
class Settled:
    """Where a run is made."""

    wanted: str
    """What the worker is asked for; "auto" leaves it to fall back on the CPU from a device that does not work."""
    found: str
    """The device type that this will be, and that a prediction is about."""
    must_ask: bool = False
    """Whether there is a GPU that the learner was not asked about yet; as long as nobody is, it is the CPU."""


def wished(desk: Desk, gpu: str, device: str) -> str:
    """Return what `consent` says, with what the learner answered about the machine that measures.

    Args:
        desk: The open desk.
        gpu: The setting `gpu`.
        device: The setting or flag `device`.

    Raises:
        UsageError: If the device is none we know.
    """
    return consent(gpu, device, desk.store.meta_get(host_key(desk.options.worker_host)))


def settled(wish: str, greeting: Ready | Failed | None = None) -> Settled:
    """Return where a run is made.

    Args:
        wish: What `wished` returned.
        greeting: The worker's, None before there is one: then no GPU is known of.
    """
    devices = greeting.devices if isinstance(greeting, Ready) else []
    if wish == "ask":
        return Settled("cpu", "cpu", must_ask=actual_device("auto", devices) != "cpu")
    return Settled(wish, actual_device(wish, devices))


async def settle(desk: Desk, runner: Runner, gpu: str, device: str) -> Settled:
    """Start the worker where there is none, and return where a run is made; see `wished`."""
    wish = wished(desk, gpu, device)
    return settled(wish, await runner.start())


def keep_answer(desk: Desk, answer: bool) -> None:
    """Remember whether the GPU of the machine that measures may be used.

    Raises:
        StoreError: If it cannot be stored.
    """
    desk.store.meta_set(host_key(desk.options.worker_host), "yes" if answer else "no")
