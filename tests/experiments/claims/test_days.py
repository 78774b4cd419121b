from __future__ import annotations

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from tests.experiments.claims.builders import a_run, curve, verdict


def hours(cpu: float, one: float, gpu: float | None = None, spread: float = 0.02) -> list[Point]:
    points = curve("cpu", (1, 8), lambda n: cpu * (1.5 if n == 1 else 1), spread=spread)
    points += curve("one", (1,), lambda _: one, spread=spread) + curve("table", (32,), lambda _: 1e-5)
    return points if gpu is None else points + curve("gpu", (8, 64), lambda n: gpu * 64 / n)


def test_days_on_all_cores_let_the_claim_hold() -> None:
    told = verdict("days", hours(54, 102), a_run("days"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 54
    assert told.because == "imagenet, from its best batch (8): 2.2 days on this CPU."


def test_a_large_server_finishes_within_the_day_and_contradicts_the_claim() -> None:
    assert verdict("days", hours(12, 102), a_run("days", cores=64)).outcome is Outcome.DOES_NOT_HOLD


def test_a_small_data_set_takes_no_days() -> None:
    told = verdict("days", hours(0.6, 0.8), a_run("days", task="imagenette"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert "36 minutes" in told.because


def test_one_core_stands_for_the_cpu_where_it_is_faster_than_all() -> None:
    assert verdict("days", hours(90, 60), a_run("days")).measured == 60


def test_near_a_day_it_is_too_noisy_to_say() -> None:
    assert verdict("days", hours(25, 50, spread=0.1), a_run("days")).outcome is Outcome.TOO_NOISY


def test_a_gpu_has_to_finish_within_two_hours() -> None:
    quick = verdict("days", hours(54, 102, gpu=0.2), a_run("days", "cuda"))
    slow = verdict("days", hours(54, 102, gpu=5), a_run("days", "cuda"))

    assert quick.outcome is Outcome.HOLDS
    assert "12 minutes on the GPU if 1,779 rows a second are loaded and decoded" in quick.because
    assert slow.outcome is Outcome.DOES_NOT_HOLD
