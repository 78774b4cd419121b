from __future__ import annotations

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from tests.experiments.claims.builders import a_run, verdict


def counted(weights: float, gradients: float, state: float, count: int = 2) -> list[Point]:
    """Shares of 4, 4 and 8 MB that the fullest of `count` processes holds."""
    whole = (4e6, 4e6, 8e6)
    lanes = {
        "alone": whole,
        "fair": tuple(part / count for part in whole),
        "each": (weights * whole[0], gradients * whole[1], state * whole[2]),
    }
    return [
        Point(lane, x, y, basis=Basis.COUNTED)
        for lane, held in lanes.items()
        for x, y in enumerate((*held, sum(held)))
    ]


def test_half_of_everything_on_two_lets_the_claim_hold() -> None:
    told = verdict("fsdp", counted(0.5, 0.5, 0.5), a_run("fsdp"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 50
    assert "each of 2 holds 0.50 (weights 0.50, gradients 0.50, state 0.50)" in told.because


def test_a_shard_rounded_up_to_whole_rows_still_counts_as_a_share() -> None:
    assert verdict("fsdp", counted(0.34, 0.34, 0.34, 3), a_run("fsdp", processes=3)).outcome is Outcome.HOLDS


@pytest.mark.parametrize(("strategy", "parts"), [("zero1", (1, 1, 0.5)), ("ddp", (1, 1, 1))])
def test_what_is_not_dealt_out_contradicts_it(strategy: str, parts: tuple[float, float, float]) -> None:
    told = verdict("fsdp", counted(*parts), a_run("fsdp", strategy=strategy))

    assert told.outcome is Outcome.DOES_NOT_HOLD


def test_counts_stand_on_a_busy_machine() -> None:
    assert verdict("fsdp", counted(0.5, 0.5, 0.5), a_run("fsdp", busy=True)).outcome is Outcome.HOLDS


def test_one_process_alone_is_a_run_cut_short() -> None:
    alone = [point for point in counted(1, 1, 1) if point.series == "alone"]

    assert verdict("fsdp", alone, a_run("fsdp")).outcome is Outcome.TOO_NOISY
