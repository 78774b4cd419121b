"""Unpacking pictures is work for CPU cores: within one it is a chain, but no picture waits for another.

Unpacks the same packed pictures in one process, and shared out among more, up to one per core. The gain ends with
the cores: more processes than cores only take turns.

    studyapp run decode-workers
    studyapp run decode-workers --set pictures=8
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from studyapp.core.figures import Axis, Lane, Mark, Plot
from studyapp.core.points import Point, ratio_noise, series, value
from studyapp.core.verdicts import Facts, Outcome, Verdict
from studyapp.experiments.claim import Control, Experiment, Lab
from studyapp.experiments.feeding import MOST_WORKERS, PICTURE_BYTES, packed_picture, unpack
from studyapp.experiments.judging import against, band, ratio, times
from studyapp.experiments.processes import Crew, crew, started

NEARLY = 0.6
"""Share of one-per-core that the gain must reach. Source: our choice; two cores here give 0.8 to 0.9."""
OWN_CORE = 0.9
"""Share of its wall time a process must have computed for its core to count as its own."""
SAMPLE_S = 0.02


def measure(lab: Lab, pictures: int) -> Iterator[Point]:
    """Unpack so many pictures in 1, 2, 4 ... processes, one per core at the most; seconds per picture."""
    picture = packed_picture(lab.torch)
    for _, timing in lab.rounds({1: partial(unpack, picture, pictures)}, rounds=2, sample_s=SAMPLE_S):
        yield timing.point("processes", 1, scale=1 / pictures)  # while the processes are still starting
    if not started(lab.left_s()):
        return
    with crew(min(lab.cores, MOST_WORKERS), unpacked, picture) as members:
        orders = {n: Order(members, pictures, n) for n in counts(lab.cores)}
        for n, timing in lab.rounds({n: order.fill for n, order in orders.items()}, sample_s=SAMPLE_S):
            point = timing.point("processes", n, scale=1 / pictures)
            yield replace(point, settled=point.settled and orders[n].undisturbed)


def counts(cores: int) -> tuple[int, ...]:
    """Return the numbers of processes tried: powers of two, and all cores.

    >>> counts(1), counts(6), counts(64)
    ((1,), (1, 2, 4, 6), (1, 2, 4, 8))
    """
    most = min(cores, MOST_WORKERS)
    return tuple(sorted({2**power for power in range(most.bit_length())} | {most}))


class Order:
    """Pictures to be unpacked by so many members of a crew, and how much of their cores these ever got."""

    def __init__(self, members: Crew, pictures: int, count: int) -> None:
        self.members = members
        self.shares = [pictures // count + (index < pictures % count) for index in range(count)]
        self.best_share = 0.0

    def fill(self) -> None:
        """Have the pictures unpacked."""
        spent = self.members.answers(self.shares)
        wall_s = sum(wall for _, wall in spent)
        self.best_share = max(self.best_share, sum(cpu for cpu, _ in spent) / wall_s if wall_s else 1.0)

    @property
    def undisturbed(self) -> bool:
        """Whether the members had their cores to themselves at least once; other programs take them unseen."""
        return self.best_share >= OWN_CORE


def unpacked(picture: bytes, count: int) -> tuple[float, float]:
    """Unpack a picture so many times; return the CPU and the wall seconds it took a member of the crew."""
    cpu_s, wall_s = time.process_time(), time.perf_counter()
    for _ in range(count):
        unpack(picture, 1)
    return time.process_time() - cpu_s, time.perf_counter() - wall_s


def judge(points: Sequence[Point], facts: Facts) -> Verdict:
    """Ask whether one process per core unpacks at least 0.6 times as many as cores times one process."""
    if facts.cores < 2:
        return Verdict(Outcome.CANNOT_TEST, "This process has a single core, so there is nobody to share with.")
    found = series(points, "processes")
    one, most = found[1], found[min(facts.cores, MOST_WORKERS)]
    gain = ratio(one, most)
    low, high = band(gain, [one, most])
    side = against(gain, NEARLY * most.x, ratio_noise([one, most]))
    outcome = {1: Outcome.HOLDS, 0: Outcome.TOO_NOISY, -1: Outcome.DOES_NOT_HOLD}[side]
    because = (
        f"{most.x:g} processes unpack {times(gain)} as many pictures as one: "
        f"{1 / value(most):,.0f} against {1 / value(one):,.0f} a second."
    )
    return Verdict(outcome, because, gain, "x", low, high, decided_by=(one, most))


def marks(points: list[Point], facts: Facts) -> tuple[Mark, ...]:
    """Return how many cores there are."""
    return (Mark("threshold", facts.cores, "all cores"),) if facts.cores > 1 else ()


def about_bytes(pictures: int) -> int:
    """Return the bytes of the processes, about 25 MB each, and of a picture in each."""
    return MOST_WORKERS * (25 * 10**6 + 2 * PICTURE_BYTES)


EXPERIMENT = Experiment(
    id="decode-workers",
    claim="Preparing pictures is CPU work, and its parallelism lies between pictures: more cores, more pictures.",
    question="How many times as many pictures does one process per core unpack as a single process?",
    unit="x",
    plot=Plot(
        x=Axis("processes", scale="log2"),
        y=Axis("time per picture", "s", "log10"),
        lanes=(Lane("processes", "unpacking", "cpu"),),
        subtitle="Time per picture while so many processes share the work; lower is faster.",
        predict_axis="",
    ),
    measure=measure,
    judge=judge,
    marks=marks,
    controls=(Control("pictures", 32, "pictures in one order, shared out", 1, 64, fresh=(16, 32, 64)),),
    needs=frozenset({"two cores", "processes"}),
    usual_s=2.0,
    about_bytes=about_bytes,
    sibling="core-race",
    predicts=(0.1, 16.0),
    ablation="Order a single picture: its inside is a chain, so the other processes have nothing to do.",
    ablation_controls={"pictures": 1},
    setup="Pictures of 224 x 224 in three colours, packed as PNG packs them (zlib).",
)
