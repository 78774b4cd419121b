"""Turns what SQLite and the file system say into a `StoreError`: what happened, where, what to do."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from studyapp.core.errors import StoreError

_LITTLE_ROOM_BYTES = 64 * 1024
"""Below this much free room an I/O error is reported as a full disk (a quota shows up as one; our choice)."""


def store_error(error: BaseException, path: Path) -> StoreError:
    """Return the `StoreError` for a driver's or SQLAlchemy's error; nothing of the transaction was stored.

    Args:
        error: A `sqlite3.Error`, or SQLAlchemy's wrapper with the driver's error in `orig`.
        path: The store's file, named in the message.
    """
    cause = getattr(error, "orig", None) or error
    name = str(getattr(cause, "sqlite_errorname", ""))
    if name.startswith("SQLITE_FULL") or (name.startswith("SQLITE_IOERR") and _no_room(path)):
        return StoreError(
            f"Not stored, disk full: {path} cannot grow.",
            "Make room (or raise the quota) and try again; everything stored earlier is safe.",
        )
    for prefix, (what, advice) in _SENTENCES.items():
        if name.startswith(prefix):
            return StoreError(what.format(path=path), advice)
    return StoreError(f"The store {path} failed: {cause}.", "`studyapp doctor` looks for the reason.")


_SENTENCES = {
    "SQLITE_BUSY": (
        "Not stored: {path} is locked by another program.",
        "Try again; if it stays locked, close the other program (it may be suspended with Ctrl-Z).",
    ),
    "SQLITE_LOCKED": ("Not stored: {path} is locked by another program.", "Try again."),
    "SQLITE_PROTOCOL": (
        "Not stored: the file system of {path} does not lock files as a database needs it.",
        "Name a folder on a local disk with --data-dir.",
    ),
    "SQLITE_READONLY": (
        "Not stored: {path} is read-only for you.",
        "Give yourself write permission on the file and its folder, or name another folder with --data-dir.",
    ),
    "SQLITE_PERM": ("You have no permission for {path}.", "Name another folder with --data-dir."),
    "SQLITE_CORRUPT": (
        "The store {path} is damaged.",
        "Keep a copy of the file, then bring back the latest backup with `studyapp restore`.",
    ),
    "SQLITE_NOTADB": (
        "{path} is not a studyapp store: no database, or a damaged one.",
        "Move the file away, or bring back the latest backup with `studyapp restore`.",
    ),
    "SQLITE_CANTOPEN": (
        "The store {path} cannot be opened.",
        "Check that the folder exists and that you may write in it, or name another with --data-dir.",
    ),
    "SQLITE_IOERR": (
        "Not stored: reading or writing {path} failed.",
        "Check the disk and the mount, then try again; everything stored earlier is safe.",
    ),
}


def _no_room(path: Path) -> bool:
    try:
        room = os.statvfs(path.parent)
    except OSError:
        return False
    return room.f_bavail * room.f_frsize < _LITTLE_ROOM_BYTES


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether another connection holds the lock that was asked for."""
    return str(getattr(error, "sqlite_errorname", "")).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
