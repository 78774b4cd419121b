"""A single prediction takes milliseconds on a CPU; your budget and your slowest percent say whether that will do.

Sends one request after the other through a net, each timed alone until its answer is there, and reads off the
median and the 99th percentile: a user meets the slow ones. On an accelerator the row travels there and the answer
back. Whether the CPU will do is judged by the budget you set.

    studyapp run one-request
    studyapp run one-request --set budget_ms=10
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series, value
from studyapp.core.roofline import ALL, DEVICE, ONE, Load
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import against, band, in_seconds
from studyapp.experiments.nets import NETS, ROW_BYTES, ROW_CALLS, ROW_FLOP, WEIGHT_BYTES, build, rows

PERCENTILES = (50, 90, 99)
INSTANT_MS = 100.0
"""Up to here an answer feels immediate. Source: Miller, "Response time in man-computer conversational
transactions", 1968."""
FEWEST, MOST, LANE_S, WEAK_S = 20, 1000, 3.0, 0.5
"""Requests: as many as fit into the seconds of their lane, within these bounds; of 20 the slowest is the 99 %."""
EVERY = 10
"""Points go out after so many requests."""


def measure(lab: Lab, net: str, budget_ms: float) -> Iterator[Point]:
    """Answer requests of one row on all cores, on one, and on the accelerator; seconds, by percentile."""
    torch = lab.torch
    model, row = build(torch, net).eval(), rows(torch, net, 1)
    with torch.inference_mode():
        lab.threads(lab.cores)
        yield from _requests(lab, "cpu", lambda: model(row))
        lab.threads(1)
        if lab.cores > 1:
            yield from _requests(lab, "one", lambda: model(row), FEWEST // 2, WEAK_S)
        if lab.accelerated:
            there = model.to(lab.device)
            yield from _requests(lab, "gpu", lambda: there(row.to(lab.device)).to("cpu"))


def _requests(
    lab: Lab, lane: str, answer: Callable[[], Any], fewest: int = FEWEST, seconds: float = LANE_S
) -> Iterator[Point]:
    answer()  # the first call compiles kernels and touches memory: no request of a running service
    lab.sync()
    begin = time.perf_counter()
    took: list[float] = []
    while len(took) < MOST and (len(took) < fewest or time.perf_counter() - begin < seconds) and lab.left_s() > 0:
        start = time.perf_counter()
        answer()
        took.append(time.perf_counter() - start)
        if len(took) == 1 or len(took) % EVERY == 0:
            yield from quantiles(lane, took)
    yield from quantiles(lane, took)


def quantiles(lane: str, took: Sequence[float]) -> list[Point]:
    """Return a point per percentile, between the request ranks one standard error below and above it.

    The rank of a percentile among n requests scatters by sqrt(n p (1 - p)).
    """
    ranked, last = sorted(took), len(took) - 1
    points = []
    for index, percent in enumerate(PERCENTILES):
        share = percent / 100
        rank, error = share * last, (len(took) * share * (1 - share)) ** 0.5
        y, low, high = (ranked[min(last, max(0, round(at)))] for at in (rank, rank - error, rank + error))
        points.append(Point(lane, index, y, low, high, len(took), len(took) >= FEWEST))
    return points


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Hold the slowest percent on all cores against the budget."""
    lane = series(points, "cpu")
    half, slow = value(lane[0]), value(lane[2])
    budget_s = float(facts.controls["budget_ms"]) / 1000
    side = against(slow, budget_s, ratio_noise([lane[2]]))
    outcome = {-1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, 1: Outcome.DOES_NOT_HOLD}[side]
    net = facts.controls["net"]
    because = (
        f"{net} answers half of its requests within {in_seconds(half)}, 99 % within {in_seconds(slow)}; "
        f"the budget is {in_seconds(budget_s)}."
    )
    gpu = series(points, "gpu")
    because += f" GPU, copies included: {in_seconds(value(gpu[2]))}." if 2 in gpu else ""
    low, high = band(slow * 1000, [lane[2]])
    return Verdict(outcome, because, slow * 1000, "ms", low, high, decided_by=(lane[2],))


def loads(points: Sequence[Point], facts: Facts) -> Iterator[Load]:
    """State a request: the net's arithmetic, its weights and the row's values in memory, its calls, the trip."""
    net = str(facts.controls["net"])
    touched = WEIGHT_BYTES[net] + ROW_BYTES[net]
    for lane, where in (("cpu", ALL), ("one", ONE), ("gpu", DEVICE)):
        trips = 1 if lane == "gpu" else 0
        for index in series(points, lane):
            yield Load(
                lane,
                index,
                where,
                ROW_FLOP[net],
                touched,
                ROW_CALLS[net],
                trips=trips,
                call=ONE if lane == "cpu" else "",
            )


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the budget."""
    budget_ms = float(facts.controls.get("budget_ms", 0))
    return (Mark("threshold", budget_ms / 1000, "budget", axis="y"),) if budget_ms else ()


def about_bytes(net: str, budget_ms: float) -> int:
    """Return the bytes of the weights and, amply, of one row's way through the net."""
    return int(WEIGHT_BYTES[net] + 2 * ROW_BYTES[net]) + 2**24


EXPERIMENT = Experiment(
    id="one-request",
    claim="A single prediction takes a CPU milliseconds, often well within what a user waits for.",
    question="Within how many milliseconds does this CPU answer 99 of 100 requests?",
    unit="ms",
    plot=Plot(
        x=Axis("requests answered", labels=tuple(f"{percent} %" for percent in PERCENTILES)),
        y=Axis("time to the answer", "s", "log10"),
        lanes=(
            Lane("cpu", "all cores", "cpu"),
            Lane("one", "one core", "weak"),
            Lane("gpu", "GPU+copies", "gpu"),
        ),
        kind="bar",
        subtitle="The time within which that share of requests is answered; lower is better.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    loads=loads,
    marks=marks,
    controls=(
        Control("net", "resnet-50", "the net that answers", choices=NETS, fresh=("resnet-50", "bert-base")),
        Control(
            "budget_ms", INSTANT_MS, "what you allow an answer, in ms", 0.01, 5000.0, fresh=(20.0, 100.0, 300.0)
        ),
    ),
    seconds=15.0,
    usual_s=4.5,
    about_bytes=about_bytes,
    sibling="core-race",
    predicts=(0.01, 10_000.0),
    ablation="Allow a hundredth of the time: milliseconds are no property of CPUs, but of a net and a budget.",
    ablation_controls={"budget_ms": 1.0},
    setup="One row at a time in inference mode, float32, random weights; each answer is waited for.",
)
