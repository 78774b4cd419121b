"""The lab: torch, a device, a clock and limits, as an experiment sees them (the `Lab` protocol of `claim.py`).

torch, clock and stop signal are handed in; tests hand in a device whose kernels finish later.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from studyapp.core.points import Point
from studyapp.experiments.claim import Timing
from studyapp.experiments.worker import limits

SETTLED_WITHIN = 0.05
"""Two samples agree when they differ by at most this share: with it, timings taken beside two disturbing programs
came back to their quiet values (16-bit speed-up 3.4 instead of a wrong 7.9)."""
EXTRA_ROUNDS = 5
"""Unsettled entries are timed for up to this many times the rounds asked for."""
MOST_CALLS = 1_000_000
"""Calls in one sample, for work that takes no time at all."""


class Stopped(BaseException):
    """The run was cancelled while an experiment was timing; no Exception, so that no handler catches it."""


class RealLab:
    """What an experiment may use. On an accelerator every sample begins and ends with a synchronisation."""

    def __init__(
        self,
        torch: Any,
        device: Any,
        *,
        cores: int = 1,
        seconds: float = math.inf,
        clock: Callable[[], float] = time.perf_counter,
        stop: Callable[[], bool] = lambda: False,
        nproc: int | None = None,
        nnodes: int = 1,
    ) -> None:
        self.torch = torch
        self.device = device
        self.cores = cores
        self.accelerated = device.type != "cpu"
        self.history = ""
        """The learner's log where the experiment wants it; set by the run."""
        self.cut_short = False
        """Whether `rounds` ended before each entry had its rounds."""
        self._clock = clock
        self._stop = stop
        self._deadline = clock() + seconds
        self._nproc, self._nnodes = nproc, nnodes
        self.ranks_on_cpu = False
        """Whether this run's processes computed on the CPU, whatever device it began on."""

    @property
    def cards(self) -> int:
        """Return how many accelerators of the device's kind are visible; 0 on a CPU."""
        return int(self.torch.accelerator.device_count()) if self.accelerated else 0

    def machine(self) -> dict[str, float]:
        """Return what is counted of this machine: cores, quotas, memory (bytes), the device's."""
        from studyapp.experiments.worker.machine import counts  # for the passport alone

        return {"cores used": float(self.cores), **counts(self.torch, self.device)}

    def left_s(self) -> float:
        """Return the seconds left before the run's deadline."""
        return self._deadline - self._clock()

    def sync(self) -> None:
        """Wait until the device has finished everything queued."""
        if self.accelerated:
            self.torch.accelerator.synchronize(self.device)

    def threads(self, count: int) -> None:
        """Set torch's intra-op threads; the worker puts 1 back after the run."""
        self.torch.set_num_threads(max(1, int(count)))

    def rounds(
        self,
        works: Mapping[Any, Callable[[], Any]],
        *,
        rounds: int = 9,
        sample_s: float = 1e-3,
        prepare: Callable[[Any], object] | None = None,
    ) -> Iterator[tuple[Any, Timing]]:
        """Time several callables in turn, round by round; yield (key, timing so far) after every sample.

        One call of each is thrown away, then calls are added until a sample lasts `sample_s`. After the rounds,
        entries whose two best samples differ by more than 5 % go on, for up to five times the rounds or until the
        deadline.

        Args:
            works: What to time, by key; the order is the order within a round.
            rounds: Samples per key.
            sample_s: Seconds one sample should take at least; 0 = one call.
            prepare: Called with the key before each of its samples, outside the clock.

        Raises:
            Stopped: If the run was cancelled.
        """
        samples: dict[Any, list[float]] = {key: [] for key in works}
        calls: dict[Any, int] = {}
        waiting = list(works)
        for turn in range(rounds * EXTRA_ROUNDS):
            if turn >= rounds:
                waiting = [key for key in waiting if not settled(samples[key])]
            for key in waiting:
                if self._over(turn < rounds):
                    return
                if prepare is not None:
                    prepare(key)
                if key not in calls:
                    calls[key] = self._fill(works[key], sample_s)
                    if self._over(turn < rounds):  # a single call may take longer than a whole run is given
                        return
                samples[key].append(self._block_s(works[key], calls[key]) / calls[key])
                yield key, summarise(samples[key])

    def _over(self, counts: bool) -> bool:
        if self._stop():
            raise Stopped
        if self.left_s() > 0:
            return False
        self.cut_short = self.cut_short or counts
        return True

    def _fill(self, work: Callable[[], Any], sample_s: float) -> int:
        """Throw one call away and return how many calls last `sample_s`."""
        self._block_s(work, 1)
        calls = 1
        if sample_s <= 0:  # a single call by request: a costly one is not made once more just to be counted
            return calls
        while calls < MOST_CALLS:
            took = self._block_s(work, calls)
            if took >= sample_s or self.left_s() <= 0:
                break
            # a first guess is often too slow and so too few: aim a little above, at most tenfold a step
            calls = max(calls + 1, min(10 * calls, math.ceil(1.1 * calls * sample_s / max(took, 1e-9))))
        return min(calls, MOST_CALLS)

    def _block_s(self, work: Callable[[], Any], calls: int) -> float:
        """Return the seconds from an idle device to an idle device over so many calls."""
        self.sync()
        begin = self._clock()
        for _ in range(calls):
            work()
        self.sync()
        return self._clock() - begin

    def ranks(self, work: Callable[..., Iterator[Point]], count: int, **given: Any) -> Iterator[Point]:
        """Run `work(rank, **given)` in several processes; yield the points rank 0 yields.

        Under torchrun where the learner named a number of processes or there is an accelerator for each, else on
        the CPU over gloo.

        Raises:
            Stopped: If the run was cancelled.
            RanksError: If a process failed.
        """
        from studyapp.experiments.worker import ranks  # multiprocessing is for the few that need it

        def over() -> bool:
            return self._over(True)

        kind = self.device.type if self.cards >= (self._nproc or count) else "cpu"
        self.ranks_on_cpu = self.ranks_on_cpu or kind == "cpu"
        if self._nproc is None and self.cards < count:
            return ranks.forked(work, count, given, over)
        name = ranks.name_of(work)
        argv = ranks.command(name, given, kind, self._nproc or count, self._nnodes)
        return ranks.torchrun(argv, over)

    def memory_cap(self, extra_bytes: int) -> contextlib.AbstractContextManager[None]:
        """Return a context manager under which at most `extra_bytes` more can be allocated on the device.

        On a CPU this limits the address space; on an accelerator torch's own allocator, not its context.
        """
        if not self.accelerated:
            return limits.address_space(extra_bytes)
        return self._device_cap(extra_bytes)

    @contextlib.contextmanager
    def _device_cap(self, extra_bytes: int) -> Iterator[None]:
        home = getattr(self.torch, self.device.type)
        set_fraction = getattr(home, "set_per_process_memory_fraction", None)
        if set_fraction is None or not hasattr(home, "mem_get_info"):
            yield
            return
        self.sync()
        home.empty_cache()  # cached blocks would be handed out beyond the cap
        set_fraction(min(1.0, (home.memory_reserved() + extra_bytes) / home.mem_get_info()[1]))
        try:
            yield
        finally:
            set_fraction(1.0)
            home.empty_cache()

    def close(self) -> None:
        """Put the defaults back: one thread, and nothing running on the device."""
        self.torch.set_num_threads(1)
        self.sync()
        if self.accelerated and hasattr(self.torch, self.device.type):
            empty = getattr(getattr(self.torch, self.device.type), "empty_cache", None)
            if empty is not None:
                empty()


def settled(samples: Sequence[float]) -> bool:
    """Return whether the two best samples agree within `SETTLED_WITHIN`."""
    if len(samples) < 2:
        return False
    best, second = sorted(samples)[:2]
    return second <= best * (1 + SETTLED_WITHIN)


def summarise(samples: Sequence[float]) -> Timing:
    """Return best, median and quartiles (inclusive method) of the samples, in their unit."""
    ranked = sorted(samples)
    return Timing(
        best_s=ranked[0],
        median_s=_quantile(ranked, 0.5),
        lower_s=_quantile(ranked, 0.25),
        upper_s=_quantile(ranked, 0.75),
        repeats=len(ranked),
        settled=settled(ranked),
    )


def _quantile(ranked: Sequence[float], share: float) -> float:
    place = share * (len(ranked) - 1)
    low = int(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (place - low) * (ranked[high] - ranked[low])
