"""Figures the chart tests draw: shaped like what the experiments measure."""

from __future__ import annotations

from studyapp.core.figures import Axis, Figure, Lane, Mark, Plot, draw
from studyapp.core.points import Basis, Point

US = 1e-6
BATCH, TIME = Axis("batch size", "", "log2"), Axis("time", "s", "log10")
LAYER_US = (13, 22, 57, 75, 111, 190, 340, 650, 1250, 2560, 5130)
CPU_US = (22, 23, 40, 42, 90, 180, 290, 560, 1000, 2000, 4400)
PAPER_US = (98, 98, 98, 98, 99, 99, 100, 101, 105, 110, 150)
RACE_PLOT = Plot(
    BATCH,
    TIME,
    (Lane("cpu", "CPU", "cpu"), Lane("gpu", "paper GPU", "gpu")),
    subtitle="time per forward pass of a 512 → 512 layer, lower is better",
)


def layer_batch() -> Figure:
    """One measured curve, one wide spread, a prediction, a line of slope 1."""
    spreads = [1.9 if k == 2 else 1.1 for k in range(len(LAYER_US))]
    points = [
        Point("time", 2**k, us * US, us * US * 0.97, us * US * wide, repeats=9)
        for k, (us, wide) in enumerate(zip(LAYER_US, spreads, strict=True))
    ]
    return draw(
        "How many times longer do 256 rows take than one?",
        Plot(BATCH, TIME, (Lane("time", "CPU", "cpu"),), subtitle="time per product, lower is better"),
        points,
        marks=[Mark("prediction", 8, "8"), Mark("slope", 1.0, "one by one")],
        sentence="96× longer: on this CPU every row costs.",
        device="cpu, 1 thread",
    )


def paper_race(upto: int = 11) -> Figure:
    """A measured CPU against a GPU on paper; `upto` points of each have arrived."""
    points = [Point("cpu", 2**k, us * US) for k, us in enumerate(CPU_US[:upto])]
    points += [Point("gpu", 2**k, us * US, basis=Basis.ASSUMED) for k, us in enumerate(PAPER_US[:upto])]
    marks = [Mark("prediction", 128, "128")]
    if upto >= len(CPU_US):
        marks.append(Mark("measured", 16, "crossover 16"))
    return draw(
        "At which batch size does the GPU overtake this CPU?",
        RACE_PLOT,
        points,
        marks=marks,
        sentence="8× off. You said 128, reckoned 16 (CPU measured, GPU on paper).",
        device="cpu, 2 threads",
    )


def copy_bars() -> Figure:
    """Three ways to copy, one of them measured elsewhere."""
    return draw(
        "Which way to copy is fastest?",
        Plot(
            Axis("way", labels=("plain", "pin in the loop", "pinned by loader")),
            Axis("epoch", "s"),
            (Lane("epoch", "epoch", "cpu"),),
            kind="bar",
        ),
        [
            Point("epoch", 0, 0.0123),
            Point("epoch", 1, 0.0241, 0.023, 0.026, settled=False),
            Point("epoch", 2, 0.0071, basis=Basis.RECORDED),
        ],
        marks=[Mark("prediction", 0.010, "10 ms", "y")],
        sentence="Pinned by the loader.",
    )


def speed_up() -> Figure:
    """A linear figure with a threshold across."""
    return draw(
        "How much do more threads help?",
        Plot(Axis("threads"), Axis("speed-up", "x"), (Lane("s", "speed-up", "neutral"),), predict_axis="y"),
        [Point("s", 1, 1.0), Point("s", 2, 1.8, 1.6, 1.9), Point("s", 3, 2.3), Point("s", 4, 2.35)],
        marks=[Mark("threshold", 1.0, "one core", "y"), Mark("prediction", 3.5, "", "y")],
        sentence="2.35× with 4 threads.",
    )
