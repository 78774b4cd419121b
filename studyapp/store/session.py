"""One open store file: its connection, its lock, and the transactions everything else is built on.

A transaction is the same whoever runs its statements: SQLAlchemy Core (`read`, `write`), or the driver itself
(`read_driver`, `write_driver`) where a statement is plain SQL and a learner waits. SQLAlchemy is imported by the
first transaction that asks for it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from studyapp.core.errors import StoreError, WouldWaitError
from studyapp.store.connections import begin
from studyapp.store.identity import save_mark
from studyapp.store.trouble import is_busy, store_error

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from studyapp.store.core_engine import Core

Handle: TypeAlias = "Connection | sqlite3.Connection"
"""A connection in a transaction, SQLAlchemy's or the driver's."""


def driver(connection: Handle) -> sqlite3.Connection:
    """Return the driver's connection, in the transaction that is open.

    A look-up costs 1.3 instead of 9 microseconds through SQLAlchemy (measured, 2 EPYC cores).
    """
    if isinstance(connection, sqlite3.Connection):
        return connection
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw


def scalar(found: sqlite3.Cursor) -> Any:
    """Return the first value of the first row, None where there is none."""
    row = found.fetchone()
    return None if row is None else row[0]


class Session:
    """An open store. Safe to call from several threads: one lock, one connection, one transaction at a time."""

    def __init__(self, path: Path, raw: sqlite3.Connection, journal_mode: str) -> None:
        self.path = path
        self.journal_mode = journal_mode
        """As read back from SQLite: "wal", or "delete" on a network file system."""
        self.sqlite_version = sqlite3.sqlite_version
        self.device_bytes = b""
        self.raw = raw
        self._lock = threading.RLock()
        self._core: Core | None = None
        self._open = True
        self._writes = 0

    @property
    def device(self) -> str:
        """The id of this store on this machine, 32 hex digits."""
        return self.device_bytes.hex()

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield SQLAlchemy's connection in a read transaction: one consistent view, no lock on writers.

        Raises:
            StoreError: If SQLite or the disk fails.
        """
        with self._alone_inside():
            connection = self._handle(write=False)
            with connection.begin():
                yield connection

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield SQLAlchemy's connection in a write transaction, committed at the end, rolled back on any error.

        Raises:
            StoreError: If the lock, SQLite or the disk fails; nothing was stored.
        """
        with self._alone_inside():
            connection = self._handle(write=True)
            with connection.begin():
                yield connection
        self._writes += 1

    @contextlib.contextmanager
    def read_driver(self) -> Iterator[sqlite3.Connection]:
        """Yield the driver's connection in a transaction as `read` has it.

        Raises:
            StoreError: If SQLite or the disk fails.
        """
        with self._alone_inside():
            begin(self.raw, write=False)
            yield self.raw
            self.raw.commit()

    @contextlib.contextmanager
    def write_driver(self) -> Iterator[sqlite3.Connection]:
        """Yield the driver's connection in a transaction as `write` has it.

        Raises:
            StoreError: If the lock, SQLite or the disk fails; nothing was stored.
        """
        with self._alone_inside():
            begin(self.raw, write=True)
            yield self.raw
            self.raw.commit()
        self._writes += 1

    @contextlib.contextmanager
    def _alone_inside(self) -> Iterator[None]:
        """Hold the lock, name what fails, and leave no transaction open."""
        with self._lock:
            self._require_open()
            try:
                yield
            except Exception as error:
                # SQLAlchemy's errors carry the driver's in `orig`
                if isinstance(getattr(error, "orig", error), sqlite3.Error):
                    raise store_error(error, self.path) from error
                raise
            finally:
                if self.raw.in_transaction:  # rolled back on an error; a COMMIT that found a lock leaves it open
                    self.raw.rollback()

    def _handle(self, write: bool) -> Connection:
        if self._core is None:
            from studyapp.store.core_engine import Core

            self._core = Core(self.raw)
        return self._core.connection(write)

    @contextlib.contextmanager
    def without_waiting(self) -> Iterator[None]:
        """Let a write inside fail at once where it would have to wait: for a lock, or for a network.

        Raises:
            WouldWaitError: If it would; nothing was stored.
        """
        if self.journal_mode != "wal" or not self._lock.acquire(blocking=False):
            raise WouldWaitError("Not stored: it would have to wait.", "Try again.")
        try:
            (patience_ms,) = self.raw.execute("PRAGMA busy_timeout").fetchone()
            self.raw.execute("PRAGMA busy_timeout = 0")
            try:
                yield
            except StoreError as error:
                if isinstance(error.__cause__, sqlite3.Error) and is_busy(error.__cause__):
                    raise WouldWaitError(error.message, error.hint) from error
                raise
            finally:
                self.raw.execute(f"PRAGMA busy_timeout = {patience_ms}")
        finally:
            self._lock.release()

    @contextlib.contextmanager
    def alone(self) -> Iterator[sqlite3.Connection]:
        """Yield the driver's connection outside any transaction: checkpoints, backups, checks.

        Raises:
            StoreError: If SQLite or the disk fails.
        """
        with self._lock:
            self._require_open()
            try:
                yield self.raw
            except sqlite3.Error as error:
                raise store_error(error, self.path) from error

    def _require_open(self) -> None:
        if not self._open:
            raise StoreError(f"The store {self.path} is closed.", "Open it again.")

    def idle(self, least_writes: int = 0) -> None:
        """Move the write-ahead log into the file as far as nobody reads it; call when the learner pauses.

        It runs on the store's own connection: SQLite before 3.51.3 can lose a WAL when a second one checkpoints.

        Args:
            least_writes: Do nothing before so many transactions were written since the last time.

        Raises:
            StoreError: If the disk fails.
        """
        if self._writes < least_writes:
            return
        with self.alone() as raw:
            raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            save_mark(raw, self.path, self.device_bytes)
            self._writes = 0

    def close(self) -> None:
        """Close the store; a second call does nothing."""
        with self._lock:
            if not self._open:
                return
            self._open = False
            if self.device_bytes:
                with contextlib.suppress(sqlite3.Error):
                    save_mark(self.raw, self.path, self.device_bytes)
            if self._core is not None:
                self._core.close()
            self.raw.close()
