"""The worker's half runs on Python 3.10 with the standard library and torch alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from studyapp.experiments import catalog

ROOT = Path(__file__).parents[2]
HALF = sorted(
    [
        *(ROOT / "studyapp/experiments").glob("claims/*.py"),
        *(ROOT / "studyapp/experiments").glob("worker/*.py"),
        *(
            ROOT / "studyapp/experiments" / name
            for name in ("claim.py", "catalog.py", "protocol.py", "judging.py")
        ),
        *(ROOT / "studyapp/core" / name for name in ("points.py", "verdicts.py", "figures.py", "errors.py")),
    ]
)


@pytest.mark.parametrize("path", HALF, ids=lambda path: path.name)
def test_the_workers_half_is_python_3_10(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))


def test_the_workers_half_loads_without_any_installed_package() -> None:
    code = (
        "import studyapp.experiments.worker.loop, studyapp.experiments.worker.__main__;"
        "from studyapp.experiments import catalog; print(len(catalog.experiments()))"
    )

    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert int(done.stdout) == len(catalog.CLAIMS)
