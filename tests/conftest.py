"""What every test shares: nothing of the developer's own settings or records, and fresh interpreters."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
"""The folder that holds the package."""
RunPython = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session", autouse=True)
def _away_from_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the developer's settings, lessons and record out of the tests, and the tests out of them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("STUDYAPP_", "XDG_"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        yield


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    """Run words after `python` in a fresh interpreter with an empty home, from an empty folder."""

    def run(
        *words: str,
        environ: Mapping[str, str] | None = None,
        python: str = sys.executable,
        stdin: int = subprocess.DEVNULL,
    ) -> subprocess.CompletedProcess[str]:
        home, here = tmp_path / "home", tmp_path / "here"
        home.mkdir(exist_ok=True)
        here.mkdir(exist_ok=True)
        env = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        env |= {"HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")}
        return subprocess.run(
            [python, *words],
            cwd=here,
            env={**env, **(environ or {})},
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def torch() -> Any:
    """torch, on one thread; what it says of numpy, which need not be there, is not of interest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = importlib.import_module("torch")
        found.zeros(1)
    found.set_num_threads(1)
    return found
