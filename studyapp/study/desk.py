"""The learner's desk: an open store, a clock, the policy and the lessons on it. Every use case starts from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from studyapp.core.cards import Problem
from studyapp.core.days import Moment
from studyapp.core.scheduling import Policy
from studyapp.store.database import Store, open_store

Clock = Callable[[], Moment]


@dataclass(frozen=True)
class Options:
    """What the learner chose about scheduling."""

    policy: Policy = field(default_factory=Policy)
    new_minutes: float = 10.0
    reviews_per_day: int = 200
    learn_ahead_ms: int = 20 * 60_000
    release: str = "section"
    """"section": cards enter when their section was read; "all": at once."""


@dataclass
class Desk:
    """An open store with its clock; close it when done (it is a context manager)."""

    store: Store
    clock: Clock
    options: Options
    status_path: Path
    problems: list[Problem] = field(default_factory=list)
    """What the lesson files have that their authors should mend."""

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_desk(
    db: Path,
    *,
    clock: Clock,
    options: Options,
    status_path: Path,
    lessons: Sequence[Path] = (),
) -> Desk:
    """Open the store, bring the shipped and the learner's lessons up to date, and return the desk.

    Raises:
        StoreError: If the store cannot be opened; nothing was written.
    """
    from studyapp.study.lessons import bring_in

    store = open_store(db, now_ms=clock().at_ms)
    desk = Desk(store, clock, options, status_path)
    try:
        desk.problems = bring_in(desk, lessons)
    except BaseException:
        store.close()
        raise
    return desk
