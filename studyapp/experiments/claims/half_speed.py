"""Sixteen bits make a training step two to three times faster, where the hardware multiplies them natively.

Times a step of a three-layer net in float32 and under autocast, side by side, over a band of widths: one lucky
width proves nothing. A CUDA device is judged against torch's float32 and shows TF32 as a second baseline; a CPU
uses bfloat16 if it multiplies it in hardware, and says so if it does not.

    studyapp run half-speed
    studyapp run half-speed --set batch=8
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series, value
from studyapp.core.roofline import DEVICE, ONE, Load
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, Timing
from studyapp.experiments.judging import against, quotient, times
from studyapp.experiments.product import FLOAT_BYTES, matrix, powers_of_two, product

WIDTHS = powers_of_two(64, 1024)
GPU_WIDTHS = powers_of_two(64, 4096)
LAYERS = 3
FROM_WIDTH = 512
"""Widths from the lesson's layer on decide; narrower ones show where the gain is lost."""
TWICE = 2.0
"""Source: the lesson, "two to three times faster"."""
HOPELESS = 10.0
"""A format this many times slower than float32 on a small product has no hardware here."""
CHECK_WIDTH = 64
MOST_MULTIPLY_ADDS = 2**29
"""Largest layer beyond width 512 on a CPU, in multiply-adds: keeps a step under 0.1 s."""


def measure(lab: Lab, batch: int) -> Iterator[Point]:
    """Time a step in float32 and in 16 bits for each width; yield how many times faster 16 bits are."""
    if not lab.accelerated:
        check = _check(lab)
        yield check
        if value(check) < 1 / HOPELESS:
            return
    works = {}
    for width in _widths(lab, batch):
        for name in ("half", "float32", *(["tf32"] if lab.device.type == "cuda" else [])):
            works[name, width] = _training_step(lab, width, batch, half=name == "half")
    found: dict[tuple[str, int], Timing] = {}
    try:
        for key, timing in lab.rounds(works, sample_s=2e-3, prepare=lambda key: _tf32(lab, key[0] == "tf32")):
            found[key] = timing
            yield from _speed_ups(found, key[1], lab.accelerated)
    finally:
        _tf32(lab, False)


def _check(lab: Lab) -> Point:
    torch = lab.torch
    wide = matrix(torch, CHECK_WIDTH, CHECK_WIDTH, "cpu")
    half = wide.to(torch.bfloat16)
    works = {"float32": product(torch, wide, wide), "half": product(torch, half, half)}
    found = dict(lab.rounds(works, rounds=3, sample_s=2e-4))
    return speed_up("check", CHECK_WIDTH, found["float32"], found["half"])


def _widths(lab: Lab, batch: int) -> tuple[int, ...]:
    if lab.accelerated:
        return GPU_WIDTHS
    return tuple(w for w in WIDTHS if w <= FROM_WIDTH or w * w * batch <= MOST_MULTIPLY_ADDS)


def _tf32(lab: Lab, allowed: bool) -> None:
    if lab.device.type == "cuda":
        lab.torch.backends.cuda.matmul.allow_tf32 = allowed  # off is torch's default


def sixteen_bits(lab: Lab) -> Any:
    """Return the 16-bit format to use: bfloat16, or float16 on a CUDA device that only emulates bfloat16."""
    torch = lab.torch
    if lab.device.type == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        return torch.float16
    return torch.bfloat16 if lab.device.type != "mps" else torch.float16


def _training_step(lab: Lab, width: int, batch: int, *, half: bool) -> Callable[[], None]:
    torch = lab.torch
    layers = [torch.nn.Linear(width, width, device=lab.device) for _ in range(LAYERS)]
    net = torch.nn.Sequential(*(piece for layer in layers for piece in (layer, torch.nn.ReLU())))
    rows = matrix(torch, batch, width, lab.device)
    kind, dtype = lab.device.type, sixteen_bits(lab)

    def step() -> None:
        with torch.autocast(kind, dtype=dtype, enabled=half):
            loss = net(rows).float().mean()
        net.zero_grad(set_to_none=True)
        loss.backward()

    return step


def speed_up(lane: str, width: int, slow: Timing, fast: Timing, accelerated: bool = False) -> Point:
    """Return slow / fast as a point, its spread from the spreads of both."""
    above, below = slow.point("", width, accelerated=accelerated), fast.point("", width, accelerated=accelerated)
    return quotient(lane, width, above, below)


def _speed_ups(found: dict[tuple[str, int], Timing], width: int, accelerated: bool) -> Iterator[Point]:
    fast = found.get(("half", width))
    for lane in ("float32", "tf32"):
        slow = found.get((lane, width))
        if fast and slow:
            yield speed_up(lane, width, slow, fast, accelerated)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask for twice the speed at every width from 512 on, against float32 as torch runs it."""
    every = series(points, "float32")
    if not every:
        check = series(points, "check")[CHECK_WIDTH]
        slower = times(1 / value(check))
        because = f"This CPU has no 16-bit arithmetic: a small bfloat16 product takes {slower} as long."
        return Verdict(Outcome.CANNOT_TEST, because, decided_by=(check,))
    by = tuple(p for x, p in every.items() if x >= FROM_WIDTH)
    slowest, quickest = min(map(value, by)), max(map(value, by))
    typical = value(every[FROM_WIDTH])
    because = f"From width {FROM_WIDTH} on, 16 bits are {_span(slowest, quickest)} as fast as float32"
    tf32 = [value(p) for x, p in series(points, "tf32").items() if x >= FROM_WIDTH]
    because += f", {_span(min(tf32), max(tf32))} as fast as TF32" if tf32 else ""
    narrow = every[min(every)]
    because += f"; at width {narrow.x:g} {times(value(narrow))}."
    sides = [against(value(p), TWICE, ratio_noise([p])) for p in by]
    if all(side > 0 for side in sides):
        outcome = Outcome.HOLDS
    else:
        outcome = Outcome.DOES_NOT_HOLD if -1 in sides else Outcome.TOO_NOISY
    return Verdict(outcome, because, typical, "x", slowest, quickest, decided_by=by)


def _span(low: float, high: float) -> str:
    return times(low) if times(low) == times(high) else f"{times(low)[:-1]} to {times(high)}"


STEP_CALLS, CAST_CALLS = 20, 15
"""Operations of a step, views left out, and those that autocast adds. Source: counted with torch 2.13."""
PASSES = 4
"""Passes over weights with gradients, and over the rows kept, in a step."""


def loads(points: Sequence[Point], facts: Facts) -> Iterator[Load]:
    """State both steps: eight products of a layer's size, weights and rows in memory, the calls of each."""
    batch, where = int(facts.controls["batch"]), DEVICE if facts.accelerated else ONE
    half = "float16" if facts.device == "mps" else "bfloat16"
    for lane, dtype in (("float32", "float32"), ("tf32", "tf32")):
        for x in series(points, lane):
            work = (3 * LAYERS - 1) * 2.0 * batch * x * x  # the first layer's rows need no gradient
            moved = PASSES * LAYERS * FLOAT_BYTES * x * (x + batch)
            slow = Load(lane, x, where, work, moved, STEP_CALLS, dtype)
            yield Load(lane, x, where, work, moved / 2, STEP_CALLS + CAST_CALLS, half, over=slow)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line the claim draws at twice the speed."""
    return (Mark("threshold", TWICE, "twice as fast", axis="y"),)


def about_bytes(batch: int) -> int:
    """Return the bytes of the largest net on a CPU in both formats, gradients and kept rows, over all widths."""
    width = max(WIDTHS)
    return 2 * 3 * LAYERS * FLOAT_BYTES * width * (2 * width + batch)


EXPERIMENT = Experiment(
    id="half-speed",
    claim="Mixed precision makes a training step two to three times faster.",
    question="How many times faster is a step in 16 bits than in float32, at width 512?",
    unit="x",
    plot=Plot(
        x=Axis("width of the layers", scale="log2"),
        y=Axis("times as fast", "x", "log2"),
        lanes=(
            Lane("float32", "16 bits", "cpu"),
            Lane("tf32", "over TF32", "gpu"),
            Lane("check", "product", "weak"),
        ),
        subtitle="A training step in 16 bits against float32; above 1× it pays.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    loads=loads,
    marks=marks,
    controls=(Control("batch", 256, "rows in a step", 8, 4096, fresh=(64, 256, 1024)),),
    usual_s=0.8,
    about_bytes=about_bytes,
    sibling="lost-gradients",
    predicts=(0.1, 20.0),
    ablation="Few rows leave little arithmetic in a step, and 16 bits have nothing to speed up.",
    ablation_controls={"batch": 8},
    setup="Three square layers with ReLU, forward and backward, float32 against autocast; a CPU uses one core.",
)
