"""Which store this is: a random device id that is drawn anew when the file was copied, moved or restored.

Two signs give a copy away: the fingerprint (path, inode, host) is unknown to the file, or the file's log ends
before the high-water mark kept in a small file beside it (an older state was put back in the same place).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import secrets
import sqlite3
from pathlib import Path

from studyapp.store.files import make_private_file

_MACHINE_ID = Path("/etc/machine-id")
_LAST_COUNTER = "SELECT counter FROM reviews WHERE device = ? ORDER BY counter DESC LIMIT 1"


def fingerprint(path: Path) -> str:
    """Return 32 hex digits over the file's place, inode and host: same file, same machine, same answer."""
    machine = ""
    with contextlib.suppress(OSError):
        machine = _MACHINE_ID.read_text(encoding="ascii", errors="replace").strip()
    marks = (str(path.resolve()), str(path.stat().st_ino), machine, platform.node())
    return hashlib.blake2b("\x1f".join(marks).encode(errors="surrogateescape"), digest_size=16).hexdigest()


def known_device(raw: sqlite3.Connection, path: Path) -> bytes | None:
    """Return the id this file has on this machine, or None when it must draw a new one."""
    row = raw.execute(
        "SELECT device FROM devices WHERE fingerprint = ? ORDER BY rowid DESC LIMIT 1",
        (fingerprint(path),),
    ).fetchone()
    if row is None:
        return None
    device = bytes(row[0])
    return device if last_counter(raw, device) >= _read_mark(path).get(device.hex(), 0) else None


def draw_device(raw: sqlite3.Connection, path: Path, now_ms: int) -> bytes:
    """Draw a new random id for this file on this machine, inside the caller's transaction; return it."""
    device = secrets.token_bytes(16)
    raw.execute("INSERT INTO devices VALUES (?, ?, ?)", (device, fingerprint(path), now_ms))
    return device


def last_counter(raw: sqlite3.Connection, device: bytes) -> int:
    """Return the highest counter a device has used, 0 for none."""
    row = raw.execute(_LAST_COUNTER, (device,)).fetchone()
    return int(row[0]) if row else 0


def save_mark(raw: sqlite3.Connection, path: Path, device: bytes) -> None:
    """Note beside the store how far its log reaches; a mark that cannot be written is left out."""
    mark = _read_mark(path)
    counter = last_counter(raw, device)
    if mark.get(device.hex(), 0) >= counter:
        return
    place = _mark_path(path)
    with contextlib.suppress(OSError):
        make_private_file(place)
        place.write_text(json.dumps({**mark, device.hex(): counter}), encoding="ascii")


def _mark_path(path: Path) -> Path:
    return path.with_name(path.name + ".mark")


def _read_mark(path: Path) -> dict[str, int]:
    try:
        found = json.loads(_mark_path(path).read_text(encoding="ascii"))
        return {str(device): int(counter) for device, counter in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
