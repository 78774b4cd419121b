"""Brings back a copy of the store: checked first, put in place whole, and another device from then on."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from studyapp.core.errors import StoreError
from studyapp.core.replay import PolicyOf
from studyapp.scratch import scratch_folder
from studyapp.store.connections import BUSY_TIMEOUT_MS, connect
from studyapp.store.copying import copy_database
from studyapp.store.database import open_store
from studyapp.store.files import make_private_file
from studyapp.store.identity import draw_device
from studyapp.store.replaying import differences, put_right
from studyapp.store.revision import SHIPPED, look
from studyapp.store.staging import copy_out
from studyapp.store.trouble import is_busy, store_error


@contextlib.contextmanager
def checked_copy(store: Path, source: Path, *, now_ms: int, policy_of: PolicyOf) -> Iterator[tuple[Path, int]]:
    """Yield a private copy of a copy, whole and in agreement with its log, and how many cards were put right.

    Raises:
        StoreError: If it is damaged, no store, or newer than this program.
    """
    with scratch_folder(".restore-", store.parent) as folder:
        draft = folder / "copy.db"
        copy_out(source, draft)
        with open_store(draft, now_ms=now_ms) as copy:  # upgraded where it is old
            if problems := copy.integrity():
                raise StoreError(
                    f"{source} is damaged ({problems[0]}); nothing was changed.", "Take an older copy."
                )
            with copy.read() as connection:
                found = [replay for replay, _ in differences(connection, policy_of)]
            if found:
                with copy.write() as connection:
                    put_right(connection, found)
            copy.rebuild_rollups()
        yield draft, len(found)


def bring_back(store: Path, draft: Path, kept: Path, *, now_ms: int) -> Path | None:
    """Put a checked copy in the store's place; return where the record from before lies, None for none.

    Where the store can be opened the copy is written into it, so that another window sees it at its next
    transaction; a damaged file is moved aside.

    Args:
        store: The store's file.
        draft: The checked copy.
        kept: Where the present record shall go.
        now_ms: When a device id is drawn, UTC milliseconds.

    Raises:
        StoreError: If the store is locked, or the disk is full.
    """
    there = store.exists()
    if there and _is_whole(store):
        copy_database(store, kept)
        _write_into(store, draft)
    else:
        _move_aside(store, kept)
        copy_database(draft, store)
    with open_store(store, now_ms=now_ms) as opened, opened.write():
        draw_device(opened.raw, store, now_ms)
    return kept if there else None


def _is_whole(store: Path) -> bool:
    try:
        if look(store, SHIPPED, BUSY_TIMEOUT_MS) is None:
            return False
        with contextlib.closing(connect(store, BUSY_TIMEOUT_MS)) as raw:
            return [row[0] for row in raw.execute("PRAGMA quick_check")] == ["ok"]
    except StoreError:
        return False
    except sqlite3.Error as error:
        if is_busy(error):
            raise store_error(error, store) from error
        return False


def _write_into(store: Path, draft: Path) -> None:
    """Replace the content through SQLite: one transaction, seen whole or not at all by other windows."""
    try:
        with (
            contextlib.closing(sqlite3.connect(draft)) as source,
            contextlib.closing(connect(store, BUSY_TIMEOUT_MS)) as target,
        ):
            target.execute("PRAGMA synchronous=FULL")
            source.backup(target)
    except sqlite3.Error as error:
        raise store_error(error, store) from error


def _move_aside(store: Path, kept: Path) -> None:
    for tail in ("", "-wal", "-shm", "-journal"):
        part = store.with_name(store.name + tail)
        if part.exists():
            part.rename(kept.with_name(kept.name + tail))
    make_private_file(store)
