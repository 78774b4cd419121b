from __future__ import annotations

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.out_of_memory import BATCHES, FIRST_BATCH, STAGES, weight_bytes
from tests.experiments.claims.builders import a_run, verdict


def refused_at(stage: str) -> list[Point]:
    index = STAGES.index(stage)
    return [Point("used", i, 1e6 * (i + 1)) for i in range(index)] + [Point("refused", index, 300e6)]


def test_a_larger_batch_that_is_refused_lets_the_claim_hold() -> None:
    told = verdict("out-of-memory", refused_at("128"), a_run("out-of-memory"))

    assert told.outcome is Outcome.HOLDS
    assert (told.low, told.measured, told.high) == (64, 128, 128)
    assert told.because == "In 300 MB, with 263 kB of weights, batch 64 trains and 128 is refused."


@pytest.mark.parametrize(
    ("stage", "why"),
    [
        ("load", "the weights alone do not fit"),
        ("forward", "the rows do not fit"),
        ("backward", "gradients are as large as the weights"),
        ("update", "Adam adds two copies"),
    ],
)
def test_a_net_refused_at_one_row_contradicts_the_claim_and_names_the_stage(stage: str, why: str) -> None:
    told = verdict("out-of-memory", refused_at(stage), a_run("out-of-memory", net="wide"))

    assert told.outcome is Outcome.DOES_NOT_HOLD
    assert why in told.because
    assert told.measured == (None if stage == "load" else 1)


def test_nothing_refused_is_too_little_to_say() -> None:
    points = refused_at("128")[:-1]

    told = verdict("out-of-memory", points, a_run("out-of-memory"))

    assert told.outcome is Outcome.TOO_NOISY
    assert "Nothing was refused up to batch 64" in told.because


def test_stages_name_every_batch() -> None:
    assert STAGES[FIRST_BATCH:] == tuple(str(n) for n in BATCHES)


def test_the_wide_net_is_mostly_weights() -> None:
    assert weight_bytes("wide") > 300 * weight_bytes("conv")
