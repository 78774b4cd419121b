"""How a prediction did, in words: the same digits everywhere, and never more than three of them."""

from __future__ import annotations

import pytest

from studyapp.core.predictions import Prediction, score
from studyapp.study.docked_words import praise as docked_praise
from studyapp.study.predicting import praise


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (1.1, "Spot on."),
        (1.5, "Close: 1.5× off."),
        (9.97, "10× off, and worth remembering."),
        (0.016, "62× off, and worth remembering."),
        (1e9, "More than 1,000× off, and worth remembering."),
    ],
)
def test_how_far_off_is_said_in_three_digits_at_most(said: float, words: str) -> None:
    found = score(Prediction(said), 1.0)

    assert found is not None
    assert praise(found) == words


def test_a_docked_script_names_no_more_digits_either() -> None:
    told = Prediction(1e9)

    assert docked_praise(told, score(told, 1.0), 1.0, "x").endswith("off by a factor of more than 1,000.")
