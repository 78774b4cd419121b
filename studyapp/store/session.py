"""One open store file: its connection, its lock, and the two kinds of transactions everything else is built on."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from studyapp.core.errors import StoreError
from studyapp.store.connections import make_engine
from studyapp.store.identity import save_mark
from studyapp.store.trouble import store_error


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
        self._engine = make_engine(raw)
        self._reader = self._engine.connect()
        self._writer = self._engine.connect().execution_options(write=True)
        self._open = True
        self._writes = 0

    @property
    def device(self) -> str:
        """The id of this store on this machine, 32 hex digits."""
        return self.device_bytes.hex()

    @contextlib.contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection in a read transaction: one consistent view, no lock on writers.

        Raises:
            StoreError: If SQLite or the disk fails.
        """
        with self._transaction(self._reader) as connection:
            yield connection

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield a connection in a write transaction, committed at the end, rolled back on any error.

        Raises:
            StoreError: If the lock, SQLite or the disk fails; nothing was stored.
        """
        with self._transaction(self._writer) as connection:
            yield connection
        self._writes += 1

    @contextlib.contextmanager
    def _transaction(self, connection: Connection) -> Iterator[Connection]:
        with self._lock:
            self._require_open()
            try:
                with connection.begin():
                    yield connection
            except (DBAPIError, sqlite3.Error) as error:
                raise store_error(error, self.path) from error
            finally:
                if self.raw.in_transaction:  # a COMMIT that found a lock leaves its transaction open
                    self.raw.rollback()

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
            self._reader.close()
            self._writer.close()
            self._engine.dispose()
            self.raw.close()
