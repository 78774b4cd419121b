"""Cores and memory this process may use, on fake file systems."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from studyapp.experiments.worker.allowance import CORE_CAP, affinity, allowance, allowed_cores, free_bytes


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="ascii")
    return root


V2 = {"proc/self/cgroup": "0::/user.slice/run.scope"}
V1 = {"proc/self/cgroup": "12:cpu,cpuacct:/docker/ab\n11:memory:/docker/ab\n0::/docker/ab"}
OWN2 = "sys/fs/cgroup/user.slice/run.scope"
OWN1 = "sys/fs/cgroup/cpu/docker/ab"
CASES: list[tuple[str, dict[str, str], int]] = [
    ("no cgroup at all", {}, 64),
    ("v2 quota", {**V2, f"{OWN2}/cpu.max": "200000 100000"}, 2),
    ("v2 quota rounded up", {**V2, f"{OWN2}/cpu.max": "150000 100000"}, 2),
    ("v2 less than one core", {**V2, f"{OWN2}/cpu.max": "5000 100000"}, 1),
    ("v2 without limit", {**V2, f"{OWN2}/cpu.max": "max 100000"}, 64),
    ("v2 limit of the parent", {**V2, "sys/fs/cgroup/user.slice/cpu.max": "300000 100000"}, 3),
    ("v2 in a container, limit at the mount", {**V2, "sys/fs/cgroup/cpu.max": "400000 100000"}, 4),
    (
        "v2 tightest of several",
        {**V2, f"{OWN2}/cpu.max": "800000 100000", "sys/fs/cgroup/cpu.max": "200000 100000"},
        2,
    ),
    ("v2 garbage", {**V2, f"{OWN2}/cpu.max": "a lot"}, 64),
    ("v1 quota", {**V1, f"{OWN1}/cpu.cfs_quota_us": "200000", f"{OWN1}/cpu.cfs_period_us": "100000"}, 2),
    ("v1 without limit", {**V1, f"{OWN1}/cpu.cfs_quota_us": "-1", f"{OWN1}/cpu.cfs_period_us": "100000"}, 64),
    ("v1 period zero", {**V1, f"{OWN1}/cpu.cfs_quota_us": "200000", f"{OWN1}/cpu.cfs_period_us": "0"}, 64),
    (
        "v1 seen from inside a container",
        {**V1, "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"},
        3,
    ),
]


@pytest.mark.parametrize(("files", "cores"), [(f, c) for _, f, c in CASES], ids=[name for name, _, _ in CASES])
def test_e06_cores_are_affinity_or_quota_whichever_is_less(
    tmp_path: Path, files: dict[str, str], cores: int
) -> None:
    assert allowed_cores(64, write(tmp_path, files)) == cores


def test_e06_affinity_below_the_quota_wins(tmp_path: Path) -> None:
    assert allowed_cores(1, write(tmp_path, {**V2, f"{OWN2}/cpu.max": "200000 100000"})) == 1


def test_e06_a_huge_machine_is_capped(tmp_path: Path) -> None:
    assert allowed_cores(4096, tmp_path) == CORE_CAP


def test_e06_affinity_follows_taskset() -> None:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert affinity() == 1
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.parametrize(
    ("wish", "cores", "words"),
    [
        ("", 8, ""),
        ("4", 4, ""),
        ("4,2", 4, ""),
        ("64", 64, "64 threads, 8 cores"),
        ("abc", 8, "'abc' is no number"),
        ("0", 8, "'0' is no number"),
        ("-1", 8, "'-1' is no number"),
    ],
)
def test_e06_the_learners_omp_num_threads(tmp_path: Path, wish: str, cores: int, words: str) -> None:
    granted = allowance({"OMP_NUM_THREADS": wish}, 8, tmp_path)

    assert granted.cores == cores
    assert words in " ".join(granted.notices)
    assert bool(words) == bool(granted.notices)


MEMINFO = {"proc/meminfo": "MemTotal: 32000000 kB\nMemAvailable: 16000000 kB"}


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, None),
        (MEMINFO, 16_384_000_000),
        (
            {**MEMINFO, **V2, f"{OWN2}/memory.max": "4000", f"{OWN2}/memory.current": "3000"}
            | {f"{OWN2}/memory.stat": "anon 2000\ninactive_file 500"},
            1500,
        ),
        ({**MEMINFO, **V2, f"{OWN2}/memory.max": "max", f"{OWN2}/memory.current": "3000"}, 16_384_000_000),
        ({**V2, f"{OWN2}/memory.max": "4000", f"{OWN2}/memory.current": "5000"}, 0),
        (
            {**V1, "sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes": "4000"}
            | {"sys/fs/cgroup/memory/docker/ab/memory.usage_in_bytes": "1000"},
            3000,
        ),
    ],
)
def test_free_memory_is_the_machines_or_the_cgroups_whichever_is_less(
    tmp_path: Path, files: dict[str, str], free: int | None
) -> None:
    assert free_bytes(write(tmp_path, files)) == free
