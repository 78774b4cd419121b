"""How many cores and how much memory this process may really use: affinity, cgroup limits, the learner's wish.

Standard library only. The file system's root is a parameter, so that containers can be tested without one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

CORE_CAP = 256
"""More threads than this never pay for the matrices used here; also a guard against absurd quota values."""
ROOT = Path("/")


@dataclass(frozen=True)
class Allowance:
    """Cores to use, and what to tell the learner about them."""

    cores: int
    notices: tuple[str, ...] = ()


def affinity() -> int:
    """Return how many cores this process may be scheduled on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def allowance(environ: Mapping[str, str], allowed: int, root: Path = ROOT) -> Allowance:
    """Return the cores to use: the learner's OMP_NUM_THREADS, else min(affinity, quota rounded up, a cap).

    Args:
        environ: The environment.
        allowed: Cores by affinity.
        root: Where /proc and /sys are looked for.
    """
    cores = allowed_cores(allowed, root)
    wish = environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # "4,2" names nested levels
    if not wish:
        return Allowance(cores)
    if not wish.isdigit() or int(wish) < 1:
        return Allowance(cores, (f"OMP_NUM_THREADS={wish!r} is no number of threads; using {cores}.",))
    wanted = int(wish)
    if wanted > cores:
        return Allowance(wanted, (f"OMP_NUM_THREADS asks for {wanted} threads, {cores} cores are allowed here.",))
    return Allowance(wanted)


def allowed_cores(allowed: int, root: Path = ROOT) -> int:
    """Return min(affinity, cgroup quota rounded up, `CORE_CAP`), at least 1."""
    quota = quota_cores(root)
    return max(1, min([allowed, CORE_CAP, *([] if quota is None else [math.ceil(quota)])]))


def quota_cores(root: Path = ROOT) -> float | None:
    """Return how many cores' time the cgroup grants, None where it sets no limit."""
    return min((quota for quota in (_quota_v2(root), _quota_v1(root)) if quota is not None), default=None)


def memory_bytes(root: Path = ROOT) -> int | None:
    """Return the machine's memory, None where it is not told."""
    return _meminfo(root, "MemTotal")


def memory_limit_bytes(root: Path = ROOT) -> int | None:
    """Return the memory the cgroup allows, None where it sets no limit below the machine's own."""
    files = [folder / "memory.max" for folder in _folders(root, "")]
    files += [folder / "memory.limit_in_bytes" for folder in _folders(root, "memory")]
    least = min((int(words) for words in map(words_in, files) if words.isdigit()), default=None)
    whole = memory_bytes(root)
    return None if least is None or (whole is not None and least >= whole) else least


def free_bytes(root: Path = ROOT) -> int | None:
    """Return the memory that can still be allocated: what the machine has, less what the cgroup forbids.

    None where neither is known (no /proc).
    """
    known = [found for found in (_available(root), _cgroup_room(root)) if found is not None]
    return min(known) if known else None


def _quota_v2(root: Path) -> float | None:
    found = [_cpu_max(folder / "cpu.max") for folder in _folders(root, "")]
    return min((quota for quota in found if quota is not None), default=None)


def _cpu_max(path: Path) -> float | None:
    words = words_in(path).split()
    if len(words) != 2 or words[0] == "max":
        return None
    return _ratio(words[0], words[1])


def _quota_v1(root: Path) -> float | None:
    found = [
        _ratio(words_in(folder / "cpu.cfs_quota_us"), words_in(folder / "cpu.cfs_period_us"))
        for folder in _folders(root, "cpu")
    ]
    return min((quota for quota in found if quota is not None), default=None)


def _ratio(quota: str, period: str) -> float | None:
    try:
        cores = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return None
    return cores if cores > 0 else None  # -1 means unlimited


def _available(root: Path) -> int | None:
    return _meminfo(root, "MemAvailable")


def _meminfo(root: Path, name: str) -> int | None:
    for line in words_in(root / "proc/meminfo").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return None


def _cgroup_room(root: Path) -> int | None:
    rooms = [_room(f, "memory.max", "memory.current", "inactive_file") for f in _folders(root, "")]
    rooms += [
        _room(f, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        for f in _folders(root, "memory")
    ]
    return min((room for room in rooms if room is not None), default=None)


def _room(folder: Path, limit: str, usage: str, cache: str) -> int | None:
    try:
        most, used = int(words_in(folder / limit)), int(words_in(folder / usage))
    except ValueError:  # "max", or no such file
        return None
    stat = dict(line.split(" ", 1) for line in words_in(folder / "memory.stat").splitlines() if " " in line)
    return max(0, most - used + int(stat.get(cache, "0")))  # file cache is given back when asked for


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """Yield the cgroup folders that bind this process, from its own up to the mount ("" = version 2)."""
    base = root / "sys/fs/cgroup"
    mounts = [base, base / "unified"] if not controller else [base / controller, base / f"{controller},cpuacct"]
    own = _own_path(root, controller)
    for mount in mounts:
        folder = mount / own
        while folder != mount:
            yield folder
            folder = folder.parent
        yield mount


def _own_path(root: Path, controller: str) -> str:
    for line in words_in(root / "proc/self/cgroup").splitlines():
        parts = line.split(":", 2)
        if len(parts) != 3:
            continue
        names = parts[1].split(",")
        if controller in names and ".." not in parts[2]:
            return parts[2].strip("/")
    return ""


def words_in(path: Path) -> str:
    """Return what a small file of the system says, "" where it cannot be read."""
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
