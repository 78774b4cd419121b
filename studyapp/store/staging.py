"""Another record as a private copy that can be merged: read once, never written to, checked before it is used."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from studyapp.core.errors import StoreError
from studyapp.scratch import scratch_folder
from studyapp.store.copying import copy_pages
from studyapp.store.files import make_private_file
from studyapp.store.lines import TRAVELLING, Reader
from studyapp.store.revision import SHIPPED, read_revision
from studyapp.store.session import Session

_TIMEOUT_S = 5.0


@contextlib.contextmanager
def staged_file(session: Session, other: Path) -> Iterator[Path]:
    """Yield a checked copy of another store, brought to this program's schema; it goes when the block ends.

    The other file is opened read-only and stays as it is, byte for byte.

    Raises:
        StoreError: If it is this very store, no store, damaged, or newer than this program.
    """
    if not other.is_file():
        raise StoreError(f"There is no file {other}.", "Name a store (a .db file) or a host such as user@box.")
    if other.resolve() == session.path.resolve():
        raise StoreError(f"{other} is this store itself.", "Name the other one.")
    with _private_folder(session) as folder:
        draft = folder / "other.db"
        if copy_out(other, draft) != SHIPPED.head:
            from studyapp.store.database import open_store

            open_store(draft, now_ms=0).close()
        yield draft


@contextlib.contextmanager
def staged_lines(session: Session, lines: Iterable[str], reader: Reader) -> Iterator[Path]:
    """Yield a store that holds the rows of JSON lines; it goes when the block ends.

    Rows that break the tables' own rules are left out and counted in `reader.damaged`; two rows of one showing are
    both kept, as where two machines meet, and counted in `reader.twice`.

    Raises:
        StoreError: If the lines were written by a newer program.
    """
    named = ", ".join("?" * len(TRAVELLING))
    with session.alone() as raw:
        query = f"SELECT sql FROM sqlite_master WHERE type = 'table' AND name IN ({named})"
        statements = [row[0] for row in raw.execute(query, TRAVELLING)]
    with _private_folder(session) as folder:
        draft = folder / "lines.db"
        with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as copy:
            copy.execute("PRAGMA synchronous=OFF")  # a scratch file
            copy.execute("BEGIN")
            for statement in statements:
                copy.execute(statement)
            copy.execute("CREATE UNIQUE INDEX showings ON reviews (card, showing)")
            for table, row in reader.rows(lines):
                if table == "reviews":
                    reader.twice += _share_showing(copy, row)
                reader.damaged += not _insert(copy, table, row)
            copy.execute(
                "CREATE UNIQUE INDEX IF NOT EXISTS readings_once ON readings (module, section, at_ms, id)"
            )
            copy.execute("COMMIT")
        yield draft


def _insert(copy: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> bool:
    """Insert a row and return whether the table took it; a prediction may come twice, later with its run."""
    places = ", ".join("?" * len(row))
    try:
        copy.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(row)}) VALUES ({places})", tuple(row.values()))
    except (sqlite3.Error, OverflowError):
        return False
    return True


def _share_showing(copy: sqlite3.Connection, row: dict[str, Any]) -> bool:
    """Let one of two rows keep the key of a showing, the one with the lesser id; return whether there were two."""
    card, showing, uid = row.get("card"), row.get("showing"), row.get("uid")
    if showing is None or not isinstance(uid, bytes):
        return False
    query = "SELECT uid FROM reviews WHERE card = ? AND showing = ? AND uid <> ?"
    try:
        found = copy.execute(query, (card, showing, uid)).fetchone()
    except (sqlite3.Error, OverflowError):
        return False
    if found is None:
        return False
    if uid < found[0]:
        copy.execute("UPDATE reviews SET showing = NULL WHERE uid = ?", found)
    else:
        row["showing"] = None
    return True


@contextlib.contextmanager
def _private_folder(session: Session) -> Iterator[Path]:
    try:
        with scratch_folder(".merge-", session.path.parent) as folder:
            yield folder
    except OSError as error:
        raise StoreError(
            f"There is no room to merge beside {session.path}: {error.strerror or error}.",
            "Make room and try again.",
        ) from error


def copy_out(other: Path, draft: Path) -> str:
    """Copy another store through a read-only connection, check the copy, and return its revision.

    Raises:
        StoreError: If it is no store, damaged, or newer than this program.
    """
    try:
        return _copy_out(other, draft)
    except sqlite3.DatabaseError as error:
        raise _refused(other, error) from error


def _copy_out(other: Path, draft: Path) -> str:
    make_private_file(draft)
    # without a log beside it nobody is writing, and SQLite need not make one to read it; a store with a rollback
    # journal (a network home) must be read under its locks, since only they tell of a writer
    quiet = _in_wal_mode(other) and not other.with_name(other.name + "-wal").exists()
    uri = f"{other.resolve().as_uri()}?mode=ro{'&immutable=1' if quiet else ''}"
    reader = sqlite3.connect(uri, uri=True, timeout=_TIMEOUT_S, isolation_level=None)
    with contextlib.closing(reader):
        found = _known_revision(read_revision(reader), other)
        problems = copy_pages(reader, draft)
    if problems:
        raise StoreError(
            f"{other} is damaged ({problems[0]}); nothing was changed.", "Take a copy of it that is whole."
        )
    return found


def _in_wal_mode(path: Path) -> bool:
    """Return what the file's header says. Source: SQLite's file format, offset 18, "file format write version"."""
    with path.open("rb") as file:
        head = file.read(20)
    return len(head) == 20 and head[18] == 2


def _known_revision(found: str | None, other: Path) -> str:
    if not found:
        raise StoreError(f"{other} is a database, but not a studyapp store.", "Name the other machine's study.db.")
    if found not in SHIPPED.known:
        raise StoreError(
            f"{other} was written by a newer studyapp (schema {found}, you have {SHIPPED.head}). "
            "Nothing was changed.",
            "Update studyapp on this machine, then merge.",
        )
    return found


def _refused(other: Path, error: sqlite3.DatabaseError) -> StoreError:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name == "SQLITE_NOTADB":
        return StoreError(f"{other} is not a studyapp store.", "Name the other machine's study.db.")
    if name.startswith("SQLITE_CORRUPT"):
        return StoreError(f"{other} is damaged; nothing was changed.", "Take a copy of it that is whole.")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY_ROLLBACK")):
        return StoreError(f"{other} is being written by another program.", "Close that program there, then merge.")
    return StoreError(f"{other} cannot be read: {error}.", "Check the path and your permission.")
