"""A small network on a small table gains nothing from a GPU: its steps are fixed costs, not arithmetic.

Trains a two-layer net on a table of 10,000 rows and times one step for batches from one row to the whole table.
On a CPU that shows the fixed cost of a step. On a CUDA device it also answers the claim: the same step with the
table resident, with every batch copied over, and replayed as one CUDA graph, against the CPU beside it.

    studyapp run small-net
    studyapp run small-net --set hidden=4096
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, series, value
from studyapp.core.roofline import ALL, DEVICE, ONE, Load
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.capture import can_capture, captured
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import band, compare, fastest, in_seconds, ratio, times

ROWS = 10_000
"""Rows of the table. Source: the lesson's "two-layer net on 10,000 rows"."""
FEATURES, CLASSES = 20, 2
"""Columns and classes of the table: our choice of a typical small one; 1,474 parameters at 64 hidden."""
BATCHES = (1, 4, 16, 32, 64, 256, 1024, 4096, ROWS)
EPOCH_BATCH = 32
"""The batch whose epochs are compared: a usual choice for a table of this size."""
MANY_ROWS = 256
"""The lesson's "256 rows"."""
LARGEST_HIDDEN_VALUES = 2**22
"""Batches beyond 256 rows are left out once batch x hidden passes this (16 MB), to stay within the time limit."""


def batches(hidden: int) -> tuple[int, ...]:
    """Return the batch sizes that are timed at this width."""
    return tuple(n for n in BATCHES if n <= MANY_ROWS or n * hidden <= LARGEST_HIDDEN_VALUES)


def measure(lab: Lab, hidden: int) -> Iterator[Point]:
    """Time one training step on n of the 10,000 rows, for every n and lane; seconds per step."""
    torch = lab.torch
    torch.manual_seed(0)
    rows, labels = torch.randn(ROWS, FEATURES), torch.randint(CLASSES, (ROWS,))
    works = {}
    for name, build in _lanes(lab).items():
        for n in batches(hidden):
            works[name, n] = build(lab, hidden, rows[:n], labels[:n])
    cores = {"cpu": lab.cores, "one": 1}
    found = lab.rounds(works, prepare=lambda key: lab.threads(cores.get(key[0], 1)))
    for (name, n), timing in found:
        yield timing.point(name, n, accelerated=lab.accelerated)


Step = Callable[[], Any]
Build = Callable[[Lab, int, Any, Any], Step]


def _lanes(lab: Lab) -> dict[str, Build]:
    lanes: dict[str, Build] = {"one": _on_cpu}
    if lab.cores > 1:
        lanes["cpu"] = _on_cpu
    if lab.accelerated:
        lanes |= {"resident": _resident, "copied": _copied}
    if can_capture(lab):
        lanes["graph"] = _graph
    return lanes


def _on_cpu(lab: Lab, hidden: int, rows: Any, labels: Any) -> Step:
    return _training_step(lab, hidden, "cpu", lambda: (rows, labels))


def _resident(lab: Lab, hidden: int, rows: Any, labels: Any) -> Step:
    there = rows.to(lab.device), labels.to(lab.device)
    return _training_step(lab, hidden, lab.device, lambda: there)


def _copied(lab: Lab, hidden: int, rows: Any, labels: Any) -> Step:
    return _training_step(lab, hidden, lab.device, lambda: (rows.to(lab.device), labels.to(lab.device)))


def _graph(lab: Lab, hidden: int, rows: Any, labels: Any) -> Step:
    there = rows.to(lab.device), labels.to(lab.device)
    return captured(lab, _training_step(lab, hidden, lab.device, lambda: there, capturable=True))


def _training_step(
    lab: Lab, hidden: int, device: Any, batch: Callable[[], tuple[Any, Any]], *, capturable: bool = False
) -> Step:
    torch = lab.torch
    net = torch.nn.Sequential(
        torch.nn.Linear(FEATURES, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, CLASSES)
    ).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), capturable=capturable)

    def step() -> None:
        rows, labels = batch()
        loss = torch.nn.functional.cross_entropy(net(rows), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def epoch_s(step: Point) -> float:
    """Return the seconds of one pass over the table, from the seconds of one step on `step.x` rows."""
    return value(step) * ROWS / step.x


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Compare epochs of 32 rows a step on both devices; alone, a CPU tells its fixed cost, not the claim."""
    lane = "resident" if facts.accelerated else "one"
    step = series(points, lane)
    one, many = step[1], step[MANY_ROWS]
    grows = ratio(many, one)
    low, high = band(grows, [one, many])

    def answer(outcome: Outcome, because: str, *by: Point) -> Verdict:
        return Verdict(outcome, because, grows, "x", low, high, decided_by=by)

    if not facts.accelerated:
        because = f"No GPU here. On one core a step on 256 rows takes {times(grows)} as long as on one row."
        return answer(Outcome.CANNOT_TEST, because, one, many)
    cpu = fastest([series(points, name)[EPOCH_BATCH] for name in ("cpu", "one") if series(points, name)])
    gpu = fastest([step[EPOCH_BATCH], series(points, "copied")[EPOCH_BATCH]])
    because = f"An epoch at batch 32: CPU {in_seconds(epoch_s(cpu))}, GPU {in_seconds(epoch_s(gpu))}"
    graph = series(points, "graph").get(EPOCH_BATCH)
    because += f", as one CUDA graph {in_seconds(epoch_s(graph))}." if graph else "."
    outcomes = {-1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, 1: Outcome.DOES_NOT_HOLD}
    return answer(outcomes[compare(cpu, gpu)], because, cpu, gpu)


STEP_CALLS = 50
"""Operations of a step, forward, backward and AdamW's update, views left out. Source: counted with torch 2.13."""
KEPT_VALUES, WEIGHT_PASSES = 6, 12
"""Passes over the hidden values of a step, and over the weights with their gradients and state."""


def loads(points: Sequence[Point], facts: Facts) -> Iterator[Load]:
    """State each step: five products, the hidden values and the weights in memory, and its calls."""
    hidden = int(facts.controls["hidden"])
    weights = hidden * (FEATURES + CLASSES)
    for lane in ("cpu", "one", "resident", "copied", "graph"):
        where = {"cpu": ALL, "one": ONE}.get(lane, DEVICE)
        for n in series(points, lane):
            work = 2.0 * n * hidden * (2 * FEATURES + 3 * CLASSES)
            moved = 4.0 * (KEPT_VALUES * n * hidden + WEIGHT_PASSES * weights)
            calls = {"graph": 1}.get(lane, STEP_CALLS)
            carried = {"copied": n * (4.0 * FEATURES + 8)}.get(lane, 0.0)  # labels are int64
            yield Load(lane, n, where, work, moved, calls, moved=carried, call=ONE if lane == "cpu" else "")


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the batch whose epochs are compared, on a GPU."""
    return (Mark("threshold", EPOCH_BATCH, "compared at 32 rows"),) if facts.accelerated else ()


def about_bytes(hidden: int) -> int:
    """Return the bytes a step keeps, six values per hidden unit and row, over all lanes, and the table."""
    return ROWS * (FEATURES + 2) * 4 + 24 * sum(batches(hidden)) * hidden


EXPERIMENT = Experiment(
    id="small-net",
    claim="A two-layer net on 10,000 rows trains no faster on a GPU.",
    question="How many times as long does a training step on 256 rows take as a step on one row?",
    unit="x",
    plot=Plot(
        x=Axis("rows per step", scale="log2"),
        y=Axis("time per step", "s", "log10"),
        lanes=(
            Lane("cpu", "all cores", "cpu"),
            Lane("one", "one core", "weak"),
            Lane("resident", "GPU", "gpu"),
            Lane("copied", "GPU+copies", "gpu"),
            Lane("graph", "CUDA graph", "weak"),
        ),
        subtitle="One training step; flat means a fixed cost, lower is faster.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    loads=loads,
    marks=marks,
    controls=(Control("hidden", 64, "width of the hidden layer, in units", 4, 4096, fresh=(16, 64, 256)),),
    usual_s=0.8,
    prepares=("torch._dynamo",),
    about_bytes=about_bytes,
    sibling="core-race",
    predicts=(0.5, 512.0),
    ablation="Replay the step as one CUDA graph: if the GPU still loses, launches were not the cause.",
    setup="20 columns, one hidden layer with ReLU, 2 classes, AdamW, float32; forward, backward and update.",
)
