"""Schema revisions: read before anything is written, upgraded in one transaction after a backup.

Alembic costs 150 ms to import (measured, 2 EPYC cores), so it is only loaded when the revision differs.
"""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp import __version__
from studyapp.core.errors import StoreError
from studyapp.store.copying import copy_database
from studyapp.store.trouble import store_error

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True)
class Revisions:
    """The schema revisions this program knows, oldest first, and the folder that holds them."""

    known: tuple[str, ...]
    folder: Path

    @property
    def head(self) -> str:
        """The revision this program works with."""
        return self.known[-1]


SHIPPED = Revisions(known=("0001", "0002", "0003"), folder=Path(__file__).parent / "migrations")
"""A test holds `known` against the files in the folder."""

_BY_WRITING = frozenset({"SQLITE_READONLY", "SQLITE_CANTOPEN"})
"""What a read-only look says when a crash left a journal behind, which only a writer may roll back."""


def look(path: Path, revisions: Revisions, busy_timeout_ms: int) -> str | None:
    """Return a file's revision without writing a byte to it; None for an empty file.

    Raises:
        StoreError: If the file is newer than this program, is no store, or cannot be read.
    """
    try:
        try:
            found = _read_revision(path, "ro", busy_timeout_ms)
        except sqlite3.OperationalError as error:
            if not str(error.sqlite_errorname).startswith(tuple(_BY_WRITING)):
                raise
            found = _read_revision(path, "rw", busy_timeout_ms)
    except sqlite3.Error as error:
        raise store_error(error, path) from error
    refuse_strange(found, path, revisions)
    return found


def refuse_strange(found: str | None, path: Path, revisions: Revisions) -> None:
    """Raise unless a revision is one this program knows, or None.

    Raises:
        StoreError: If it is not.
    """
    if found is None or found in revisions.known:
        return
    if not found:
        raise StoreError(
            f"{path} is a database, but not a studyapp store.", "Name another folder with --data-dir."
        )
    raise StoreError(
        f"This store was written by studyapp with schema {found}, you have {revisions.head} "
        f"(studyapp {__version__}): {path}. Nothing was changed.",
        "Update studyapp on this machine, or name another folder with --data-dir.",
    )


def _read_revision(path: Path, mode: str, busy_timeout_ms: int) -> str | None:
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=busy_timeout_ms / 1000, isolation_level=None)
    with contextlib.closing(connection):
        return read_revision(connection)


def read_revision(connection: sqlite3.Connection) -> str | None:
    """Return the revision: None for an empty database, "" for someone else's."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return None
    if "alembic_version" not in tables:
        return ""
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(row[0]) if row else ""


def upgrade(connection: Connection, raw: sqlite3.Connection, path: Path, revisions: Revisions) -> None:
    """Bring a store to the newest schema, inside the write transaction open on `connection`.

    Another program may have upgraded it while this one waited for the lock, so the revision is read again.

    Args:
        connection: Holds BEGIN IMMEDIATE; the caller commits.
        raw: The driver's connection under it.
        path: The store's file; tables that exist are copied beside it first.
        revisions: What this program knows.

    Raises:
        StoreError: If the store is newer than this program, or the copy fails.
    """
    found = read_revision(raw)
    refuse_strange(found, path, revisions)
    if found == revisions.head:
        return
    if found is not None:
        copy_database(path, path.with_name(f"{path.stem}.before-{revisions.head}{path.suffix}"))
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(revisions.folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
