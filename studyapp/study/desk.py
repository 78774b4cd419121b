"""The learner's desk: an open store, a clock, the policy and the lessons on it. Every use case starts from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from studyapp.core.cards import Problem
from studyapp.core.days import Moment, instant_of
from studyapp.core.scheduling import Policy
from studyapp.store.database import Store, open_store

Clock = Callable[[], Moment]
SYNC_TROUBLE = "sync_trouble"
"""Where `meta` keeps why the last answers did not reach the other machines."""
CLOCK_SLACK_MS = 60_000
"""How far ahead of the clock the newest answer may lie before the clock is doubted."""


@dataclass(frozen=True)
class Options:
    """What the learner chose about scheduling."""

    policy: Policy = field(default_factory=Policy)
    new_minutes: float = 10.0
    reviews_per_day: int = 200
    learn_ahead_ms: int = 20 * 60_000
    retention_of: Mapping[str, float] = field(default_factory=dict)
    """Desired retention of single modules, by module id."""
    leech: str = "tag"
    """"tag": a card forgotten too often is named; "suspend": it is put away as well."""
    goal: str = "1 answer"
    """What makes a day active for the streak, as the setting has it."""
    streak: bool = True
    """Whether the streak is shown."""
    release: str = "section"
    """"section": cards enter when their section was read; "all": at once."""
    zone_is_a_guess: bool = False
    """Whether the host says UTC and the learner never named a zone: days may then begin at an odd hour."""
    own_worker: bool = True
    """Whether the worker is this program's own interpreter, with the torch beside it."""
    worker_host: str = ""
    """The machine experiments run on; empty = this one."""

    def policy_of(self, module: str) -> Policy:
        """Return the policy that a module's cards are scheduled under."""
        wanted = self.retention_of.get(module, self.policy.desired_retention)
        return self.policy if wanted == self.policy.desired_retention else _with_retention(self.policy, wanted)


@lru_cache(maxsize=64)
def _with_retention(policy: Policy, wanted: float) -> Policy:
    return replace(policy, desired_retention=wanted)


@dataclass
class Desk:
    """An open store with its clock; close it when done (it is a context manager)."""

    store: Store
    clock: Clock
    options: Options
    status_path: Path
    problems: list[Problem] = field(default_factory=list)
    """What the lesson files have that their authors should mend."""

    def notices(self) -> list[str]:
        """Return what the learner should know about the clock and the lesson files, each in one plain sentence."""
        found = []
        newest, now = self.store.newest_review_ms(), self.clock()
        if newest is not None and newest > now.at_ms + CLOCK_SLACK_MS:
            clock, day = now.now.astimezone(now.zone), instant_of(newest).astimezone(now.zone)
            found.append(
                f"The clock says {clock.day} {clock:%b %Y}, but your last answer is from {day.day} {day:%b %Y}. "
                "Intervals count from the later day."
            )
        if self.problems:
            first = self.problems[0]
            more = f" and {len(self.problems) - 1} more" if len(self.problems) > 1 else ""
            found.append(
                f"{Path(first.path).name}:{first.line}: {first.message}{more} (studyapp check {first.path})"
            )
        return found

    def sync_trouble(self) -> str:
        """Return why the last answers did not reach the other machines when the learner quit; "" if they did."""
        return self.store.meta_get(SYNC_TROUBLE) or ""

    def hints(self) -> list[str]:
        """Return what the learner may want to set, for Home alone: a command would repeat it every time."""
        now = self.clock()
        if not self.options.zone_is_a_guess:
            return []
        return [
            f"Days begin at {now.rollover:%H:%M} {now.zone_name}. Elsewhere: studyapp config zone Europe/Paris"
        ]

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
    from studyapp.study.day_start import kept_clock
    from studyapp.study.lessons import bring_in

    store = open_store(db, now_ms=clock().at_ms)
    desk = Desk(store, clock, options, status_path)
    try:
        desk.clock = kept_clock(store, clock)
        desk.problems = bring_in(desk, lessons)
    except BaseException:
        store.close()
        raise
    return desk
