from __future__ import annotations

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.dp_or_ddp import CARDS, through_card_0
from tests.experiments.claims.builders import a_run, curve, verdict

BYTES = curve("bytes", CARDS, lambda n: n / 2, basis=Basis.COUNTED)


def with_time(ratio: float, spread: float = 0.02) -> list[Point]:
    return BYTES + curve("time", (4,), lambda _: ratio, spread=spread)


@pytest.mark.parametrize(
    ("ratio", "outcome"),
    [(1.8, Outcome.HOLDS), (0.9, Outcome.DOES_NOT_HOLD), (1.0, Outcome.DOES_NOT_HOLD), (1.12, Outcome.TOO_NOISY)],
)
def test_the_steps_on_real_cards_decide(ratio: float, outcome: Outcome) -> None:
    assert verdict("dp-or-ddp", with_time(ratio), a_run("dp-or-ddp", "cuda")).outcome is outcome


def test_a_count_of_bytes_does_not_answer_for_time() -> None:
    told = verdict("dp-or-ddp", BYTES, a_run("dp-or-ddp"))

    assert told.outcome is Outcome.CANNOT_TEST
    assert told.measured == 2
    assert (
        told.because
        == "This takes two GPUs. With 4 cards DataParallel passes 2.0× the bytes of DDP through card 0."
    )


def test_two_cards_pass_as_many_bytes_either_way_and_more_cards_make_the_difference() -> None:
    assert through_card_0(2, 100, 100, 0, 0) == (200, 200)
    assert through_card_0(8, 100, 100, 0, 0) == (1400, 350)


def test_rows_and_answers_travel_under_data_parallel_alone() -> None:
    dp, ddp = through_card_0(4, 0, 0, 400, 40)

    assert (dp, ddp) == (300 + 60, 0)
