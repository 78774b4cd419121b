"""Passports: what a machine was measured to reach, with the fingerprint of its hardware and software."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studyapp.store.rows import as_json
from studyapp.store.session import Session

_ALL = "SELECT uid, fingerprint, device, taken_at_ms, study_day, content FROM passports"


@dataclass(frozen=True, slots=True)
class StoredPassport:
    """One passport."""

    uid: str
    fingerprint: Mapping[str, Any]
    """What the machine and its software are, in words: machine, cpu, device_name, torch, driver, cores."""
    device: str
    """As a run's: "cpu", "cuda", or with a machine's name, "cuda@box"."""
    taken_at_ms: int
    study_day: int
    content: Mapping[str, Any]
    """The points, how it ended, and whether other work disturbed it."""


def save_passport(
    session: Session,
    *,
    fingerprint: Mapping[str, Any],
    device: str,
    content: Mapping[str, Any],
    taken_at_ms: int,
    study_day: int,
) -> str:
    """Keep a passport and return its uid.

    Args:
        session: The store.
        fingerprint: What the machine is.
        device: Where it was measured.
        content: What was measured.
        taken_at_ms: When it began, UTC milliseconds.
        study_day: The study day.
    """
    uid = secrets.token_hex(16)
    values = (uid, as_json(fingerprint), device, taken_at_ms, study_day, as_json(content))
    with session.write_driver() as connection:
        connection.execute(
            "INSERT INTO passports (uid, fingerprint, device, taken_at_ms, study_day, content) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            values,
        )
    return uid


def passports(session: Session, device: str | None = None) -> list[StoredPassport]:
    """Return the passports, of a device or of all, latest first."""
    where, values = (" WHERE device = ?", (device,)) if device is not None else ("", ())
    with session.read_driver() as connection:
        rows = connection.execute(f"{_ALL}{where} ORDER BY taken_at_ms DESC, uid", values).fetchall()
    return [StoredPassport(r[0], json.loads(r[1]), r[2], r[3], r[4], json.loads(r[5])) for r in rows]
