"""A learner's record for the pictures: months of study, written by the use cases under a frozen clock."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from studyapp.core.days import Moment
from studyapp.core.points import Point
from studyapp.core.predictions import Sure
from studyapp.core.reviews import Rating
from studyapp.experiments import protocol
from studyapp.settings import Settings, load
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial
from studyapp.study.opening import open_desk_from
from studyapp.study.reading import contents, finish
from studyapp.study.reviewing import Sitting
from studyapp.study.today import write_status

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = ROOT / "tests" / "recordings"
OWN = Path(__file__).resolve().parent / "recordings"
WORKER = Path(__file__).resolve().parent / "worker.py"
NOW = "2026-09-03T17:40+00:00"
"""When the pictures are taken: a Thursday."""
DAYS = 150
"""Days of study behind it."""
BUSY_DAYS = 8
"""The last days, with so little study that something is due."""
TRIED = (
    ("small-net", 2.0, Sure.FAIRLY, 3),
    ("kept", 4e9, Sure.GUESS, 8),
    ("core-race", 64.0, Sure.CERTAIN, 12),
    ("half-memory", 2.0, Sure.FAIRLY, 20),
    ("layer-batch", 60.0, Sure.GUESS, 31),
    ("optimizer-state", 4.0, Sure.FAIRLY, 44),
    ("wait-each-step", 1.5, Sure.GUESS, 58),
)
"""What was put on trial: experiment, the number said, how sure, days ago."""


def settings_for(folder: Path, *behaviours: str, now: str = NOW, **more: str) -> Settings:
    """Return the settings of a learner whose record lies in this folder.

    Args:
        folder: The learner's home.
        behaviours: How the worker behaves, as `pictures.worker` takes it: `small-net=hold`.
        now: The frozen clock.
        more: Further settings, by name.
    """
    flags = {
        "data_dir": str(folder / "data"),
        "now": now,
        "zone": "UTC",
        "fuzz": "on",
        "motion": "reduced",
        "color": "256",
        "device": "cpu",
        "worker_command": " ".join([sys.executable, str(WORKER), str(RECORDINGS), str(OWN), *behaviours]),
        **more,
    }
    return load(flags, environ={"HOME": str(folder)}, platform="linux")


class Calendar:
    """A clock that is set by hand."""

    def __init__(self, base: Moment) -> None:
        self.base = base
        self.now = base

    def __call__(self) -> Moment:
        """Return this moment."""
        return self.now

    def go(self, days_ago: int, minutes: float = 0.0) -> None:
        """Set it to so many days before the pictures, and so many minutes into the evening."""
        self.now = replace(self.base, now=self.base.now - timedelta(days=days_ago) + timedelta(minutes=minutes))


def build(folder: Path, *, days: int = DAYS, busy_days: int = BUSY_DAYS) -> Settings:
    """Write a record of so many days into a folder and return its settings."""
    settings = settings_for(folder)
    draw = random.Random(11)
    with open_desk_from(settings) as desk:
        calendar = Calendar(settings.clock())
        desk.clock = calendar
        sections = [chapter.section.id for chapter in contents(desk).chapters]
        module = contents(desk).module
        for ago in range(days, -1, -1):
            if draw.random() < 0.14 and ago > 23:
                continue  # a day without study
            read = min(len(sections), 1 + (days - ago) * len(sections) // (days + 30))
            calendar.go(ago)
            for section in sections[:read]:
                finish(desk, module, section)
            if ago:
                _evening(desk, calendar, draw, ago, busy=ago <= busy_days)
        for name, said, sure, ago in TRIED:
            if ago < days:
                calendar.go(ago, 30)
                put_on_trial(desk, name, said, sure)
        calendar.go(0)
        write_status(desk)
    return settings


def _evening(desk: Desk, calendar: Calendar, draw: random.Random, ago: int, *, busy: bool) -> None:
    sitting = Sitting(desk)
    most = 1 if busy else draw.choice((3, 6, 9, 14))
    for number in range(most):
        calendar.go(ago, number * 0.4)
        showing = sitting.next()
        if showing is None:
            break
        lucky = draw.random()
        rating = Rating.AGAIN if lucky < 0.16 else Rating.HARD if lucky < 0.28 else Rating.GOOD
        rating = Rating.EASY if lucky > 0.9 else rating
        sitting.grade(showing, rating, duration_ms=draw.randrange(6_000, 40_000))


def recorded(name: str) -> tuple[protocol.Started, list[protocol.PointMessage], protocol.Done]:
    """Return the messages of a recorded run."""
    folder = next(place for place in (RECORDINGS, OWN) if (place / f"{name}-calm.json").exists())
    data = json.loads((folder / f"{name}-calm.json").read_text(encoding="utf-8"))
    facts = data["facts"]
    usual = {key: facts[key] for key in ("device", "device_name", "threads", "cores")}
    points = [protocol.PointMessage(point=Point.from_json(point)) for point in data["points"]]
    done = protocol.Done(facts=facts, points=len(points), took_s=data["took_s"])
    return protocol.Started(experiment=name, **usual), points, done


def put_on_trial(desk: Desk, name: str, said: float | None, sure: Sure) -> Trial:
    """Predict, and take a recorded run as the result."""
    trial = Trial(desk, name, device="cpu")
    trial.predict(said, sure)
    trial.started_at_ms = desk.clock().at_ms
    started, points, done = recorded(name)
    for message in (started, *points, done):
        trial.fold(message)
    return trial


def answer_all(settings: Settings) -> None:
    """Answer everything that is due, so that the learner is done for today."""
    with open_desk_from(settings) as desk:
        sitting = Sitting(desk)
        while (showing := sitting.next()) is not None:
            sitting.grade(showing, Rating.EASY, duration_ms=9_000)
        write_status(desk)


@contextmanager
def lessons_from(path: Path) -> Iterator[None]:
    """Show a lesson of our own in place of the shipped one, so that a snapshot does not change with every edit."""
    import studyapp.study.lessons as lessons

    before = lessons.shipped
    lessons.shipped = lambda: path
    try:
        yield
    finally:
        lessons.shipped = before


def copied(settings: Settings, folder: Path, *behaviours: str, **more: str) -> Settings:
    """Return the settings of a copy of a record in another folder."""
    shutil.copytree(settings.data_dir, folder / "data", dirs_exist_ok=True)
    return settings_for(folder, *behaviours, **more)
