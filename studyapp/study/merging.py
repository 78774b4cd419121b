"""Two machines, one record: merging another store, and keeping in step with a host or a shared folder.

What is merged is a union, so every way may be taken in any order, twice, or broken off: nothing is lost and nothing
counted twice. The other store is only read. The log then decides memory and marks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.errors import StoreError
from studyapp.store.merging import Merged, Progress, merge_staged
from studyapp.store.staging import staged_file
from studyapp.study.backing_up import before, daily
from studyapp.study.rebuilding import policies

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

__all__ = ["Merged", "NotInTimeError", "merge_file", "sync_in", "sync_out"]


class NotInTimeError(StoreError):
    """Keeping in step took longer than it may; nothing was changed, the next time goes on from there."""


def merge_file(desk: Desk, other: Path, progress: Progress = lambda what, done, total: None) -> Merged:
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
