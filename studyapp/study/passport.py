"""A machine's passport: take it in the worker, keep it, and say its figures; from it come roofline and cards."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from studyapp import __version__
from studyapp.core.days import instant_of
from studyapp.core.figures import Figure, draw
from studyapp.core.points import Point, latest
from studyapp.core.roofline import LADDER, MACHINE, Roof
from studyapp.experiments import protocol
from studyapp.experiments.catalog import measurement
from studyapp.study.devices import short_host
from studyapp.study.experimenting import Trial
from studyapp.study.passport_rows import Row, rows

if TYPE_CHECKING:
    from studyapp.experiments.runner import Runner
    from studyapp.store.passports import StoredPassport
    from studyapp.study.desk import Desk

NAME = "passport"


@dataclass(frozen=True)
class Passport:
    """What a machine was measured to reach, on one device."""

    uid: str
    device: str
    fingerprint: Mapping[str, str]
    taken_at_ms: int
    study_day: int
    points: tuple[Point, ...]
    state: str
    """"done", or how it ended before it was complete: "cut", "cancelled", "failed"."""
    busy: str = ""
    """What disturbed it, in words; empty for a quiet machine."""
    later: str = ""
    """Of a quiet passport that goes before a later one that was disturbed: the day of that one, in words."""

    @classmethod
    def of(cls, stored: StoredPassport) -> Passport:
        """Return a stored passport."""
        content = stored.content
        points = tuple(Point.from_json(entry) for entry in content.get("points", ()))
        print_ = {str(name): str(entry) for name, entry in stored.fingerprint.items()}
        return cls(
            stored.uid,
            stored.device,
            print_,
            stored.taken_at_ms,
            stored.study_day,
            points,
            str(content.get("state", "done")),
            str(content.get("busy", "")),
        )

    @property
    def complete(self) -> bool:
        """Whether it was measured to its end."""
        return self.state == "done"

    @property
    def roof(self) -> Roof:
        """What the roofline is made of."""
        return Roof.of(self.points)

    def rows(self) -> list[Row]:
        """Return the figures in the order they are shown."""
        return rows(self.points, self.device)

    def remarks(self) -> list[str]:
        """Return what must be said beside the figures."""
        found = []
        if not self.complete:
            found.append("Part of a passport: it was interrupted before its end.")
        if self.busy:
            found.append(f"Measured beside other work: {self.busy}.")
        if self.later:
            found.append(f"The one of {self.later} was measured beside other work; this is the latest quiet one.")
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `passport --json`."""
        return {
            "uid": self.uid,
            "device": self.device,
            "taken_at": instant_of(self.taken_at_ms).isoformat(),
            "state": self.state,
            "busy": self.busy,
            "later_busy": self.later,
            "fingerprint": dict(self.fingerprint),
            "bus": not self.device.startswith("cpu"),
            "figures": [
                {
                    "group": row.group,
                    "id": row.id,
                    "label": row.label,
                    "value": row.value,
                    "unit": row.unit,
                    "note": row.note,
                    "settled": row.settled,
                }
                for row in self.rows()
            ],
            "points": [point.as_json() for point in self.points],
        }


class Taking(Trial):
    """A passport being taken: a trial without a claim, a prediction and a verdict."""

    find = staticmethod(measurement)

    def __init__(self, desk: Desk, device: str = "auto") -> None:
        """Prepare.

        Args:
            desk: The learner's desk.
            device: Where to measure; "auto" chooses.
        """
        super().__init__(desk, NAME, device=device)
        self.passport: Passport | None = None
        """What was stored, once it has ended with at least one figure."""
        self._greeting: protocol.Ready | None = None

    async def run(self, runner: Runner) -> AsyncIterator[protocol.Message]:
        """Run to the end, yielding every message; what was measured is stored before the last is yielded."""
        async for message in super().run(runner):
            self._greeting = runner.ready  # it names the machine where the run is cancelled before its end
            yield message

    def fold(self, message: protocol.Message) -> None:
        """Take one message from the worker."""
        super().fold(message)
        if self.state == "failed":
            self.hint = self.hint.replace("The card is unaffected. ", "")

    def _finish(self, state: str, *, judge: bool = True) -> None:
        self.state = "cut" if state == "done" and self.facts.cut_short else state
        points = latest(self.points)
        if not any(not point.series.startswith(MACHINE) for point in points):
            return
        more = self.facts.more
        store = self.desk.store
        day = self.desk.clock().study_day
        content = {
            "points": [point.as_json() for point in points],
            "state": self.state,
            "busy": str(more.get("why_busy", "")) if self.facts.busy else "",
        }
        store.save_passport(
            fingerprint=self._fingerprint(),
            device=self.facts.place,
            content=content,
            taken_at_ms=self.started_at_ms,
            study_day=day,
        )
        self.passport = Passport.of(store.passports(self.facts.place)[0])

    def _fingerprint(self) -> dict[str, str]:
        facts, ready = self.facts, self._greeting
        more = facts.more
        known = {
            "machine": str(more.get("machine") or (ready.host if ready else "")),
            "cpu": ready.cpu if ready else (facts.device_name if not facts.accelerated else ""),
            "device_name": facts.device_name,
            "cores": str(facts.cores),
            "torch": str(more.get("torch") or (ready.torch if ready else "")),
            "driver": str(more.get("driver") or ""),
            "studyapp": __version__,
        }
        return {name: words for name, words in known.items() if words}

    def figure(self) -> Figure:
        """Return the memory ladder of this moment."""
        return ladder(self.points, self.sentence, self.where)

    @property
    def sentence(self) -> str:
        """The state in words."""
        words = {"done": "The passport is taken.", "cut": "The time ran out; what was measured is kept."}
        return words.get(self.state, self.note or self.state)


def ladder(points: Sequence[Point], sentence: str = "", device: str = "") -> Figure:
    """Return the picture of a passport's memory ladder."""
    own = [point for point in points if point.series.startswith(LADDER)]
    return draw("Copies by size", measurement(NAME).plot, own, sentence=sentence, device=device)


def passports(desk: Desk) -> list[Passport]:
    """Return this machine's passports, latest first; of the machine experiments run on, where that is another."""
    own, far = os.uname().nodename, short_host(desk.options.worker_host)
    found = [Passport.of(stored) for stored in desk.store.passports()]
    if far:
        return [p for p in found if p.device.endswith(f"@{far}")]
    return [p for p in found if "@" not in p.device and p.fingerprint.get("machine", own) == own]


def latest_passport(desk: Desk, device: str | None = None) -> Passport | None:
    """Return this machine's latest passport, of a device type or of any; `preferred` says which goes before."""
    return preferred([p for p in passports(desk) if device in (None, p.device, p.device.partition("@")[0])])


def preferred(found: Sequence[Passport]) -> Passport | None:
    """Return the passport to go by: complete ones before parts, quiet ones before later ones beside other work.

    A quiet one goes before only where it tells of the same: device, machine, torch and program of the later one.

    Args:
        found: Passports, latest first.
    """
    last = next((p for p in found if p.complete), found[0] if found else None)
    if last is None or not last.busy:
        return last
    same = (p for p in found if p.device == last.device and p.fingerprint == last.fingerprint)
    quiet = next((p for p in same if p.complete and not p.busy), None)
    if quiet is None:
        return last
    day = date.fromordinal(last.study_day)
    return replace(quiet, later=f"{day.day} {day:%b %Y}")
