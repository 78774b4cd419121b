"""Small gradients are rounded to zero in float16; scaling the loss saves them, and bfloat16 needs no scaling.

Computes the gradients of a deep net in float32 and again with 16-bit numbers, for loss scales from 1 to 2^32, and
compares them layer by layer: the cosine shows whether a layer would still step the right way. On a CPU every
value and gradient is rounded through 16 bits and computed in float32, which is a stand-in and named so; a CUDA
device computes in real float16.

    studyapp run lost-gradients
    studyapp run lost-gradients --set activation=sigmoid --set batch=2048
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import grid_interval
from studyapp.experiments.rounding import rounding

WIDTH, CLASSES = 64, 10
"""Width of every layer and number of classes: our choice of a small classifier."""
POWERS = tuple(range(0, 33, 2))
"""Loss scales tried, as powers of two."""
KEPT = 99.0
"""Percent of cosine from which a layer's gradient counts as unharmed."""
BFLOAT16_POWERS = (0, 16, 32)
"""bfloat16 has float32's range, so that its line is flat: three points show it."""


def measure(lab: Lab, activation: str, depth: int, batch: int) -> Iterator[Point]:
    """Compare 16-bit with float32 gradients for each loss scale; percent of cosine."""
    torch = lab.torch
    torch.manual_seed(0)
    layers = [torch.nn.Linear(WIDTH, WIDTH) for _ in range(depth)] + [torch.nn.Linear(WIDTH, CLASSES)]
    rows, labels = torch.randn(batch, WIDTH), torch.randint(CLASSES, (batch,))
    task = Task(lab, [layer.to(lab.device) for layer in layers], activation, rows, labels)
    true = task.gradients("float32", 1.0)
    basis = Basis.MEASURED if task.real else Basis.SIMULATED
    for power in POWERS:
        scale = 2.0**power
        same = _likeness(torch, true, task.gradients("float16", scale))
        yield Point("first", scale, same[0], basis=basis)
        yield Point("last", scale, same[-1], basis=basis)
        if power in BFLOAT16_POWERS:
            plain = _likeness(torch, true, task.gradients("bfloat16", scale))
            yield Point("bfloat16", scale, min(plain), basis=basis)


class Task:
    """A net, its rows and labels, and its gradients in one number format."""

    def __init__(self, lab: Lab, layers: list[Any], activation: str, rows: Any, labels: Any) -> None:
        self.torch = lab.torch
        self.real = lab.device.type == "cuda"
        """Whether 16-bit numbers are computed with, or only rounded to."""
        self.layers = layers
        self.activation = getattr(lab.torch, activation)
        self.rows, self.labels = rows.to(lab.device), labels.to(lab.device)
        self.round = rounding(lab.torch)

    def gradients(self, name: str, scale: float) -> list[Any]:
        """Return each weight's gradient in float32, after dividing the loss scale out again."""
        weights = [layer.weight for layer in self.layers]
        loss = self.torch.nn.functional.cross_entropy(self._answer(name), self.labels)
        found = self.torch.autograd.grad(loss * scale, weights)
        return [gradient.detach().float() / scale for gradient in found]

    def _answer(self, name: str) -> Any:
        dtype = getattr(self.torch, name)
        direct = name == "float32"

        def stored(tensor: Any) -> Any:
            if direct:
                return tensor
            return tensor.to(dtype) if self.real else self.round(tensor, dtype)

        x = stored(self.rows)
        for layer in self.layers[:-1]:
            x = self.torch.nn.functional.linear(x, stored(layer.weight), stored(layer.bias))
            x = stored(self.activation(stored(x)))
        last = self.layers[-1]
        return stored(self.torch.nn.functional.linear(x, stored(last.weight), stored(last.bias))).float()


def _likeness(torch: Any, true: Sequence[Any], found: Sequence[Any]) -> list[float]:
    """Return each layer's percent; all 0 after an overflow anywhere, since a scaler skips that step."""
    if not all(bool(torch.isfinite(gradient).all()) for gradient in found):
        return [0.0] * len(found)
    return [_cosine_percent(a, b) for a, b in zip(true, found, strict=True)]


def _cosine_percent(true: Any, found: Any) -> float:
    """Return 100 x the cosine, 0 where nothing is left."""
    true, found = true.flatten().double(), found.flatten().double()
    length = float(true.norm() * found.norm())
    return max(0.0, 100 * float(true @ found) / length) if length else 0.0


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether unscaled float16 harms the first layer, and whether a scale, or bfloat16, does not."""
    first, plain = series(points, "first"), series(points, "bfloat16")[1.0]
    unscaled = first[1.0]
    best = max(first.values(), key=lambda p: (value(p), -p.x))
    because = (
        f"First layer alike: float16 {_percent(unscaled)} unscaled, {_percent(best)} at best; "
        f"bfloat16 {_percent(plain)}."
    )
    harmed, saved, needless = value(unscaled) < KEPT, value(best) >= KEPT, value(plain) >= KEPT
    outcome = Outcome.HOLDS if harmed and saved and needless else Outcome.DOES_NOT_HOLD
    at = first_unharmed(first)
    low, high = grid_interval(at, list(first)) if at else (None, None)
    return Verdict(outcome, because, at, "x", low, high, never=at is None, decided_by=(unscaled, best, plain))


def first_unharmed(first: Mapping[float, Point]) -> float | None:
    """Return the smallest loss scale at which the first layer is unharmed, None if there is none."""
    return next((x for x in sorted(first) if value(first[x]) >= KEPT), None)


def _percent(point: Point) -> str:
    percent = value(point)
    return f"{percent:.0f} %" if percent < KEPT else f"{percent:.2f} %"  # 99.96 must not read as 100


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line from which a gradient counts as unharmed, and the scale that reaches it."""
    line = Mark("threshold", KEPT, "unharmed", axis="y")
    at = first_unharmed(series(points, "first"))
    return (line, Mark("measured", at, f"unharmed from {at:,.0f}×")) if at else (line,)


def about_bytes(activation: str, depth: int, batch: int) -> int:
    """Return the bytes of the kept rows of every layer, with their rounded copies."""
    return 16 * 4 * WIDTH * batch * (depth + 1)


EXPERIMENT = Experiment(
    id="lost-gradients",
    claim="Float16 loses small gradients; scaling the loss saves them; bfloat16 needs no scaling.",
    question="From which loss scale on is the first layer's float16 gradient unharmed? (1 = no scaling needed)",
    unit="x",
    plot=Plot(
        x=Axis("loss scale", "x", "log2"),
        y=Axis("alike", "%"),
        lanes=(
            Lane("first", "1st layer", "cpu"),
            Lane("last", "last layer", "weak"),
            Lane("bfloat16", "bfloat16", "gpu"),
        ),
        subtitle="Cosine of 16-bit and float32 gradients; 100 % points the same way, 0 % is lost.",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("activation", "relu", "activation", choices=("relu", "tanh", "sigmoid"), step="next"),
        Control("depth", 6, "hidden layers", 1, 12, step="add", fresh=(4, 6, 8)),
        Control("batch", 256, "rows the loss is the mean of", 1, 16384, fresh=(256, 2048, 16384)),
    ),
    usual_s=0.3,
    about_bytes=about_bytes,
    timed=False,
    predicts=(1.0, 2.0**32),
    grid="log2",
    can_never=True,
    ablation="A single row: the loss is no mean over many, so the gradients are not small.",
    ablation_controls={"batch": 1},
    setup="A deep classifier 64 units wide on random rows; every value and gradient held in 16 bits.",
)
