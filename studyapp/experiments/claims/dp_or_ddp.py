"""DistributedDataParallel beats DataParallel: one process per card, and only gradients travel.

With two GPUs or more, both train the same net and are timed: DataParallel from this process, DDP under torchrun.
Without, the bytes that pass through card 0 in a step are counted: DataParallel hands every other card the weights
and a slice of the rows and collects answers and gradients; DDP's all-reduce passes gradients round a ring. The
gradients are counted in real processes, as DDP puts them into its buckets. A count says nothing about time.

    studyapp run dp-or-ddp
    studyapp run dp-or-ddp --set net=two-layer
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, Rank
from studyapp.experiments.judging import against, times
from studyapp.experiments.nets import NETS, ROW_BYTES, WEIGHT_BYTES, build, rows
from studyapp.experiments.product import powers_of_two

CARDS = powers_of_two(2, 16)
ROWS_EACH = 16
"""Rows per card in a step."""
FASTER = 1.1
"""How many times as long DataParallel's step must take."""
BLOCKS, STEPS = 9, 5
"""Timed blocks of steps under DDP; their median counts."""
PAIR = 2
"""Processes in which gradients are counted: every rank has them all, however many there are."""


def through_card_0(
    cards: int, weights: float, gradients: float, rows_bytes: float, answers: float
) -> tuple[float, float]:
    """Return the bytes through card 0 in a step, in and out, under DataParallel and under DDP.

    Point to point, as each library addresses them: NCCL may pass DataParallel's copies along a chain, which moves
    the same bytes to other cards' links. A ring all-reduce sends 2 (n-1)/n of the gradients and receives as much.

    Args:
        cards: How many, n.
        weights: Bytes of weights and buffers, handed to n-1 cards.
        gradients: Bytes of gradients, collected from n-1 cards, or reduced round the ring.
        rows_bytes: Bytes of the whole batch, of which n-1 slices leave.
        answers: Bytes of all answers, of which n-1 slices arrive, and as many gradients leave.

    >>> through_card_0(4, 100.0, 100.0, 0.0, 0.0)
    (600.0, 300.0)
    """
    others = cards - 1
    dp = others * (weights + gradients) + others / cards * (rows_bytes + 2 * answers)
    return dp, 4 * others / cards * gradients


def measure(lab: Lab, net: str, cards: int) -> Iterator[Point]:
    """Count the bytes through card 0, DataParallel's over DDP's; time both where there are two cards."""
    model, one = build(lab.torch, net), rows(lab.torch, net, 1)
    weights = sum(map(_bytes, (*model.parameters(), *model.buffers())))
    with lab.torch.no_grad():
        row, answer = _bytes(one), _bytes(model.eval()(one))
    gradients = sum(map(_bytes, model.parameters()))
    for n in sorted({*CARDS, cards}):
        dp, ddp = through_card_0(n, weights, gradients, n * ROWS_EACH * row, n * ROWS_EACH * answer)
        yield Point("bytes", n, dp / ddp, basis=Basis.COUNTED)
    for point in lab.ranks(bucket_bytes, PAIR, net=net):
        yield Point("buckets", PAIR, value(point) / gradients, basis=Basis.COUNTED)
    if lab.cards >= PAIR:
        yield from _timed(lab, net, min(cards, lab.cards), model)


def _bytes(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())


def _timed(lab: Lab, net: str, cards: int, model: Any) -> Iterator[Point]:
    torch = lab.torch
    ddp = next(point for point in lab.ranks(step_s, cards, net=net))
    shared = torch.nn.DataParallel(model.train().to(lab.device), device_ids=list(range(cards)))
    batch = rows(torch, net, cards * ROWS_EACH).to(lab.device)
    for _, timing in lab.rounds({0: lambda: _train(torch, shared, batch)}, sample_s=0.01):
        dp = timing.point("", cards, accelerated=True)
        middle = value(dp) / value(ddp)
        low, high = middle / (1 + ddp.spread()), middle * (1 + dp.spread())
        yield Point("time", cards, middle, low, high, timing.repeats, timing.settled)


def _train(torch: Any, net: Any, batch: Any) -> None:
    net.zero_grad(set_to_none=True)
    net(batch).float().square().mean().backward()


def _shared(rank: Rank, net: str) -> Any:
    model = build(rank.torch, net).to(rank.device)
    ids = [rank.device.index] if rank.device.type == "cuda" else None
    return rank.torch.nn.parallel.DistributedDataParallel(model, device_ids=ids)


def bucket_bytes(rank: Rank, net: str) -> Iterator[Point]:
    """Yield the bytes of gradients that DDP puts into its buckets in one step."""
    shared, seen = _shared(rank, net), [0]

    def noted(bucket: Any) -> Any:
        seen[0] += _bytes(bucket.buffer())
        done = rank.torch.futures.Future()
        done.set_result(bucket.buffer())
        return done

    shared.register_comm_hook(None, lambda state, bucket: noted(bucket))  # torch refuses other annotations
    _train(rank.torch, shared, rows(rank.torch, net, 2).to(rank.device))
    yield Point("buckets", rank.world, seen[0], basis=Basis.COUNTED)


def step_s(rank: Rank, net: str) -> Iterator[Point]:
    """Yield the seconds of a step under DDP, median and quartiles of blocks."""
    shared, batch = _shared(rank, net), rows(rank.torch, net, ROWS_EACH).to(rank.device)
    found = []
    for _ in range(BLOCKS + 1):
        rank.sync()
        begin = time.perf_counter()
        for _ in range(STEPS):
            _train(rank.torch, shared, batch)
        rank.sync()
        found.append((time.perf_counter() - begin) / STEPS)
    found = sorted(found[1:])  # the first block warms up
    yield Point("ddp", rank.world, found[BLOCKS // 2], found[BLOCKS // 4], found[-1 - BLOCKS // 4], BLOCKS)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Compare step times where there are two cards; alone, a count of bytes does not answer for time."""
    counted, took = series(points, "bytes"), series(points, "time")
    cards = max(took, default=float(facts.controls["cards"]))
    number = value(counted[cards])
    because = f"With {cards:g} cards DataParallel passes {times(number)} the bytes of DDP through card 0."
    if not took:
        because = f"This takes two GPUs. {because}"
        return Verdict(Outcome.CANNOT_TEST, because, number, "x", number, number, decided_by=(counted[cards],))
    slower = took[cards]
    side = against(value(slower), FASTER, ratio_noise([slower]))
    outcome = {1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, -1: Outcome.DOES_NOT_HOLD}[side]
    because += f" Its step takes {times(value(slower))} as long."
    return Verdict(outcome, because, number, "x", number, number, decided_by=(slower,))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line where both are equal."""
    return (Mark("threshold", 1.0, "equal", axis="y"),)


EXPERIMENT = Experiment(
    id="dp-or-ddp",
    claim="On several GPUs DistributedDataParallel trains faster than DataParallel.",
    question="How many times the bytes of DDP pass through card 0 under DataParallel?",
    unit="x",
    plot=Plot(
        x=Axis("cards", scale="log2"),
        y=Axis("DataParallel over DDP", "x", "log2"),
        lanes=(
            Lane("bytes", "bytes", "cpu"),
            Lane("time", "step time", "gpu"),
            Lane("buckets", "buckets", "weak"),
        ),
        subtitle="Above 1× DDP moves less, or is faster; buckets: gradients DDP sends over gradients there are.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("net", "resnet-50", "the net that is trained", choices=NETS),
        Control("cards", 4, "cards that share the batch", 2, 16, fresh=(2, 4, 8)),
    ),
    needs=frozenset({"accelerator", "processes"}),
    joined=True,
    seconds=30.0,
    usual_s=4.0,
    prepares=("torch._dynamo",),
    about_bytes=lambda net, cards: int(7 * WEIGHT_BYTES[net] + 4 * ROW_BYTES[net]) + 2**28,
    sibling="averaged-gradients",
    predicts=(0.1, 100.0),
    ablation="Two cards only: with a single other card to serve, card 0 is hardly a bottleneck.",
    ablation_controls={"cards": 2},
    setup="16 rows per card, float32, forward and backward; the bytes are of one step, in and out of card 0.",
)
