"""Lessons whose files are gone: most starts find none, and then nothing heavy is imported."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from studyapp.store.origins import ORIGIN
from studyapp.store.session import Session

_SHOWN = "SELECT id FROM modules WHERE hidden = 0 AND substr(path, 1, ?) <> ? ORDER BY ordinal"


def hide_missing(session: Session, present: Collection[str]) -> int:
    """Hide the modules that are no longer there, with their cards; return how many cards were hidden.

    Modules that no file stands behind (imported from Anki) stay.

    Args:
        session: The store.
        present: Ids of all modules that were found.
    """
    with session.read_driver() as connection:  # nobody waits for a lock where nothing is to be hidden
        if not missing(connection, present):
            return 0
    from studyapp.store.saving import hide

    return hide(session, present)


def missing(connection: sqlite3.Connection, present: Collection[str]) -> list[str]:
    """Return the modules that are shown, come from files and are not among those present."""
    shown = connection.execute(_SHOWN, (len(ORIGIN), ORIGIN))
    return [module for (module,) in shown if module not in present]
