"""Anki packages made by hand: a schema 11 collection in a zip, every part of it for a test to choose."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studyapp.decks.anki.schema import TABLES

CREATED_S = 1_767_225_600
"""1 January 2026, 00:00 UTC: day 0 of these collections."""
BASIC, CLOZE, PAIR = 1, 2, 3
TYPES: dict[int, tuple[str, int, list[str], list[tuple[str, str]]]] = {
    BASIC: ("Basic", 0, ["Front", "Back"], [("{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}")]),
    CLOZE: ("Cloze", 1, ["Text", "Extra"], [("{{cloze:Text}}", "{{cloze:Text}}<br>{{Extra}}")]),
    PAIR: (
        "Country",
        0,
        ["Country", "Capital", "Flag"],
        [
            ("What is the capital of {{Country}}?", "{{FrontSide}}<hr id=answer>{{Capital}}"),
            ("{{#Capital}}Whose capital is {{Capital}}?{{/Capital}}", "{{FrontSide}}<hr id=answer>{{Country}}"),
            ("{{Flag}}", "{{Country}}"),
        ],
    ),
}


def note(
    key: int, fields: Sequence[str], kind: int = BASIC, guid: str = "", mod: int = 1, tags: str = ""
) -> tuple[Any, ...]:
    return (key, guid or f"guid{key}", kind, mod, 0, tags, "\x1f".join(fields), fields[0], 0, 0, "")


def card(key: int, nid: int, order: int = 0, did: int = 1, **more: Any) -> tuple[Any, ...]:
    names = (
        "mod",
        "usn",
        "type",
        "queue",
        "due",
        "ivl",
        "factor",
        "reps",
        "lapses",
        "left",
        "odue",
        "odid",
        "flags",
    )
    return (key, nid, did, order, *(more.get(name, 0) for name in names), json.dumps(more.get("data", {})))


def log(
    at_ms: int, cid: int, ease: int, ivl: int = 1, kind: int = 1, factor: int = 500, time: int = 4000
) -> tuple[Any, ...]:
    return (at_ms, cid, 0, ease, ivl, 0, factor, time, kind)


def collection(
    path: Path,
    notes: Sequence[tuple[Any, ...]],
    cards: Sequence[tuple[Any, ...]],
    logs: Sequence[tuple[Any, ...]] = (),
    *,
    decks: Mapping[int, str] | None = None,
    mod: int = 1,
    schema: int = 11,
    types: Mapping[int, Any] = TYPES,
) -> Path:
    models = {
        str(key): {
            "name": name,
            "type": kind,
            "flds": [{"name": field, "ord": at} for at, field in enumerate(fields)],
            "tmpls": [
                {"name": f"Card {at + 1}", "ord": at, "qfmt": q, "afmt": a} for at, (q, a) in enumerate(sides)
            ],
        }
        for key, (name, kind, fields, sides) in types.items()
    }
    named = {str(key): {"name": name} for key, name in (decks or {1: "Deck"}).items()}
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.executescript(TABLES)
        values = (json.dumps({"creationOffset": 0}), json.dumps(models), json.dumps(named), "{}", "{}")
        raw.execute("INSERT INTO col VALUES (1,?,?,0,?,0,0,0,?,?,?,?,?)", (CREATED_S, mod, schema, *values))
        raw.executemany(f"INSERT INTO notes VALUES ({','.join('?' * 11)})", notes)
        raw.executemany(f"INSERT INTO cards VALUES ({','.join('?' * 18)})", cards)
        raw.executemany(f"INSERT INTO revlog VALUES ({','.join('?' * 9)})", logs)
        raw.commit()
    return path


def package(
    path: Path, *parts: Any, meta: bytes | None = b"\x08\x02", member: str = "collection.anki21", **more: Any
) -> Path:
    made = collection(path.with_suffix(".db"), *parts, **more)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if meta is not None:
            archive.writestr("meta", meta)
        archive.write(made, member)
        archive.writestr("media", "{}")
    made.unlink()
    return path
