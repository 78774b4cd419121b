"""A passport on this machine, by the real worker; and by a stand-in where a device lacks what a CPU has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from studyapp.core.points import Basis, finite, latest
from studyapp.core.roofline import Roof
from studyapp.experiments import passport
from studyapp.experiments.catalog import ids, measurement
from studyapp.experiments.protocol import Done, Request
from studyapp.experiments.worker import allowance
from studyapp.experiments.worker.machine import counts
from tests.experiments.helpers import collect, points_of

if TYPE_CHECKING:
    from tests.experiments.conftest import Bench


def test_it_is_a_measurement_in_no_list() -> None:
    assert measurement("passport") is passport.EXPERIMENT
    assert "passport" not in ids()


@pytest.mark.torch
@pytest.mark.asyncio(loop_scope="module")
async def test_the_real_worker_measures_every_kind_of_figure(real: Bench) -> None:
    """The limit is short: what decides is there long before the last repeats."""
    messages = await collect(real.runner, Request("passport", "passport", device="cpu", seconds=4.0))

    done = messages[-1]
    assert isinstance(done, Done), done
    points = finite(latest(points_of(messages)))
    roof = Roof.of(points)
    assert ("float32", "one") in roof.peaks
    assert roof.ladder["one"][-1][0] == 128 * 2**20
    assert all(rate > 0 for _, rate in roof.ladder["one"])
    assert roof.calls["one"] > 0
    assert (roof.trip_s, roof.bus_bytes_per_s) == (None, None)
    counted = {point.series: point for point in points if point.basis is Basis.COUNTED}
    assert counted["machine cores used"].y == done.facts["cores"]
    assert done.facts["more"]["machine"]


def planted(root: Path, **files: str) -> Path:
    """Write files below a root, a double underscore for each slash."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    return root


def test_quotas_and_memory_are_counted_from_the_cgroup(tmp_path: Path) -> None:
    root = planted(
        tmp_path,
        proc__meminfo="MemTotal:       1000 kB\nMemAvailable:    800 kB\n",
        proc__self__cgroup="0::/job\n",
        sys__fs__cgroup__job__cpu_dot_max="150000 100000\n",
        sys__fs__cgroup__job__memory_dot_max="409600\n",
        sys__fs__cgroup__job__memory_dot_current="204800\n",
    )

    found = counts(None, Cpu(), root)

    assert found["cores quota"] == 1.5
    assert found["memory"] == 1_024_000
    assert found["memory limit"] == 409_600
    assert found["memory free"] == 204_800
    assert "device memory" not in found


def test_no_quota_and_a_limit_above_the_memory_are_left_out(tmp_path: Path) -> None:
    root = planted(
        tmp_path,
        proc__meminfo="MemTotal:       1000 kB\n",
        sys__fs__cgroup__cpu_dot_max="max 100000\n",
        sys__fs__cgroup__memory_dot_max="9999999999\n",
    )

    assert allowance.quota_cores(root) is None
    assert allowance.memory_limit_bytes(root) is None
    assert "cores quota" not in counts(None, Cpu(), root)


class Cpu:
    """A torch.device."""

    type = "cpu"


class Card:
    """A torch.device of an accelerator that tells nothing."""

    type = "odd"


class Silent:
    """A torch whose accelerator answers no question."""

    accelerator = None


def test_an_accelerator_that_tells_nothing_is_no_failure(tmp_path: Path) -> None:
    assert counts(Silent(), Card(), tmp_path).keys() <= {"cores", "cores allowed"}
