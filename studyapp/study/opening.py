"""Opening the desk that the learner's settings describe; importing this file imports no SQLAlchemy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from studyapp.core.days import Moment
    from studyapp.study.desk import Desk, Options


class Chosen(Protocol):
    """What a front end's settings must say for a desk to be opened."""

    @property
    def db(self) -> Path:
        """The SQLite store."""
        ...

    @property
    def data_dir(self) -> Path:
        """The private folder, which holds the learner's own lessons."""
        ...

    @property
    def status_path(self) -> Path:
        """The small cached status file."""
        ...

    @property
    def retention(self) -> float:
        """Desired retention, 0 to 1."""
        ...

    @property
    def retention_of(self) -> Mapping[str, float]:
        """The same for single modules, by module id."""
        ...

    @property
    def leech(self) -> str:
        """What becomes of a card forgotten too often: "tag" or "suspend"."""
        ...

    @property
    def fuzz(self) -> bool:
        """Whether due days are spread a little."""
        ...

    @property
    def new_minutes(self) -> float:
        """Minutes a day for new cards."""
        ...

    @property
    def reviews_per_day(self) -> int:
        """Most reviews on a study day."""
        ...

    @property
    def learn_ahead_minutes(self) -> float:
        """How early a step may come."""
        ...

    @property
    def goal(self) -> str:
        """What makes a day active for the streak."""
        ...

    @property
    def streak(self) -> bool:
        """Whether the streak is shown."""
        ...

    @property
    def release(self) -> str:
        """How cards are released: "section" or "all"."""
        ...

    @property
    def lessons(self) -> Sequence[Path]:
        """More lessons."""
        ...

    @property
    def coin(self) -> bool:
        """Whether a coin decides which cards are predicted first."""
        ...

    @property
    def worker_command(self) -> Sequence[str]:
        """What replaces the command that starts the worker; empty for the own interpreter."""
        ...

    @property
    def worker_host(self) -> str:
        """The machine experiments run on; empty = this one."""
        ...

    @property
    def zone_is_a_guess(self) -> bool:
        """Whether the host says UTC and no zone was named."""
        ...

    def clock(self) -> Moment:
        """Return this moment."""
        ...


def own_lessons(data_dir: Path) -> list[Path]:
    """Return the folder of the learner's own lessons, where imports go; nothing as long as there is none."""
    folder = data_dir / "lessons"
    return [folder] if folder.is_dir() else []


def options_from(settings: Chosen) -> Options:
    """Return what the learner chose about scheduling."""
    from studyapp.core.scheduling import Policy
    from studyapp.study.desk import Options

    return Options(
        policy=Policy(desired_retention=settings.retention, fuzz=settings.fuzz),
        retention_of=settings.retention_of,
        leech=settings.leech,
        new_minutes=settings.new_minutes,
        reviews_per_day=settings.reviews_per_day,
        learn_ahead_ms=int(settings.learn_ahead_minutes * 60_000),
        goal=settings.goal,
        streak=settings.streak,
        release=settings.release,
        zone_is_a_guess=settings.zone_is_a_guess,
        own_worker=not settings.worker_command,
        worker_host=settings.worker_host,
    )


def lesson_places(settings: Chosen) -> list[Path]:
    """Return where the learner's own lessons lie."""
    return [*own_lessons(settings.data_dir), *settings.lessons]


def open_desk_from(settings: Chosen) -> Desk:
    """Open the desk that the settings describe (25 ms with its imports, so after the first paint).

    Raises:
        StoreError: If the store cannot be opened; nothing was written.
    """
    from studyapp.study.desk import open_desk
    from studyapp.study.own import use_own

    desk = open_desk(
        settings.db,
        clock=settings.clock,
        options=options_from(settings),
        status_path=settings.status_path,
        lessons=lesson_places(settings),
    )
    use_own(desk)
    if settings.coin:
        from studyapp.study.coin import take_up

        take_up(desk)
    return desk
