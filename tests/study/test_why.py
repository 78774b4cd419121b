from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from studyapp.core.errors import UsageError
from studyapp.core.verdicts import Outcome, Verdict
from studyapp.experiments.catalog import experiment, experiments
from studyapp.study.experimenting import Trial
from studyapp.study.why import Fate, Why, ablation_of, survives

HOLDS, NOT = Outcome.HOLDS, Outcome.DOES_NOT_HOLD
NOISY, CANNOT = Outcome.TOO_NOISY, Outcome.CANNOT_TEST


def a_verdict(outcome: Outcome | None) -> Verdict | None:
    return None if outcome is None else Verdict(outcome, "Because of the points.")


def a_trial(outcome: Outcome | None, name: str = "kept") -> Trial:
    """Stand in for an ended trial: what `Why` reads of one."""
    claim = experiment(name)
    parts: dict[str, Any] = {
        "verdict": a_verdict(outcome),
        "experiment": claim,
        "note": "It died.",
        "state": "failed",
    }
    return cast(Trial, SimpleNamespace(**parts, as_json=lambda: {"experiment": name}))


@pytest.mark.parametrize(
    ("plain", "ablated", "fate", "said"),
    [
        (HOLDS, NOT, Fate.SURVIVES, "The reason survives"),
        (HOLDS, HOLDS, Fate.WRONG, "The effect stays although its named cause was removed"),
        (NOT, HOLDS, Fate.WRONG, "only once its named cause is removed"),
        (NOT, NOT, Fate.OPEN, "no effect here to explain"),
        (NOISY, NOT, Fate.OPEN, "The claim itself was too noisy"),
        (CANNOT, NOT, Fate.OPEN, "The claim itself cannot be tested here"),
        (None, NOT, Fate.OPEN, "The claim itself gave no result"),
        (HOLDS, NOISY, Fate.OPEN, "Without the cause it was too noisy"),
        (HOLDS, CANNOT, Fate.OPEN, "Without the cause it cannot be tested here"),
        (HOLDS, None, Fate.OPEN, "Without the cause it gave no result"),
    ],
)
def test_a_reason_survives_only_where_the_effect_goes_with_its_cause(
    plain: Outcome | None, ablated: Outcome | None, fate: Fate, said: str
) -> None:
    found, sentence = survives(a_verdict(plain), a_verdict(ablated))

    assert found is fate
    assert said in sentence
    assert sentence.endswith(".")


def test_every_pair_of_outcomes_has_a_sentence() -> None:
    outcomes: list[Outcome | None] = [*Outcome, None]

    pairs = [(survives(a_verdict(a), a_verdict(b)), a, b) for a in outcomes for b in outcomes]

    decided = {(a, b) for (fate, _), a, b in pairs if fate is not Fate.OPEN}
    assert decided == {(HOLDS, NOT), (HOLDS, HOLDS), (NOT, HOLDS)}


def test_the_sentence_says_what_was_taken_away() -> None:
    why = Why(a_trial(HOLDS), a_trial(HOLDS))

    assert why.sentence() == f"{why.removed} {survives(a_verdict(HOLDS), a_verdict(HOLDS))[1]}"
    assert experiment("kept").ablation in why.removed
    assert "(batch 1, side 64)" in why.removed
    assert why.as_json()["fate"] == "wrong"


def test_both_verdicts_are_told_and_a_failure_says_why() -> None:
    assert Why(a_trial(HOLDS), a_trial(None)).verdicts() == ("Holds here. Because of the points.", "It died.")


def test_an_ablation_changes_only_the_named_controls() -> None:
    given = experiment("race").parse_controls({"width": 2048})

    assert ablation_of(experiment("race"), given) == {**given, "width": 16}


def test_a_cause_that_cannot_be_taken_away_is_refused_in_words() -> None:
    claim = experiment("kept")
    without = next(entry for entry in experiments() if not entry.ablation_controls)

    with pytest.raises(UsageError, match="gone already"):
        ablation_of(claim, claim.parse_controls(claim.ablation_controls))
    with pytest.raises(UsageError, match="no setting that removes the cause"):
        ablation_of(without, without.parse_controls({}))


def test_every_ablation_of_the_catalogue_is_within_its_controls() -> None:
    for entry in experiments():
        if entry.ablation_controls:
            own = entry.parse_controls({})
            assert entry.parse_controls(ablation_of(entry, own)) != own
