"""What a run will cost before it is made: seconds and bytes, each with where the figure comes from.

Time comes from earlier runs on this machine: of the same controls, or scaled between two that differ in one
control. Where there are none, the experiment's usual time is quoted as what it is. Nothing else is known, and that
is said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studyapp.experiments.claim import Control, Experiment, Value
from studyapp.study.lab import Machine, day_words, value_words

if TYPE_CHECKING:
    from studyapp.store.records import StoredRun
    from studyapp.study.desk import Desk

STEEPEST = 3.0
"""Largest power of a control that times are scaled by: a matrix product's, the steepest the claims have."""
FARTHEST = 8.0
"""How many times beyond the values that were run a time is still scaled."""
MANTISSAS = (1.0, 2.0, 5.0)


@dataclass(frozen=True)
class Estimate:
    """Time and memory of one run, with their sources in words."""

    seconds: float | None
    """None where nothing is known."""
    time_from: str
    """"your run of 28 Aug", or why nothing is known; never empty."""
    about_bytes: int
    """What the experiment says it will allocate."""
    at_most: bool
    """Whether the bytes are only a ceiling: the experiment allocates hardly anything."""
    limit_s: float
    """When the run is ended whatever it has."""


@dataclass(frozen=True)
class Timed:
    """A run that was made here, as far as its time matters."""

    controls: Mapping[str, Any]
    seconds: float
    day: str


def timed_runs(desk: Desk, runs: Sequence[StoredRun], machine: Machine | None) -> list[Timed]:
    """Return the runs of one experiment whose time is known and counts here, latest first."""
    return [
        Timed(run.controls, float(run.facts.more["took_s"]), day_words(desk, run.started_at_ms))
        for run in runs
        if run.state in ("done", "cut")
        and isinstance(run.facts.more.get("took_s"), (int, float))
        and run.facts.more["took_s"] > 0
        and (machine is None or machine.is_here(run))
    ]


def estimate(
    experiment: Experiment,
    controls: Mapping[str, Value],
    runs: Sequence[Timed],
    *,
    device: str = "",
    limit_s: float | None = None,
) -> Estimate:
    """Return what a run with these controls will cost here.

    Args:
        experiment: Which one.
        controls: All its controls.
        runs: What `timed_runs` found, latest first; all of one device.
        device: That device, for the words ("cpu"); empty where there is only one.
        limit_s: A limit below the experiment's own.
    """
    limit = min(experiment.seconds, limit_s) if limit_s else experiment.seconds
    seconds, words = _time(experiment, controls, runs)
    about = experiment.about_bytes(**controls)
    hardly = Experiment.__dataclass_fields__["about_bytes"].default
    return Estimate(
        None if seconds is None else min(seconds, limit),
        f"{words} on {device}" if device and runs else words,
        about,
        experiment.about_bytes is hardly,
        limit,
    )


def _time(
    experiment: Experiment, controls: Mapping[str, Value], runs: Sequence[Timed]
) -> tuple[float | None, str]:
    same = next((run for run in runs if dict(run.controls) == dict(controls)), None)
    if same is not None:
        return same.seconds, _of(same)
    for control in experiment.controls:
        scaled = _scaled(control, controls, runs)
        if scaled is not None:
            return scaled
    default = {control.name: control.default for control in experiment.controls}
    if runs:
        near = runs[0]
        differs = [f"{n} {value_words(v)}" for n, v in near.controls.items() if controls.get(n) != v]
        return None, f"not known here; {_seconds(near.seconds)} with {', '.join(differs)}, {_of(near)}"
    if dict(controls) == default:
        return experiment.usual_s, "usual on two CPU cores; not run here yet"
    usual = _seconds(experiment.usual_s)
    return None, f"not known here; usually {usual} with its own controls on two CPU cores"


def _of(run: Timed) -> str:
    return "your run of today" if run.day == "today" else f"your run of {run.day}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _scaled(control: Control, controls: Mapping[str, Value], runs: Sequence[Timed]) -> tuple[float, str] | None:
    """Return a time between or near two that differ from what is wanted in this one control only."""
    wanted = controls[control.name]
    if control.choices or not isinstance(wanted, (int, float)) or wanted <= 0:
        return None
    found: dict[float, float] = {}
    for run in runs:
        value = run.controls.get(control.name)
        others = {n: v for n, v in run.controls.items() if n != control.name}
        if others == {n: v for n, v in controls.items() if n != control.name} and _positive(value):
            found.setdefault(float(value), run.seconds)  # type: ignore[arg-type]
    if len(found) < 2:
        return None
    near = sorted(found, key=lambda value: abs(math.log(value / wanted)))[:2]
    (low, high) = sorted(near)
    if not low / FARTHEST <= wanted <= high * FARTHEST:
        return None
    power = math.log(found[high] / found[low]) / math.log(high / low)
    power = max(-STEEPEST, min(STEEPEST, power))
    start = near[0]
    words = f"scaled from your runs with {control.name} {value_words(low)} and {value_words(high)}"
    return found[start] * (wanted / start) ** power, words


def _power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _positive(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


def sensible_values(control: Control, *more: Value) -> tuple[Value, ...]:
    """Return the values a control steps through: its choices, or round ones within its range, ascending.

    Args:
        control: The control.
        more: Values to be among them, such as the present one.
    """
    if control.choices:
        return control.choices
    low = control.low if control.low is not None else float(control.default)
    high = control.high if control.high is not None else float(control.default)
    whole = isinstance(control.default, int)
    if control.step == "add" and whole:
        found = [float(value) for value in range(int(low), int(high) + 1)]
    elif whole and _power_of_two(int(control.default)):
        found = [2.0**k for k in range(64) if low <= 2.0**k <= high]
    else:
        smallest = low if low > 0 else abs(float(control.default)) / 10 or high / 100
        ladder = (m * 10.0**k for k in range(-12, 13) for m in MANTISSAS)
        found = [value for value in ladder if smallest <= value <= high]
    found += [low, high, *(float(v) for v in (control.default, *control.fresh, *more))]
    rounded = {f"{value:.12g}": float(f"{value:.12g}") for value in found}
    rounded |= {f"{float(value):.12g}": float(value) for value in more}  # the present value to its last digit
    return tuple(int(value) if whole else value for value in sorted(rounded.values()))
