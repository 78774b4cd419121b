"""Which device a run is made on, on which machine, and whether the learner lets its GPU be used."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from studyapp.core.errors import UsageError

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
