"""On tables, boosted trees on a CPU often beat a neural net; it depends on the table, and many are a tie.

Trains boosted trees and a small net, both at common defaults, on two real tables (wines and tumours, shipped with
the program) and on two invented ones: thresholds and their products ("steps"), and curves along slanted directions
("smooth"). Accuracy is that on rows not trained on, over several splits. You choose which tables decide.

    studyapp run trees-or-net
    studyapp run trees-or-net --set tables=smooth
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.boosting import net_right, table, trees_right, world
from studyapp.experiments.claim import Control, Experiment, Lab

TABLES = ("wine", "tumours", "steps", "smooth")
FILES = {"wine": "wine", "tumours": "breast_cancer"}
DECIDE = {"real": ("wine", "tumours"), "steps": ("steps",), "smooth": ("smooth",)}
SPLITS, TRAINED = 4, 0.7
"""Random splits of each table, and the share of its rows that is trained on."""
POINT = 1.0
"""Percentage points a lead must have at least, besides twice its error."""


def measure(lab: Lab, tables: str, rows: int) -> Iterator[Point]:
    """Train both on every split of every table; yield the per cent of unseen rows told right."""
    torch = lab.torch
    found: dict[tuple[str, int], list[float]] = {}
    for split in range(SPLITS):
        for index, name in enumerate(TABLES):
            torch.manual_seed(split)
            train, test = _halves(
                torch, *(table(torch, FILES[name]) if name in FILES else world(torch, name, rows))
            )
            for lane, right in _methods():
                if lab.left_s() <= 0:
                    return
                found.setdefault((lane, index), []).append(right(torch, train, test))
                yield point(lane, index, found[lane, index])


def _methods() -> tuple[tuple[str, Callable[..., float]], ...]:
    return ("trees", trees_right), ("net", net_right)


def _halves(torch: Any, columns: Any, classes: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    order = torch.randperm(len(columns))
    cut = int(TRAINED * len(columns))
    (first, rest) = order[:cut], order[cut:]
    return (columns[first], classes[first]), (columns[rest], classes[rest])


def point(lane: str, index: int, found: Sequence[float]) -> Point:
    """Return the mean over the splits so far and one standard error either way; settled once all are in."""
    count = len(found)
    mean = sum(found) / count
    error = (sum((each - mean) ** 2 for each in found) / max(1, count - 1) / count) ** 0.5
    return Point(lane, index, mean, mean - error, mean + error, count, count == SPLITS)


def lead(trees: Point, net: Point) -> int:
    """Return 1 if the trees are clearly ahead, -1 if the net is, 0 for a tie."""
    error = sum(((p.high or 0.0) - (p.low or 0.0)) ** 2 / 4 for p in (trees, net)) ** 0.5
    ahead = value(trees) - value(net)
    if abs(ahead) <= max(POINT, 2 * error):
        return 0
    return 1 if ahead > 0 else -1


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask for the trees to be clearly ahead on each of the deciding tables."""
    trees, net = series(points, "trees"), series(points, "net")
    chosen = [TABLES.index(name) for name in DECIDE[str(facts.controls["tables"])]]
    sides = [lead(trees[x], net[x]) for x in chosen]
    told = ", ".join(f"{TABLES[x]} {value(trees[x]):.1f} against {value(net[x]):.1f} %" for x in chosen)
    because = f"Trees against net on unseen rows: {told}."
    if -1 in sides:
        outcome = Outcome.DOES_NOT_HOLD
    else:
        outcome = Outcome.HOLDS if all(sides) else Outcome.TOO_NOISY
        because += "" if all(sides) else " That is a tie."
    by = tuple(lane[x] for x in chosen for lane in (trees, net))
    right = [trees[x] for x in chosen]
    mean = sum(map(value, right)) / len(right)
    low, high = min(p.low or mean for p in right), max(p.high or mean for p in right)
    return Verdict(outcome, because, mean, "%", min(low, mean), max(high, mean), decided_by=by)


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return nothing: guessing scores differently on each table."""
    return ()


EXPERIMENT = Experiment(
    id="trees-or-net",
    claim="On tables boosted trees on a CPU beat a neural net.",
    question="How many of 100 unseen rows do boosted trees get right?",
    unit="%",
    plot=Plot(
        x=Axis("table", labels=TABLES),
        y=Axis("right", "%"),
        lanes=(Lane("trees", "trees", "cpu"), Lane("net", "net", "neutral")),
        kind="bar",
        subtitle="Unseen rows told right: two real tables, two invented ones; higher is better.",
        predict_axis="y",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(
        Control("tables", "real", "which tables decide", choices=tuple(DECIDE), fresh=tuple(DECIDE)),
        Control("rows", 4000, "rows of the invented tables", 500, 50_000, fresh=(1000, 4000, 10_000)),
    ),
    seconds=20.0,
    usual_s=5.0,
    prepares=("torch._dynamo",),
    about_bytes=lambda tables, rows: rows * 20 * 64 + 2**26,
    sibling="small-net",
    timed=False,
    predicts=(10.0, 100.0),
    grid="linear",
    ablation="A table without thresholds: trees have to build slanted curves out of stairs, and lose.",
    ablation_controls={"tables": "smooth"},
    setup="50 trees of depth 4; a net of two 64-unit layers, 300 AdamW steps; 70 % trained on, 4 splits.",
)
