from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter

import pytest

from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome
from studyapp.experiments.claims.trees_or_net import SPLITS, TABLES, point
from tests.conftest import ROOT
from tests.experiments.claims.builders import a_run, verdict

FOLDER = ROOT / "studyapp" / "experiments" / "claims" / "tables"


def right(trees: dict[str, float], net: dict[str, float], error: float = 0.3) -> list[Point]:
    lanes = {"trees": trees, "net": net}
    return [
        Point(lane, TABLES.index(name), y, y - error, y + error, SPLITS)
        for lane, found in lanes.items()
        for name, y in found.items()
    ]


BOTH = {"wine": 97.0, "tumours": 96.0}


def test_trees_ahead_on_both_real_tables_let_the_claim_hold() -> None:
    told = verdict("trees-or-net", right(BOTH, {"wine": 94.0, "tumours": 93.0}), a_run("trees-or-net"))

    assert told.outcome is Outcome.HOLDS
    assert told.measured == 96.5
    assert told.because.endswith("wine 97.0 against 94.0 %, tumours 96.0 against 93.0 %.")


def test_a_net_ahead_on_one_real_table_contradicts_it() -> None:
    told = verdict("trees-or-net", right(BOTH, {"wine": 94.0, "tumours": 98.5}), a_run("trees-or-net"))

    assert told.outcome is Outcome.DOES_NOT_HOLD


@pytest.mark.parametrize("net", [{"wine": 96.5, "tumours": 96.2}, {"wine": 94.0, "tumours": 96.0}])
def test_a_tie_on_a_real_table_has_no_winner(net: dict[str, float]) -> None:
    told = verdict("trees-or-net", right(BOTH, net), a_run("trees-or-net"))

    assert told.outcome is Outcome.TOO_NOISY
    assert told.because.endswith("That is a tie.")


def test_a_lead_within_twice_its_error_is_a_tie() -> None:
    points = right(BOTH, {"wine": 94.0, "tumours": 93.0}, error=1.5)

    assert verdict("trees-or-net", points, a_run("trees-or-net")).outcome is Outcome.TOO_NOISY


def test_the_learner_says_which_tables_decide() -> None:
    points = right({"steps": 88.0, "smooth": 68.0}, {"steps": 74.0, "smooth": 82.0})

    assert verdict("trees-or-net", points, a_run("trees-or-net", tables="steps")).outcome is Outcome.HOLDS
    assert verdict("trees-or-net", points, a_run("trees-or-net", tables="smooth")).outcome is Outcome.DOES_NOT_HOLD


def test_a_mean_of_fewer_splits_is_not_settled() -> None:
    assert not point("trees", 0, [96.0]).settled
    assert point("trees", 0, [96.0, 98.0, 96.0, 98.0]).settled
    assert point("trees", 0, [96.0, 98.0]).high == 98.0


@pytest.mark.parametrize(
    ("name", "columns", "classes"),
    [("wine", 13, {0: 59, 1: 71, 2: 48}), ("breast_cancer", 30, {0: 212, 1: 357})],
)
def test_a_shipped_table_is_whole_and_names_source_and_licence(
    name: str, columns: int, classes: dict[int, int]
) -> None:
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    about = [line for line in lines if line.startswith("#")]
    head, *cells = csv.reader(line for line in lines if not line.startswith("#"))

    assert any("Source: " in line for line in about)
    assert any("Licence: CC BY 4.0" in line for line in about)
    assert len(head) == columns + 1
    assert Counter(int(row[-1]) for row in cells) == classes
    assert all(len(row) == columns + 1 and all(float(cell) >= 0 for cell in row) for row in cells)


LEARNS = """
import json, warnings
warnings.simplefilter("ignore")
import torch
from studyapp.experiments.boosting import net_right, trees_right
torch.manual_seed(0)
columns = torch.randn(600, 3)
classes = (columns[:, 0] > 0.3).long() + (columns[:, 1] > 0).long()
train, test = (columns[:400], classes[:400]), (columns[400:], classes[400:])
mixed = (columns[:400], classes[torch.randperm(400)])
found = trees_right(torch, train, test), net_right(torch, train, test), trees_right(torch, mixed, test)
print(json.dumps(found))
"""


@pytest.mark.torch
def test_trees_and_net_learn_thresholds_and_nothing_from_noise() -> None:
    done = subprocess.run([sys.executable, "-c", LEARNS], cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    trees, net, noise = json.loads(done.stdout)
    assert trees > 95
    assert net > 85
    assert noise < 60
