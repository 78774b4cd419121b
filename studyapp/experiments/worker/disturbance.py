"""Whether another program disturbed a run: a short canary before and after, and the time spent waiting for a core.

Quiet timings can still be wrong: a program that streams through memory on another core halves copy rates while
repeated samples agree. The canary therefore times arithmetic and memory against this machine's own best.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studyapp.core.percent import percent
from studyapp.experiments.worker.allowance import words_in


@dataclass(frozen=True)
class Thresholds:
    """Beyond which a run counts as disturbed.

    Each lies above what quiet runs showed and below what a disturbing program did, measured on two shared cores of
    an AMD EPYC (virtual machine, torch 2.13, November 2026). Waiting alone spoils little, since the best of many
    rounds is kept; it counts only where at least as many other programs want to run as there are cores.
    """

    compute_ratio: float = 1.4
    """Product against this machine's best: quiet 1.00 to 1.07."""
    memory_ratio: float = 1.8
    """Pass over memory against this machine's best: quiet 1.0 to 1.3 for nine in ten, 1.7 at most; beside two
    programs that stream through memory 2.3 in the median."""
    wait_share: float = 0.3
    """Share of the main thread's runnable time spent waiting for a core: quiet 0.00 to 0.03, one program more than
    there are cores 0.33 by fair shares, two spinning programs on two cores 0.34 to 0.75 with others at work."""
    pressure_share: float = 0.5
    """Share of wall time in which some task of the machine waited for a core: quiet 0.03 to 0.18, two spinning
    programs on two cores 0.63 to 0.99."""
    least_run_s: float = 0.05
    """Shorter windows say nothing about waiting: one time slice is 4 ms."""
    least_pressure_s: float = 4.0
    """The kernel brings the pressure total up to date every 2 s, so shorter windows are off by half and more."""


@dataclass(frozen=True)
class Watch:
    """Counters of one moment."""

    at_s: float
    ran_s: float | None = None
    waited_s: float | None = None
    pressed_s: float | None = None

    @classmethod
    def now(cls, root: Path = Path("/"), clock: Callable[[], float] = time.perf_counter) -> Watch:
        """Read the counters; None where the platform has none."""
        ran = waited = pressed = None
        words = words_in(root / "proc/self/schedstat").split()
        if len(words) >= 2 and all(word.isdigit() for word in words[:2]):
            ran, waited = int(words[0]) / 1e9, int(words[1]) / 1e9
        for line in words_in(root / "proc/pressure/cpu").splitlines():
            if line.startswith("some ") and "total=" in line:
                pressed = int(line.split("total=")[1]) / 1e6
        return cls(clock(), ran, waited, pressed)


@dataclass
class Canary:
    """Times a product (256 x 256 float32, in cache) and a pass over 64 MB, and remembers the best of each."""

    torch: Any
    best: dict[str, float] = field(default_factory=dict)
    """Fastest seconds of each part, "compute" and "memory", seen on this machine."""
    _works: dict[str, Callable[[], Any]] = field(default_factory=dict)

    def remember(self, quiet: Mapping[str, Any]) -> None:
        """Take over a faster baseline that another worker on this machine has measured."""
        for part, seconds in quiet.items():
            if isinstance(seconds, (int, float)) and seconds > 0:
                self.best[part] = min(float(seconds), self.best.get(part, float("inf")))

    def ratios(self) -> dict[str, float]:
        """Time both parts; return `compute_ratio` and `memory_ratio`, each against its best, at least 1."""
        found: dict[str, float] = {}
        for part, work in self._parts().items():
            took = min(_seconds(work) for _ in range(4))
            self.best[part] = min(took, self.best.get(part, took))
            found[f"{part}_ratio"] = took / self.best[part]
        return found

    def look(self, limits: Thresholds) -> dict[str, float]:
        """Return the ratios, the better of two where one is above its limit: one hiccup is no disturbance."""
        found = self.ratios()
        if not judge_busy(found, limits):
            return found
        again = self.ratios()
        return {name: min(ratio, again[name]) for name, ratio in found.items()}

    def _parts(self) -> dict[str, Callable[[], Any]]:
        if not self._works:
            square = self.torch.ones(256, 256)
            result = self.torch.empty(256, 256)
            stream = self.torch.ones(2**24)
            self._works = {
                "compute": lambda: [self.torch.mm(square, square, out=result) for _ in range(4)],
                "memory": stream.neg_,
            }
            for work in self._works.values():
                work()
        return self._works


def _seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def shares(before: Watch, after: Watch, limits: Thresholds) -> dict[str, float]:
    """Return `wait_share` and `pressure_share` between two moments, each only where its window can tell."""
    found: dict[str, float] = {}
    wall_s = after.at_s - before.at_s
    if None not in (before.ran_s, before.waited_s, after.ran_s, after.waited_s):
        ran = (after.ran_s or 0.0) - (before.ran_s or 0.0)
        waited = (after.waited_s or 0.0) - (before.waited_s or 0.0)
        if ran + waited >= limits.least_run_s:
            found["wait_share"] = waited / (ran + waited)
    if before.pressed_s is not None and after.pressed_s is not None and wall_s >= limits.least_pressure_s:
        found["pressure_share"] = (after.pressed_s - before.pressed_s) / wall_s
    return found


def judge_busy(found: Mapping[str, float], limits: Thresholds) -> str:
    """Return why a run counts as disturbed, in words; "" for a quiet one."""
    if found.get("others", 0):
        return "another program uses the same card"
    for name, what in (("compute_ratio", "arithmetic"), ("memory_ratio", "reading memory")):
        if found.get(name, 1.0) > getattr(limits, name):
            return f"{what} took {found[name]:.1f} times as long as at this machine's best"
    if found.get("wait_share", 0.0) > limits.wait_share:
        return f"the run waited for a core {percent(found['wait_share'])} of its time"
    if found.get("pressure_share", 0.0) > limits.pressure_share:
        return f"programs were waiting for a core {percent(found['pressure_share'])} of the time"
    return ""
