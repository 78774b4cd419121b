"""The Lab: every experiment with what is known of it, under the section of the lesson that names it.

Everything comes from three queries (runs, predictions, cards), however many experiments there are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from studyapp.core.cards import ExperimentLink
from studyapp.core.days import instant_of
from studyapp.core.points import Point
from studyapp.core.verdicts import Outcome, decide
from studyapp.experiments.catalog import experiments
from studyapp.experiments.claim import Experiment
from studyapp.study.devices import short_host
from studyapp.study.expiring import present
from studyapp.study.needs import unmet

if TYPE_CHECKING:
    from studyapp.experiments.protocol import Ready
    from studyapp.store.records import StoredPrediction, StoredRun
    from studyapp.study.desk import Desk

UNNAMED = "In no lesson here"
"""Heading of what no section names."""


@dataclass(frozen=True)
class Machine:
    """This machine as its worker greeted: what may be measured on it."""

    devices: tuple[Mapping[str, Any], ...] = ()
    """`{"type", "count", "name"}` each, the CPU first."""
    cpu: str = ""
    cores: int = 1
    why_cpu: str = ""
    """Why there is no accelerator, in one line."""
    host: str = ""
    """The machine experiments run on, where that is another one by the learner's choice."""

    def is_here(self, run: StoredRun) -> bool:
        """Return whether a run's device is one of this machine's; where a name is missing, its type tells."""
        facts = run.facts
        there = str(facts.more.get("machine", ""))
        if there and not facts.host and there != os.uname().nodename:
            return False  # two machines may have the same processor
        known = [("cpu", self.cpu), *((str(d.get("type")), str(d.get("name") or "")) for d in self.devices)]
        return facts.host == self.host and any(
            kind == facts.device and (name == facts.device_name or not (name and facts.device_name))
            for kind, name in known
        )


@dataclass(frozen=True)
class Entry:
    """One experiment in the Lab."""

    experiment: Experiment
    last: StoredRun | None = None
    """The latest judged run on this machine, else the latest anywhere."""
    here: bool = True
    """Whether `last` was made on this machine, as far as that is known."""
    history: tuple[StoredRun, ...] = ()
    """Its judged runs anywhere, latest first."""
    reckoned: bool = False
    """Whether the last run's number rests on something not measured or counted."""
    first: StoredPrediction | None = None
    """The learner's first prediction of it."""
    latest: StoredPrediction | None = None
    expired: str = ""
    """What `last` was measured with that is no longer there, in words."""
    testable_here: bool | None = None
    """None until a worker has reported."""
    why_not: str = ""

    def matches(self, words: str) -> bool:
        """Return whether every word stands in its id, claim or question, in any case."""
        text = f"{self.experiment.id} {self.experiment.claim} {self.experiment.question}".casefold()
        return all(word in text for word in words.casefold().split())


@dataclass(frozen=True)
class Group:
    """The experiments of one section."""

    title: str
    entries: tuple[Entry, ...]
    module: str = ""
    section: str = ""


@dataclass(frozen=True)
class Lab:
    """All groups, with the machine they are looked at from."""

    groups: tuple[Group, ...]
    machine: Machine | None = None
    today: date = field(default_factory=lambda: date(1970, 1, 1))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All experiments, each once, in the groups' order."""
        return tuple(entry for group in self.groups for entry in group.entries)

    def matching(self, words: str) -> tuple[Group, ...]:
        """Return the groups with those of their experiments that match; none that is empty."""
        kept = [(g, tuple(e for e in g.entries if e.matches(words))) for g in self.groups]
        return tuple(Group(g.title, entries, g.module, g.section) for g, entries in kept if entries)


def gather(desk: Desk, machine: Machine | None = None) -> Lab:
    """Return the Lab.

    Args:
        desk: The open desk.
        machine: This machine, where a worker has reported; the one remembered from last time when None.
    """
    machine = machine or remembered(desk)
    runs = _by_experiment(run for run in desk.store.runs() if run.verdict is not None)
    told = _by_experiment(desk.store.predictions())
    known = {e.id: _entry(e, runs.get(e.id, []), told.get(e.id, []), machine) for e in experiments()}
    known = _with_reckoned(desk, _with_expired(desk, known))
    groups, placed = [], set[str]()
    for module, section, title, names in _sections(desk):
        mine = [name for name in dict.fromkeys(names) if name in known and name not in placed]
        placed.update(mine)
        if mine:
            groups.append(Group(title, tuple(known[name] for name in mine), module, section))
    rest = tuple(entry for name, entry in known.items() if name not in placed)
    if rest:
        groups.append(Group(UNNAMED, rest))
    moment = desk.clock()
    return Lab(tuple(groups), machine, moment.now.astimezone(moment.zone).date())


def _by_experiment(rows: Iterable[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row.experiment, []).append(row)
    return found


def _entry(
    experiment: Experiment, runs: Sequence[StoredRun], told: Sequence[StoredPrediction], machine: Machine | None
) -> Entry:
    mine = [r for r in runs if machine is None or machine.is_here(r)]
    why_not = "" if machine is None else unmet(experiment, machine.devices, machine.cores, machine.why_cpu)
    return Entry(
        experiment,
        last=mine[0] if mine else runs[0] if runs else None,
        here=bool(mine) or not runs,
        history=tuple(runs),
        first=told[0] if told else None,
        latest=told[-1] if told else None,
        testable_here=None if machine is None else not why_not,
        why_not=why_not,
    )


def _with_expired(desk: Desk, known: dict[str, Entry]) -> dict[str, Entry]:
    """Say of the last runs here which were made with what is no longer there."""
    runs = [run for entry in known.values() for run in entry.history]
    now = present(desk, sorted(runs, key=lambda run: -run.started_at_ms))
    return {
        name: replace(entry, expired=now.note(entry.last.facts)) if entry.last and entry.here else entry
        for name, entry in known.items()
    }


def _with_reckoned(desk: Desk, known: dict[str, Entry]) -> dict[str, Entry]:
    """Judge again what could not be tested, to see whether its number was measured or is a stand-in's."""
    open_ones = {
        entry.last.uid: entry
        for entry in known.values()
        if entry.last is not None
        and entry.last.verdict is not None
        and entry.last.verdict.outcome is Outcome.CANNOT_TEST
        and entry.last.verdict.measured is not None
    }
    for uid, points in desk.store.points_of(list(open_ones)).items():
        entry = open_ones[uid]
        if rests_on_stand_ins(entry.experiment, entry.last, points):
            known[entry.experiment.id] = replace(entry, reckoned=True)
    return known


def rests_on_stand_ins(experiment: Experiment, run: StoredRun | None, points: Sequence[Point]) -> bool:
    """Return whether a stored run's number rests on points that were not measured or counted."""
    if run is None or run.verdict is None or run.verdict.outcome is not Outcome.CANNOT_TEST:
        return False
    again = decide(experiment.judge, points, run.facts, timed=experiment.timed)
    deciding = again.decided_by or points
    return any(not point.solid for point in deciding)


def _sections(desk: Desk) -> Iterable[tuple[str, str, str, list[str]]]:
    """Yield (module, section, title, experiments named) in reading order; a section's text before its cards."""
    modules = desk.store.modules()
    cards: dict[tuple[str, str], list[ExperimentLink]] = {}
    for card in desk.store.cards():
        cards.setdefault((card.module, card.section), []).extend(card.experiments)
    for module in modules:
        for section in desk.store.sections(module.id):
            links = [*section.experiments, *cards.pop((module.id, section.id), [])]
            title = section.title if len(modules) == 1 else f"{module.title}: {section.title}"
            yield module.id, section.id, title, [link.experiment for link in links]
        rest = [link.experiment for (name, _), links in cards.items() if name == module.id for link in links]
        yield module.id, "", module.title, rest


# this machine


def machine_of(ready: Ready, host: str = "") -> Machine:
    """Return the machine that a worker's greeting describes."""
    devices = tuple({k: d.get(k) for k in ("type", "count", "name")} for d in ready.devices)
    return Machine(devices, ready.cpu, ready.cores, ready.why_cpu, host)


def remember(desk: Desk, ready: Ready) -> Machine:
    """Keep what the worker of this host reported, so that the next look at the Lab needs no worker."""
    machine = machine_of(ready, short_host(desk.options.worker_host))
    text = json.dumps([list(machine.devices), machine.cpu, machine.cores, machine.why_cpu], sort_keys=True)
    if desk.store.meta_get(_key(desk)) != text:
        desk.store.meta_set(_key(desk), text)
    return machine


def remembered(desk: Desk) -> Machine | None:
    """Return what the worker reported last on this host, or None."""
    text = desk.store.meta_get(_key(desk))
    try:
        devices, cpu, cores, why = json.loads(text or "null")
        found = tuple(dict(d) for d in devices)
        return Machine(found, str(cpu), int(cores), str(why), short_host(desk.options.worker_host))
    except (TypeError, ValueError):
        return None


def _key(desk: Desk) -> str:
    return f"machine:{short_host(desk.options.worker_host) or os.uname().nodename}"


# words


def day_words(desk: Desk, at_ms: int) -> str:
    """Return a day as a reader says it: "today", "28 Aug", with the year when it is another one."""
    moment = desk.clock()
    day = instant_of(at_ms).astimezone(moment.zone)
    today = moment.now.astimezone(moment.zone).date()
    if day.date() == today:
        return "today"
    return f"{day.day} {day:%b}" if day.year == today.year else f"{day.day} {day:%b %Y}"


def control_words(controls: Mapping[str, Any]) -> str:
    """Return controls in words: "batch 64, side 224"; "its only setting" where there are none."""
    return ", ".join(f"{name} {value_words(value)}" for name, value in controls.items()) or "its only setting"


def value_words(value: Any) -> str:
    """Return a control's value without needless digits."""
    return f"{value:g}" if isinstance(value, float) else str(value)
