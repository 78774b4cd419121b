"""The contracts on imports bite: each breaks where a file that violates it is planted into a copy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib

from tests.conftest import ROOT

CONTRACTS = [
    contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
]
PLANTS = [
    ("Imports point downwards", "core/planted.py", "import studyapp.store.records"),
    ("Imports point downwards", "store/planted.py", "import studyapp.decks.load"),
    ("Imports point downwards", "plain/planted.py", "import studyapp.tui.theme"),
    ("Imports point downwards", "study/planted.py", "import studyapp.chart.words"),
    ("Imports point downwards", "cli/planted.py", "import studyapp.__main__"),
    ("Imports point downwards", "attic/__init__.py", "pass"),
    (
        "Nobody but the worker itself imports the worker",
        "study/planted.py",
        "import studyapp.experiments.worker.lab",
    ),
    (
        "Nobody but the worker itself imports the worker",
        "experiments/planted.py",
        "import studyapp.experiments.worker",
    ),
    ("torch is imported by the worker alone, by name", "experiments/claims/planted.py", "import torch.nn"),
    ("torch is imported by the worker alone, by name", "tui/widgets/planted.py", "if TYPE_CHECKING: import torch"),
    ("sqlalchemy and alembic live in the store", "study/planted.py", "import sqlalchemy"),
    ("sqlalchemy and alembic live in the store", "cli/planted.py", "import alembic"),
    ("textual lives in the tui", "chart/planted.py", "import textual.color"),
    ("plotext lives in the chart", "tui/planted.py", "import plotext"),
    ("fsrs lives behind our adapter", "core/planted.py", "import fsrs"),
    ("click lives in the cli", "plain/planted.py", "import click"),
    ("Markdown is parsed in decks and drawn in the tui", "cli/planted.py", "import markdown_it"),
    ("rich draws charts and rows", "study/planted.py", "import rich.text"),
    ("The core is pure: no files, clock, chance or threads", "core/planted.py", "import time"),
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with its contracts."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "studyapp", root / "studyapp", ignore=shutil.ignore_patterns("__pycache__", "_data"))
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


def broken(copy: Path) -> set[str]:
    """Return the names of the contracts that do not hold in the copy."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, text=True, check=False)
    lines = [line.strip() for line in done.stdout.splitlines()]
    found = {name for name in CONTRACTS for line in lines if line.startswith(f"{name} BROKEN")}
    assert (done.returncode != 0) == bool(found), done.stdout + done.stderr
    return found


@pytest.mark.parametrize(
    ("contract", "place", "line"), PLANTS, ids=[f"{place}: {line}" for _, place, line in PLANTS]
)
def test_a_planted_import_breaks_its_contract(copy: Path, contract: str, place: str, line: str) -> None:
    file = copy / "studyapp" / place
    new_folder = not file.parent.exists()
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"TYPE_CHECKING = False\n{line}\n", encoding="utf-8")
    try:
        found = broken(copy)
    finally:
        shutil.rmtree(file.parent) if new_folder else file.unlink()

    assert contract in found


def test_every_contract_is_put_to_the_test() -> None:
    assert {contract for contract, _, _ in PLANTS} == set(CONTRACTS)
