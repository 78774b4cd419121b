"""SQLAlchemy Core on the store's one connection.

Import this late: SQLAlchemy costs 100 ms and 16 MB (measured, 2 EPYC cores), and a sitting may do without.
"""

from __future__ import annotations

import logging
import sqlite3

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.pool import StaticPool

from studyapp.store.connections import begin

# what the pool says of a connection that Ctrl-C closed is said by the exit code already
logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())


class Core:
    """Two handles on one connection; their transactions begin by hand, as those of the driver do."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self._engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)

        @event.listens_for(self._engine, "begin")
        def by_hand(connection: Connection) -> None:
            begin(raw, write=connection.get_execution_options().get("write", False))

        self._reader = self._engine.connect()
        self._writer = self._engine.connect().execution_options(write=True)

    def connection(self, write: bool) -> Connection:
        """Return the handle whose transactions may write, or the one whose transactions only read."""
        return self._writer if write else self._reader

    def close(self) -> None:
        """Let go of the connection, which stays open."""
        self._reader.close()
        self._writer.close()
        self._engine.dispose()
