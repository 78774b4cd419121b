"""A 16-bit weight loses small updates, or takes wrong ones, so that a 32-bit copy of the weights is kept.

Takes the same small step away from 1.0 a thousand times: in float16, in bfloat16, in float32, and in float32 with
only the reading in float16, as mixed precision does it. Neighbours of 1.0 lie 0.0005 apart in float16, so that a
step of 0.0001 is rounded away every single time, and one of 0.0003 becomes 0.0005.

    studyapp run master-weights
    studyapp run master-weights --set step=0.01
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab

START = 1.0
FORMATS = ("float16", "bfloat16", "float32")
WRONG = 0.1
"""Share of the way by which the float16 weight must be off for its updates to count as gone wrong."""


def measure(lab: Lab, step: float, updates: int) -> Iterator[Point]:
    """Subtract the step from each format's weight; the weight after 1, 2, 4 ... updates."""
    torch = lab.torch
    weights = {name: torch.tensor(START, dtype=getattr(torch, name), device=lab.device) for name in FORMATS}
    steps = {name: torch.tensor(step, dtype=weight.dtype, device=lab.device) for name, weight in weights.items()}
    shown = {2**power for power in range(updates.bit_length())} | {updates}
    for count in range(1, updates + 1):
        for name, weight in weights.items():
            weight.sub_(steps[name])
        if count in shown:
            for name, weight in weights.items():
                yield Point(name, count, float(weight.item()), basis=Basis.COUNTED)
            yield Point("copy", count, float(weights["float32"].to(torch.float16).item()), basis=Basis.COUNTED)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask by how much of the way the float16 weight is off; name the others and the 32-bit copy beside it."""
    last = float(facts.controls["updates"])
    half, brain, full, copy = (series(points, name)[last] for name in ("float16", "bfloat16", "float32", "copy"))
    off = abs(value(half) - value(full)) / abs(START - value(full))
    because = (
        f"After {last:,.0f} updates float32 reads {value(full):.4g}, float16 {value(half):.4g}, bfloat16 "
        f"{value(brain):.4g}; a float32 copy read in float16 {value(copy):.4g}."
    )
    outcome = Outcome.HOLDS if off > WRONG else Outcome.DOES_NOT_HOLD
    end = value(half)
    return Verdict(outcome, because, end, "", end, end, decided_by=(half, brain, full, copy))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return where the weight began."""
    return (Mark("threshold", START, "start", axis="y"),)


EXPERIMENT = Experiment(
    id="master-weights",
    claim="A 16-bit weight loses small updates or gets them wrong, so 32-bit copies of the weights are kept.",
    question="What does the float16 weight, 1.0 at the start, read after all the updates?",
    unit="",
    plot=Plot(
        x=Axis("updates", scale="log2"),
        y=Axis("the weight reads"),
        lanes=(
            Lane("float16", "float16", "cpu"),
            Lane("bfloat16", "bfloat16", "weak"),
            Lane("float32", "float32", "gpu"),
            Lane("copy", "32b copy", "neutral"),
        ),
        subtitle="The same step taken away again and again; a flat line has lost its updates.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("step", 1e-4, "what each update takes away", 1e-6, 1e-1, fresh=(5e-5, 1e-4, 2e-4)),
        Control("updates", 1000, "number of updates", 10, 5000, fresh=(500, 1000, 2000)),
    ),
    usual_s=0.1,
    timed=False,
    predicts=(0.01, 2.0),
    grid="linear",
    sibling="sixteen-bit-floor",
    ablation="Updates larger than half the spacing are not rounded away: then it was the spacing that lost them.",
    ablation_controls={"step": 1e-2},
    setup="One weight per format, and the same number subtracted each time, in that format.",
)
