"""Parallelism has an entry fee: all cores together lose small batches to one core, and win large ones.

Handing work to the other cores and waiting for the last of them costs microseconds, whatever the work. The same
law, with a higher fee and far more lanes, stands behind every "the GPU is slower here".

    studyapp run core-race
    studyapp run core-race --set width=32
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series
from studyapp.core.roofline import ALL, ONE, Load
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.judging import Crossing, against, compare, crossing, ratio, times
from studyapp.experiments.product import FLOAT_BYTES, affordable, flop, layer_bytes, matrix, powers_of_two, product

BATCHES = powers_of_two(2, 4096)
"""From 2: common BLAS libraries run a single row on one thread, however many there are."""
MOST_MULTIPLY_ADDS = 2**29
"""Largest product beyond 64 rows: about 10 ms on one core."""
ALWAYS_ROWS = 64
FEE = 1.2
"""Times as long as one core that all cores must take somewhere, for the fee to count as seen."""
LARGEST = 3
"""Batches at the large end among which the calmest shows the gain."""
SAMPLE_S = 3e-4
"""Seconds per sample: short, so that one core and all cores alternate faster than the machine's load changes."""


def measure(lab: Lab, width: int) -> Iterator[Point]:
    """Time (n, width) @ (width, width), float32, on one core and on all, in turn; seconds per product."""
    weight = matrix(lab.torch, width, width, "cpu")
    cores = {"one": 1, "all": lab.cores}
    works = {}
    for n in affordable(BATCHES, width, MOST_MULTIPLY_ADDS, ALWAYS_ROWS):
        multiply = product(lab.torch, matrix(lab.torch, n, width, "cpu"), weight)
        works["one", n] = multiply
        if lab.cores > 1:
            works["all", n] = multiply
    found = lab.rounds(works, rounds=12, sample_s=SAMPLE_S, prepare=lambda key: lab.threads(cores[key[0]]))
    for (lane, n), timing in found:
        yield timing.point(lane, n)


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Look for a batch all cores lose, and whether they win a large one; answer where they take the lead."""
    if facts.cores < 2:
        return Verdict(Outcome.CANNOT_TEST, "This process has a single core, so there is nothing to race.")
    one, every = series(points, "one"), series(points, "all")
    pairs = [(one[x], every[x]) for x in sorted(one.keys() & every.keys())]
    if len(pairs) < 2:
        raise ValueError("one batch alone is no race")
    costly = max(pairs, key=lambda pair: (_fee(pair), ratio(pair[1], pair[0])))
    # chosen by its calm, not by its result: one disturbed sample must not hide the gain, nor a lucky one make it
    large = min(pairs[1:][-LARGEST:], key=ratio_noise)
    lead = crossing(one, every)
    outcome, because = _decide(costly, large, all(_fee(pair) < 0 for pair in pairs), lead)
    at, low, high = (lead.at, lead.low, lead.high) if lead else (None, None, None)
    # without a lead the cores were not free: that is no "never" to score a prediction against
    return Verdict(outcome, because, at, "rows", low, high, decided_by=(*costly, *large))


Pair = tuple[Point, Point]
"""One core and all cores at the same batch."""


def _fee(pair: Pair) -> int:
    """Return 1 if all cores clearly lose this batch, -1 if they clearly do not, 0 within the noise."""
    return against(ratio(pair[1], pair[0]), FEE, ratio_noise(pair))


def _decide(costly: Pair, large: Pair, no_fee: bool, lead: Crossing | None) -> tuple[Outcome, str]:
    small = f"at {costly[0].x:g} rows all cores take {times(ratio(costly[1], costly[0]))} as long as one"
    gain = f"at {large[0].x:g} rows they are {times(ratio(*large))} as fast"
    where = f", leading from {lead.at:g}" if lead else ""
    side = compare(*large)
    if side <= 0:
        why = "The other cores did not help, so they were not free" if side else "The gain is lost in the noise"
        return Outcome.TOO_NOISY, f"{why}: {gain}."
    if _fee(costly) > 0:
        return Outcome.HOLDS, f"A{small[1:]}; {gain}{where}."
    if no_fee:
        return Outcome.DOES_NOT_HOLD, f"No fee to see: {small} at worst; {gain}{where}."
    return Outcome.TOO_NOISY, f"The fee is lost in the noise: {small}; {gain}."


def loads(points: Sequence[Point], facts: Facts) -> Iterator[Load]:
    """State each product: its arithmetic, weights and rows in memory, one call."""
    width = int(facts.controls["width"])
    for lane, where in (("one", ONE), ("all", ALL)):
        for n in series(points, lane):
            yield Load(lane, n, where, flop(n, width), FLOAT_BYTES * width * (width + 2 * n))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return the measured batch from which all cores lead."""
    lead = crossing(series(points, "one"), series(points, "all"))
    return (Mark("measured", lead.at, f"all lead from {lead.at:g}"),) if lead else ()


def about_bytes(width: int) -> int:
    """Return the bytes of the weight, the batches and their answers."""
    rows = sum(affordable(BATCHES, width, MOST_MULTIPLY_ADDS, ALWAYS_ROWS))
    return layer_bytes(width, rows)


EXPERIMENT = Experiment(
    id="core-race",
    claim="Parallelism has an entry fee: all cores lose small batches to one core and win large ones.",
    question="From how many rows do all cores beat one?",
    unit="rows",
    plot=Plot(
        x=Axis("rows at once", scale="log2"),
        y=Axis("time per layer", "s", "log10"),
        lanes=(Lane("one", "one core", "weak"), Lane("all", "all cores", "cpu")),
        subtitle="The same layer on one core and on all; lower is faster.",
    ),
    measure=measure,
    judge=judge,
    loads=loads,
    marks=marks,
    controls=(Control("width", 512, "width of the layer, in values", 16, 4096, fresh=(32, 64, 256, 512)),),
    needs=frozenset({"two cores"}),
    usual_s=0.5,
    about_bytes=about_bytes,
    sibling="small-net",
    predicts=(2.0, 4096.0),
    grid="log2",
    ablation="A wide layer brings so much work per row that the fee no longer shows: all cores lead at once.",
    ablation_controls={"width": 2048},
    setup="Rows of float32 times a square weight matrix, no gradient, from 2 rows on.",
)
