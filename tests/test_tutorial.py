"""The experiment that docs/experiments.md shows how to write: it is typed, judged and really run."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from studyapp.core.points import Point, latest
from studyapp.core.verdicts import Outcome, decide
from studyapp.experiments.claim import Experiment
from studyapp.experiments.protocol import Done, Message, PointMessage, Request
from studyapp.experiments.runner import facts_from, run_sync
from studyapp.study.why import ablation_of
from tests.conftest import ROOT
from tests.experiments.claims import test_catalogue_rules as rules
from tests.experiments.helpers import REAL

PAGE = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
CLAIM, TESTS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
NAME = "studyapp.experiments.claims.rows_together"


def loaded(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "rows_together.py"
    path.write_text(CLAIM, encoding="utf-8")
    return path


@pytest.fixture
def claim(place: Path, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    module = loaded(place, NAME)
    monkeypatch.setitem(sys.modules, NAME, module)
    found = module.EXPERIMENT
    assert isinstance(found, Experiment)
    return found


def of_the_page() -> list[str]:
    return re.findall(r"^def (test_\w+)", TESTS, re.MULTILINE)


@pytest.mark.parametrize("name", of_the_page())
def test_its_own_tests_pass(name: str, claim: Experiment, tmp_path: Path) -> None:
    path = tmp_path / "test_rows_together.py"
    path.write_text(TESTS, encoding="utf-8")

    check: Callable[[], None] = getattr(loaded(path, "shown_tests"), name)

    check()


def test_its_tests_see_all_four_outcomes() -> None:
    assert {f"Outcome.{outcome.name}" for outcome in Outcome} <= set(re.findall(r"Outcome\.[A-Z_]+", TESTS))


def test_it_keeps_the_rules_of_the_catalogue(claim: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    rules.test_a_claim_is_a_sentence_and_its_question_a_question(claim)
    rules.test_defaults_fresh_values_and_ablations_are_allowed_values(claim)
    rules.test_siblings_exist_and_lane_labels_are_short(claim)
    rules.test_memory_is_stated_for_every_end_of_the_controls(claim)


def test_it_is_about_forty_lines_beside_its_definition() -> None:
    logic, _, definition = CLAIM.partition("EXPERIMENT = ")

    assert len([line for line in logic.splitlines() if line.strip()]) <= 40
    assert len(definition.splitlines()) <= 30


def test_it_is_formatted_and_checked_like_all_others(place: Path) -> None:
    for words in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *words, "--config", str(ROOT / "pyproject.toml"), str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def run(place: Path, claim: Experiment, **given: int) -> tuple[list[Point], Done]:
    heard: list[Message] = []
    controls = claim.parse_controls(given)
    name = f"{place}:EXPERIMENT"
    last = run_sync(Request("r", name, controls, device="cpu", seconds=8.0), heard.append, command=REAL)
    assert isinstance(last, Done), last
    return latest(m.point for m in heard if isinstance(m, PointMessage)), last


@pytest.mark.torch
def test_it_runs_for_real_and_a_single_row_shows_no_gain(place: Path, claim: Experiment) -> None:
    points, done = run(place, claim)
    alone, other = run(place, claim, **ablation_of(claim, claim.parse_controls({})))

    together = decide(claim.judge, points, facts_from(done))
    single = decide(claim.judge, alone, facts_from(other))
    assert {p.series for p in points} == {"time"}
    assert together.outcome in (Outcome.HOLDS, Outcome.TOO_NOISY)  # a crowded test machine may be too noisy
    assert single.outcome in (Outcome.DOES_NOT_HOLD, Outcome.TOO_NOISY)
    assert (together.measured or 0) > (single.measured or 0)
