"""Sharding deals out weights, gradients and optimizer state: with N devices each holds about one N-th.

Trains a net for one step in real processes, each a device of its own, and counts the bytes every process then
holds: weights, gradients, Adam's two moments. Under `fully_shard` (FSDP2) that is one N-th of everything, under
ZeroRedundancyOptimizer (ZeRO's first stage) only the state shrinks, under DDP nothing does. It is a lower bound:
activations and the layer gathered for computing come on top.

    studyapp run fsdp
    studyapp run fsdp --set strategy=ddp
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, Rank
from studyapp.experiments.judging import in_bytes, ratio

STRATEGIES = ("fsdp", "zero1", "ddp")
LAYERS, WIDTH, ROWS = 4, 512, 8
"""1.05 million weights, 4.2 MB: large enough that rounding up to whole rows does not show."""
PARTS = ("weights", "gradients", "state", "all")
ALL = 3
WITHIN = 0.1
"""How far above one N-th the fullest process may be: rows that cannot be dealt out equally."""


def measure(lab: Lab, processes: int, strategy: str) -> Iterator[Point]:
    """Count the bytes per part after one step, in one process alone, then in the fullest of several."""
    yield from _points("alone", _step(lab.torch, "cpu", ""))
    yield from lab.ranks(hold, processes, strategy=strategy)


def hold(rank: Rank, strategy: str) -> Iterator[Point]:
    """Take one step under the strategy; yield one N-th of the whole, and the bytes the fullest rank holds."""
    torch, dist = rank.torch, rank.torch.distributed
    yield from _points("fair", [held / rank.world for held in _step(torch, rank.device, "")])
    held = torch.tensor(_step(torch, rank.device, strategy), dtype=torch.float32, device=rank.device)
    dist.all_reduce(held, dist.ReduceOp.MAX)
    yield from _points("each", held.tolist())


def _points(lane: str, held: Sequence[float]) -> list[Point]:
    return [Point(lane, x, y, basis=Basis.COUNTED) for x, y in enumerate((*held, sum(held)))]


def _step(torch: Any, device: Any, strategy: str) -> list[float]:
    """Train once; return the bytes of weights, gradients and Adam's state that this process holds."""
    torch.manual_seed(0)
    net: Any = torch.nn.Sequential(*(torch.nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS))).to(device)
    adam: Any = torch.optim.Adam
    if strategy == "fsdp":
        shard = importlib.import_module("torch.distributed.fsdp").fully_shard
        for layer in (*net, net):
            shard(layer)
    elif strategy:
        net = torch.nn.parallel.DistributedDataParallel(net)
    if strategy == "zero1":
        zero = importlib.import_module("torch.distributed.optim").ZeroRedundancyOptimizer
        optimizer = zero(net.parameters(), optimizer_class=adam)
        mine = optimizer.optim
    else:
        mine = optimizer = adam(net.parameters())
    net(torch.ones(ROWS, WIDTH, device=device)).square().mean().backward()
    optimizer.step()
    weights = list(net.parameters())
    state = [tensor for moments in mine.state.values() for tensor in moments.values()]
    return [float(sum(map(_bytes, part))) for part in (weights, [p.grad for p in weights], state)]


def _bytes(tensor: Any) -> int:
    """Return the bytes of a tensor, of this process's shard where it is dealt out."""
    local = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    return int(local.numel() * local.element_size())


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Hold what the fullest process has against one N-th of the whole."""
    alone, fair, each = series(points, "alone"), series(points, "fair"), series(points, "each")
    share = ratio(each[ALL], alone[ALL])
    count = round(ratio(alone[ALL], fair[ALL]))
    shares = ", ".join(f"{name} {ratio(each[x], alone[x]):.2f}" for x, name in enumerate(PARTS[:ALL]))
    because = (
        f"Of {in_bytes(value(alone[ALL]))}, each of {count} holds {share:.2f} ({shares}); "
        f"an equal share is {1 / count:.2f}. Activations come on top."
    )
    even = ratio(each[ALL], fair[ALL]) <= 1 + WITHIN
    outcome = Outcome.HOLDS if even else Outcome.DOES_NOT_HOLD
    return Verdict(outcome, because, 100 * share, "%", 100 * share, 100 * share, decided_by=(each[ALL], fair[ALL]))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return one N-th of the whole."""
    fair = series(points, "fair")
    return (Mark("threshold", value(fair[ALL]), "one N-th", axis="y"),) if ALL in fair else ()


EXPERIMENT = Experiment(
    id="fsdp",
    claim="Sharding splits weights, gradients and optimizer state: each of N devices holds one N-th.",
    question="What share of the whole does each process hold after a step?",
    unit="%",
    plot=Plot(
        x=Axis("what is held", labels=PARTS),
        y=Axis("bytes", "B"),
        lanes=(
            Lane("alone", "one alone", "neutral"),
            Lane("each", "each", "cpu"),
            Lane("fair", "one N-th", "weak"),
        ),
        kind="bar",
        subtitle="Bytes a process holds after one training step; lower leaves room for a larger model.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("processes", 2, "processes, each a device of its own", 2, 8, fresh=(2, 3, 4)),
        Control("strategy", "fsdp", "what is dealt out: all, state, nothing", choices=STRATEGIES),
    ),
    needs=frozenset({"processes"}),
    joined=True,
    seconds=30.0,
    usual_s=3.0,
    prepares=("torch._dynamo",),
    about_bytes=lambda processes, strategy: processes * 2**28,
    sibling="averaged-gradients",
    timed=False,
    predicts=(1.0, 100.0),
    grid="linear",
    ablation="Let DDP keep a full copy everywhere: without sharding every process holds the whole.",
    ablation_controls={"strategy": "ddp"},
    setup="Four 512-wide layers, Adam, float32: fully_shard, ZeroRedundancyOptimizer or plain DDP, one step.",
)
