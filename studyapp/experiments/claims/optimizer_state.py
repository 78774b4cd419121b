"""Adam's state is twice the model: it keeps two numbers for every weight, from the first step on.

Takes one real step with each optimizer on the meta device, where tensors have shapes but no memory, and counts
what the optimizer then holds. In mixed precision the weights have 16 bits, and their 32-bit copy and the two
moments are six times as large. On an accelerator the allocator's own figure is drawn too.

    studyapp run optimizer-state
    studyapp run optimizer-state --set weights=mixed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.memory import AGREE_WITHIN, allocator
from studyapp.experiments.resnet import parameter_bytes, resnet50

OPTIMIZERS = ("sgd", "momentum", "rmsprop", "adam", "amsgrad")
"""The optimizers, in the order of their bars: nothing kept, one number per weight, one, two, three."""
TWICE, WITHIN = 2.0, 0.01
"""Source: the lesson, "Adam's state is twice the model". Step counters add a few parts in a million."""
NAMES = ("SGD", "momentum", "RMSprop", "Adam", "AMSGrad")
"""How they are written under the bars."""
FORMATS = ("float32", "bfloat16", "mixed")
WIDE_LAYERS, WIDE_WIDTH = 4, 1024
"""4.2 million weights, 17 MB: large beside what an allocator rounds up."""


def measure(lab: Lab, optimizer: str, net: str, weights: str) -> Iterator[Point]:
    """Count what each optimizer keeps after one step, in times the bytes of the weights the forward pass uses."""
    torch = lab.torch
    with torch.device("meta"):
        model = _built(torch, net, weights)
    used = parameter_bytes(model) / (2 if weights == "mixed" else 1)  # the forward pass reads 16-bit casts
    copies = parameter_bytes(model) if weights == "mixed" else 0
    for index, name in enumerate(OPTIMIZERS):
        yield Point("state", index, (copies + _stepped(torch, name, model)) / used, basis=Basis.COUNTED)
    in_use = allocator(lab)
    if in_use is not None:
        yield from _allocated(lab, optimizer, weights, in_use)


def _built(torch: Any, net: str, weights: str) -> Any:
    model = resnet50(torch) if net == "resnet" else _wide(torch)
    return model.to(torch.bfloat16) if weights == "bfloat16" else model


def _wide(torch: Any) -> Any:
    return torch.nn.Sequential(*(torch.nn.Linear(WIDE_WIDTH, WIDE_WIDTH) for _ in range(WIDE_LAYERS)))


def _stepped(torch: Any, name: str, model: Any) -> int:
    """Take one step and return the bytes of the tensors the optimizer holds after it."""
    for weight in model.parameters():
        weight.grad = torch.empty_like(weight)
    stepping = _optimizer(torch, name, model.parameters())
    stepping.step()
    held = (v for state in stepping.state.values() for v in state.values() if torch.is_tensor(v))
    return sum(v.numel() * v.element_size() for v in held)


def _optimizer(torch: Any, name: str, weights: Any) -> Any:
    optim = torch.optim
    build: dict[str, Callable[[], Any]] = {
        "sgd": lambda: optim.SGD(weights, 0.1),
        "momentum": lambda: optim.SGD(weights, 0.1, momentum=0.9),
        "rmsprop": lambda: optim.RMSprop(weights),
        "adam": lambda: optim.Adam(weights),
        "amsgrad": lambda: optim.Adam(weights, amsgrad=True),
    }
    return build[name]()


def _allocated(lab: Lab, name: str, weights: str, in_use: Callable[[], int]) -> Iterator[Point]:
    model = _built(lab.torch, "wide", weights).to(lab.device)
    own = parameter_bytes(model)
    for weight in model.parameters():
        weight.grad = lab.torch.zeros_like(weight)
    stepping = _optimizer(lab.torch, name, model.parameters())
    before = in_use()
    stepping.step()
    grown = in_use() - before
    if before > 0:  # some backends answer 0 for "unknown"
        shared = 2 * (own + grown) / own if weights == "mixed" else grown / own
        yield Point("allocator", OPTIMIZERS.index(name), shared)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether the chosen optimizer keeps twice the weights, to a hundredth."""
    at = OPTIMIZERS.index(str(facts.controls["optimizer"]))
    counted = series(points, "state")[at]
    times = value(counted)
    holds = abs(times - TWICE) <= WITHIN
    mixed = facts.controls["weights"] == "mixed"
    what = "and the 32-bit copy are" if mixed else "is"
    weights = "16-bit" if mixed else facts.controls["weights"]
    because = f"After one step the state of {NAMES[at]} {what} {times:.2f} times the {weights} weights."
    by = [counted]
    real = series(points, "allocator").get(at)
    if real:
        by.append(real)
        because += f" The allocator says {value(real):.2f}."
        if abs(value(real) - times) > AGREE_WITHIN * max(1.0, times):
            return Verdict(Outcome.TOO_NOISY, because, times, "x", times, times, decided_by=tuple(by))
    outcome = Outcome.HOLDS if holds else Outcome.DOES_NOT_HOLD
    return Verdict(outcome, because, times, "x", times, times, decided_by=tuple(by))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the line of the claim."""
    return (Mark("threshold", TWICE, "twice the model", axis="y"),)


EXPERIMENT = Experiment(
    id="optimizer-state",
    claim="Adam's state is twice the size of the model.",
    question="How many times the bytes of the weights does the optimizer keep after one step?",
    unit="x",
    plot=Plot(
        x=Axis("optimizer", labels=NAMES),
        y=Axis("times the weights", "x"),
        lanes=(Lane("state", "state", "cpu"), Lane("allocator", "allocator", "gpu")),
        kind="bar",
        subtitle="What an optimizer keeps after its first step; lower is cheaper.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("optimizer", "adam", "the optimizer that is judged", choices=OPTIMIZERS, fresh=OPTIMIZERS[1:]),
        Control("net", "resnet", "ResNet-50, or four layers 1,024 wide", choices=("resnet", "wide")),
        Control("weights", "float32", "their format; mixed: 16 bits and a 32-bit copy", choices=FORMATS),
    ),
    usual_s=0.8,
    prepares=("torch._dynamo",),
    sibling="out-of-memory",
    timed=False,
    predicts=(0.5, 20.0),
    ablation="One number per weight instead of two: with plain momentum the state is once the model.",
    ablation_controls={"optimizer": "momentum"},
    setup="One step on the meta device, then every tensor the optimizer holds is counted.",
)
