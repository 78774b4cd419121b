"""The figures of a passport with their words and units, in the order they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studyapp.core.points import Point, finite, latest, series, value
from studyapp.core.roofline import ALL, ANSWER, BUS, CALL, DEVICE, LADDER, MACHINE, ONE, RATE, TRIP

WHERE = {ONE: "one core", ALL: "all cores", DEVICE: "device"}
NO_BUS = "no bus here: a CPU and its memory need none"


@dataclass(frozen=True)
class Row:
    """One figure with its words."""

    group: str
    """"peak rate", "memory", "calls", "bus" or "machine"."""
    id: str
    """The series it comes from, or of it."""
    label: str
    value: float | None
    """In `unit`; None where there is only `note`."""
    unit: str = ""
    note: str = ""
    settled: bool = True


def rows(points: Sequence[Point], device: str) -> list[Row]:
    """Return the figures that points give, in the order they are shown."""
    found = finite(latest(points))
    return [*_rates(found), *_memory(found), *_calls(found), *_bus(found, device), *_machine(found)]


def _rates(points: Sequence[Point]) -> list[Row]:
    names = dict.fromkeys(p.series for p in points if p.series.startswith(RATE))
    kept = []
    for name in names:
        dtype, _, where = name.removeprefix(RATE).partition(" ")
        best = max(series(points, name).values(), key=value)
        label = f"{dtype}, {WHERE.get(where, where)}" if where != DEVICE else dtype
        kept.append(Row("peak rate", name, label, best.y, "FLOP/s", f"width {best.x:g}", best.settled))
    return kept


def _memory(points: Sequence[Point]) -> list[Row]:
    kept = []
    for where, words in WHERE.items():
        rungs = series(points, f"{LADDER}{where}")
        if not rungs:
            continue
        near, far = max(rungs.values(), key=value), rungs[max(rungs)]
        for what, rung in (("quickest copy", near), ("largest copy", far)):
            name = f"{LADDER}{where} {'near' if rung is near else 'far'}"
            kept.append(Row("memory", name, f"{what}, {words}", rung.y, "B/s", _size(rung.x), rung.settled))
    return kept


def _size(count: float) -> str:
    for power, name in ((20, "MiB"), (10, "KiB")):
        if count >= 2**power:
            return f"{count / 2**power:g} {name}"
    return f"{count:g} B"


CALLS = {
    f"{CALL}{ONE}": "one small call",
    f"{CALL}{ALL}": "handing work to all cores",
    f"{CALL}{DEVICE}": "one launch, queued",
    f"{ANSWER}{DEVICE}": "one launch and its answer",
}
BUSES = {
    f"{BUS}pinned": "to the device, pinned",
    f"{BUS}pageable": "to the device, plain",
    f"{BUS}back": "back",
}


def _calls(points: Sequence[Point]) -> list[Row]:
    return [
        Row("calls", name, label, point.y, "s", settled=point.settled)
        for name, label in CALLS.items()
        for point in series(points, name).values()
    ]


def _bus(points: Sequence[Point], device: str) -> list[Row]:
    if device.startswith("cpu"):
        return [Row("bus", BUS.strip(), NO_BUS, None)]
    kept = [
        Row("bus", TRIP, "a number there and back", p.y, "s", settled=p.settled)
        for p in series(points, TRIP).values()
    ]
    for name, label in BUSES.items():
        found = series(points, name)
        if found:
            best = max(found.values(), key=value)
            kept.append(Row("bus", name, label, best.y, "B/s", _size(best.x), best.settled))
    return kept


COUNTS = {
    "cores used": ("cores used", ""),
    "cores": ("cores of the machine", ""),
    "cores allowed": ("cores allowed", ""),
    "cores quota": ("cores by quota", ""),
    "memory": ("memory", "B"),
    "memory limit": ("memory allowed (cgroup)", "B"),
    "memory free": ("memory free then", "B"),
    "device memory": ("device memory", "B"),
    "device free": ("device memory free then", "B"),
    "device units": ("multiprocessors", ""),
}


def _machine(points: Sequence[Point]) -> list[Row]:
    return [
        Row("machine", f"{MACHINE}{name}", label, point.y, unit)
        for name, (label, unit) in COUNTS.items()
        for point in series(points, f"{MACHINE}{name}").values()
    ]
