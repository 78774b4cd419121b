"""What an experiment measured: one `Point` per series and x.

Standard library only and Python 3.10: the worker imports it under any interpreter that has torch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Basis(str, Enum):
    """Where a number comes from."""

    MEASURED = "measured"
    """Timed or observed on this device, in this run."""
    COUNTED = "counted"
    """Counted exactly, without timing (bytes on meta tensors, FLOPs)."""
    SIMULATED = "simulated"
    """Measured on a stand-in (a sleeping device, float16 emulated in float32)."""
    ASSUMED = "assumed"
    """Taken from the lesson or from the learner."""
    RECORDED = "recorded"
    """Measured elsewhere or earlier."""


SOLID = frozenset({Basis.MEASURED, Basis.COUNTED})
"""The bases that can carry a verdict of `holds` or `does_not_hold`; everything else is drawn dashed."""


@dataclass(frozen=True)
class Point:
    """One x of one series with its summary. A later point with the same (series, x) replaces the earlier one."""

    series: str
    """Series id, as in the experiment's plot."""
    x: float
    """Position on the x axis, in the axis' unit (a category's index where the axis has labels)."""
    y: float | None
    """The summary, in the y axis' unit (seconds, bytes, a ratio); None where nothing finite was measured."""
    low: float | None = None
    """Lower end of the spread, or None."""
    high: float | None = None
    """Upper end of the spread, or None."""
    repeats: int = 1
    """How many samples stand behind y."""
    settled: bool = True
    """Whether repeated samples agreed."""
    basis: Basis = Basis.MEASURED
    """Where the number comes from."""

    @property
    def finite(self) -> bool:
        """Whether x and y are finite numbers."""
        return self.y is not None and math.isfinite(self.y) and math.isfinite(self.x)

    @property
    def solid(self) -> bool:
        """Whether the point was measured or counted here."""
        return self.basis in SOLID

    def spread(self) -> float:
        """Return (high - low) / y, at least 0; 0 where no spread is known."""
        if self.y is None or not self.y or self.low is None or self.high is None:
            return 0.0
        return max(0.0, (self.high - self.low) / abs(self.y))

    def as_json(self) -> dict[str, Any]:
        """Return a dict that strict JSON can hold: nan and infinities are null."""
        return {
            "series": self.series,
            "x": _number(self.x),
            "y": _number(self.y),
            "low": _number(self.low),
            "high": _number(self.high),
            "repeats": self.repeats,
            "settled": self.settled,
            "basis": self.basis.value,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Point:
        """Return the point a worker sent.

        Raises:
            ValueError: If a field is missing or has the wrong type.
        """
        try:
            return cls(
                series=str(data["series"]),
                x=float(data["x"]) if data["x"] is not None else math.nan,
                y=_maybe(data.get("y")),
                low=_maybe(data.get("low")),
                high=_maybe(data.get("high")),
                repeats=int(data.get("repeats", 1)),
                settled=bool(data.get("settled", True)),
                basis=Basis(data.get("basis", "measured")),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a point: {error}") from error


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _maybe(value: Any) -> float | None:
    return None if value is None else float(value)


def latest(points: Iterable[Point]) -> list[Point]:
    """Return the last point of every (series, x), in first-seen order: what is drawn and judged."""
    kept: dict[tuple[str, float], Point] = {}
    for point in points:
        kept[point.series, point.x] = point
    return list(kept.values())


def finite(points: Iterable[Point]) -> list[Point]:
    """Return the points with finite x and y."""
    return [point for point in points if point.finite]


def series(points: Iterable[Point], name: str) -> dict[float, Point]:
    """Return the finite points of one series by x, x ascending."""
    return {p.x: p for p in sorted((p for p in points if p.series == name and p.finite), key=lambda p: p.x)}


def value(point: Point) -> float:
    """Return the y of a finite point.

    Raises:
        ValueError: If the point has no finite y; callers filter with `finite` first.
    """
    if point.y is None or not math.isfinite(point.y):
        raise ValueError(f"no finite value at {point.series} x={point.x}")
    return point.y


def ratio_noise(points: Sequence[Point]) -> float:
    """Return the largest relative spread among points, 0 for none: the noise a comparison has to beat."""
    return max((p.spread() for p in points), default=0.0)
