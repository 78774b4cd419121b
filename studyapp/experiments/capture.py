"""Record a step as a CUDA graph: the ablation that removes the launches and leaves the arithmetic.

Meets torch only as `lab.torch`; standard library otherwise, Python 3.10+.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studyapp.experiments.claim import Lab

WARM_UP_CALLS = 3
"""Calls on a side stream before the capture, as torch's CUDA graph notes ask for."""


def can_capture(lab: Lab) -> bool:
    """Return whether the device records graphs (CUDA and ROCm do, others do not)."""
    return str(lab.device.type) == "cuda"


def captured(lab: Lab, step: Callable[[], Any]) -> Callable[[], Any]:
    """Return a call that replays `step` with a single launch.

    The step must use the same tensors each time and wait for nothing on the host.
    """
    cuda = lab.torch.cuda
    side = cuda.Stream()
    side.wait_stream(cuda.current_stream())
    with cuda.stream(side):
        for _ in range(WARM_UP_CALLS):
            step()
    cuda.current_stream().wait_stream(side)
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        step()
    replay: Callable[[], Any] = graph.replay
    return replay


REPEATS = 20
"""Calls in one graph, so that its single launch weighs a twentieth."""


def repeated(lab: Lab, call: Callable[[], Any]) -> tuple[Callable[[], Any], int]:
    """Return a call without launches in it and how many of the given ones it stands for.

    A graph of `REPEATS` calls where the device records graphs, else the call itself.
    """
    if not can_capture(lab):
        return call, 1
    return captured(lab, lambda: [call() for _ in range(REPEATS)]), REPEATS
