"""Suites the report tests draw: every outcome, a busy machine, a cut, a failure, and text that means harm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from studyapp.core.figures import Axis, Figure, Lane, Mark, Plot, draw
from studyapp.core.points import Basis, Point
from studyapp.core.verdicts import OUTCOME_WORDS, Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment
from studyapp.study.suite import Result, Suite
from tests.chart.figures import copy_bars, layer_batch, paper_race, speed_up

STARTED_AT_MS = 1_772_357_400_000  # 2026-03-01T09:30Z
CPU = Facts("cpu", "Example CPU", threads=2, cores=4, more={"torch": "2.9.0"})
GPU = Facts("cuda", "Example GPU", threads=1, cores=4, more={"torch": "2.9.0", "driver": "13.0"})
NOTHING = draw("nothing", layer_batch().plot, ())
HOSTILE = "<script>alert(1)</script> \x1b]52;c;aGk=\x07 & \"q' [x](javascript:a) `t` | *b* \u202eflip [/] <img src=http://h/>"
"""Markup of three kinds, a terminal's escape and a turned reading direction."""


def a_claim(name: str, *, sibling: str | None = None, text: str = "") -> Experiment:
    return Experiment(
        id=name,
        claim=f"Claim of {name}. {text}".strip(),
        question=f"How many in {name}? {text}".strip(),
        unit="x",
        plot=Plot(Axis("x"), Axis("y"), (Lane("a", "a"),)),
        measure=lambda lab: iter(()),
        judge=lambda points, facts: Verdict(Outcome.HOLDS, ""),
        controls=(Control("width", 512, "width", 1, 4096),),
        sibling=sibling,
    )


def a_result(
    name: str,
    outcome: Outcome | None,
    figure: Figure,
    *,
    facts: Facts = CPU,
    measured: float | None = 2.5,
    because: str = "Computed from the points.",
    sibling: str | None = None,
    text: str = "",
) -> Result:
    points = tuple(point for series in figure.series for point in series.points)
    verdict = None if outcome is None else Verdict(outcome, because, measured, "x", decided_by=points[:1])
    words = "The worker died." if outcome is None else f"{OUTCOME_WORDS[outcome].capitalize()}. {because}"
    return Result(
        experiment=a_claim(name, sibling=sibling, text=text),
        state="failed" if outcome is None else "done",
        controls={"width": 256},
        facts=facts,
        points=points,
        verdict=verdict,
        figure=replace(figure, sentence=words),
        note="The worker died." if outcome is None else "",
        took_s=1.25,
    )


def every_outcome() -> Suite:
    """Four outcomes, a failure, a run that was not begun; one busy, one cut short."""
    results = [
        a_result("layer", Outcome.HOLDS, layer_batch(), facts=GPU),
        a_result("threads", Outcome.DOES_NOT_HOLD, speed_up()),
        a_result("bars", Outcome.TOO_NOISY, copy_bars(), facts=replace(CPU, busy=True)),
        a_result("paper", Outcome.CANNOT_TEST, paper_race(), sibling="layer"),
        a_result(
            "short", Outcome.HOLDS, layer_batch(), facts=replace(CPU, cut_short=True, why_cut="stopped: memory")
        ),
        a_result("broken", None, NOTHING),
        replace(
            a_result(
                "card", Outcome.CANNOT_TEST, draw("?", layer_batch().plot, ()), measured=None, sibling="absent"
            ),
            state="skipped",
        ),
    ]
    return a_suite(results)


def a_suite(results: Sequence[Result], *, planned: int = 0) -> Suite:
    machine = {"cpu": "Example CPU", "cores allowed": "4", "torch": "2.9.0", "python": "3.12", "studyapp": "1.0"}
    return Suite(tuple(results), STARTED_AT_MS, 42.0, machine, planned)


def hostile_figure(kind: str = "line") -> Figure:
    """Every word of a figure means harm."""
    labels = (HOSTILE, HOSTILE) if kind == "bar" else ()
    plot = Plot(
        Axis(HOSTILE, labels=labels),
        Axis(HOSTILE, HOSTILE),
        (Lane("a", HOSTILE, HOSTILE), Lane("b", HOSTILE, "gpu")),
        kind=kind,
        subtitle=HOSTILE,
    )
    points = [Point("a", 0, 1.0, 0.5, 2.0), Point("a", 1, 2.0), Point("b", 1, 3.0, basis=Basis.SIMULATED)]
    marks = [Mark(k, 1.0, HOSTILE, a) for k in ("prediction", "measured", "threshold", "slope") for a in "xy"]
    return draw(HOSTILE, plot, points, marks=marks, sentence=HOSTILE, device=HOSTILE)


def hostile_suite() -> Suite:
    """Every word of a suite means harm."""
    facts = Facts(HOSTILE, HOSTILE, busy=True, cut_short=True, why_cut=HOSTILE, more={"why_busy": HOSTILE})
    results = [
        a_result(name, outcome, hostile_figure(kind), facts=facts, because=HOSTILE, sibling=HOSTILE, text=HOSTILE)
        for name, outcome, kind in [
            (f"a{HOSTILE}", Outcome.HOLDS, "line"),
            (f"b{HOSTILE}", Outcome.CANNOT_TEST, "bar"),
        ]
    ]
    results = [replace(result, controls={"width": HOSTILE}, note=HOSTILE) for result in results]
    results.append(replace(results[0], experiment=a_claim("failed"), verdict=None))
    return replace(a_suite(results), machine={HOSTILE: HOSTILE}, command=HOSTILE)
