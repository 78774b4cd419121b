from __future__ import annotations

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.layer_batch import BATCHES, about_bytes, copies
from tests.experiments.claims.builders import a_run, curve, verdict


def on_a_gpu(row_s: float, *, graph: bool = True, spread: float = 0.02) -> list[Point]:
    points = curve("answer", BATCHES, lambda n: 20e-6 + n * row_s, spread=spread)
    points += curve("queued", BATCHES, lambda n: 5e-6 + n * row_s, spread=spread)
    return points + (curve("graph", BATCHES, lambda n: 2e-6 + n * row_s, spread=spread) if graph else [])


def test_on_a_cpu_the_ratio_is_told_but_the_claim_is_not() -> None:
    told = verdict("layer-batch", curve("one", BATCHES, lambda n: 8e-6 + n * 5e-6), a_run("layer-batch"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert round(told.measured or 0) == 99
    assert "256 rows take 99× as long as one" in told.because


def test_rows_that_ride_along_let_the_claim_hold() -> None:
    told = verdict("layer-batch", on_a_gpu(1e-8), a_run("layer-batch", "cuda"))

    assert told.outcome is Outcome.HOLDS
    assert {p.series for p in told.decided_by} == {"graph"}


def test_a_wide_layer_bound_by_arithmetic_contradicts_the_claim() -> None:
    told = verdict("layer-batch", on_a_gpu(1e-7), a_run("layer-batch", "cuda", width=8192))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert "without launches" in told.because


def test_launches_alone_do_not_decide_where_a_graph_removes_them() -> None:
    hidden_by_launches = on_a_gpu(5e-8)

    told = verdict("layer-batch", hidden_by_launches, a_run("layer-batch", "cuda"))

    assert told.outcome is Outcome.DOES_NOT_HOLD  # 7x as a graph, though the answers differ by 1.6x only


def test_without_graphs_the_queued_time_decides() -> None:
    told = verdict("layer-batch", on_a_gpu(1e-8, graph=False), a_run("layer-batch", "mps"))

    assert told.outcome is Outcome.HOLDS
    assert {p.series for p in told.decided_by} == {"queued"}


def test_a_ratio_near_four_is_too_noisy_to_say() -> None:
    told = verdict("layer-batch", on_a_gpu(2.4e-8, spread=0.1), a_run("layer-batch", "cuda"))

    assert told.outcome is Outcome.TOO_NOISY


def test_many_weights_fill_more_than_a_cache() -> None:
    assert copies(512, "one") == 1
    assert copies(512, "many") * 512 * 512 * 4 == 128 * 2**20
    assert copies(16, "many") == 2048
    assert copies(8192, "many") == 1
    assert about_bytes(512, "many") > 128 * 2**20
