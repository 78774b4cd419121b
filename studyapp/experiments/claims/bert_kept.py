"""Fine-tuning BERT keeps several times its weights: outputs of every layer, for every token of the batch.

Counts every storage that autograd saves while BERT-base reads a batch, on fake tensors, which have shapes and
formats but no memory. Once with a fused attention, which keeps no map of who looks at whom, and once with maps,
which grow with the square of the sentence. Dropout is left out; its masks would come on top.

    studyapp run bert-kept
    studyapp run bert-kept --set tokens=512 --set attention=maps
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.percent import percent
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.bert import POSITIONS, TOKENS, bert_base
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import in_bytes, ratio, times
from studyapp.experiments.memory import AGREE_WITHIN, forward_bytes, roomy
from studyapp.experiments.resnet import kept_bytes, parameter_bytes

KERNELS = {"fused": "FLASH_ATTENTION", "maps": "MATH"}
"""torch's names for the two ways."""
SEVERAL = 3.0
"""How many times the weights the kept bytes must be, to be several times them."""


def measure(lab: Lab, batch: int, tokens: int, attention: str) -> Iterator[Point]:
    """Count the bytes BERT-base keeps for one sentence and for the batch, in both ways, and its weights' bytes."""
    torch = lab.torch
    with torch.device("meta"):
        weights = parameter_bytes(bert_base(torch))
    for n in sorted({1, batch}):
        yield Point("weights", n, weights, basis=Basis.COUNTED)
    kernels = torch.nn.attention
    # fake tensors pass for the CPU's, whose attention is fused like an accelerator's; the meta device's is not
    with torch._subclasses.fake_tensor.FakeTensorMode():
        net = bert_base(torch)
        for lane, kernel in KERNELS.items():
            for n in sorted({1, batch}):
                with kernels.sdpa_kernel(getattr(kernels.SDPBackend, kernel)):
                    kept = kept_bytes(torch, net, torch.zeros(n, tokens, dtype=torch.long))
                yield Point(lane, n, kept, basis=Basis.COUNTED)
    if roomy(lab, weights + 2 * kept):  # the last count is the larger one
        words = torch.zeros(batch, tokens, dtype=torch.long, device=lab.device)
        used = forward_bytes(lab, bert_base(torch).to(lab.device), words)
        if used:
            yield Point("allocated", batch, used)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Divide the bytes kept for the batch by the bytes of the weights."""
    batch, attention = int(facts.controls["batch"]), str(facts.controls["attention"])
    kept, weights = series(points, attention)[batch], series(points, "weights")[batch]
    fused, maps = series(points, "fused")[batch], series(points, "maps")[batch]
    share, by = ratio(kept, weights), [kept, weights]
    because = (
        f"BERT-base keeps {in_bytes(value(kept))} at batch {batch}, {times(share)} its {in_bytes(value(weights))} "
        f"of weights; attention maps cost {times(ratio(maps, fused))} the fused way."
    )
    outcome = Outcome.HOLDS if share >= SEVERAL else Outcome.DOES_NOT_HOLD
    real = series(points, "allocated").get(batch)
    if real:
        off = ratio(real, fused) - 1  # an accelerator chooses its own kernel, a fused one where it can
        by.append(real)
        because += f" Allocator {percent(off, '+')}."
        agrees = -AGREE_WITHIN <= off <= ratio(maps, fused) - 1 + AGREE_WITHIN
        outcome = outcome if agrees else Outcome.TOO_NOISY
    return Verdict(outcome, because, value(kept), "B", value(kept), value(kept), decided_by=tuple(by))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the batch that is judged."""
    batch = facts.controls.get("batch")
    return (Mark("threshold", float(batch), f"judged at {batch}"),) if batch else ()


EXPERIMENT = Experiment(
    id="bert-kept",
    claim="Fine-tuning BERT-base at batch 32 keeps several times the bytes of its weights.",
    question="How many bytes does BERT-base keep for the backward pass at this batch and length?",
    unit="B",
    plot=Plot(
        x=Axis("sentences in a batch", scale="log2"),
        y=Axis("bytes", "B", "log10"),
        lanes=(
            Lane("fused", "fused", "cpu"),
            Lane("maps", "with maps", "weak"),
            Lane("weights", "weights", "neutral"),
            Lane("allocated", "allocator", "gpu"),
        ),
        subtitle="Memory for one forward pass in float32; lower is cheaper.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("batch", 32, "sentences in a batch", 1, 128, fresh=(8, 16, 32, 64)),
        Control("tokens", TOKENS, "tokens of a sentence", 16, POSITIONS, fresh=(64, 128, 256, 512)),
        Control("attention", "fused", "fused, or keeping its maps", choices=("fused", "maps")),
    ),
    usual_s=1.2,
    prepares=("torch._dynamo",),
    sibling="kept",
    timed=False,
    predicts=(1e6, 1e12),
    ablation="A single sentence: with few tokens to keep outputs for, the weights outweigh them.",
    ablation_controls={"batch": 1},
    setup="BERT-base with a classifier, float32, no dropout, counted on fake tensors.",
)
