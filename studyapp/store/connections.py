"""The store's one connection: how it is opened, how its journal is chosen, and how a transaction begins."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from studyapp.store.trouble import is_busy

BUSY_TIMEOUT_MS = 5000
"""How long a write waits for another program's transaction (DESIGN: then the learner is asked)."""
WAL_BOUND_PAGES = 10_000
"""Checkpoints run when the store is idle; only past this length (40 MB) does SQLite checkpoint by itself."""
_RETRY_S = 0.02


def connect(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    """Return a driver connection in autocommit mode, usable from several threads in turn.

    Autocommit, because the driver's own implicit BEGIN leaves DDL outside of transactions.
    """
    raw = sqlite3.connect(
        path,
        timeout=busy_timeout_ms / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    try:
        raw.execute("PRAGMA foreign_keys=ON")
    except sqlite3.Error:
        raw.close()
        raise
    return raw


def choose_journal(raw: sqlite3.Connection, network: bool, busy_timeout_ms: int) -> str:
    """Set the journal mode and full durability; return the mode read back ("wal", "delete").

    WAL needs memory shared between all who open the file, which a network file system cannot give; where it
    cannot be had, the rollback journal is used.
    """
    mode = "delete" if network else "wal"
    try:
        _set_journal(raw, mode, busy_timeout_ms)
    except sqlite3.OperationalError as error:
        if network or is_busy(error) or str(error.sqlite_errorname).startswith("SQLITE_FULL"):
            raise
        _set_journal(raw, "delete", busy_timeout_ms)  # "locking protocol", "disk I/O error": no shared memory here
    raw.execute("PRAGMA synchronous=FULL")
    raw.execute(f"PRAGMA wal_autocheckpoint={WAL_BOUND_PAGES}")
    return journal_mode(raw)


def journal_mode(raw: sqlite3.Connection) -> str:
    """Return the journal mode in use, as SQLite says."""
    return str(raw.execute("PRAGMA journal_mode").fetchone()[0])


def _set_journal(raw: sqlite3.Connection, mode: str, busy_timeout_ms: int) -> None:
    # changing the mode does not wait for a lock as statements do, so we wait here
    deadline = time.monotonic() + busy_timeout_ms / 1000
    while True:
        try:
            if journal_mode(raw) != mode:
                raw.execute(f"PRAGMA journal_mode={mode}").fetchone()
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
        time.sleep(_RETRY_S)


def begin(raw: sqlite3.Connection, write: bool) -> None:
    """Begin a transaction by hand.

    One that writes begins with BEGIN IMMEDIATE: it takes the write lock first and waits for it, where one that
    reads before it writes would fail at once. Others begin with BEGIN, so readers lock nobody out.
    """
    raw.execute("BEGIN IMMEDIATE" if write else "BEGIN")
