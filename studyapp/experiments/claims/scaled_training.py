"""Float16 with a gradient scaler trains as accurately as float32: the difference is that of another seed or less.

Trains the same nets in float32, in float16 and in bfloat16, from the same five seeds on the same rows, and
compares them pair by pair. On a CPU every value and gradient is rounded through 16 bits and computed in
float32, which is a stand-in and named so; a CUDA device computes in real float16.

    studyapp run scaled-training
    studyapp run scaled-training --set activation=sigmoid --set scaler=off
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import mean, stdev
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.rounding import rounding

SEEDS = 5
WIDTH, DEPTH, CLASSES = 64, 6, 10
"""A small deep classifier, as in lost-gradients."""
ROWS, TESTED, BATCH, STEPS = 4096, 1024, 128, 300
EVERY = 20
"""Steps between two looks at the accuracy; the last one counts."""
NOISE = 2.0
"""Spread of the rows around their class's centre, itself spread by 1: leaves one in twenty wrong."""
RATES = {"relu": 1e-3, "tanh": 1e-3, "sigmoid": 1e-2}
"""Adam's rate: the usual one, and ten times that for a net whose slopes are a quarter at most."""
EQUAL_WITHIN = 2.0
"""Points of accuracy that count as no cost. Source: our choice; the five seeds themselves differ by as much."""
STUDENT = 2.132
"""Student's t for a 90 % interval with four degrees of freedom: both one-sided tests at 5 %."""


def measure(lab: Lab, activation: str, scaler: str) -> Iterator[Point]:
    """Train in all three formats side by side; points of accuracy lost against float32, seed by seed."""
    real = lab.device.type == "cuda"
    formats = {name: Trained(lab, activation, name, real, scaler == "on") for name in LANES}
    basis = Basis.MEASURED if real else Basis.SIMULATED
    for step in range(1, STEPS + 1):
        for net in formats.values():
            net.step(step)
        if step % EVERY and step != 1:
            continue
        full = formats["float32"].accuracies()
        for name in ("float16", "bfloat16"):
            for seed, percent in enumerate(formats[name].accuracies()):
                yield Point(name, seed, full[seed] - percent, basis=basis)


LANES = ("float32", "float16", "bfloat16")


class Trained:
    """Five nets of one number format, one per seed, trained at once: weights (5, width, width), float32."""

    def __init__(self, lab: Lab, activation: str, name: str, real: bool, scaled: bool) -> None:
        torch = self.torch = lab.torch
        self.name, self.real, self.round = name, real, rounding(torch)
        self.activation = getattr(torch, activation)
        torch.manual_seed(0)  # the same nets and rows for each format
        outs = [WIDTH] * DEPTH + [CLASSES]
        drawn = [(torch.rand(SEEDS, WIDTH, n) * 2 - 1) / math.sqrt(WIDTH) for n in outs]  # as nn.Linear draws them
        self.weights = [weight.to(lab.device).requires_grad_() for weight in drawn]
        self.biases = [torch.zeros(SEEDS, 1, n, device=lab.device, requires_grad=True) for n in outs]
        centres = torch.randn(SEEDS, CLASSES, WIDTH)
        self.labels = torch.randint(CLASSES, (SEEDS, ROWS + TESTED))
        own = torch.gather(centres, 1, self.labels[..., None].expand(-1, -1, WIDTH))
        self.rows = (own + NOISE * torch.randn_like(own)).to(lab.device)
        self.labels = self.labels.to(lab.device)
        self.adam = torch.optim.Adam([*self.weights, *self.biases], lr=RATES[activation])
        self.scaler = torch.amp.GradScaler(lab.device.type, enabled=name == "float16" and scaled)

    def step(self, step: int) -> None:
        """Train on the next batch of every seed."""
        start = step * BATCH % ROWS
        answers = self._answers(self.rows[:, start : start + BATCH]).float()
        labels = self.labels[:, start : start + BATCH]
        # a mean per net, and a sum over nets: no net feels the others
        loss = self.torch.nn.functional.cross_entropy(answers.flatten(0, 1), labels.flatten()) * SEEDS
        self.adam.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.adam)
        self.scaler.update()

    def accuracies(self) -> list[float]:
        """Return each net's percent of right answers on rows it was not trained on."""
        with self.torch.no_grad():
            right = self._answers(self.rows[:, ROWS:]).argmax(-1) == self.labels[:, ROWS:]
        return [100 * float(share) for share in right.float().mean(1).tolist()]

    def _answers(self, x: Any) -> Any:
        dtype = getattr(self.torch, self.name)

        def stored(tensor: Any) -> Any:
            if self.name == "float32":
                return tensor
            return tensor.to(dtype) if self.real else self.round(tensor, dtype)

        x = stored(x)
        for index, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = stored(self.torch.baddbmm(stored(bias), x, stored(weight)))
            x = x if index == DEPTH else stored(self.activation(x))
        return x


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the mean loss of five pairs lies within two points of none, by its interval."""
    pairs = [series(points, "float16")[seed] for seed in range(SEEDS)]
    lost = [value(pair) for pair in pairs]
    middle, reach = mean(lost), STUDENT * stdev(lost) / math.sqrt(SEEDS)
    brain = mean(value(series(points, "bfloat16")[seed]) for seed in range(SEEDS))
    how = "with" if facts.controls["scaler"] == "on" else "without"
    because = f"Points lost: float16 {how} scaler {middle:.1f} ± {reach:.1f}, bfloat16 {brain:.1f}."
    if abs(middle) + reach <= EQUAL_WITHIN:
        outcome = Outcome.HOLDS
    else:
        outcome = Outcome.DOES_NOT_HOLD if middle - reach > EQUAL_WITHIN else Outcome.TOO_NOISY
    apart = sorted(map(abs, lost))
    return Verdict(outcome, because, mean(apart), "points", apart[0], apart[-1], decided_by=tuple(pairs))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line beyond which it is a cost."""
    return (Mark("threshold", EQUAL_WITHIN, "a cost", axis="y"),)


EXPERIMENT = Experiment(
    id="scaled-training",
    claim="Float16 with a gradient scaler costs essentially no accuracy.",
    question="How many points of accuracy do float32 and float16 end apart, on average over five seeds?",
    unit="points",
    plot=Plot(
        x=Axis("seed", labels=tuple(f"seed {n + 1}" for n in range(SEEDS))),
        y=Axis("accuracy lost", "points"),
        lanes=(Lane("float16", "float16", "cpu"), Lane("bfloat16", "bfloat16", "gpu")),
        subtitle="Points of accuracy below the float32 net of the same seed; around 0 there is no cost.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("activation", "relu", "activation", choices=("relu", "tanh", "sigmoid"), step="next"),
        Control("scaler", "on", "whether float16's loss is scaled", choices=("on", "off"), step="next"),
    ),
    seconds=20.0,
    usual_s=4.0,
    prepares=("torch._dynamo",),
    sibling="lost-gradients",
    timed=False,
    predicts=(0.01, 100.0),
    ablation="Without the scaler: if nothing is lost then either, this net did not need it.",
    ablation_controls={"scaler": "off"},
    setup="Six hidden layers 64 wide on ten noisy classes, 200 steps of Adam, in each number format.",
)
