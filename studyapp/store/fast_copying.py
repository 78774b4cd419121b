"""Copies an open store's file by the system's own `cp`.

It takes a third of the time of SQLite's own way, less where the file system shares blocks. While a read
transaction stands on a write-ahead log that was moved into the file as a whole, nobody may write to the file: a
checkpoint of later pages waits for that reader. The file is opened by a child process alone: a process that opens
and closes a file loses all locks that it has on it, those of SQLite included (POSIX).
"""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

_TRIES = 3


class _AsItIsError(Exception):
    """The file cannot be copied as it is."""


def copy_file(raw: sqlite3.Connection, source: Path, draft: Path) -> bool:
    """Copy the file of an open store; return False where it cannot be copied as it is.

    Args:
        raw: The store's connection.
        source: Its file.
        draft: An empty file, private already.
    """
    quiet = subprocess.DEVNULL
    words = ["cp", str(source.resolve()), str(draft.resolve())]
    try:
        with _standing_still(raw):
            subprocess.run(words, check=True, stdin=quiet, stdout=quiet, stderr=quiet)
            return draft.stat().st_size == source.stat().st_size
    except (_AsItIsError, OSError, subprocess.CalledProcessError):
        return False


@contextlib.contextmanager
def _standing_still(raw: sqlite3.Connection) -> Iterator[None]:
    """Hold a read transaction in which the file alone is the whole store, and stays as it is."""
    if raw.in_transaction:
        raise _AsItIsError
    for _ in range(_TRIES):
        before = _version(raw)
        busy, pages, moved = raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if busy or pages != moved:  # somebody still reads an older state
            raise _AsItIsError
        raw.execute("BEGIN")
        try:
            raw.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if _version(raw) == before:  # nobody has written since
                yield
                return
        finally:
            raw.execute("ROLLBACK")
    raise _AsItIsError


def _version(raw: sqlite3.Connection) -> int:
    return int(raw.execute("PRAGMA data_version").fetchone()[0])
