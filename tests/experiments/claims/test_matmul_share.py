from __future__ import annotations

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.matmul_share import WIDTHS
from studyapp.experiments.counting import Counted
from tests.experiments.claims.builders import a_run, curve, verdict


def shares(time: float, spread: float = 0.03) -> list[Point]:
    counted = curve("arithmetic", WIDTHS, lambda w: 99.3, spread=0, basis=Basis.COUNTED)
    return counted + curve("time", WIDTHS, lambda w: time, spread=spread)


def test_almost_all_of_the_time_lets_the_claim_hold() -> None:
    assert verdict("matmul-share", shares(96.5), a_run("matmul-share")).outcome is Outcome.HOLDS


def test_almost_all_of_the_arithmetic_and_half_the_time_contradicts_the_claim() -> None:
    told = verdict("matmul-share", shares(45.0), a_run("matmul-share"))

    assert (told.outcome, told.measured) == (Outcome.DOES_NOT_HOLD, 45.0)
    assert told.because == (
        "A step of width 512 at batch 32: matrix products are 99.3 % of the arithmetic and 45 % of the time, "
        "clocked alone."
    )


def test_near_the_line_is_too_noisy_to_say() -> None:
    assert verdict("matmul-share", shares(88.0), a_run("matmul-share")).outcome is Outcome.TOO_NOISY


def test_a_count_without_a_time_decides_nothing() -> None:
    points = [p for p in shares(96.0) if p.series == "arithmetic"]

    assert verdict("matmul-share", points, a_run("matmul-share")).outcome is Outcome.TOO_NOISY


def test_the_share_of_products_is_theirs_of_all_arithmetic() -> None:
    assert Counted(product_flop=30, other_flop=10).product_share == 0.75
