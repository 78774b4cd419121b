"""Memory can be bought with time: drop activations, compute them again in backward, and keep half of them or less.

Cuts a deep stack of layers into segments and keeps only what enters each; backward runs the segment's forward once
more. Counted bytes and timed steps, both in per cent of the plain step, so that one picture shows the trade.

    studyapp run recompute
    studyapp run recompute --set segments=1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, quotient
from studyapp.experiments.product import FLOAT_BYTES, matrix
from studyapp.experiments.resnet import kept_bytes

SEGMENTS = (1, 2, 4, 8)
"""1 = nothing is computed again: the plain step."""
ROUNDS = 5
"""A step takes tens of milliseconds, so few samples are enough."""
LESS, MORE = 80.0, 105.0
"""Per cent of the plain step: at most so much kept, at least so much time, for a trade to have taken place."""


def measure(lab: Lab, segments: int, layers: int, width: int, batch: int) -> Iterator[Point]:
    """Count the bytes kept and time the step for each number of segments; per cent of the plain step."""
    torch = lab.torch
    cuts = sorted({*SEGMENTS, segments})
    with torch.device("meta"):
        shapes, rows = _stack(torch, layers, width), torch.empty(batch, width)
    plain = kept_bytes(torch, shapes, rows)
    for cut in cuts:
        kept = kept_bytes(torch, shapes, rows, _forward(torch, shapes, cut))
        yield Point("kept", cut, 100 * kept / plain, basis=Basis.COUNTED)
    net, rows = _stack(torch, layers, width).to(lab.device), matrix(torch, batch, width, lab.device)
    works = {cut: _step(net, _forward(torch, net, cut), rows) for cut in cuts}
    found: dict[int, Point] = {}
    for cut, timing in lab.rounds(works, rounds=ROUNDS):
        found[cut] = timing.point("time", cut, accelerated=lab.accelerated)
        yield quotient("time", cut, found[cut], found[1], scale=100)


def _stack(torch: Any, layers: int, width: int) -> Any:
    pieces = (piece for _ in range(layers) for piece in (torch.nn.Linear(width, width), torch.nn.ReLU()))
    return torch.nn.Sequential(*pieces)


def _forward(torch: Any, net: Any, segments: int) -> Callable[[Any], Any]:
    """Return the forward pass that keeps what enters each segment, and everything inside the last one."""
    if segments == 1:
        return lambda rows: net(rows)
    run = torch.utils.checkpoint.checkpoint_sequential
    return lambda rows: run(net, segments, rows, use_reentrant=False, preserve_rng_state=False)


def _step(net: Any, forward: Callable[[Any], Any], rows: Any) -> Callable[[], None]:
    def step() -> None:
        net.zero_grad()
        forward(rows).square().mean().backward()

    return step


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether a good part of the kept bytes went, and whether that cost time."""
    cut = int(facts.controls["segments"])
    kept, time = series(points, "kept")[cut], series(points, "time")[cut]
    price = value(time)
    because = (
        f"In {cut} segments the step keeps {value(kept):.0f} % of the bytes and takes {price:.0f} % of the time."
    )
    if cut == 1:
        because = "One segment computes nothing again: it keeps all the bytes and takes the plain step's time."
    saved, paid = against(LESS, value(kept), ratio_noise([kept])), against(price, MORE, ratio_noise([time]))
    if -1 in (saved, paid):
        outcome = Outcome.DOES_NOT_HOLD
    else:
        outcome = Outcome.TOO_NOISY if 0 in (saved, paid) else Outcome.HOLDS
    return Verdict(outcome, because, price, "%", time.low, time.high, decided_by=(kept, time))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the plain step."""
    return (Mark("threshold", 100.0, "the plain step", axis="y"),)


def about_bytes(segments: int, layers: int, width: int, batch: int) -> int:
    """Return the bytes of weights, gradients and kept rows."""
    return layers * FLOAT_BYTES * width * (2 * width + 3 * batch)


EXPERIMENT = Experiment(
    id="recompute",
    claim="Memory can be bought with time: recomputed activations are not kept.",
    question="How long does the step take in segments, in per cent of the plain step?",
    unit="%",
    plot=Plot(
        x=Axis("segments", scale="log2"),
        y=Axis("of the plain step", "%"),
        lanes=(Lane("kept", "bytes kept", "neutral"), Lane("time", "time", "cpu")),
        subtitle="Only what enters a segment is kept, the rest computed again; lower is cheaper.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("segments", 4, "segments of the stack; 1 = nothing is computed again", 1, 8, fresh=(2, 4, 8)),
        Control("layers", 16, "layers of the stack", 4, 32, fresh=(8, 16, 32)),
        Control("width", 512, "width of the layers, in values", 64, 1024, fresh=(256, 512)),
        Control("batch", 256, "rows in a step", 1, 1024, fresh=(64, 256)),
    ),
    usual_s=3.0,
    prepares=("torch._dynamo",),
    about_bytes=about_bytes,
    sibling="kept",
    predicts=(50.0, 400.0),
    ablation="A single segment computes nothing again: then nothing is saved, and nothing paid.",
    ablation_controls={"segments": 1},
    setup="Layers with ReLU, float32, forward and backward; bytes are counted on meta; a CPU uses one core.",
)
