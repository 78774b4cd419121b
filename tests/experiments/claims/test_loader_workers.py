from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.feeding import room_per_worker, summary, workers_allowed
from studyapp.experiments.processes import shared_room
from tests.conftest import ROOT
from tests.experiments.claims.builders import a_run, verdict


def a_rate(lane: str, workers: int, rate: float, spread: float = 0.04) -> Point:
    return Point(lane, workers, rate, rate * (1 - spread / 2), rate * (1 + spread / 2), 9)


def rates(*fed: float, cached: float = 4000.0, spread: float = 0.04) -> list[Point]:
    points = [a_rate("fed", workers, rate, spread) for workers, rate in enumerate(fed)]
    return [a_rate("cached", 0, cached, spread), *points]


def test_a_starved_step_that_processes_feed_lets_the_claim_hold() -> None:
    told = verdict("loader-workers", rates(1000, 1300, 1900), a_run("loader-workers"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 1.9
    assert told.because == (
        "Without loader processes the step is busy 25 % of the time; 2 of them bring 1.9× the pictures, "
        "a cached batch 4.0×."
    )


def test_a_step_that_nothing_starves_contradicts_the_claim() -> None:
    told = verdict("loader-workers", rates(95, 99, 99, cached=100), a_run("loader-workers", passes=16))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_processes_that_slow_it_down_contradict_the_claim() -> None:
    told = verdict("loader-workers", rates(1000, 800, 700), a_run("loader-workers"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_a_gain_within_the_noise_is_too_noisy_to_say() -> None:
    told = verdict("loader-workers", rates(1000, 1100, 1150, spread=0.2), a_run("loader-workers"))

    assert told.outcome is Outcome.TOO_NOISY


def test_a_single_core_cannot_test_it() -> None:
    assert verdict("loader-workers", rates(1000), a_run("loader-workers", cores=1)).outcome is Outcome.CANNOT_TEST


def test_e07_without_shared_memory_the_reason_is_told() -> None:
    told = verdict("loader-workers", [*rates(1000), a_rate("alone", 0, 1000)], a_run("loader-workers"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.because.endswith("one needs 14.5 MB of shared memory, and /dev/shm has too little.")


def test_a_run_cut_short_before_the_first_process_is_no_lack_of_memory() -> None:
    assert verdict("loader-workers", rates(1000), a_run("loader-workers")).outcome is Outcome.TOO_NOISY


def test_e07_processes_are_no_more_than_cores_and_than_their_batches_find_room() -> None:
    assert [workers_allowed(2, room) for room in (None, 10**9, room_per_worker(), room_per_worker() - 1)] == [
        2,
        2,
        1,
        0,
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands batches over in /dev/shm")
def test_e07_a_folder_that_is_missing_has_no_room(tmp_path: Path) -> None:
    assert shared_room(tmp_path / "missing") == 0
    assert (shared_room(tmp_path) or 0) > 0


def test_blocks_of_batches_that_differ_widely_have_not_settled() -> None:
    assert summary("fed", 1, [100.0, 101.0, 102.0]).settled
    assert not summary("fed", 1, [50.0, 100.0, 200.0]).settled
    assert not summary("fed", 1, [100.0, 100.0]).settled


SMALL_ROOM = """
mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$0" -W ignore -c '
import torch
from studyapp.experiments import catalog
from studyapp.experiments.worker.lab import RealLab
for name in ("loader-workers", "fix-or-buy"):
    lab = RealLab(torch, torch.device("cpu"), cores=2, seconds=20)
    print(name, sorted({(p.series, p.x) for p in catalog.experiment(name).measure(lab, unpack=1, passes=1)}))
'
"""


@pytest.mark.torch
@pytest.mark.skipif(shutil.which("unshare") is None or os.getuid() != 0, reason="needs a mount namespace")
def test_e07_one_megabyte_of_shared_memory_starts_no_process_and_ends_with_points() -> None:
    command = ["unshare", "--mount", "sh", "-c", SMALL_ROOM, sys.executable]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)

    if "permission denied" in done.stderr.lower() or "not permitted" in done.stderr.lower():
        pytest.skip("no mount namespace here")
    assert done.stdout.splitlines() == [
        "loader-workers [('alone', 0), ('cached', 0), ('fed', 0)]",
        "fix-or-buy [('alone', 1), ('rate', 1)]",
    ]
