"""One pass over ImageNet costs a CPU days and a GPU minutes; how long a task takes depends on its data set.

Times a few real training steps on all cores, on one core and on the accelerator, and multiplies the best by the
rows of the task. Loading and decoding are left out: a device that trains 2,000 pictures a second needs 2,000
decoded ones a second. The same nets on small data sets take minutes, and then the claim does not hold.

    studyapp run days
    studyapp run days --set task=imagenette
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, ran_out_of_memory
from studyapp.experiments.judging import against, band, fastest, in_time
from studyapp.experiments.nets import ROW_BYTES, WEIGHT_BYTES, build, rows, training_step

TASKS: dict[str, tuple[str, int]] = {
    "imagenet": ("resnet-50", 1_281_167),
    "imagenette": ("resnet-50", 9_469),
    "mnli": ("bert-base", 3 * 392_702),
    "mrpc": ("bert-base", 3 * 3_668),
    "table": ("two-layer", 10 * 10_000),
}
"""Net and rows trained, epochs included: one of ImageNet (ILSVRC 2012) and of its ten-class extract Imagenette 2,
three of MNLI and of MRPC (GLUE) as in fine-tuning, ten of the lesson's 10,000-row table."""
BATCHES, GPU_BATCHES = (1, 4, 16), (1, 16, 64, 256)
TABLE_BATCH = 32
MOST_SAMPLES = 4
"""Samples of a step that does not settle: each may cost a second."""
LONGEST_STEP_S = 1.5
"""A batch whose step promises to take longer on a CPU is left out."""
DAY_H, TWO_HOURS = 24.0, 2.0
"""Hours: what "days" means for a CPU at the least, and "minutes" for a GPU at the most."""


def measure(lab: Lab, task: str, dtype: str) -> Iterator[Point]:
    """Time training steps for each batch on each lane; yield the hours the whole task would take."""
    net = build(lab.torch, TASKS[task][0])
    yield from _lane(lab, "table", "table", build(lab.torch, TASKS["table"][0]), False)
    half = dtype == "bfloat16"
    if lab.cores > 1:
        lab.threads(lab.cores)
    yield from _lane(lab, "cpu", task, net, half)
    lab.threads(1)
    if lab.cores > 1:
        yield from _lane(lab, "one", task, net, half)
    if lab.accelerated:
        yield from _lane(lab, "gpu", task, net.to(lab.device), half)


def _lane(lab: Lab, lane: str, task: str, net: Any, half: bool) -> Iterator[Point]:
    name, total = TASKS[task]
    device = lab.device if lane == "gpu" else "cpu"
    row_s = 0.0
    for n in _batches(lane, name):
        if device == "cpu" and n * row_s > LONGEST_STEP_S:
            return
        try:
            step = training_step(lab, name, net, rows(lab.torch, name, n).to(device), half=half)
            for _, timing in lab.rounds({n: step}, rounds=2, sample_s=0):
                yield timing.point(lane, n, scale=total / n / 3600, accelerated=lab.accelerated)
                row_s = timing.best_s / n
                if timing.repeats == MOST_SAMPLES:
                    break
        except (RuntimeError, MemoryError) as error:
            if not ran_out_of_memory(error):
                raise
            return  # the batches that fitted stand


def _batches(lane: str, name: str) -> tuple[int, ...]:
    if lane == "gpu":
        return GPU_BATCHES
    few = BATCHES[:2] if name == "bert-base" else BATCHES  # its state alone takes 1.8 GB
    return {"table": (TABLE_BATCH,), "one": BATCHES[:1]}.get(lane, few)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask for more than a day on the CPU's best batch and, where there is a GPU, under two hours on it."""
    cpu = fastest([*series(points, "cpu").values(), *series(points, "one").values()])
    task = str(facts.controls["task"])
    side = against(value(cpu), DAY_H, ratio_noise([cpu]))
    by: tuple[Point, ...] = (cpu,)
    because = f"{task}, from its best batch ({cpu.x:g}): {in_time(3600 * value(cpu))} on this CPU"
    if facts.accelerated:
        gpu = fastest([*series(points, "gpu").values()])
        by += (gpu,)
        side = min(side, -against(value(gpu), TWO_HOURS, ratio_noise([gpu])))
        pace = TASKS[task][1] / value(gpu) / 3600
        because += f", {in_time(3600 * value(gpu))} on the GPU if {pace:,.0f} rows a second are loaded and decoded"
    outcome = {1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, -1: Outcome.DOES_NOT_HOLD}[side]
    low, high = band(value(cpu), [cpu])
    return Verdict(outcome, because + ".", value(cpu), "h", low, high, decided_by=by)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the day that a CPU must exceed."""
    return (Mark("threshold", DAY_H, "a day", axis="y"),)


def about_bytes(task: str, dtype: str) -> int:
    """Return the bytes of weights, gradients and state, and of what the largest batch on a CPU keeps."""
    name = TASKS[task][0]
    return int(4 * WEIGHT_BYTES[name] + _batches("cpu", name)[-1] * ROW_BYTES[name]) + 2**25


EXPERIMENT = Experiment(
    id="days",
    claim="One epoch of ResNet-50 on ImageNet takes a CPU days and a GPU minutes.",
    question="How many hours does the task take on all cores of this CPU?",
    unit="h",
    plot=Plot(
        x=Axis("rows per step", scale="log2"),
        y=Axis("time for the task", "h", "log10"),
        lanes=(
            Lane("cpu", "all cores", "cpu"),
            Lane("one", "one core", "weak"),
            Lane("gpu", "GPU", "gpu"),
            Lane("table", "tiny net", "neutral"),
        ),
        subtitle="The whole task, worked out from a few real steps; lower is faster.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("task", "imagenet", "what is trained", choices=tuple(TASKS), fresh=("imagenet", "mnli", "mrpc")),
        Control("dtype", "float32", "number format of the products", choices=("float32", "bfloat16")),
    ),
    seconds=20.0,
    usual_s=5.0,
    prepares=("torch._dynamo",),
    about_bytes=about_bytes,
    sibling="small-net",
    predicts=(0.01, 10_000.0),
    ablation="The same net on the ten classes of Imagenette: days come from the data set, not from the net.",
    ablation_controls={"task": "imagenette"},
    setup="Forward, backward and update on random rows; loading and decoding are left out.",
)
