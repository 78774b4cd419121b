"""Mixed precision halves what is kept for the backward pass, and nothing else: the rest of the job stays.

Counts a whole training job of ResNet-50 with Adam in float32 and under autocast: the tensors autograd saves (on
fake tensors, which have shapes and formats but no memory) and the 16 bytes per weight that stay float32 either
way: weight, gradient and two moments. On an accelerator the allocator's real peaks decide.

    studyapp run half-memory
    studyapp run half-memory --set batch=1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.percent import percent
from studyapp.core.points import Basis, Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, ran_out_of_memory
from studyapp.experiments.judging import in_bytes, ratio
from studyapp.experiments.memory import peak_bytes, roomy
from studyapp.experiments.resnet import SIDE, kept_bytes, parameter_bytes, resnet50

BATCHES = (1, 8)
"""Batches that are counted beside the chosen one; in between the bytes grow in proportion."""
COPIES = 4
"""Float32 copies of the weights' size: weight, gradient and Adam's two moments."""
ABOUT_HALF = 0.65
"""Largest share that still counts as "about half". Source: the lesson, "about half the memory"."""


def measure(lab: Lab, batch: int, side: int) -> Iterator[Point]:
    """Count the bytes of a job with n pictures of side x side, in float32 and under autocast, for each n."""
    torch = lab.torch
    with torch.device("meta"):
        fixed = COPIES * parameter_bytes(resnet50(torch))
    for n in sorted({*BATCHES, batch}):
        yield Point("fixed", n, fixed, basis=Basis.COUNTED)
    # the meta device knows no autocast; fake tensors pass for tensors of the CPU, which does
    with torch._subclasses.fake_tensor.FakeTensorMode():
        net = resnet50(torch)
        for n in sorted({*BATCHES, batch}):
            for lane, half in (("float32", False), ("half", True)):
                pictures = torch.empty(n, 3, side, side)
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
                    job = fixed + kept_bytes(torch, net, pictures)
                yield Point(lane, n, job, basis=Basis.COUNTED)
    if roomy(lab, 2 * job):  # float32 takes up to twice as much
        yield from _peaks(lab, batch, side)


def _peaks(lab: Lab, batch: int, side: int) -> Iterator[Point]:
    """Train on the accelerator and yield the peaks of both formats, where they fit."""
    for lane, half in (("peak", False), ("half peak", True)):
        try:
            most = peak_bytes(lab, _training_step(lab, batch, side, half))
        except RuntimeError as error:
            if not ran_out_of_memory(error):
                raise
            return
        if most:
            yield Point(lane, batch, most)


def _training_step(lab: Lab, batch: int, side: int, half: bool) -> Callable[[], None]:
    torch, kind = lab.torch, lab.device.type
    net = resnet50(torch).to(lab.device)
    adam = torch.optim.Adam(net.parameters())
    pictures = torch.randn(batch, 3, side, side, device=lab.device)

    def step() -> None:
        with torch.autocast(kind, dtype=torch.float16, enabled=half):
            loss = net(pictures).float().square().mean()
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=False)  # gradients stay, as the count has them

    return step


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Divide the bytes of the job in 16 bits by those in float32, at the chosen batch; peaks go before counts."""
    batch = int(facts.controls["batch"])
    lanes = ("half peak", "peak") if series(points, "half peak") else ("half", "float32")
    half, whole = (series(points, lane)[batch] for lane in lanes)
    counted, full, fixed = (series(points, lane)[batch] for lane in ("half", "float32", "fixed"))
    share = 100 * ratio(half, whole)
    kept = (value(counted) - value(fixed)) / (value(full) - value(fixed))
    because = (
        f"At batch {batch} the job takes {in_bytes(value(half))} for {in_bytes(value(whole))}, {share:.0f} %; "
        f"what is kept goes to {percent(kept)}, {in_bytes(value(fixed))} stay."
    )
    outcome = Outcome.HOLDS if share <= 100 * ABOUT_HALF else Outcome.DOES_NOT_HOLD
    return Verdict(outcome, because, share, "%", share, share, decided_by=(half, whole, counted, full, fixed))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the batch that is judged."""
    batch = facts.controls.get("batch")
    return (Mark("threshold", float(batch), f"judged at {batch}"),) if batch else ()


EXPERIMENT = Experiment(
    id="half-memory",
    claim="Mixed precision takes about half the memory.",
    question="What share of float32's memory does training ResNet-50 take in mixed precision, at this batch?",
    unit="%",
    plot=Plot(
        x=Axis("pictures in a batch", scale="log2"),
        y=Axis("bytes of the job", "B", "log10"),
        lanes=(
            Lane("float32", "float32", "cpu"),
            Lane("half", "16 bits", "cpu"),
            Lane("fixed", "weights+", "neutral"),
            Lane("peak", "peak", "gpu"),
            Lane("half peak", "16-bit", "gpu"),
        ),
        subtitle="Weights, gradients, Adam and what is kept for backward; lower is cheaper.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("batch", 64, "pictures in a batch", 1, 128, fresh=(1, 8, 16, 64)),
        Control("side", SIDE, "side of a picture, in pixels", 64, 512, fresh=(64, 224, 384)),
    ),
    usual_s=1.2,
    prepares=("torch._dynamo",),
    sibling="kept",
    timed=False,
    predicts=(10.0, 100.0),
    grid="linear",
    ablation="One picture: with hardly anything kept, only the part that never shrinks is left.",
    ablation_controls={"batch": 1},
    setup="ResNet-50 with Adam, counted on fake tensors; autocast to bfloat16, float16 on an accelerator.",
)
