"""Copies of the record that come and go by themselves, and bringing one back.

One a day is kept for the last seven days that have any, one a week for four weeks, one a month for six months;
the copies made before something changed the record as a whole are kept three of each kind. A copy made by hand is
never taken away.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.errors import StoreError, UsageError

if TYPE_CHECKING:
    from studyapp.core.replay import PolicyOf
    from studyapp.study.desk import Desk

DAILY, WEEKLY, MONTHLY = 7, 4, 6
KEPT_BEFORE = 3
"""Copies kept of each kind of change ("before-merge", ...)."""
_STAMP = "%Y%m%d-%H%M%S"


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the record as it lies on disk."""

    path: Path
    made: datetime
    """What the learner's wall clock said, from the name (written down as if UTC); else the file's own time."""
    why: str
    """"daily", "before-merge" and so on; "" for one made by hand."""
    bytes: int


@dataclass(frozen=True, slots=True)
class Restored:
    """What `restore` did."""

    answers: int
    cards: int
    kept: Path | None
    """Where the record lies that was here before; None where there was none."""
    different: int
    """Cards whose stored memory was not what the copy's log says; put right."""


def folder_of(store: Path) -> Path:
    """Return the folder of a store's copies."""
    return store.parent / "backups"


def copies(store: Path) -> list[Copy]:
    """Return the copies of a store, the latest first."""
    folder = folder_of(store)
    found = [
        *(folder.glob(f"{store.stem}-*{store.suffix}") if folder.is_dir() else ()),
        *store.parent.glob(f"{store.stem}.before-*{store.suffix}"),  # made by an upgrade of the schema
    ]
    listed = [copy for copy in (_look(path, store) for path in found) if copy is not None]
    return sorted(listed, key=lambda copy: (copy.made, copy.path.name), reverse=True)


def _look(path: Path, store: Path) -> Copy | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    name = re.fullmatch(rf"{re.escape(store.stem)}-(\d{{8}}-\d{{6}})(?:-\d+)?(?:-([a-z-]+))?", path.stem)
    if name is None:
        return Copy(path, datetime.fromtimestamp(stat.st_mtime, timezone.utc), "before-upgrade", stat.st_size)
    made = datetime.strptime(f"{name[1]}+0000", f"{_STAMP}%z")
    return Copy(path, made, name[2] or "", stat.st_size)


def make_copy(desk: Desk, why: str = "") -> Path:
    """Write a checked copy into the folder of copies and take away those that have had their day.

    Args:
        desk: The open desk.
        why: What the copy is for; "" for one made by hand, which stays.

    Raises:
        StoreError: If it cannot be written or is not whole.
    """
    target = _free_name(desk.store.path, _local(desk), why)
    _make_private(target.parent)
    desk.store.backup(target)
    for old in to_drop(copies(desk.store.path)):
        old.path.unlink(missing_ok=True)
    return target


def daily(desk: Desk) -> Path | None:
    """Make the day's copy unless it was made; return it, or None. For a quiet moment: it takes a while."""
    today = _local(desk).date()
    if any(copy.why == "daily" and copy.made.date() == today for copy in copies(desk.store.path)):
        return None
    return make_copy(desk, "daily")


def _local(desk: Desk) -> datetime:
    moment = desk.clock()
    return moment.now.astimezone(moment.zone).replace(tzinfo=timezone.utc, microsecond=0)


def _free_name(store: Path, made: datetime, why: str) -> Path:
    stem = f"{store.stem}-{made:{_STAMP}}"
    tail = f"-{why}" if why else ""
    names = (f"{stem}{number}{tail}{store.suffix}" for number in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in (folder_of(store) / name for name in names) if not path.exists())


def _make_private(folder: Path) -> None:
    try:
        for place in (folder.parent, folder):  # one by one: parents made in passing would get the umask's mode
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder} cannot be made: {error.strerror}.", "Name a place with PATH.") from error


def to_drop(found: Iterable[Copy]) -> list[Copy]:
    """Return the copies that have had their day; those made by hand or by an upgrade are never among them."""
    latest_first = sorted(found, key=lambda copy: (copy.made, copy.path.name), reverse=True)
    of_days = [copy for copy in latest_first if copy.why == "daily"]
    keep: set[Path] = set()
    for most, period in ((DAILY, _day), (WEEKLY, _week), (MONTHLY, _month)):
        kept = {period(copy.made): copy for copy in reversed(of_days)}  # the latest of each period wins
        keep |= {kept[key].path for key in sorted(kept, reverse=True)[:most]}
    for why in {copy.why for copy in latest_first if copy.why.startswith("before-")}:
        keep |= {copy.path for copy in [c for c in latest_first if c.why == why][:KEPT_BEFORE]}
    return [c for c in latest_first if c.why not in ("", "before-upgrade") and c.path not in keep]


def _day(made: datetime) -> tuple[int, ...]:
    return (made.year, made.month, made.day)


def _week(made: datetime) -> tuple[int, ...]:
    return made.isocalendar()[:2]


def _month(made: datetime) -> tuple[int, ...]:
    return (made.year, made.month)


def restore(store: Path, source: Path, *, now_ms: int, local: datetime, policy_of: PolicyOf) -> Restored:
    """Bring back a copy, after a check of it, and after a copy of what is here now.

    The copy must be whole and its log must replay; memories that differ from the log are put right. The store
    draws a new device id, so that what is answered from now on cannot be mistaken for what was lost.

    Args:
        store: The store's file, which may be damaged or missing.
        source: The copy.
        now_ms: The wall clock, UTC milliseconds.
        local: The same in the learner's zone, for the name of the copy of what is here.
        policy_of: Gives the policy for rows whose outcome must be computed anew.

    Raises:
        UsageError: If there is no such copy.
        StoreError: If the copy is damaged, foreign or newer, or the store is locked. Nothing was changed.
    """
    from studyapp.store.restoring import bring_back, checked_copy

    if not source.is_file():
        raise UsageError(f"There is no copy {source}.", "`studyapp restore` lists the copies.")
    if source.resolve() == store.resolve():
        raise UsageError(f"{source} is the store itself.", "`studyapp restore` lists the copies.")
    _make_private(folder_of(store))
    with checked_copy(store, source, now_ms=now_ms, policy_of=policy_of) as (draft, different):
        answers, cards = _counts(draft)
        kept = bring_back(store, draft, _free_name(store, local, "before-restore"), now_ms=now_ms)
    return Restored(answers, cards, kept, different)


def _counts(draft: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(draft)) as raw:
        answers = raw.execute("SELECT count(*) FROM reviews WHERE rating > 0").fetchone()[0]
        return int(answers), int(raw.execute("SELECT count(*) FROM cards").fetchone()[0])


def before(desk: Desk, why: str) -> Callable[[], Path]:
    """Return a function that makes the copy before a change ("merge", "import", "rebuild")."""
    return lambda: make_copy(desk, f"before-{why}")
