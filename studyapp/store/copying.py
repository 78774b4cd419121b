"""Copies of a store: as its file lies there, or through SQLite's backup interface while others write; checked."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path

from studyapp.core.errors import StoreError
from studyapp.store.fast_copying import copy_file
from studyapp.store.files import make_private_file
from studyapp.store.trouble import store_error

Alone = Callable[[], AbstractContextManager[sqlite3.Connection]]
"""Lends the connection of a store that is open here (`Session.alone`)."""


def copy_database(source: Path, target: Path, alone: Alone | None = None) -> None:
    """Write a checked copy of a store: one file, mode 600, on disk and in place only when it is whole.

    Args:
        source: The store's file.
        target: Where the copy goes.
        alone: Where the store is open here: its file is then copied as it is, if it can be, and the check keeps
            nobody from it. Else it is read through a connection of its own, so the caller may hold a write
            transaction on it.

    Raises:
        StoreError: If the copy cannot be written or does not pass SQLite's quick check.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with nullcontext() if alone is None else alone() as opened, _in_words(target):
            _copy(source, draft, opened)
        with _in_words(target):
            problems = _finish(draft)
            if problems:
                raise StoreError(
                    f"The copy of {source} is not whole: {problems[0]}.", "Look with `studyapp doctor`."
                )
            draft.replace(target)
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):
            draft.with_name(draft.name + ending).unlink(missing_ok=True)


@contextmanager
def _in_words(target: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, target) from error
    except OSError as error:
        raise StoreError(
            f"The copy {target} cannot be written: {error.strerror or error}.", "Name another place."
        ) from error


def _copy(source: Path, draft: Path, opened: sqlite3.Connection | None) -> None:
    draft.unlink(missing_ok=True)
    make_private_file(draft)
    if opened is not None and copy_file(opened, source, draft):
        return
    draft.unlink()
    make_private_file(draft)
    with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as reader:
        _copy_through(reader, draft)


def copy_pages(reader: sqlite3.Connection, draft: Path) -> list[str]:
    """Copy all pages into an empty file that nobody else knows yet; return what a quick check of it finds."""
    _copy_through(reader, draft)
    return _finish(draft)


def _copy_through(reader: sqlite3.Connection, draft: Path) -> None:
    """Copy all pages by SQLite's backup interface.

    Needs no journal, as the draft counts for nothing until it is whole, and one sync instead of many: a third of
    the time (measured, 37 MB).
    """
    with closing(sqlite3.connect(draft, isolation_level=None)) as copy:
        copy.execute("PRAGMA journal_mode=OFF")
        copy.execute("PRAGMA synchronous=OFF")
        reader.backup(copy)


def _finish(draft: Path) -> list[str]:
    """Make a copy one file that can be carried away, on disk; return what a quick check of it finds.

    The quick check leaves out whether each index has every row, which a full one does.
    """
    with closing(sqlite3.connect(draft, isolation_level=None)) as copy:
        copy.execute("PRAGMA synchronous=OFF")
        copy.execute("PRAGMA journal_mode=DELETE")
        found = [str(row[0]) for row in copy.execute("PRAGMA quick_check")]
    with draft.open("rb+") as file:
        os.fsync(file.fileno())
    return [] if found == ["ok"] else found


def check(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite's integrity and foreign key checks find, empty when all is well."""
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    problems = [] if found == ["ok"] else found
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        problems.append(f"row {row} of {table} names a missing row of {parent}")
    return problems
