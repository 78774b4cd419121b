"""The worker's first second: environment, memory settings, torch, and what to tell the program about it."""

from __future__ import annotations

import gc
import importlib
import os
import platform
import socket
import sys
import time
import warnings
from typing import Any

from studyapp.experiments.protocol import Failed, Ready, Warm
from studyapp.experiments.worker import devices, limits
from studyapp.experiments.worker.allowance import Allowance, affinity, allowance
from studyapp.experiments.worker.wires import Outlet

BEFORE_TORCH = {
    "GOMP_SPINCOUNT": "1000",
    "PYTHONWARNINGS": "ignore",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}
"""Set unless the learner has: a thread that spins for one that is not running loses whole time slices (GNU OpenMP
only); warnings of children stay off the screen; asking whether CUDA is there must not touch it."""

OLDEST = "2.6"
"""The oldest torch that the claims are written for."""


def prepare_process() -> Allowance:
    """Set what must stand before torch is imported; return the cores to use."""
    limits.die_with_parent()
    limits.keep_freed_memory()
    for name, value in BEFORE_TORCH.items():
        os.environ.setdefault(name, value)
    warnings.simplefilter("ignore")
    granted = allowance(os.environ, affinity())
    os.environ["OMP_NUM_THREADS"] = str(granted.cores)
    return granted


def too_old(version: str) -> bool:
    """Return whether a torch is older than what the claims are written for; one of no known form is not."""
    found = [part for part in version.split(".")[:2] if part.isdigit()]
    return len(found) == 2 and [int(part) for part in found] < [int(part) for part in OLDEST.split(".")]


def import_torch(outlet: Outlet) -> Any:
    """Return torch with one thread, or None after telling the program why there is none."""
    try:
        torch = importlib.import_module("torch")
        if not too_old(torch.__version__):
            torch.set_num_threads(1)
            return torch
        why, failure = f"torch {torch.__version__} is too old: {OLDEST} or newer is needed", "torch_broken"
    except ModuleNotFoundError as error:
        missing = error.name == "torch"
        why = f"{sys.executable} has no torch" if missing else f"torch cannot be imported: {error}"
        failure = "no_torch" if missing else "torch_broken"
    except BaseException as error:  # whatever an installation half done raises, SystemExit included
        why, failure = f"torch cannot be imported: {devices.one_line(error)}", "torch_broken"
    outlet.send(Failed(failure=failure, why=why))
    return None


def ready(torch: Any, granted: Allowance) -> Ready:
    """Return the worker's greeting."""
    seen, why = devices.seen(torch)
    return Ready(
        torch=str(torch.__version__),
        python=platform.python_version(),
        host=socket.gethostname(),
        cpu=devices.cpu_name(),
        threads=torch.get_num_threads(),
        cores=granted.cores,
        devices=seen,
        why_cpu=why,
        notices=list(granted.notices),
        rss_mb=limits.rss_mb(),
    )


def warm_up(torch: Any, modules: tuple[str, ...], what: str) -> Warm:
    """Make the first product and import modules, then take all that lives out of the garbage collector's sight.

    The first product costs 8 to 34 ms, a later collection falls from 136 to 0.01 ms.
    """
    begin = time.perf_counter()
    ones = torch.ones(64, 64)
    torch.mm(ones, ones)
    for name in modules:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    return Warm(what=what, took_s=time.perf_counter() - begin, rss_mb=limits.rss_mb())
