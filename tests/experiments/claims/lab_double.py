"""A small lab that drives real torch on the CPU, for tests of `measure`."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

import torch

from studyapp.experiments.claim import Timing


def allocated_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


class LabDouble:
    """Times for real, with a deadline; fewer rounds and no settling."""

    def __init__(self, limit_s: float = 1.0, cores: int = 2) -> None:
        self.torch: Any = torch
        self.device: Any = torch.device("cpu")
        self.cores = cores
        self.accelerated = False
        self.ends = time.perf_counter() + limit_s

    def left_s(self) -> float:
        return self.ends - time.perf_counter()

    def sync(self) -> None:
        pass

    def threads(self, count: int) -> None:
        torch.set_num_threads(count)

    def rounds(
        self,
        works: Mapping[Any, Callable[[], Any]],
        *,
        rounds: int = 9,
        sample_s: float = 1e-3,
        prepare: Callable[[Any], object] | None = None,
    ) -> Iterator[tuple[Any, Timing]]:
        samples: dict[Any, list[float]] = {key: [] for key in works}
        calls: dict[Any, int] = {}
        for _ in range(rounds):
            for key, work in works.items():
                if prepare is not None:
                    prepare(key)
                if key not in calls:
                    work()
                    calls[key] = max(1, int(sample_s / max(_clock(work, 1), 1e-7)))
                samples[key].append(_clock(work, calls[key]))
                yield key, summarise(samples[key])
                if self.left_s() <= 0:
                    return

    @contextmanager
    def memory_cap(self, extra_bytes: int) -> Iterator[None]:
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (allocated_bytes() + extra_bytes, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)


def _clock(work: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls


def summarise(seconds: list[float]) -> Timing:
    if len(seconds) == 1:
        only = seconds[0]
        return Timing(only, only, only, only, 1, False)
    lower, median, upper = quantiles(seconds, n=4, method="inclusive")
    best = min(seconds)
    agree = sorted(seconds)[1] <= best * 1.05
    return Timing(best, median, lower, upper, len(seconds), agree)
