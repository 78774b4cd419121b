"""Facts that expire: runs and passports made with another torch, driver or machine.

The present is told without starting the worker: the installed torch by its package, the rest by the latest run or
passport of this machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from studyapp.core.verdicts import Facts

if TYPE_CHECKING:
    from studyapp.store.records import StoredRun
    from studyapp.study.desk import Desk
    from studyapp.study.passport import Passport

AGAIN = "run again"


@dataclass(frozen=True)
class Present:
    """What would be measured with now."""

    machine: str
    """This machine's name."""
    torch: str = ""
    """The installed torch, empty where that is not known."""
    torches: Mapping[str, str] | None = None
    """The torch of the latest run, by device, for devices of other machines."""
    names: Mapping[str, str] | None = None
    """Each device's own name in its latest run."""
    drivers: Mapping[str, str] | None = None
    """Each device's driver in its latest run."""

    def why(self, facts: Facts) -> str:
        """Return what a run was measured with that is no longer there, "" where all of it still is."""
        place, own = facts.place, not facts.host
        if own and (there := str(facts.more.get("machine", ""))) and there != self.machine:
            return f"measured on {there}"
        then = str(facts.more.get("torch", ""))
        now = self.torch if own and self.torch else (self.torches or {}).get(place, "")
        if then and now and not same_version(then, now):
            return f"measured with torch {short_version(then)}"
        driver = str(facts.more.get("driver") or "")
        if driver and driver != (self.drivers or {}).get(place, driver):
            return f"measured with driver {driver}"
        name = facts.device_name
        if name and name != (self.names or {}).get(place, name):
            return f"measured on {name}"
        return ""

    def note(self, facts: Facts) -> str:
        """Return "measured with torch 2.12: run again", or ""."""
        why = self.why(facts)
        return f"{why}: {AGAIN}" if why else ""


def same_version(one: str, other: str) -> bool:
    """Return whether two version texts name one torch; a package's name leaves out what follows the plus sign.

    >>> same_version("2.13.0+cpu", "2.13.0"), same_version("2.12.1", "2.13.0")
    (True, False)
    """
    first, second = one.partition("+"), other.partition("+")
    return first[0] == second[0] and (not first[2] or not second[2] or first[2] == second[2])


def short_version(text: str) -> str:
    """Return the two leading numbers of a version.

    >>> short_version("2.12.1+cpu")
    '2.12'
    """
    return ".".join(text.partition("+")[0].split(".")[:2])


@cache
def installed_torch() -> str:
    """Return the version of the torch beside this program, "" where there is none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return ""


def present(desk: Desk, runs: Iterable[StoredRun] | None = None) -> Present:
    """Return what would be measured with now.

    Args:
        desk: The open desk.
        runs: All runs, latest first, where they are at hand already.
    """
    machine = os.uname().nodename
    torches: dict[str, str] = {}
    names: dict[str, str] = {}
    drivers: dict[str, str] = {}
    for run in desk.store.runs() if runs is None else runs:
        facts = run.facts
        if run.verdict is None or (not facts.host and facts.more.get("machine", machine) != machine):
            continue
        torches.setdefault(facts.place, str(facts.more.get("torch", "")))
        drivers.setdefault(facts.place, str(facts.more.get("driver") or ""))
        if facts.device_name:
            names.setdefault(facts.place, facts.device_name)
    return Present(machine, installed_torch() if desk.options.own_worker else "", torches, names, drivers)


@dataclass(frozen=True)
class Expired:
    """A run whose circumstances are gone."""

    run: StoredRun
    why: str
    """"measured with torch 2.12"."""

    @property
    def note(self) -> str:
        """What a list shows behind it."""
        return f"{self.why}: {AGAIN}"

    def as_json(self) -> dict[str, object]:
        """Return the fields of `passport --json`."""
        run = self.run
        return {"run": run.uid, "experiment": run.experiment, "controls": dict(run.controls), "why": self.why}


def expired_runs(desk: Desk) -> list[Expired]:
    """Return the latest judged run of each trial (experiment, controls, device) that should be made again."""
    return [Expired(run, why) for run, why in latest_runs(desk) if why]


def latest_runs(desk: Desk, experiment: str | None = None) -> list[tuple[StoredRun, str]]:
    """Return the latest judged run of each trial, latest first, with what has expired about it, or "".

    Args:
        desk: The open desk.
        experiment: Only of this one.
    """
    runs = desk.store.runs()
    now = present(desk, runs)
    found = [(run, now.why(run.facts)) for run in _newest(runs, now)]
    return [entry for entry in found if experiment in (None, entry[0].experiment)]


def passport_note(desk: Desk, passport: Passport) -> str:
    """Return what of a passport has expired ("measured with torch 2.12: run again"), or "".

    Args:
        desk: The open desk.
        passport: A passport of this machine.
    """
    print_ = passport.fingerprint
    kind, _, host = passport.device.partition("@")
    more = {name: print_.get(name, "") for name in ("machine", "torch", "driver")} | (
        {"host": host} if host else {}
    )
    facts = Facts(device=kind, device_name=print_.get("device_name", ""), more=more)
    return present(desk).note(facts)


def _newest(runs: Iterable[StoredRun], now: Present) -> list[StoredRun]:
    newest: dict[tuple[str, str, str], StoredRun] = {}
    for run in runs:
        if run.verdict is None:
            continue
        kept = newest.setdefault((run.experiment, repr(sorted(run.controls.items())), run.device), run)
        # where two machines share a record, this one's own run says more about it than the other's later one
        if _elsewhere(kept, now) and not _elsewhere(run, now):
            newest[run.experiment, repr(sorted(run.controls.items())), run.device] = run
    return list(newest.values())


def _elsewhere(run: StoredRun, now: Present) -> bool:
    return not run.facts.host and run.facts.more.get("machine", now.machine) != now.machine
