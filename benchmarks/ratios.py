"""Statistics of a comparison: medians, spread, ratios of medians, and how a figure is printed and kept."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Spread:
    """What repeated measurements of one thing gave, in one unit."""

    n: int
    median: float
    low: float
    """Lower quartile."""
    high: float
    """Upper quartile."""
    p99: float
    smallest: float


@dataclass(frozen=True)
class Figure:
    """One figure beside its goal."""

    name: str
    value: float
    unit: str
    """"x" for a ratio of medians."""
    goal: float | None
    """The most it should be; None where there is no goal."""
    detail: str = ""
    """The medians behind it, with quartiles."""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without one."""
        return None if self.goal is None else self.value <= self.goal


def spread(values: Sequence[float]) -> Spread:
    """Return the statistics of at least one value (quantiles by the inclusive method)."""
    ranked = sorted(values)
    return Spread(
        n=len(ranked),
        median=statistics.median(ranked),
        low=quantile(ranked, 0.25),
        high=quantile(ranked, 0.75),
        p99=quantile(ranked, 0.99),
        smallest=ranked[0],
    )


def quantile(ranked: Sequence[float], share: float) -> float:
    """Return a quantile of ascending values, between neighbours in proportion."""
    place = share * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


def interleave(
    entries: Mapping[str, Callable[[], float]], rounds: int, warm_up: int = 1
) -> dict[str, list[float]]:
    """Run every entry once a round, in alternating order, so that what disturbs one disturbs all alike.

    Args:
        entries: Each does one measurement and returns it.
        rounds: How many are kept.
        warm_up: Rounds thrown away first: they fill the page cache and write byte code.
    """
    found: dict[str, list[float]] = {name: [] for name in entries}
    names = list(entries)
    for number in range(warm_up + rounds):
        for name in names if number % 2 == 0 else reversed(names):
            value = entries[name]()
            if number >= warm_up:
                found[name].append(value)
    return found


def against(
    name: str,
    ours: Sequence[float],
    theirs: Sequence[float],
    goal: float | None,
    *,
    pick: Callable[[Spread], float] = lambda found: found.median,
    scale: float = 1e3,
    unit: str = "ms",
) -> Figure:
    """Return the ratio of two medians (or of what `pick` takes) with both in words."""
    a, b = spread(ours), spread(theirs)
    return Figure(
        name, pick(a) / pick(b), "x", goal, f"{words(a, scale, unit, pick)} / {words(b, scale, unit, pick)}"
    )


def words(
    found: Spread,
    scale: float = 1e3,
    unit: str = "ms",
    pick: Callable[[Spread], float] = lambda found: found.median,
) -> str:
    """Return e.g. "171 ms (168-176)": what was picked, and the quartiles."""
    low, middle, high = (f"{value * scale:.3g}" for value in (found.low, pick(found), found.high))
    return f"{middle} {unit} ({low}-{high}, n={found.n})"


def circumstances() -> dict[str, Any]:
    """Return machine, versions and load of this moment."""
    cpu = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return {
        "at": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in ("textual", "sqlalchemy", "torch", "fsrs", "plotext")},
        "fsync_ms": round(spread(fsync_s()).median * 1e3, 3),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def fsync_s(times: int = 50) -> list[float]:
    """Return the seconds of appending 4 KiB and synchronising, in the folder where stores are made.

    A disk may be in a slow mode for a while; then every program waits for it and ratios draw near to 1.
    """
    found = []
    with tempfile.TemporaryFile() as file:
        for _ in range(times):
            begin = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            found.append(time.perf_counter() - begin)
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def report(figures: Sequence[Figure], keep: Path | None = None) -> None:
    """Print figures as a Markdown table; with `keep`, also write them there as JSON."""
    print("| figure | measured | goal | | medians (quartiles) |\n|---|---|---|---|---|")
    for figure in figures:
        goal = "" if figure.goal is None else f"<= {figure.goal:g} {figure.unit}"
        verdict = {True: "met", False: "**missed**", None: ""}[figure.met]
        print(f"| {figure.name} | {figure.value:.3g} {figure.unit} | {goal} | {verdict} | {figure.detail} |")
    sys.stdout.flush()
    if keep is not None:
        keep.write_text(
            json.dumps({"circumstances": circumstances(), "figures": [asdict(f) for f in figures]}, indent=1)
        )
