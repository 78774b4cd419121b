"""The stored runs of one experiment, as one chooses from them: latest first, with where they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studyapp.core.days import instant_of
from studyapp.core.errors import UsageError
from studyapp.core.points import Point, latest
from studyapp.experiments.catalog import experiment as look_up
from studyapp.study.lab import Machine, day_words, remembered, rests_on_stand_ins

if TYPE_CHECKING:
    from studyapp.store.records import StoredRun
    from studyapp.study.desk import Desk


@dataclass(frozen=True)
class Listed:
    """One stored run of an experiment, as it is chosen from."""

    number: int
    """From 1, the latest first."""
    run: StoredRun
    day: str
    """Its day in words."""
    clock: str
    """Its time of day, "23:36"."""
    here: bool
    """Whether it was made on this machine, as far as that is known."""
    reckoned: bool
    """Whether its number rests on something not measured or counted."""
    points: tuple[Point, ...]

    @property
    def place(self) -> str:
        """Where it was made, in words."""
        return self.run.device if self.here else f"{self.run.device} of another machine"


def listed_json(listed: Listed) -> dict[str, Any]:
    """Return one run for `--json`."""
    run = listed.run
    return {
        "number": listed.number,
        "run": run.uid,
        "started_at": instant_of(run.started_at_ms).isoformat(),
        "device": run.device,
        "device_name": run.facts.device_name,
        "here": listed.here,
        "controls": dict(run.controls),
        "state": run.state,
        "verdict": run.verdict.as_json() if run.verdict else None,
        "reckoned": listed.reckoned,
        "took_s": run.facts.more.get("took_s"),
        "points": [point.as_json() for point in listed.points],
    }


def runs_of(desk: Desk, experiment_id: str, machine: Machine | None = None) -> list[Listed]:
    """Return the judged runs of an experiment, the latest first, with their points in one query.

    Raises:
        UsageError: If there is no such experiment.
    """
    experiment = look_up(experiment_id)
    machine = machine or remembered(desk)
    runs = [run for run in desk.store.runs(experiment_id) if run.verdict is not None]
    points = desk.store.points_of([run.uid for run in runs])
    return [
        Listed(
            number,
            run,
            day_words(desk, run.started_at_ms),
            f"{instant_of(run.started_at_ms).astimezone(desk.clock().zone):%H:%M}",
            run.facts.host == "" if machine is None else machine.is_here(run),
            rests_on_stand_ins(experiment, run, points[run.uid]),
            tuple(latest(points[run.uid])),
        )
        for number, run in enumerate(runs, start=1)
    ]


def pick(listed: Sequence[Listed], wanted: str) -> Listed:
    """Return the run of a number of the list, or of the beginning of its id.

    Raises:
        UsageError: If there is none, or the beginning fits several.
    """
    if not listed:
        raise UsageError("This experiment has no run with a verdict yet.", "Make one with `studyapp run`.")
    if wanted.isdigit() and 1 <= int(wanted) <= len(listed):
        return listed[int(wanted) - 1]
    found = [one for one in listed if len(wanted) >= 4 and one.run.uid.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    problem = f"There is no run {wanted!r}." if not found else f"{wanted!r} begins the ids of several runs."
    raise UsageError(problem, f"Name one by its number, 1 to {len(listed)}, the latest first.")


def varying(listed: Sequence[Listed]) -> list[str]:
    """Return the controls that are not the same in all runs: the only ones worth a column."""
    names = dict.fromkeys(name for one in listed for name in one.run.controls)
    return [name for name in names if len({str(one.run.controls.get(name)) for one in listed}) > 1]
