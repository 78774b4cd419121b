"""The roofline: how long work must take by a machine's peak, its memory and the cost of its calls.

Standard library only and Python 3.10: claims import it to state what a point costs. Source: Williams, Waterman
and Patterson, "Roofline", CACM 52(4), 2009; a fixed cost per call is added to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from studyapp.core.points import Point, finite, latest, value

ONE, ALL, DEVICE = "one", "all", "device"
"""Where work is done: one core, all cores, the accelerator."""
RATE, LADDER, CALL, ANSWER, MACHINE, BUS = "rate ", "ladder ", "call ", "answer ", "machine ", "bus "
"""How the series of a passport begin; the rest says which format and where."""
ANSWERED = "answered"
"""Which call cost: the one until the answer is there, where calls are queued."""
TRIP = "bus trip"
"""Series: a number's way to the host and back, in seconds."""


@dataclass(frozen=True)
class Load:
    """What one point of a claim costs, and which of the claim's numbers it becomes."""

    series: str
    """The series whose points it explains."""
    x: float
    where: str = ONE
    flop: float = 0.0
    """Arithmetic in one go."""
    bytes: float = 0.0
    """Bytes read and written in memory in one go."""
    calls: float = 1.0
    """Calls that are made one after another in one go."""
    dtype: str = "float32"
    call: str = ""
    """Whose call cost, where it is not that of the place: operations too small for all cores run on one."""
    touched: float = 0.0
    """Bytes in use in turn, where they are more than those of one go: they say which rung of the ladder counts."""
    trips: float = 0.0
    """Times the host waits for a number from the device and back."""
    moved: float = 0.0
    """Bytes that cross the bus."""
    amount: float = 0.0
    """0 where the point is a time; else it is a rate: this much, in its unit, per go."""
    over: Load | None = None
    """Where the point is a ratio: the work whose time is divided by the time of this one."""


@dataclass(frozen=True)
class Roof:
    """What a machine reaches."""

    peaks: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """FLOP/s by number format and place."""
    ladder: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)
    """(bytes copied, bytes read and written per second) by place, ascending."""
    calls: Mapping[str, float] = field(default_factory=dict)
    """Seconds per call by place."""
    trip_s: float | None = None
    bus_bytes_per_s: float | None = None

    @classmethod
    def of(cls, points: Iterable[Point]) -> Roof:
        """Return the roof that a passport's points draw."""
        peaks: dict[tuple[str, str], float] = {}
        ladder: dict[str, list[tuple[float, float]]] = {}
        calls: dict[str, float] = {}
        trip_s, bus = None, 0.0
        for point in finite(latest(points)):
            name, y = point.series, value(point)
            if name.startswith(RATE):
                dtype, _, where = name.removeprefix(RATE).partition(" ")
                peaks[dtype, where] = max(y, peaks.get((dtype, where), 0.0))
            elif name.startswith(LADDER):
                ladder.setdefault(name.removeprefix(LADDER), []).append((point.x, y))
            elif name.startswith(CALL):
                calls[name.removeprefix(CALL)] = y
            elif name.startswith(ANSWER):
                calls[ANSWERED] = y
            elif name == TRIP:
                trip_s = y
            elif name in (f"{BUS}pinned", f"{BUS}pageable"):
                bus = max(bus, y)
        return cls(peaks, {where: sorted(rungs) for where, rungs in ladder.items()}, calls, trip_s, bus or None)

    def bandwidth(self, where: str, touched: float) -> float | None:
        """Return the bytes per second for work that touches so many bytes, None where nothing is known.

        A copy of n bytes touches 2 n. The best rate among the copies that touch at least as many counts: the
        smallest copies are mostly call.

        >>> Roof(ladder={"one": [(100, 5e9), (1000, 9e9), (10000, 4e9)]}).bandwidth("one", 400)
        9000000000.0
        """
        rungs = self.ladder.get(where) or ()
        if not rungs:
            return None
        return max((rate for size, rate in rungs if 2 * size >= touched), default=rungs[-1][1])

    def seconds(self, load: Load) -> float | None:
        """Return max(FLOP / peak, bytes / bandwidth) + calls x call cost, with the bus where it is crossed.

        None where the machine's passport lacks what the load needs.

        >>> roof = Roof({("float32", "one"): 1e9}, {"one": [(1e6, 1e9)]}, {"one": 1e-6})
        >>> round(roof.seconds(Load("time", 1, flop=2e6, bytes=1e6, calls=10)), 9)
        0.00201
        """
        call_s = self.calls.get(load.call or load.where)
        peak = self.peaks.get((load.dtype, load.where))
        pace = self.bandwidth(load.where, max(load.bytes, load.touched))
        if (load.calls and call_s is None) or (load.flop and not peak) or (load.bytes and not pace):
            return None
        if (load.trips and self.trip_s is None) or (load.moved and not self.bus_bytes_per_s):
            return None
        inside = max(load.flop / peak if peak else 0.0, load.bytes / pace if pace else 0.0)
        bus = load.trips * (self.trip_s or 0.0) + (
            load.moved / self.bus_bytes_per_s if self.bus_bytes_per_s else 0.0
        )
        return inside + load.calls * (call_s or 0.0) + bus

    def expects(self, load: Load) -> float | None:
        """Return the number the load becomes, in its claim's unit: a time, a rate or a ratio; None if unknown."""
        took = self.seconds(load)
        if took is None or took <= 0 or not math.isfinite(took):
            return None
        if load.over is not None:
            other = self.seconds(load.over)
            return None if other is None else other / took
        return load.amount / took if load.amount else took


def factor_off(said: float | None, measured: float | None) -> float | None:
    """Return by how many times two numbers differ, >= 1; None where they have no ratio.

    >>> factor_off(2.0, 1.0), factor_off(0.5, 1.0), factor_off(None, 1.0)
    (2.0, 2.0, None)
    """
    if said is None or measured is None or not (math.isfinite(said) and math.isfinite(measured)):
        return None
    if said <= 0 or measured <= 0:
        return 1.0 if said == measured else None
    return max(said / measured, measured / said)
