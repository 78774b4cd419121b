"""More devices multiply the batch, so the learning rate has to grow with them; the rule has an end.

Trains one small net with batch 32 on 1 to 32 devices' worth of rows: the same rate, the rate times the number of
devices, and times its square root, three epochs each from the same starts. Averaged gradients of equal slices are
the whole batch's gradient, so one device stands for many exactly. The base rate is tuned on one device first: a
timid one makes any growth look right.

    studyapp run same-rate
    studyapp run same-rate --set base=timid
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import compare
from studyapp.experiments.product import powers_of_two

DEVICES = powers_of_two(1, 32)
RULES = {"same": 0.0, "root": 0.5, "linear": 1.0}
"""Exponent of the number of devices in the learning rate."""
ROWS, COLUMNS, HIDDEN, CLASSES, BATCH = 8192, 20, 64, 4, 32
SEEDS = 5
"""Starts trained side by side as one stacked net, so that chance can be told from effect."""
RATES: dict[str, tuple[float, ...]] = {
    "sgd": (0.05, 0.1, 0.2, 0.5, 1.0, 2.0),
    "adam": (1e-3, 3e-3, 1e-2, 3e-2),
}
"""What the base rate is tuned over."""
TIMID = 0.1
"""A timid base: this share of the tuned one."""
DIVERGED = 10.0
"""A loss above this, or none at all, is drawn here: guessing four classes costs 1.4."""
WITHIN = 1.1
"""How many times one device's loss still counts as kept."""
AT = 8
"""The lesson's eight devices."""


def measure(lab: Lab, optimizer: str, base: str, epochs: int) -> Iterator[Point]:
    """Train every rule and number of devices from the same starts; yield the loss on all rows, mean and error."""
    torch = lab.torch
    torch.manual_seed(0)
    rows = torch.randn(ROWS, COLUMNS)
    labels = _labels(torch, rows)
    yield Point("start", 1, _mean(_losses(torch, _start(torch, 1), rows, labels))[0])
    rates = RATES[optimizer]
    tuned = _train(torch, rows, labels, optimizer, rates, BATCH, epochs)
    rate = min(zip(rates, tuned, strict=True), key=lambda pair: _mean(pair[1])[0])[0]
    rate *= TIMID if base == "timid" else 1.0
    for n in DEVICES:
        grown = [rate * n**power for power in RULES.values()]
        found = _train(torch, rows, labels, optimizer, grown, BATCH * n, epochs)
        for rule, each in zip(RULES, found, strict=True):
            mean, error = _mean(each)
            yield Point(rule, n, mean, mean - error, mean + error, SEEDS)


def _labels(torch: Any, rows: Any) -> Any:
    """Return classes by a hidden smooth function with noise, so that no net reaches a loss of zero."""
    hidden = torch.tanh(rows @ torch.randn(COLUMNS, 16) / 2)
    return (hidden @ torch.randn(16, CLASSES) + torch.randn(len(rows), CLASSES)).argmax(1)


def _start(torch: Any, copies: int) -> list[Any]:
    """Return the weights of `copies` times the same SEEDS nets, stacked: (copies x seeds, in, out) and biases."""
    torch.manual_seed(1)
    shapes = ((COLUMNS, HIDDEN), (1, HIDDEN), (HIDDEN, CLASSES), (1, CLASSES))
    drawn = [torch.randn(SEEDS, *shape) * (shape[0] ** -0.5 if shape[0] > 1 else 0) for shape in shapes]
    return [weights.repeat(copies, 1, 1).requires_grad_() for weights in drawn]


def _losses(torch: Any, net: list[Any], rows: Any, labels: Any) -> Any:
    """Return the mean cross entropy of every stacked net, (copies x seeds,)."""
    first, bias, second, offset = net
    answer = torch.relu(rows @ first + bias) @ second + offset
    chosen = labels.expand(len(answer), -1).unsqueeze(2)
    return -answer.log_softmax(2).gather(2, chosen).mean((1, 2))


def _train(
    torch: Any, rows: Any, labels: Any, optimizer: str, rates: Sequence[float], batch: int, epochs: int
) -> list[list[float]]:
    """Train the same nets at each rate; return the losses on all rows, by rate, then by start."""
    net = _start(torch, len(rates))
    rate = torch.tensor(rates).repeat_interleave(SEEDS).view(-1, 1, 1)
    update = _adam(torch, net) if optimizer == "adam" else None
    for _ in range(epochs):
        for some in torch.randperm(len(rows)).split(batch):
            loss = _losses(torch, net, rows[some], labels[some]).sum()
            steps = torch.autograd.grad(loss, net)
            with torch.no_grad():
                for weights, step in zip(net, update(steps) if update else steps, strict=True):
                    weights -= rate * step
    with torch.no_grad():
        found: list[list[float]] = _losses(torch, net, rows, labels).view(len(rates), SEEDS).tolist()
    return found


def _adam(torch: Any, net: list[Any]) -> Any:
    """Return a function from gradients to Adam's steps at rate one, with torch's default betas."""
    means, squares, turn = [torch.zeros_like(w) for w in net], [torch.zeros_like(w) for w in net], [0]

    def steps(gradients: Sequence[Any]) -> list[Any]:
        turn[0] += 1
        for mean, square, gradient in zip(means, squares, gradients, strict=True):
            mean.lerp_(gradient, 0.1)
            square.lerp_(gradient * gradient, 0.001)
        first, second = 1 - 0.9 ** turn[0], 1 - 0.999 ** turn[0]
        return [m / first / ((s / second).sqrt() + 1e-8) for m, s in zip(means, squares, strict=True)]

    return steps


def _mean(losses: Any) -> tuple[float, float]:
    """Return mean and standard error over the starts, of losses capped at `DIVERGED`."""
    capped = [min(DIVERGED, float(loss)) if loss == loss else DIVERGED for loss in losses]
    mean = sum(capped) / len(capped)
    return mean, (sum((loss - mean) ** 2 for loss in capped) / (len(capped) - 1) / len(capped)) ** 0.5


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask for a clearly lower loss with the scaled rate at eight devices; answer how far the rule carries."""
    same, linear = series(points, "same"), series(points, "linear")
    one = value(same[1])
    kept = 1.0
    for n in DEVICES:
        if value(linear[n]) > WITHIN * one:
            break
        kept = float(n)
    side = compare(linear[AT], same[AT])
    outcome = {-1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, 1: Outcome.DOES_NOT_HOLD}[side]
    because = (
        f"On {AT} devices: loss {value(same[AT]):.3f} at the same rate, {value(linear[AT]):.3f} at {AT} times; "
        f"one device {one:.3f}. The linear rule stays within 10 % up to {kept:g}."
    )
    return Verdict(outcome, because, kept, "devices", kept, kept, decided_by=(same[AT], linear[AT]))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the lesson's eight devices."""
    return (Mark("threshold", AT, "judged at 8"),)


EXPERIMENT = Experiment(
    id="same-rate",
    claim="With more devices the batch is multiplied, so the learning rate has to be scaled with it.",
    question="Up to how many devices does the multiplied rate keep the loss within 10 % of one device's?",
    unit="devices",
    plot=Plot(
        x=Axis("devices", scale="log2"),
        y=Axis("loss after training"),
        lanes=(
            Lane("same", "same rate", "weak"),
            Lane("root", "x root", "neutral"),
            Lane("linear", "x devices", "cpu"),
            Lane("start", "untrained", "neutral"),
        ),
        subtitle="The same rows and epochs in fewer, larger batches; lower is better.",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("optimizer", "sgd", "the update", choices=("sgd", "adam")),
        Control("base", "tuned", "one device's rate: the best, or a tenth", choices=("tuned", "timid")),
        Control("epochs", 3, "passes over the 8,192 rows", 1, 10, fresh=(2, 3, 5), step="add"),
    ),
    seconds=15.0,
    usual_s=3.0,
    timed=False,
    sibling="averaged-gradients",
    predicts=(1.0, 32.0),
    grid="log2",
    ablation="Start from a tuned rate instead of a timid one: what scaling repaired was a rate too low.",
    setup="A 20-64-4 net, batch 32 per device, five starts; averaged equal slices equal one large batch.",
)
