"""Memory runs out when the batch is raised, not when the model is loaded: true for one kind of net.

Gives a net a budget and trains it under a real allocator limit: load, forward, backward and update at batch 1,
then twice the rows each time, until memory is refused; the stage is the answer. A convolutional net is nearly
weightless and fails by its batch. A net that is mostly weights can fail while loading, at backward (gradients) or
at the first `optimizer.step()` (Adam's two moments), where a smaller batch does not help.

    studyapp run out-of-memory
    studyapp run out-of-memory --set net=wide
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, series
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab, ran_out_of_memory
from studyapp.experiments.judging import in_bytes
from studyapp.experiments.product import powers_of_two

BATCHES = powers_of_two(2, 65_536)
STAGES = ("load", "forward", "backward", "update", *(str(n) for n in BATCHES))
"""The stages in order: four with one row, then a whole step for each larger batch."""
FIRST_BATCH = 4
"""Index of the first stage that fails for its batch."""
WIDE_LAYERS, WIDE_WIDTH = 20, 1024
"""21 million weights, 84 MB."""
CONV_LAYERS, CONV_CHANNELS, CONV_SIDE = 8, 32, 32
"""74 thousand weights, 0.3 MB, on pictures of 32 x 32."""
INITIAL_WEIGHT = 0.01
MB = 10**6


def measure(lab: Lab, net: str, budget_mb: int) -> Iterator[Point]:
    """Go through the stages until one is refused; bytes in use after each, the budget where it was refused."""
    # oneDNN compiles kernels under the cap; one refused there stays broken for every later run of the process
    plain = lab.torch.backends.mkldnn.flags(enabled=False)
    with plain, _warmed_up(lab, net), lab.memory_cap(budget_mb * MB):
        start = _in_use(lab)
        # the stages share this state; a refused stage leaves it as it was before
        for index, stage in enumerate(_stages(lab, net)):
            if _refused(stage):
                yield Point("refused", index, budget_mb * MB)
                return
            # weights that found room in memory held before show no growth, but they are there
            yield Point("used", index, max(weight_bytes(net), _in_use(lab) - start))


def _refused(stage: Callable[[], Any]) -> bool:
    try:
        stage()
    except (RuntimeError, MemoryError) as error:
        if not ran_out_of_memory(error):
            raise
        return True
    return False


@contextmanager
def _warmed_up(lab: Lab, net: str) -> Iterator[None]:
    """Train one row outside the budget, so that no library takes its workspace out of it."""
    for stage in list(_stages(lab, net, small=True))[:FIRST_BATCH]:
        stage()
    yield


def _stages(lab: Lab, net: str, *, small: bool = False) -> Iterator[Callable[[], Any]]:
    torch = lab.torch
    state: dict[str, Any] = {}

    def load() -> None:
        state["net"] = _build(lab, net, small)
        state["adam"] = torch.optim.Adam(state["net"].parameters())

    def forward(rows: int = 1) -> None:
        state["loss"] = state["net"](_batch(lab, net, rows)).square().mean()

    def backward() -> None:
        state.pop("loss").backward()

    def update() -> None:
        state["adam"].step()

    def step(rows: int) -> None:
        state["adam"].zero_grad()
        forward(rows)
        backward()
        update()

    yield from (load, forward, backward, update)
    for rows in BATCHES:
        yield partial(step, rows)


def _build(lab: Lab, net: str, small: bool) -> Any:
    nn = lab.torch.nn
    if net == "wide":
        layers = [nn.Linear(WIDE_WIDTH, WIDE_WIDTH, device="meta") for _ in range(1 if small else WIDE_LAYERS)]
    else:
        ins = [3] + [CONV_CHANNELS] * (CONV_LAYERS - 1)
        layers = [nn.Conv2d(n, CONV_CHANNELS, 3, padding=1, device="meta") for n in ins]
    built = nn.Sequential(*(piece for layer in layers for piece in (layer, nn.ReLU())))
    built = built.to_empty(
        device=lab.device
    )  # memory without drawing 21 million random numbers: values play no role
    for weight in built.parameters():
        weight.data.fill_(INITIAL_WEIGHT)
    return built


def _batch(lab: Lab, net: str, rows: int) -> Any:
    shape = (rows, WIDE_WIDTH) if net == "wide" else (rows, 3, CONV_SIDE, CONV_SIDE)
    return lab.torch.ones(shape, device=lab.device)


def _in_use(lab: Lab) -> float:
    """Return the bytes taken so far: the allocator's peak on an accelerator, the address space on a CPU."""
    if lab.accelerated:
        return float(getattr(lab.torch, lab.device.type).max_memory_allocated())
    # pages of 4096 bytes: first column of statm, what the cap counts
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * 4096.0


def weight_bytes(net: str) -> int:
    """Return the bytes of a net's weights and biases.

    >>> weight_bytes("wide"), weight_bytes("conv")
    (83968000, 262528)
    """
    if net == "wide":
        return 4 * WIDE_LAYERS * WIDE_WIDTH * (WIDE_WIDTH + 1)
    ins = 3 + (CONV_LAYERS - 1) * CONV_CHANNELS
    return 4 * CONV_CHANNELS * (9 * ins + CONV_LAYERS)


WHY = {
    "load": "the weights alone do not fit",
    "forward": "the rows do not fit beside the weights",
    "backward": "gradients are as large as the weights",
    "update": "Adam adds two copies of them there, whatever the batch",
}


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Say at which stage memory was refused: the claim holds if it was a larger batch."""
    used, refused = series(points, "used"), series(points, "refused")
    weights, budget = in_bytes(weight_bytes(str(facts.controls["net"]))), facts.controls["budget_mb"]
    if not refused:
        largest = STAGES[int(max(used))]
        because = f"Nothing was refused up to batch {largest}; {budget} MB is more than this run can fill."
        return Verdict(Outcome.TOO_NOISY, because)
    stopped = next(iter(refused.values()))
    index = int(stopped.x)
    by = (stopped, used[index - 1]) if index else (stopped,)
    if index >= FIRST_BATCH:
        batch = BATCHES[index - FIRST_BATCH]
        because = f"In {budget} MB, with {weights} of weights, batch {batch // 2} trains and {batch} is refused."
        return Verdict(Outcome.HOLDS, because, batch, "rows", batch / 2, batch, decided_by=by)
    stage = STAGES[index]
    where = "while loading" if stage == "load" else f"at batch 1, in {stage}"
    because = f"Refused {where}: of {budget} MB, {weights} are weights; {WHY[stage]}."
    at = 1.0 if index else None
    return Verdict(Outcome.DOES_NOT_HOLD, because, at, "rows", at, at, decided_by=by)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the budget."""
    budget = float(facts.controls.get("budget_mb", 0))
    return (Mark("threshold", budget * MB, "budget", axis="y"),) if budget else ()


def about_bytes(net: str, budget_mb: int) -> int:
    """Return the budget: nothing beyond it can be taken."""
    return budget_mb * MB


EXPERIMENT = Experiment(
    id="out-of-memory",
    claim="Memory runs out when the batch is raised, not when the model is loaded.",
    question="At which batch is memory refused first?",
    unit="rows",
    plot=Plot(
        x=Axis("stage, then batch", labels=STAGES),
        y=Axis("memory in use", "B"),
        lanes=(Lane("used", "in use", "cpu"), Lane("refused", "refused", "neutral")),
        kind="bar",
        subtitle="Training under a budget: load, then one row in three stages, then more rows.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("net", "conv", "a convolutional net, or one that is mostly weights", choices=("conv", "wide")),
        Control("budget_mb", 300, "memory it may take, in MB", 40, 500, fresh=(150, 300, 500)),
    ),
    needs=frozenset({"memory cap"}),
    seconds=20.0,
    usual_s=1.5,
    prepares=("torch._dynamo",),
    about_bytes=about_bytes,
    sibling="kept",
    timed=False,
    predicts=(1.0, 65_536.0),
    grid="log2",
    ablation="A net that is mostly weights: gradients and Adam's moments fill the budget before any batch does.",
    ablation_controls={"net": "wide"},
    setup="float32 with Adam: 8 convolutions on 32 x 32 pictures, or 20 layers 1024 wide (84 MB of weights).",
)
