from __future__ import annotations

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.small_net import BATCHES, about_bytes, batches, epoch_s
from tests.experiments.claims.builders import a_run, curve, verdict


def on_a_gpu(*, cpu_s: float, gpu_s: float, spread: float = 0.02) -> list[Point]:
    step = {"cpu": cpu_s * 2, "one": cpu_s, "resident": gpu_s, "copied": gpu_s * 1.5, "graph": gpu_s / 10}
    return [point for name, fixed_s in step.items() for point in lane(name, fixed_s, spread)]


def lane(name: str, fixed_s: float, spread: float) -> list[Point]:
    return curve(name, BATCHES, lambda n: fixed_s + n * 1e-9, spread=spread)


def test_on_a_cpu_the_fixed_cost_is_told_but_the_claim_is_not() -> None:
    points = curve("one", BATCHES, lambda n: 200e-6 + n * 0.2e-6)

    told = verdict("small-net", points, a_run("small-net"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert 1.2 < (told.measured or 0) < 1.3
    assert "No GPU" in told.because


def test_a_cpu_that_finishes_its_epoch_first_lets_the_claim_hold() -> None:
    told = verdict("small-net", on_a_gpu(cpu_s=200e-6, gpu_s=500e-6), a_run("small-net", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert "CPU 62.5 ms, GPU 156 ms, as one CUDA graph 15.6 ms" in told.because


def test_a_gpu_that_finishes_first_contradicts_the_claim() -> None:
    told = verdict("small-net", on_a_gpu(cpu_s=2e-3, gpu_s=500e-6), a_run("small-net", "cuda", hidden=4096))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_epochs_within_the_noise_are_a_tie() -> None:
    told = verdict("small-net", on_a_gpu(cpu_s=500e-6, gpu_s=550e-6, spread=0.1), a_run("small-net", "cuda"))

    assert told.outcome is Outcome.TOO_NOISY


def test_the_faster_cpu_lane_stands_for_the_cpu() -> None:
    told = verdict("small-net", on_a_gpu(cpu_s=300e-6, gpu_s=400e-6), a_run("small-net", "cuda"))

    assert told.decided_by[0].series == "one"  # all cores took 600 µs


def test_an_epoch_is_as_many_steps_as_the_table_has_batches() -> None:
    assert epoch_s(Point("cpu", 100, 2e-3)) == 0.2


def test_wide_layers_leave_the_largest_batches_out() -> None:
    assert batches(64) == BATCHES
    assert max(batches(4096)) == 1024
    assert about_bytes(4096) < 500e6
