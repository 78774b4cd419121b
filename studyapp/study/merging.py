"""Two machines, one record: merging another store, and keeping in step with a host or a shared folder.

What is merged is a union, so every way may be taken in any order, twice, or broken off: nothing is lost and
nothing counted twice. The other store is only read. The log then decides memory and marks.
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.errors import StudyError
from studyapp.store.merging import Merged, Progress, merge_staged
from studyapp.store.staging import staged_file
from studyapp.study.backing_up import before, daily
from studyapp.study.desk import SYNC_TROUBLE
from studyapp.study.reachable import NotInTimeError, in_time
from studyapp.study.rebuilding import policies

if TYPE_CHECKING:
    from studyapp.study.desk import Desk
    from studyapp.study.far import Exchanged, Far

__all__ = [
    "Merged",
    "NotInTimeError",
    "is_folder",
    "leave_in_step",
    "merge_far",
    "merge_file",
    "sync_in",
    "sync_out",
]

IN_LIMIT_S = 2.0
"""How long the start may spend on keeping in step, in the background."""
IN_GRACE_S = 1.0
"""How much longer a folder that does not answer is waited for."""
OUT_LIMIT_S = 5.0
"""How long quitting may."""


def _silent(what: str, done: int, total: int) -> None:
    """Hear how far a merge is, and say nothing."""


def merge_file(desk: Desk, other: Path, progress: Progress = _silent) -> Merged:
    """Merge another store into this one, after a copy of this one; the other is not touched.

    Args:
        desk: The open desk.
        other: The other store's file.
        progress: Hears how far it is: what, how many are done, of how many.

    Raises:
        StoreError: If the other is newer, damaged or no store, or this one cannot be written; nothing was stored.
    """
    with staged_file(desk.store, other) as draft:
        return merge_staged(desk.store, draft, policies(desk), first=before(desk, "merge"), progress=progress)


def merge_far(desk: Desk, far: Far, progress: Progress = _silent) -> Exchanged:
    """Merge with another machine, both ways, each after a copy of its own.

    Raises:
        FarError: If it cannot be reached or has no studyapp; nothing was changed here.
        StoreError: If this store cannot be written.
    """
    from studyapp.study.far import exchange

    return exchange(desk, far, first=before(desk, "merge"), progress=progress)


def is_folder(where: str) -> bool:
    """Return whether the setting `sync` names a folder, by a slash, or ~ or . at its beginning; else a host."""
    return "/" in where or where.startswith(("~", "."))


def sync_in(desk: Desk, where: str, limit_s: float = IN_LIMIT_S, far: Far | None = None) -> Merged:
    """Take what other machines have, for at most so long; made for a thread beside the first frames.

    A sitting that is open meanwhile draws its queue anew where `Merged.anything`.

    Args:
        desk: The open desk; its store may be used by other threads meanwhile.
        where: The setting `sync`: a folder, or a host.
        limit_s: Seconds after which it is given up, with nothing changed.
        far: How to speak with the host, where it is one; None for the usual way.

    Raises:
        StoreError: If the folder or the host cannot be reached, or it took too long; the message says which.
    """
    deadline = time.monotonic() + limit_s

    def keep_to_it(what: str, done: int, total: int) -> None:
        if time.monotonic() > deadline:
            raise NotInTimeError(
                f"Merging from {where} needs more than {limit_s:g} s.", f"`studyapp merge {where}`."
            )

    if is_folder(where):
        from studyapp.study.segments import read_in

        place = Path(where).expanduser()
        # the merge keeps to the time itself; only a folder that holds us takes longer
        return in_time(
            lambda: read_in(desk, place, first=lambda: daily(desk), progress=keep_to_it),
            place,
            max(0.0, limit_s) + IN_GRACE_S,
        )
    from studyapp.study.far import Far, exchange

    way = far or Far(where)
    return exchange(desk, way, push=False, limit_s=limit_s, first=lambda: daily(desk), progress=keep_to_it).here


def sync_out(desk: Desk, where: str, limit_s: float = OUT_LIMIT_S, far: Far | None = None) -> int:
    """Give what is new here to the other machines; return how many rows went. Made for quitting.

    Args:
        desk: The open desk.
        where: The setting `sync`: a folder, or a host.
        limit_s: Seconds after which a folder or host is given up; what is lacking goes next time.
        far: How to speak with the host, where it is one; None for the usual way.

    Raises:
        StoreError: If the folder or the host cannot be reached or written in time; nothing here depends on it.
    """
    if is_folder(where):
        from studyapp.study.segments import write_out

        place = Path(where).expanduser()
        return in_time(lambda: write_out(desk, place), place, limit_s)
    from studyapp.study.far import Far, exchange

    way = far or Far(where)
    there = exchange(desk, way, pull=False, limit_s=limit_s).there
    return there.reviews + there.runs + there.predictions + there.readings + there.notes + there.challenges


def leave_in_step(desk: Desk, where: str, far: Far | None = None) -> None:
    """Give what is new here to the other machines when the learner quits; never fails.

    What went wrong is kept in words for the next start (`Desk.sync_trouble`), until it goes well once or the
    setting `sync` is empty.

    Args:
        desk: The open desk.
        where: The setting `sync`: a folder, a host, or "".
        far: How to speak with the host, where it is one; None for the usual way.
    """
    trouble = ""
    try:
        if where:
            sync_out(desk, where, far=far)
    except StudyError as error:
        trouble = f"The last answers did not go out. {error.message} {error.hint}".strip()
    except OSError as error:
        trouble = f"The last answers did not go out to {where}: {error.strerror or error}."
    with contextlib.suppress(StudyError):
        if trouble != desk.sync_trouble():
            desk.store.meta_set(SYNC_TROUBLE, trouble)
