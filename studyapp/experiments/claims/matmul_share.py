"""Training is almost entirely matrix multiplication: true of the arithmetic, seldom of the time.

Counts the arithmetic of one training step operation by operation, then times the whole step and, in turn with it,
its matrix products alone, replayed with their own operands. Both are clocked the same way, so no profiler's own
cost falls on one side. What is left are activations, sums, the loss and the optimizer's update.

    studyapp run matmul-share
    studyapp run matmul-share --set update=none
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.counting import count
from studyapp.experiments.judging import against, quotient
from studyapp.experiments.product import FLOAT_BYTES, matrix, powers_of_two

WIDTHS = powers_of_two(16, 512)
LAYERS = 3
"""Source: the lesson, "a three-layer net of width 512 at batch 32"."""
ALMOST_ALL = 90.0
"""Per cent that count as "almost entirely"."""
SAMPLE_S = 5e-4
"""Seconds per sample: short, so that step and products are timed in the same quiet moments."""


def measure(lab: Lab, width: int, batch: int, update: str) -> Iterator[Point]:
    """Count and time a step of three square layers for each width; matrix products' share in per cent."""
    works: dict[tuple[str, int], Callable[[], Any]] = {}
    for w in sorted({*WIDTHS, width}):
        step = training_step(lab, w, batch, update)
        step()  # the first one also makes the optimizer's state
        counted = count(lab.torch, step)
        yield Point("arithmetic", w, 100 * counted.product_share, basis=Basis.COUNTED)
        works |= {("step", w): step, ("products", w): counted.replay}
    found: dict[tuple[str, int], Point] = {}
    for (what, w), timing in lab.rounds(works, sample_s=SAMPLE_S):
        found[what, w] = timing.point(what, w, accelerated=lab.accelerated)
        if what == "products":
            yield quotient("time", w, found["products", w], found["step", w], scale=100)


def training_step(lab: Lab, width: int, batch: int, update: str) -> Callable[[], None]:
    """Return the call that trains three layers once: forward, backward and, unless `update` is none, AdamW."""
    torch = lab.torch
    layers = [torch.nn.Linear(width, width, device=lab.device) for _ in range(LAYERS)]
    net = torch.nn.Sequential(*(piece for layer in layers for piece in (layer, torch.nn.ReLU())))
    adam = torch.optim.AdamW(net.parameters())
    rows = matrix(torch, batch, width, lab.device)

    def step() -> None:
        loss = net(rows).square().mean()
        adam.zero_grad()
        loss.backward()
        if update == "adamw":
            adam.step()

    return step


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the matrix products take almost all of the step's time at the chosen width."""
    width, batch = int(facts.controls["width"]), facts.controls["batch"]
    counted, timed = series(points, "arithmetic")[width], series(points, "time")[width]
    share = value(timed)
    update = "" if facts.controls["update"] == "adamw" else " without update"
    because = (
        f"A step of width {width} at batch {batch}{update}: matrix products are {value(counted):.1f} % of the "
        f"arithmetic and {share:.0f} % of the time, clocked alone."
    )
    side = against(share, ALMOST_ALL, ratio_noise([timed]))
    outcome = {-1: Outcome.DOES_NOT_HOLD, 0: Outcome.TOO_NOISY, 1: Outcome.HOLDS}[side]
    return Verdict(outcome, because, share, "%", timed.low, timed.high, decided_by=(counted, timed))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the share from which it is almost all."""
    return (Mark("threshold", ALMOST_ALL, f"almost all: {ALMOST_ALL:.0f} %", axis="y"),)


def about_bytes(width: int, batch: int, update: str) -> int:
    """Return the bytes of weights, gradients, moments, kept rows and kept operands over all widths."""
    return sum(LAYERS * FLOAT_BYTES * w * (8 * w + 8 * batch) for w in (*WIDTHS, width))


EXPERIMENT = Experiment(
    id="matmul-share",
    claim="A training step's time is almost entirely matrix multiplication.",
    question="What share of the step's time do the matrix products take, at this width and batch?",
    unit="%",
    plot=Plot(
        x=Axis("width of the layers", scale="log2"),
        y=Axis("matrix products", "%"),
        lanes=(Lane("arithmetic", "arithmetic", "neutral"), Lane("time", "time", "cpu")),
        subtitle="Their share of the arithmetic, counted, and of the time, measured.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("width", 512, "width of the layers, in values", 16, 1024, fresh=(64, 256, 512, 1024)),
        Control("batch", 32, "rows in a step", 1, 4096, fresh=(8, 32, 256, 1024)),
        Control("update", "adamw", "the optimizer, or none", choices=("adamw", "none")),
    ),
    usual_s=1.2,
    about_bytes=about_bytes,
    prepares=("torch._dynamo",),
    sibling="one-after-another",
    predicts=(1.0, 100.0),
    grid="linear",
    ablation="Leave the update out: if the share jumps, the optimizer's passes over the weights were what cost.",
    ablation_controls={"update": "none"},
    setup="Three square layers with ReLU, float32, forward, backward and AdamW; a CPU uses one core.",
)
