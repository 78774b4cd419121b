from __future__ import annotations

import subprocess
import sys

import pytest

from tests.store.build import ROOT


@pytest.mark.slow
def test_a15_forty_kills_at_random_instants_lose_nothing_and_double_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.kills", "40"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 lost, 0 doubled, 0 stores unsound" in done.stdout
