"""One picture as data: what is drawn, and the sentence under it, from the same points.

`chart` turns a `Figure` into cells, text or a table; the JSON and the words come from the same object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studyapp.core.points import Basis, Point, finite, latest


@dataclass(frozen=True)
class Axis:
    """One axis: what it shows, in which unit, on which scale."""

    label: str
    """Words for the reader, e.g. "batch size"."""
    unit: str = ""
    """"s", "B", "FLOP/s", "%", or "" for a plain number; prefixes (µs, GB) are chosen when drawing."""
    scale: str = "linear"
    """"linear", "log2" or "log10"."""
    labels: tuple[str, ...] = ()
    """Category names; x is then the index."""


@dataclass(frozen=True)
class Lane:
    """How one series is named and which role it plays."""

    id: str
    label: str
    """Short: it stands at the line's end (at most about 10 characters)."""
    role: str = "cpu"
    """"cpu", "gpu", "neutral" or "weak": decides colour and marker (CPU filled, GPU hollow)."""
    basis: Basis = Basis.MEASURED
    """What its points are, as far as that is known before any run: `ASSUMED` everywhere, `SIMULATED` on a CPU."""


@dataclass(frozen=True)
class Plot:
    """A claim's picture before anything is measured."""

    x: Axis
    y: Axis
    lanes: tuple[Lane, ...]
    kind: str = "line"
    """"line" or "bar"."""
    subtitle: str = ""
    """What the axes show and which way is better."""
    predict_axis: str = "x"
    """"x", "y" or "": where the learner's number is marked while predicting ("" = no mark, a bare number)."""


@dataclass(frozen=True)
class Mark:
    """A line across the plot."""

    kind: str
    """"prediction", "measured", "threshold" or "slope"."""
    at: float
    """Position on the axis, in its unit."""
    label: str
    axis: str = "x"


@dataclass(frozen=True)
class Series:
    """The points of one lane, x ascending, finite only."""

    lane: Lane
    points: tuple[Point, ...]

    @property
    def dashed(self) -> bool:
        """Whether any point was not measured or counted here."""
        return any(not point.solid for point in self.points)

    @property
    def name(self) -> str:
        """Return the label, followed by the basis when the series is not solid."""
        bases = sorted({p.basis.value for p in self.points if not p.solid})
        return f"{self.lane.label} ({', '.join(bases)})" if bases else self.lane.label


@dataclass(frozen=True)
class Figure:
    """Everything one picture shows."""

    title: str
    plot: Plot
    series: tuple[Series, ...] = ()
    marks: tuple[Mark, ...] = ()
    sentence: str = ""
    """The verdict or state, in words."""
    left_out: int = 0
    """Points that were not finite, or not positive on a log axis."""
    total: int = 0
    """Points received."""
    device: str = ""
    """e.g. "cpu, 2 threads"."""
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that must accompany the picture wherever it goes."""
        notes = []
        if self.left_out:
            notes.append(f"{self.left_out} of {self.total} points are not finite or cannot stand on this axis.")
        for item in self.series:
            if item.dashed:
                bases = " and ".join(sorted({p.basis.value for p in item.points if not p.solid}))
                notes.append(f"{item.lane.label}: {bases}, not measured here.")
        return tuple(notes)


def draw(
    title: str,
    plot: Plot,
    points: Sequence[Point],
    *,
    marks: Sequence[Mark] = (),
    sentence: str = "",
    device: str = "",
) -> Figure:
    """Return the figure of a run's points: the last per (series, x), finite, positive where the axis is log."""
    current = latest(points)
    good = [p for p in finite(current) if _fits(p, plot)]
    lanes = {lane.id: lane for lane in plot.lanes}
    for point in good:  # a series the plot does not name is still shown
        lanes.setdefault(point.series, Lane(point.series, point.series, "neutral"))
    drawn = tuple(
        Series(lane, tuple(sorted((p for p in good if p.series == lane.id), key=lambda p: p.x)))
        for lane in lanes.values()
    )
    return Figure(
        title=title,
        plot=plot,
        series=tuple(s for s in drawn if s.points),
        marks=tuple(marks),
        sentence=sentence,
        left_out=len(current) - len(good),
        total=len(current),
        device=device,
    )


def _fits(point: Point, plot: Plot) -> bool:
    positive_x = plot.x.scale == "linear" or bool(plot.x.labels) or point.x > 0
    positive_y = plot.y.scale == "linear" or (point.y is not None and point.y > 0)
    return positive_x and positive_y
