"""Copies of a store through SQLite's backup interface: consistent while others write, checked when done."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from studyapp.core.errors import StoreError
from studyapp.store.files import make_private_file
from studyapp.store.trouble import store_error


def copy_database(source: Path, target: Path) -> None:
    """Write a checked copy of a store: one file, mode 600, in place only when it is whole.

    The source is read through a connection of its own, so the caller may hold a write transaction on it.

    Raises:
        StoreError: If the copy cannot be written or does not pass SQLite's integrity check.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _copy(source, draft)
        draft.replace(target)
    except sqlite3.Error as error:
        raise store_error(error, target) from error
    except OSError as error:
        raise StoreError(
            f"The copy {target} cannot be written: {error.strerror or error}.", "Name another place."
        ) from error
    finally:
        for leftover in (draft, draft.with_name(draft.name + "-journal")):
            leftover.unlink(missing_ok=True)


def _copy(source: Path, draft: Path) -> None:
    draft.unlink(missing_ok=True)
    make_private_file(draft)
    reader = sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)
    with contextlib.closing(reader), contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as copy:
        reader.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file that can be carried away
        problems = check(copy)
    if problems:
        raise StoreError(f"The copy of {source} is not whole: {problems[0]}.", "Look with `studyapp doctor`.")


def check(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite's integrity and foreign key checks find, empty when all is well."""
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    problems = [] if found == ["ok"] else found
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        problems.append(f"row {row} of {table} names a missing row of {parent}")
    return problems
