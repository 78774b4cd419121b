"""Training memory is what the backward pass needs kept: at batch 64 it outweighs ResNet-50's weights many times.

Builds ResNet-50 on the meta device, where tensors have shapes but no memory, and counts every storage that
autograd saves on the way forward. The count is exact and needs no GPU; on one, the allocator's own figure is
drawn beside it.

    studyapp run kept
    studyapp run kept --set batch=1
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.percent import percent
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import in_bytes, ratio, times
from studyapp.experiments.memory import AGREE_WITHIN, forward_bytes, roomy
from studyapp.experiments.product import powers_of_two
from studyapp.experiments.resnet import SIDE, kept_bytes, parameter_bytes, resnet50

BATCHES = powers_of_two(1, 128)
REAL_BATCHES = powers_of_two(1, 32)
"""Batches whose real memory is looked at on an accelerator."""
MANY_TIMES = 10.0
"""How many times the weights the kept bytes must be, to outweigh them "many times"."""


def measure(lab: Lab, batch: int, side: int) -> Iterator[Point]:
    """Count the bytes ResNet-50 keeps for each batch of side x side pictures, float32, and its weights' bytes."""
    torch = lab.torch
    with torch.device("meta"):
        net = resnet50(torch)
    weights = parameter_bytes(net)
    for n in sorted({*BATCHES, batch}):
        pictures = torch.empty(n, 3, side, side, device="meta")
        yield Point("weights", n, weights, basis=Basis.COUNTED)
        yield Point("kept", n, kept_bytes(torch, net, pictures), basis=Basis.COUNTED)
    if lab.accelerated:
        yield from _allocated(lab, side)


def _allocated(lab: Lab, side: int) -> Iterator[Point]:
    net = resnet50(lab.torch).to(lab.device)
    for n in REAL_BATCHES:
        if not roomy(lab, n * about_bytes_per_image(side)):
            return
        pictures = lab.torch.randn(n, 3, side, side, device=lab.device)
        used = forward_bytes(lab, net, pictures)
        if used:  # the count has the pictures too
            yield Point("allocated", n, used + pictures.untyped_storage().nbytes())


def about_bytes_per_image(side: int) -> float:
    """Return roughly what one picture keeps: 85.9 MB at 224 pixels, by area."""
    return 85.9e6 * (side / SIDE) ** 2


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Divide the bytes kept at the chosen batch by the bytes of the weights."""
    batch = int(facts.controls["batch"])
    kept, weights = series(points, "kept")[batch], series(points, "weights")[batch]
    share = ratio(kept, weights)
    because = (
        f"ResNet-50 keeps {in_bytes(value(kept))} at batch {batch}, {times(share)} its "
        f"{in_bytes(value(weights))} of weights."
    )
    outcome = Outcome.HOLDS if share >= MANY_TIMES else Outcome.DOES_NOT_HOLD
    real = series(points, "allocated")
    by = [kept, weights]
    if real:
        x = max(real.keys() & series(points, "kept").keys())
        off = ratio(real[x], series(points, "kept")[x]) - 1
        by.append(real[x])
        because += f" The allocator's figure at batch {x:g} is {percent(off, '+')}."
        outcome = outcome if abs(off) <= AGREE_WITHIN else Outcome.TOO_NOISY
    bytes_kept = value(kept)
    return Verdict(outcome, because, bytes_kept, "B", bytes_kept, bytes_kept, decided_by=tuple(by))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the smallest batch that keeps more than the weights."""
    weights = series(points, "weights")
    more = [x for x, p in series(points, "kept").items() if x in weights and ratio(p, weights[x]) > 1]
    return (Mark("measured", min(more), f"past the weights at {min(more):g}"),) if more else ()


EXPERIMENT = Experiment(
    id="kept",
    claim="At batch 64 what training must keep outweighs ResNet-50's weights many times.",
    question="How many bytes does ResNet-50 keep for the backward pass at this batch?",
    unit="B",
    plot=Plot(
        x=Axis("pictures in a batch", scale="log2"),
        y=Axis("bytes", "B", "log10"),
        lanes=(
            Lane("kept", "kept", "cpu"),
            Lane("weights", "weights", "neutral"),
            Lane("allocated", "allocator", "gpu"),
        ),
        subtitle="Memory for one forward pass in float32; lower is cheaper.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("batch", 64, "pictures in a batch", 1, 128, fresh=(16, 32, 64, 128)),
        Control("side", SIDE, "side of a picture, in pixels", 64, 512, fresh=(128, 224, 384)),
    ),
    usual_s=0.9,
    prepares=("torch._dynamo",),
    timed=False,
    predicts=(1e6, 1e12),
    ablation="One small picture at a time: with hardly anything to keep, the weights outweigh it.",
    ablation_controls={"batch": 1, "side": 64},
    setup="ResNet-50 in training mode, counted tensor by tensor on the meta device.",
)
