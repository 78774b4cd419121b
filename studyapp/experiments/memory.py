"""What an accelerator's allocator says is in use: the real figure beside a count.

Meets torch only as `lab.torch`; standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studyapp.experiments.claim import Lab

AGREE_WITHIN = 0.15
"""How far the allocator may be from a count (it rounds sizes up, and libraries take workspaces)."""
FREE_SHARE = 0.5
"""Share of the free device memory a real trial may take."""
SMALL_BYTES = 7e8
"""What it may take where the free memory is unknown: 8 pictures of 224 pixels through ResNet-50."""


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


def roomy(lab: Lab, needed: float) -> bool:
    """Return whether the accelerator can lend so many bytes without getting in anyone's way; False on a CPU."""
    home: Any = getattr(lab.torch, lab.device.type, None)
    if not hasattr(home, "mem_get_info"):
        return lab.accelerated and needed <= SMALL_BYTES
    return lab.accelerated and needed <= FREE_SHARE * float(home.mem_get_info()[0])


def peak_bytes(lab: Lab, step: Callable[[], object]) -> float | None:
    """Return the most bytes in use during a step, on its second call; None where nobody counts them.

    The first call takes the libraries' workspaces and makes the optimizer's state, which every later one has too.
    """
    home: Any = getattr(lab.torch, lab.device.type, None)
    if not lab.accelerated or not hasattr(home, "max_memory_allocated"):
        return None
    step()
    lab.sync()
    home.reset_peak_memory_stats()
    step()
    lab.sync()
    return float(home.max_memory_allocated()) or None


def forward_bytes(lab: Lab, net: Any, batch: Any) -> float | None:
    """Return the bytes a forward pass leaves in use on the device; None where nobody counts them.

    Of the second pass: the first also takes the libraries' workspaces, which stay.
    """
    in_use = allocator(lab)
    if in_use is None:
        return None
    used = 0
    for _ in range(2):
        before = in_use()
        answer = net(batch)
        used = in_use() - before
        del answer
    return float(used) if used > 0 else None  # some backends answer 0 for "unknown"
