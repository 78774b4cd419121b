"""Keeping the store well: small settings of its own, copies, checks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from studyapp.core.errors import StoreError
from studyapp.store.copying import check, copy_database
from studyapp.store.session import Session


def meta_get(session: Session, key: str) -> str | None:
    """Return the value kept under a key, None for none."""
    with session.read_driver() as connection:
        row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def meta_set(session: Session, key: str, value: str) -> None:
    """Keep a value under a key."""
    meta_set_all(session, {key: value})


def meta_set_all(session: Session, values: Mapping[str, str]) -> None:
    """Keep several values, each under its key, in one transaction."""
    with session.write_driver() as connection:
        for key, value in values.items():
            connection.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )


def backup(session: Session, target: Path) -> None:
    """Write a checked copy of the store: one file, mode 600. A copy that is opened draws a device id of its own.

    Raises:
        StoreError: If the target is the store itself or cannot be written, or the copy is not whole.
    """
    if target.resolve() == session.path.resolve():
        raise StoreError(f"{target} is the store itself.", "Name another file for the backup.")
    copy_database(session.path, target, session.alone)


def integrity(session: Session) -> list[str]:
    """Return what SQLite's integrity and foreign key checks find, empty when all is well."""
    with session.alone() as raw:
        return check(raw)
