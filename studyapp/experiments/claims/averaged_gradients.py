"""In data parallelism the averaged gradients are the whole batch's gradient, if the slices are equal.

Cuts one batch into slices and averages their gradients: by hand in this process, then with real processes under
DistributedDataParallel. With equal slices the average is the gradient of the whole batch; with unequal ones a mean
of means is not. A step is timed too: talking costs, and a small net pays more than it gains. Over gloo on shared
cores that cost is far above NCCL's between cards.

    studyapp run averaged-gradients
    studyapp run averaged-gradients --set slices=unequal
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.percent import percent
from studyapp.core.points import Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, Rank
from studyapp.experiments.judging import times
from studyapp.experiments.nets import build, rows

ROWS = 256
"""Rows of the whole batch; where they cannot be dealt out equally, the rest is left out on both sides."""
SAME = 1e-5
"""Share of the largest gradient below which two gradients are the same: float32 sums differ by about 1e-7."""
BLOCKS, STEPS = 5, 10
"""Timed blocks of steps; the best block counts."""
KINDS = ("equal", "unequal")
STEP = len(KINDS)
"""Where the step times stand on the x axis."""


def dealt(kind: str, processes: int) -> list[int]:
    """Return the rows of each process: the same for all, or half as many for all but the last.

    >>> dealt("equal", 2), dealt("unequal", 2), dealt("equal", 3)
    ([128, 128], [64, 192], [85, 85, 85])
    """
    each = ROWS // processes
    if kind == "equal":
        return [each] * processes
    return [each // 2] * (processes - 1) + [ROWS - (each // 2) * (processes - 1)]


def measure(lab: Lab, processes: int, slices: str) -> Iterator[Point]:
    """Compare averaged gradients with the whole batch's, by hand and under DDP; then time a step."""
    for index, kind in enumerate(KINDS):
        yield Point("hand", index, _by_hand(lab, kind, processes))
    net, batch = _net_and_batch(lab.torch)
    for _, timing in lab.rounds({0: lambda: _backward(lab.torch, net, batch)}, rounds=5):
        alone_s = timing.best_s
    for point in lab.ranks(average_slices, processes):
        if point.series == "ddp":
            yield point
        else:
            yield Point("step", STEP, value(point) / alone_s, repeats=point.repeats)


def _net_and_batch(torch: Any) -> tuple[Any, Any]:
    torch.manual_seed(0)
    return build(torch, "two-layer"), rows(torch, "two-layer", ROWS)


def _backward(torch: Any, net: Any, batch: Any) -> Any:
    """Set the net's gradients: a mean loss whose classes the first column's sign tells."""
    net.zero_grad(set_to_none=True)
    torch.nn.functional.cross_entropy(net(batch), (batch[:, 0] > 0).long()).backward()
    return net


def _flat(torch: Any, net: Any) -> Any:
    return torch.cat([p.grad.flatten() for p in net.parameters()]).cpu()


def _difference(torch: Any, average: Any, net: Any, batch: Any) -> float:
    """Return how far an average is from the gradient of the whole batch, as a share of the largest gradient."""
    whole = _flat(torch, _backward(torch, net, batch))
    return float((average - whole).abs().max() / whole.abs().max())


def _by_hand(lab: Lab, kind: str, processes: int) -> float:
    torch = lab.torch
    net, batch = _net_and_batch(torch)
    parts = dealt(kind, processes)
    batch = batch[: sum(parts)]
    total = sum(_flat(torch, _backward(torch, net, part)) for part in batch.split(parts))
    return _difference(torch, total / processes, net, batch)


def average_slices(rank: Rank) -> Iterator[Point]:
    """Take this rank's slice, let DDP average, compare with the whole batch; then time steps; seconds per step."""
    torch = rank.torch
    ids = [rank.device.index] if rank.device.type == "cuda" else None
    for index, kind in enumerate(KINDS):
        net, batch = _net_and_batch(torch)
        parts = dealt(kind, rank.world)
        batch = batch[: sum(parts)].to(rank.device)
        net = net.to(rank.device)
        shared = torch.nn.parallel.DistributedDataParallel(net, device_ids=ids)
        mine = batch.split(parts)[rank.rank]
        averaged = _flat(torch, _backward(torch, shared, mine))
        yield Point("ddp", index, _difference(torch, averaged, net, batch))
        if kind == "equal":
            best_s = min(_block_s(rank, partial(_backward, torch, shared, mine)) for _ in range(BLOCKS))
    yield Point("step", STEP, best_s, repeats=BLOCKS)


def _block_s(rank: Rank, step: Callable[[], Any]) -> float:
    rank.sync()
    begin = time.perf_counter()
    for _ in range(STEPS):
        step()
    rank.sync()
    return (time.perf_counter() - begin) / STEPS


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask for the same gradient from the chosen slices, by hand and from the processes."""
    chosen = KINDS.index(str(facts.controls["slices"]))
    hand, ddp, step = series(points, "hand"), series(points, "ddp"), series(points, "step")
    by = (hand[chosen], ddp[chosen])
    worst = max(value(point) for point in by)
    slower = value(step[STEP])
    where = "cards" if facts.accelerated else "processes over gloo, on shared cores"
    because = (
        f"Equal slices differ by {value(ddp[0]):.0e} of the largest gradient, unequal ones by "
        f"{percent(value(ddp[1]))}. A step takes {times(slower)} as long on {where}."
    )
    outcome = Outcome.HOLDS if worst < SAME else Outcome.DOES_NOT_HOLD
    return Verdict(outcome, because, slower, "x", slower / 1.25, slower * 1.25, decided_by=by)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line below which gradients count as the same."""
    return (Mark("threshold", SAME, "the same", axis="y"),)


EXPERIMENT = Experiment(
    id="averaged-gradients",
    claim="Averaging the gradients of equal slices gives every device the gradient of the whole batch.",
    question="How many times as long does a small net's step take on the processes together as on one alone?",
    unit="x",
    plot=Plot(
        x=Axis("slices, then step", labels=("equal", "unequal", "step")),
        y=Axis("off, or times", scale="log10"),
        lanes=(
            Lane("hand", "by hand", "weak"),
            Lane("ddp", "processes", "cpu"),
            Lane("step", "step time", "neutral"),
        ),
        kind="bar",
        subtitle="How far the average is off, as a share of the largest gradient; the step against one process.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("processes", 2, "processes that share the batch", 2, 8, fresh=(2, 3, 4)),
        Control("slices", "equal", "how the rows are dealt out", choices=KINDS),
    ),
    needs=frozenset({"processes"}),
    joined=True,
    seconds=30.0,
    usual_s=2.5,
    about_bytes=lambda processes, slices: processes * 2**28,
    sibling="same-rate",
    timed=False,
    predicts=(0.1, 100.0),
    ablation="Deal the rows out unequally: a mean of means weighs every slice alike, and the equality goes.",
    ablation_controls={"slices": "unequal"},
    setup="A 20-64-2 net, 256 rows, one thread per process; forward and backward, gradients averaged by DDP.",
)
