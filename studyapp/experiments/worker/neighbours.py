"""How many other programs use the same NVIDIA card, asked of the driver's own library.

Standard library only: the library comes with the driver, so nothing needs to be installed. Where it is missing or
tells nothing (other makers' cards, some containers) the answer is 0. Not to be confused with how busy they are.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

LIBRARY = "libnvidia-ml.so.1"
MOST = 128
"""Programs looked for on one card."""
SUCCESS = 0


class _Process(ctypes.Structure):
    """`nvmlProcessInfo_t` of NVML 11 and later: 24 bytes, used by the calls that end in _v2 and _v3."""

    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used_bytes", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


def others(torch: Any, kind: str, library: Any = None) -> int:
    """Return how many programs besides this one hold the card that torch uses; 0 where that is not told.

    Process ids are not compared: in a container the driver may report those of the host. This process has a
    context on the card by now, so one of those listed is its own.

    Args:
        torch: The torch module.
        kind: Device type; only "cuda" can be asked.
        library: The NVML library, loaded when None.
    """
    if kind != "cuda" or getattr(torch.version, "cuda", None) is None:
        return 0
    try:
        nvml = ctypes.CDLL(LIBRARY) if library is None else library
        card = _handle(nvml, f"GPU-{torch.cuda.get_device_properties(0).uuid}")
    except (OSError, AttributeError, RuntimeError):
        return 0
    return 0 if card is None else max(0, _count(nvml, card) - 1)


def _handle(nvml: Any, uuid: str) -> Any:
    card = ctypes.c_void_p()
    if nvml.nvmlInit_v2() != SUCCESS:
        return None
    if nvml.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(card)) != SUCCESS:
        return None
    return card


def _count(nvml: Any, card: Any) -> int:
    for name in ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"):
        with contextlib.suppress(AttributeError):  # an older driver lacks the newer call
            count = ctypes.c_uint(MOST)
            if getattr(nvml, name)(card, ctypes.byref(count), (_Process * MOST)()) == SUCCESS:
                return count.value
    return 0
