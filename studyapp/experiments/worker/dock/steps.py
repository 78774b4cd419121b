"""What a step of the learner's loop gets, and how long steps took."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

MOST_AHEAD = 64
"""Batches thrown away at most because a loader's processes had prepared them while nobody was asking."""


@dataclass(frozen=True)
class Wish:
    """What the next step is to get: a fresh batch of the loader, the one kept, or this one."""

    fresh: bool = False
    batch: Any = None


FRESH, KEPT = Wish(fresh=True), Wish()


@dataclass(frozen=True)
class Step:
    """One step of the loop, as the driver saw it."""

    fetch_s: float = 0.0
    """Seconds in the loader's hands."""
    restarted: bool = False
    """Whether a new epoch's processes had to start for it."""


class Source:
    """Where batches come from: it begins anew at the end of an epoch, so that the script stays in its first."""

    def __init__(
        self, start: Callable[[], Iterator[Any]], loader: Any, current: Iterator[Any] | None = None
    ) -> None:
        self.loader = loader
        self.kept: Any = None
        self.dry = False
        """Whether there are no more batches and none can be had anew."""
        self.restarted = False
        self._start = start
        self._current = current

    def next(self) -> Any:
        """Return the next batch; the last one again where the source has dried up.

        Raises:
            StopIteration: If there never was one.
        """
        self.restarted = False
        if self._current is None:
            self._current = self._start()
        try:
            self.kept = next(self._current)
        except StopIteration:
            self._current, self.restarted = self._start(), self.workers > 0
            try:
                self.kept = next(self._current)
            except StopIteration:
                if self.kept is None:
                    raise
                self.dry = True
        return self.kept

    @property
    def workers(self) -> int:
        """Return the processes that prepare batches."""
        return int(getattr(self.loader, "num_workers", 0) or 0)

    @property
    def ahead(self) -> int:
        """Return how many batches may be ready before they are asked for."""
        prefetch = int(getattr(self.loader, "prefetch_factor", None) or 0)
        return min(MOST_AHEAD, self.workers * prefetch)


@dataclass(frozen=True)
class Times:
    """Seconds per step: samples, and what part of them the loader took."""

    samples: tuple[float, ...] = ()
    fetches: tuple[float, ...] = ()

    def __add__(self, other: Times) -> Times:
        """Return both together."""
        return Times(self.samples + other.samples, self.fetches + other.fetches)

    @property
    def n(self) -> int:
        """Return how many samples there are."""
        return len(self.samples)

    def at(self, share: float) -> float:
        """Return a quantile of the samples."""
        return quantile(self.samples, share)

    def as_json(self) -> dict[str, Any]:
        """Return median, quartiles and n, and the median time in the loader."""
        return {
            "median_s": self.at(0.5),
            "low_s": self.at(0.25),
            "high_s": self.at(0.75),
            "n": self.n,
            "fetch_s": quantile(self.fetches, 0.5),
        }


def ratio(slow: Times, fast: Times) -> dict[str, float]:
    """Return how many times as long one takes as the other: the medians' ratio, and how far quartiles allow."""
    return {
        "value": slow.at(0.5) / fast.at(0.5),
        "low": slow.at(0.25) / fast.at(0.75),
        "high": slow.at(0.75) / fast.at(0.25),
        "n": min(slow.n, fast.n),
    }


def quantile(samples: tuple[float, ...], share: float) -> float:
    """Return a quantile by the inclusive method; nan without samples."""
    ranked = sorted(samples)
    if not ranked:
        return float("nan")
    place = share * (len(ranked) - 1)
    low = int(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (place - low) * (ranked[high] - ranked[low])
