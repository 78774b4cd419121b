"""How much memory: 8 GB train most vision nets, a 7B language model needs far more than 40 GB, or adapters.

Adds up what training holds: 16 bytes per trained parameter (Adam), what is merely stored, and the activations,
counted on fake tensors: five vision nets in float32, and a language model of Llama's shape trained whole, with
adapters (LoRA), and with adapters on 4-bit weights. Context, fragmentation and 4-bit scales come on top.

    studyapp run fits
    studyapp run fits --set checkpointing=yes
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments import llama, vision
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import in_bytes
from studyapp.experiments.resnet import SIDE, kept_bytes

TRAINED, STORED, FOUR_BITS = 16, 2, 0.5
"""Bytes per parameter: trained with Adam (4 x 4, or 2 + 2 + 12 in mixed precision), frozen in 16 or in 4 bits."""
JOBS = (*vision.NETS, "7B whole", "7B LoRA", "7B 4-bit")
"""The bars."""
WHOLE, LORA, FOUR = (JOBS.index(name) for name in ("7B whole", "7B LoRA", "7B 4-bit"))
GB = 1e9
SMALL_CARD, LARGE_CARD = 8 * GB, 40 * GB
"""Source: the lesson, 8 GB for most vision models at a modest batch, 40 GB or LoRA for language models."""


def measure(lab: Lab, batch: int, tokens: int, rank: int, checkpointing: str) -> Iterator[Point]:
    """Count the bytes of training each net on `batch` pictures, and the 7B model on one text of `tokens`."""
    torch = lab.torch
    with torch._subclasses.fake_tensor.FakeTensorMode():
        for index, needed in language(torch, tokens, rank, checkpointing == "yes"):
            yield Point("needed", index, needed, basis=Basis.COUNTED)
        for index, build in enumerate(vision.NETS.values()):
            net = build(torch)
            weights = sum(p.numel() for p in net.parameters())
            kept = kept_bytes(torch, net, torch.empty(batch, 3, SIDE, SIDE))
            yield Point("needed", index, TRAINED * weights + kept, basis=Basis.COUNTED)


def language(torch: Any, tokens: int, rank: int, checkpointing: bool) -> Iterator[tuple[int, float]]:
    """Yield the bar's index and the bytes of the 7B model in the three ways; the fake mode must be on."""
    model = llama.MODELS["7B"]
    whole, blocks = llama.parameters(model.shapes()), model.layers * llama.parameters(model.block_shapes())
    adapters = 2 * model.layers * rank * 2 * model.width  # two thin matrices beside query and value of each block
    kept_whole, kept_lora = (_kept(torch, model, tokens, r, checkpointing) for r in (0, rank))
    yield WHOLE, TRAINED * whole + kept_whole
    yield LORA, STORED * whole + TRAINED * adapters + kept_lora
    frozen = FOUR_BITS * blocks + STORED * (whole - blocks)  # embeddings and head stay in 16 bits
    yield FOUR, frozen + TRAINED * adapters + kept_lora


def _kept(torch: Any, model: llama.Llama, tokens: int, rank: int, checkpointing: bool) -> int:
    """Return the bytes kept for one text: all blocks, or their inputs and one block at a time, and the loss."""
    block = llama.block(torch, model, rank=rank)
    entering = torch.empty(1, tokens, model.width, dtype=torch.bfloat16, requires_grad=True)
    one = kept_bytes(torch, block, entering)
    inputs = tokens * model.width * entering.element_size()
    blocks = model.layers * inputs + one if checkpointing else model.layers * one
    head = torch.nn.Linear(model.width, model.vocabulary, bias=False, dtype=torch.bfloat16).requires_grad_(
        not rank
    )
    labels = torch.zeros(tokens, dtype=torch.long)

    def loss(rows: Any) -> Any:
        return torch.nn.functional.cross_entropy(head(rows).float().flatten(0, 1), labels)

    return blocks + kept_bytes(torch, head, entering, loss)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask for most vision nets on the small card, and a 7B model that fits the large one only with adapters."""
    needed = series(points, "needed")
    nets = [needed[i] for i in range(len(vision.NETS))]
    small = sum(value(point) <= SMALL_CARD for point in nets)
    whole, lora, four = needed[WHOLE], needed[LORA], needed[FOUR]
    because = (
        f"{small} of {len(nets)} vision nets fit 8 GB at batch {facts.controls['batch']}. 7B takes "
        f"{in_bytes(value(whole))} whole, {in_bytes(value(lora))} with LoRA, {in_bytes(value(four))} on 4 bits."
    )
    fits = small > len(nets) / 2 and value(lora) <= LARGE_CARD < value(whole)
    outcome = Outcome.HOLDS if fits else Outcome.DOES_NOT_HOLD
    takes = value(lora)
    return Verdict(outcome, because, takes, "B", takes, takes, decided_by=(*nets, whole, lora))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the sizes of three cards."""
    sizes = (SMALL_CARD, 24 * GB, LARGE_CARD)
    return tuple(Mark("threshold", size, f"{size / GB:.0f} GB", axis="y") for size in sizes)


EXPERIMENT = Experiment(
    id="fits",
    claim="8 GB train most vision nets; tuning a large language model takes 40 GB and more, or adapters.",
    question="How many bytes does tuning the 7B model with LoRA take?",
    unit="B",
    plot=Plot(
        x=Axis("job", labels=JOBS),
        y=Axis("bytes", "B", "log10"),
        lanes=(Lane("needed", "needed", "cpu"),),
        kind="bar",
        subtitle="Weights, gradients, Adam and activations; lower fits a smaller card.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("batch", 32, "pictures in a batch", 1, 512, fresh=(8, 32, 64)),
        Control("tokens", 2048, "tokens of the text", 128, 8192, fresh=(512, 1024, 2048, 4096)),
        Control("rank", 8, "rank of the adapters", 1, 256, fresh=(8, 16, 64)),
        Control("checkpointing", "no", "recompute the language model's activations", choices=("no", "yes")),
    ),
    usual_s=1.5,
    prepares=("torch._dynamo",),
    sibling="recompute",
    timed=False,
    predicts=(1e9, 1e12),
    ablation="Drop the activations and compute them again: what is left is weights, stored or trained.",
    ablation_controls={"checkpointing": "yes"},
    setup="Adam; pictures of 224 pixels in float32, one text through a 7B Llama in bfloat16; counted, not run.",
)
