"""Sixteen bits end early: float16 rounds to zero what bfloat16 still holds, and has finer steps in return.

Casts numbers to each 16-bit format and halves the interval until it knows below which number nothing is left,
which numbers are the smallest and the largest, and how far apart neighbours lie at 1.0. Exact, on any device.

    studyapp run sixteen-bit-floor
    studyapp run sixteen-bit-floor --set format=bfloat16
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab

FORMATS = ("float16", "bfloat16")
FLOOR = 6e-8
"""Source: the lesson, "vanish below about 6e-8"."""
ABOUT = 2.1
"""How many times off still counts as "about": rounding to nearest puts the line at half the smallest number."""
TINY, HUGE = 1e-44, 3.4028e38
"""Ends of the search, near float32's own."""
HALVINGS = 60
"""Each halves the interval on the log scale: 187 in logarithm over 2 to the 60 is below a float's own step."""


def measure(lab: Lab, format: str) -> Iterator[Point]:  # noqa: A002 - the word the learner types
    """Find the ends of each format by casting float32 numbers; the numbers themselves, no unit."""
    for index, name in enumerate(FORMATS):
        cast = _cast(lab, name)
        below, above = _halved(lambda x, cast=cast: cast(x) == 0.0)  # type: ignore[misc]
        yield Point("zero", index, below, basis=Basis.COUNTED)
        yield Point("smallest", index, cast(above), basis=Basis.COUNTED)
        yield Point("step", index, cast(1 + 1.01 * _lost_at_one(cast)) - 1, basis=Basis.COUNTED)
        finite, _ = _halved(lambda x, cast=cast: math.isfinite(cast(x)))  # type: ignore[misc]
        yield Point("largest", index, cast(finite), basis=Basis.COUNTED)


def _cast(lab: Lab, name: str) -> Callable[[float], float]:
    torch = lab.torch
    dtype = getattr(torch, name)
    return lambda x: float(torch.tensor(x, dtype=torch.float32, device=lab.device).to(dtype).item())


def _halved(low_side: Callable[[float], bool], low: float = TINY, high: float = HUGE) -> tuple[float, float]:
    """Return the last number of the low side and the first beyond, as near as floats get."""
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5 if low * high > 0 else (low**0.5) * (high**0.5)
        low, high = (middle, high) if low_side(middle) else (low, middle)
    return low, high


def _lost_at_one(cast: Callable[[float], float]) -> float:
    """Return the largest addition to 1.0 that is rounded away."""
    return _halved(lambda x: cast(1 + x) == 1.0, 1e-5, 1.0)[0]


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the chosen format rounds to zero from about the lesson's number down."""
    name = str(facts.controls["format"])
    zero, smallest, largest, step = (
        series(points, lane)[FORMATS.index(name)] for lane in ("zero", "smallest", "largest", "step")
    )
    floor = value(zero)
    because = (
        f"{name} is zero below {floor:.1e}; its smallest number is {value(smallest):.1e}, its largest "
        f"{value(largest):,.5g}, and at 1.0 it goes in steps of {value(step):.2g}."
    )
    outcome = Outcome.HOLDS if FLOOR / ABOUT <= floor <= FLOOR * ABOUT else Outcome.DOES_NOT_HOLD
    return Verdict(outcome, because, floor, "", floor, floor, decided_by=(zero, smallest, largest, step))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the lesson's number."""
    return (Mark("threshold", FLOOR, "the lesson's 6e-8", axis="y"),)


EXPERIMENT = Experiment(
    id="sixteen-bit-floor",
    claim="In float16 numbers vanish below about 6e-8.",
    question="Below which number does this format round everything to zero?",
    unit="",
    plot=Plot(
        x=Axis("format", labels=FORMATS),
        y=Axis("number", scale="log10"),
        lanes=(
            Lane("largest", "largest", "weak"),
            Lane("step", "step at 1", "weak"),
            Lane("smallest", "smallest", "gpu"),
            Lane("zero", "zero below", "cpu"),
        ),
        subtitle="What each 16-bit format can hold; a longer span is a wider range.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(Control("format", "float16", "number format that is judged", choices=FORMATS, step="next"),),
    usual_s=0.05,
    timed=False,
    predicts=(1e-12, 1e-2),
    sibling="lost-gradients",
    ablation="Spend the bits on the exponent instead: bfloat16 has eight there, and the floor drops out of sight.",
    ablation_controls={"format": "bfloat16"},
    setup="float32 numbers are cast to 16 bits, and the interval is halved until the last survivor is known.",
)
