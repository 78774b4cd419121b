"""How busy a device reads while work runs back to back: its utilisation, as monitors show it.

Meets torch only as `lab.torch`; standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from studyapp.experiments.claim import Lab

WATCHED_S = {"cpu": 0.01, "other": 0.6}
"""Seconds of back-to-back work behind one reading: nvidia-smi looks at 1/6 to 1 s."""
CPU_WINDOWS = 3
"""Readings of a CPU, the best of which counts, as with its timings: other programs take it away for moments."""
WINDOW_S = 1 / 6
"""Shortest sample period of nvidia-smi; a device is busy in it if one kernel ran. Source: NVML's manual."""


def reading(lab: Lab, work: Callable[[], Any]) -> float:
    """Return the per cent of the time the device reads as in use while `work` runs back to back.

    On a CPU the process's own time over wall time. Elsewhere what the driver says; where nobody asks the driver,
    its definition: the share of sample periods in which a kernel ran.
    """
    if not lab.accelerated:
        return max(_processor_share(work) for _ in range(CPU_WINDOWS))
    begin, windows = time.perf_counter(), set()
    while (at := time.perf_counter() - begin) < WATCHED_S["other"]:
        work()
        lab.sync()
        windows.add(int(at / WINDOW_S))
    try:
        return float(getattr(lab.torch, lab.device.type).utilization())
    except Exception:  # no nvidia-ml-py, MIG, another vendor: torch raises whatever it met
        return 100 * len(windows) / (int(WATCHED_S["other"] / WINDOW_S) + 1)


def _processor_share(work: Callable[[], Any]) -> float:
    begin, used = time.perf_counter(), time.process_time()
    while (wall := time.perf_counter() - begin) < WATCHED_S["cpu"]:
        work()
    return min(100.0, 100 * (time.process_time() - used) / wall)
