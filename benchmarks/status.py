"""What `studyapp status` costs a shell prompt, against a Python that does nothing.

python -m benchmarks.run status
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks import setting
from benchmarks.ratios import Figure, against, interleave


def measure(rounds: int = 25) -> list[Figure]:
    """Return the ratios of whole runs, started as a module and as the installed command."""
    with setting.home() as folder:
        environ = setting.environment(folder)
        found = interleave(
            {
                "nothing": _run((sys.executable, "-c", "pass"), environ),
                "module": _run((*setting.STUDYAPP, "status"), environ),
                "script": _run((str(setting.SCRIPT), "status"), environ),
            },
            rounds,
        )
    return [
        against("`python -m studyapp status` / `python -c pass`", found["module"], found["nothing"], 2.5),
        against("`studyapp status` / `python -c pass`", found["script"], found["nothing"], 2.5),
    ]


def _run(command: Sequence[str], environ: dict[str, str]) -> Callable[[], float]:
    def once() -> float:
        begin = time.perf_counter()
        subprocess.run(command, env=environ, cwd=setting.ROOT, check=True, capture_output=True)
        return time.perf_counter() - begin

    return once
