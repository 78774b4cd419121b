"""Splitting a model's training state over cards makes tens of billions of parameters possible.

Takes every parameter's shape of a language model and cuts it as ZeRO and `fully_shard` do, along its first
dimension, in stages: nothing, the optimizer's state, gradients as well, weights as well. What the fullest card
holds is counted. It is a lower bound: activations and the layer that is gathered for its turn come on top.

    studyapp run sharding
    studyapp run sharding --set stage=1
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import grid_interval, in_bytes
from studyapp.experiments.llama import MODELS
from studyapp.experiments.product import powers_of_two

CARDS = powers_of_two(1, 128)
WEIGHT, GRADIENT, STATE = 2, 2, 12
"""Bytes per parameter in mixed precision with Adam: 16-bit weight and gradient, 32-bit copy and two moments."""
STAGES = ("nothing", "the state", "state and gradients", "everything")
"""What each stage splits, 0 to 3."""
GB = 1e9


def per_card(whole: int, slice_: int, stage: int) -> int:
    """Return the bytes on a card that holds `whole` parameters, of which `slice_` are its own.

    >>> per_card(8, 1, 0), per_card(8, 1, 1), per_card(8, 1, 3)
    (128, 44, 16)
    """
    owned = (stage < 1, stage < 2, stage < 3)
    sizes = zip((STATE, GRADIENT, WEIGHT), owned, strict=True)
    return sum(size * (whole if every else slice_) for size, every in sizes)


def measure(lab: Lab, model: str, card_gb: float, stage: int) -> Iterator[Point]:
    """Cut the model's parameters for n cards and yield the bytes on the fullest card, for each stage and n."""
    shapes = MODELS[model].shapes()
    whole = sum(n * prod(shape) for shape, n in shapes.items())
    for cards in CARDS:
        slice_ = sum(n * first_slice(lab.torch, shape, cards) for shape, n in shapes.items())
        for at in range(len(STAGES)):
            yield Point(f"stage {at}", cards, per_card(whole, slice_, at), basis=Basis.COUNTED)


def first_slice(torch: Any, shape: tuple[int, ...], cards: int) -> int:
    """Return the numbers in the largest part of a tensor cut for so many cards, without making the tensor."""
    return int(torch.empty(shape, device="meta").chunk(cards)[0].numel())


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Find the fewest cards on which the split model fits, given that a single card cannot hold it."""
    model, card, stage = (facts.controls[name] for name in ("model", "card_gb", "stage"))
    lane = series(points, f"stage {stage}")
    alone, most = lane[CARDS[0]], lane[CARDS[-1]]
    what = f"{model} takes {in_bytes(value(alone))} unsplit, activations not counted"
    if value(alone) <= float(card) * GB:
        because = f"{what}: that fits a single {card:g} GB card."
        return Verdict(Outcome.DOES_NOT_HOLD, because, 1.0, "cards", 1.0, 1.0, decided_by=(alone,))
    fits = [n for n, point in lane.items() if value(point) <= float(card) * GB]
    if not fits:
        because = (
            f"{what}; with {STAGES[int(stage)]} split, {most.x:g} cards still hold {in_bytes(value(most))} each."
        )
        return Verdict(Outcome.DOES_NOT_HOLD, because, None, "cards", never=True, decided_by=(alone, most))
    at = min(fits)
    low, high = grid_interval(at, CARDS)
    because = f"{what}; with {STAGES[int(stage)]} split it fits {at:g} cards of {card:g} GB, "
    because += f"{in_bytes(value(lane[at]))} each."
    return Verdict(Outcome.HOLDS, because, at, "cards", low, high, decided_by=(alone, lane[at]))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the size of a card."""
    card = facts.controls.get("card_gb")
    return (Mark("threshold", float(card) * GB, f"{card:g} GB", axis="y"),) if card else ()


EXPERIMENT = Experiment(
    id="sharding",
    claim="Splitting over cards makes a model of tens of billions of parameters trainable.",
    question="On how many cards does it fit at the least?",
    unit="cards",
    plot=Plot(
        x=Axis("cards", scale="log2"),
        y=Axis("on each card", "B", "log10"),
        lanes=(
            Lane("stage 0", "unsplit", "weak"),
            Lane("stage 1", "state", "neutral"),
            Lane("stage 2", "+gradients", "neutral"),
            Lane("stage 3", "everything", "cpu"),
        ),
        subtitle="Bytes on the fullest card by what is split; a lower bound, no activations.",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("model", "13B", "size of the model", choices=tuple(MODELS), fresh=("13B", "70B")),
        Control("card_gb", 40.0, "memory of a card, in GB", 4.0, 200.0, fresh=(24.0, 40.0, 80.0)),
        Control("stage", 3, "1: state, 2: and gradients, 3: and weights", choices=(1, 2, 3), fresh=(2, 3)),
    ),
    usual_s=0.1,
    timed=False,
    sibling="optimizer-state",
    predicts=(1.0, 128.0),
    grid="log2",
    can_never=True,
    ablation="Split the optimizer's state alone: weights and gradients stay whole on every card.",
    ablation_controls={"stage": 1},
    setup="Mixed precision with Adam, 16 bytes per parameter, cut along each tensor's first dimension.",
)
