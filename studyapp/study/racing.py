"""The race: who has the whole batch sooner, this CPU or a GPU; from measured points, and a paper GPU named so.

A `Track` is made from the points of one run: of `race` where there is an accelerator, else of `paper-race`, or of
`core-race`, where one core meets all of them and nothing is assumed. Every number on the screen comes from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studyapp.core.points import Point, series, value
from studyapp.experiments.claims.paper_race import paper_gpu_s
from studyapp.experiments.product import flop

PAPER = ("launch_us", "bus_gb_s", "rate_tflop_s")
"""The controls that make the paper GPU."""


@dataclass(frozen=True)
class Lane:
    """One runner on one batch."""

    wait_s: float
    """Seconds before the arithmetic begins: launch and trip; 0 on a CPU."""
    work_s: float

    @property
    def total_s(self) -> float:
        """Seconds until the whole batch is done."""
        return self.wait_s + self.work_s

    def share(self, seconds: float) -> tuple[float, float]:
        """Return how much of the lane is filled after some seconds: (wait, work), each 0 to 1 of the total."""
        if self.total_s <= 0:
            return 0.0, 1.0
        wait = min(seconds, self.wait_s) / self.total_s
        work = min(max(0.0, seconds - self.wait_s), self.work_s) / self.total_s
        return wait, work


@dataclass(frozen=True)
class Track:
    """All batches that can be raced at one width."""

    width: int
    cpu: Mapping[int, Lane]
    rival: Mapping[int, Lane]
    rival_name: str
    """"paper GPU", "GPU", or "all 8 cores"."""
    measured: bool
    """Whether the rival was measured here."""
    cpu_name: str = "CPU"
    basis: str = "both lanes measured here"
    """Whose numbers these are, in words."""

    @property
    def of_cores(self) -> bool:
        """Whether one core races against all of them."""
        return self.cpu_name != "CPU"

    @property
    def batches(self) -> tuple[int, ...]:
        """The batch sizes both lanes have, ascending."""
        return tuple(sorted(self.cpu.keys() & self.rival.keys()))

    def winner(self, batch: int) -> str:
        """Return "cpu", "rival" or "tie" (within 5 %, nearer than a repeat would settle)."""
        cpu, rival = self.cpu[batch].total_s, self.rival[batch].total_s
        if max(cpu, rival) <= 1.05 * min(cpu, rival):
            return "tie"
        return "cpu" if cpu < rival else "rival"

    def factor(self, batch: int) -> float:
        """Return by how many times the winner is sooner, >= 1."""
        cpu, rival = self.cpu[batch].total_s, self.rival[batch].total_s
        return max(cpu, rival) / min(cpu, rival)

    def crossover(self) -> int | None:
        """Return the smallest batch from which the rival is sooner at every larger one; None for never."""
        found = None
        for batch in self.batches:
            if self.winner(batch) != "rival":
                found = None
            elif found is None:
                found = batch
        return found

    def won(self, batch: int) -> str:
        """Return who wins a batch and by how much, in one sentence."""
        winner = self.winner(batch)
        if winner == "tie":
            return "A tie: within 5 %."
        if winner == "rival" and self.of_cores:
            return f"{self.rival_name.capitalize()} win by {self.factor(batch):.1f}×."
        name = self.cpu_name if winner == "cpu" else self.rival_name
        return f"{name.capitalize() if self.of_cores else f'The {name}'} wins by {self.factor(batch):.1f}×."

    def law(self) -> str:
        """Return what the races say together, in one sentence."""
        crossing = self.crossover()
        name, be = (self.rival_name, "are") if self.of_cores else (f"the {self.rival_name}", "is")
        if crossing is None and self.of_cores:
            return f"At width {self.width} {name} never lead."
        if crossing is None:
            return f"At width {self.width} {name} never leads: a byte on the bus brings too little arithmetic."
        if crossing == self.batches[0]:
            return f"At width {self.width} {name} {be} sooner at every batch."
        return f"At width {self.width} {name} {be} sooner from {crossing} rows on."


def on_paper(controls: Mapping[str, Any]) -> str:
    """Return the three numbers that make the paper GPU, in words.

    >>> on_paper({"launch_us": 25.0, "bus_gb_s": 16.0, "rate_tflop_s": 8.0})
    'launch 25 µs, bus 16 GB/s, arithmetic 8 TFLOP/s'
    """
    launch, bus, rate = (float(controls[name]) for name in PAPER)
    return f"launch {launch:g} µs, bus {bus:g} GB/s, arithmetic {rate:g} TFLOP/s"


def cores_track(points: Sequence[Point], controls: Mapping[str, Any], cores: int) -> Track:
    """Return the track of a run of `core-race`: one core against all.

    Raises:
        ValueError: If the points do not hold both lanes.
    """
    one, every = (
        {int(x): Lane(0.0, value(p)) for x, p in series(points, name).items()} for name in ("one", "all")
    )
    return _checked(Track(int(controls["width"]), one, every, f"all {cores} cores", True, cpu_name="one core"))


def track_of(points: Sequence[Point], controls: Mapping[str, Any]) -> Track:
    """Return the track of a run of `race` or `paper-race`.

    Raises:
        ValueError: If the points do not hold both lanes.
    """
    cpu = {int(x): Lane(0.0, value(p)) for x, p in series(points, "cpu").items()}
    one = {int(x): Lane(0.0, value(p)) for x, p in series(points, "one").items()}
    best = {n: min((lane for lane in (cpu.get(n), one.get(n)) if lane), key=lambda lane: lane.total_s)
            for n in cpu.keys() | one.keys()}  # fmt: skip
    width = int(controls["width"])
    copied, resident = series(points, "copied"), series(points, "resident")
    if copied and resident:
        rival = {
            int(x): Lane(max(0.0, value(p) - value(resident[x])), min(value(p), value(resident[x])))
            for x, p in copied.items()
            if x in resident
        }
        return _checked(Track(width, best, rival, "GPU", measured=True))
    if not series(points, "paper"):
        raise ValueError("the run has no GPU lane")
    paper = {}
    for x in series(points, "paper"):
        total = paper_gpu_s(x, width, *(float(controls[name]) for name in PAPER))
        work = flop(x, width) / (float(controls["rate_tflop_s"]) * 1e12)
        paper[int(x)] = Lane(total - work, work)
    basis = f"CPU measured here; the GPU is on paper, assumed:\n{on_paper(controls)}"
    return _checked(Track(width, best, paper, "paper GPU", measured=False, basis=basis))


def _checked(track: Track) -> Track:
    if not track.batches:
        raise ValueError("the lanes share no batch")
    return track
