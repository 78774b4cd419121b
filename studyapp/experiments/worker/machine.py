"""What this process may use, counted: cores, their quota, memory, and the accelerator's.

torch is handed in; nothing is measured here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from studyapp.experiments.worker import allowance, devices


def counts(torch: Any, device: Any, root: Path = allowance.ROOT) -> dict[str, float]:
    """Return the counts by name: cores in cores, memory in bytes; what is not known or not limited is left out.

    Args:
        torch: The torch module.
        device: torch.device to describe beside the host.
        root: Where /proc and /sys are looked for.
    """
    found: dict[str, float | None] = {
        "cores": os.cpu_count(),
        "cores allowed": allowance.affinity(),
        "cores quota": allowance.quota_cores(root),
        "memory": allowance.memory_bytes(root),
        "memory limit": allowance.memory_limit_bytes(root),
        "memory free": allowance.free_bytes(root),
    }
    if device.type != "cpu":
        found["device memory"] = _device_memory(torch, device.type)
        found["device free"] = devices.free_on(torch, device.type)
        found["device units"] = _units(torch, device.type)
    return {name: float(count) for name, count in found.items() if count is not None}


def _device_memory(torch: Any, kind: str) -> int | None:
    for home, name in ((getattr(torch, kind, None), "mem_get_info"), (torch.accelerator, "get_memory_info")):
        try:
            return int(getattr(home, name)()[1])
        except Exception:  # noqa: PERF203 - each back end misses another one of these
            continue
    return None


def _units(torch: Any, kind: str) -> int | None:
    try:
        return int(getattr(torch, kind).get_device_properties().multi_processor_count)
    except Exception:  # mps has none
        return None
