from __future__ import annotations

import pytest

from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.sharding import CARDS, GB, per_card
from studyapp.experiments.llama import MODELS, parameters
from tests.experiments.claims.builders import a_run, verdict


def counted(parameter_count: float = 13e9) -> list[Point]:
    return [
        Point(
            f"stage {stage}",
            n,
            per_card(int(parameter_count), int(parameter_count / n), stage),
            basis=Basis.COUNTED,
        )
        for stage in range(4)
        for n in CARDS
    ]


def test_a_model_too_large_for_a_card_fits_eight() -> None:
    told = verdict("sharding", counted(), a_run("sharding"))

    assert told.outcome is Outcome.HOLDS
    assert (told.low, told.measured, told.high) == (4, 8, 8)
    assert told.because == (
        "13B takes 208 GB unsplit, activations not counted; "
        "with everything split it fits 8 cards of 40 GB, 26 GB each."
    )


def test_splitting_the_state_alone_never_fits() -> None:
    told = verdict("sharding", counted(), a_run("sharding", stage=1))

    assert (told.outcome, told.measured, told.never) == (Outcome.DOES_NOT_HOLD, None, True)


def test_a_model_that_fits_one_card_needs_no_splitting() -> None:
    told = verdict("sharding", counted(1.1e9), a_run("sharding", model="1B"))

    assert (told.outcome, told.measured) == (Outcome.DOES_NOT_HOLD, 1)


def test_a_larger_card_needs_fewer_of_them() -> None:
    at = [
        verdict("sharding", counted(), a_run("sharding", card_gb=gb)).measured for gb in (24.0, 40.0, 80.0, 160.0)
    ]

    assert at == [16, 8, 4, 2]


def test_without_splitting_all_16_bytes_stay_on_every_card() -> None:
    assert per_card(10, 1, 0) == 160
    assert per_card(10, 1, 3) == 16
    assert 208 * GB == 13e9 * 16


@pytest.mark.parametrize(
    ("name", "count"),
    [("1B", 1_100_048_384), ("7B", 6_738_415_616), ("13B", 13_015_864_320), ("70B", 68_976_648_192)],
)
def test_models_have_the_parameters_they_were_published_with(name: str, count: int) -> None:
    assert parameters(MODELS[name].shapes()) == count
