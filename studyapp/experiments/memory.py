"""What an accelerator's allocator says is in use: the real figure beside a count.

Meets torch only as `lab.torch`; standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studyapp.experiments.claim import Lab

AGREE_WITHIN = 0.15
"""How far the allocator may be from a count (it rounds sizes up, and libraries take workspaces)."""


def allocator(lab: Lab) -> Callable[[], int] | None:
    """Return the call that gives the bytes in use on the device; None on a CPU and where nobody counts them.

    Some backends answer 0 for "unknown": callers leave such a figure out.
    """
    if not lab.accelerated:
        return None
    home = getattr(lab.torch, lab.device.type, None)
    found: Any = getattr(home, "memory_allocated", None) or getattr(home, "current_allocated_memory", None)
    if found is None:
        return None

    def in_use() -> int:
        lab.sync()
        return int(found())

    return in_use


def free_bytes(lab: Lab) -> float | None:
    """Return the free memory of the accelerator, None where it is unknown."""
    home: Any = getattr(lab.torch, lab.device.type, None)
    return float(home.mem_get_info()[0]) if hasattr(home, "mem_get_info") else None
