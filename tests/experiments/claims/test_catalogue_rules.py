"""Rules every experiment keeps, read off its definition."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from studyapp.experiments import catalog
from studyapp.experiments.claim import Experiment

EVERY = [catalog.experiment(name) for name in catalog.ids()]
CLAIMS = Path(catalog.__file__).parent / "claims"
every = pytest.mark.parametrize("experiment", EVERY, ids=lambda e: e.id)


@every
def test_a_claim_file_says_how_to_run_it(experiment: Experiment) -> None:
    source = (CLAIMS / f"{experiment.id.replace('-', '_')}.py").read_text(encoding="utf-8")

    assert f"    studyapp run {experiment.id}\n" in (ast.get_docstring(ast.parse(source)) or "") + "\n"


@every
def test_a_claim_is_a_sentence_and_its_question_a_question(experiment: Experiment) -> None:
    assert experiment.claim.endswith(".")
    assert "?" in experiment.question
    assert experiment.setup.endswith(".")
    assert experiment.ablation


@every
def test_defaults_fresh_values_and_ablations_are_allowed_values(experiment: Experiment) -> None:
    for control in experiment.controls:
        assert [control.parse(v) for v in (control.default, *control.fresh)] == [control.default, *control.fresh]
        assert control.help
        assert control.choices or None not in (control.low, control.high)
    assert experiment.parse_controls(experiment.ablation_controls)


@every
def test_siblings_exist_and_lane_labels_are_short(experiment: Experiment) -> None:
    assert experiment.sibling is None or experiment.sibling in catalog.ids()
    assert all(len(lane.label) <= 10 for lane in experiment.plot.lanes)
    assert len({lane.id for lane in experiment.plot.lanes}) == len(experiment.plot.lanes)


@every
def test_memory_is_stated_for_every_end_of_the_controls(experiment: Experiment) -> None:
    for control in experiment.controls:
        for end in control.choices or (control.low, control.high):
            controls = experiment.parse_controls({control.name: end})

            assert 0 < experiment.about_bytes(**controls) < 4e9


def test_defaults_are_the_lessons_own_numbers() -> None:
    def default(name: str, control: str) -> object:
        return catalog.experiment(name).control(control).default

    assert [default(name, "width") for name in ("layer-batch", "core-race", "paper-race", "race")] == [512] * 4
    assert default("kept", "batch") == 64
    assert default("lost-gradients", "activation") == "relu"
