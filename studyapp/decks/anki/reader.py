"""What a collection holds, whichever generation wrote it: note types, decks, notes, cards, the review log.

The file is somebody else's: it is opened read-only, and only tables are read, never views or triggers.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from studyapp.core.errors import DeckError
from studyapp.decks.anki.protobuf import fields, number_of, text_of

NEWEST_SCHEMA = 18
"""The newest collection schema that is known. Source: Anki 26.9.3."""
_TABLES_SINCE = 15
"""From this schema on, note types and decks are tables; before, JSON in the one row of `col`."""
_NEEDED = ("col", "notes", "cards", "revlog")
_NOTICE = "Please update to the latest Anki version"
"""Begins the only note of the stand-in that newer packages carry for older programs. Source: Anki 26.9.3."""


class Note(NamedTuple):
    """A row of `notes`."""

    id: int
    guid: str
    mid: int
    mod: int
    """Seconds since 1970."""
    tags: str
    flds: str
    """Fields, separated by 0x1F."""


class AnkiCard(NamedTuple):
    """A row of `cards`."""

    id: int
    nid: int
    did: int
    ord: int
    mod: int
    """Seconds since 1970."""
    type: int
    """0 new, 1 learning, 2 review, 3 relearning."""
    queue: int
    """-1 suspended, -2 and -3 buried."""
    due: int
    ivl: int
    factor: int
    reps: int
    lapses: int
    left: int
    odue: int
    odid: int
    flags: int
    data: str


class Log(NamedTuple):
    """A row of `revlog`."""

    id: int
    """UTC milliseconds."""
    ease: int
    ivl: int
    """Days, or seconds where negative."""
    last_ivl: int
    factor: int
    time: int
    """Milliseconds."""
    type: int
    """0 learn, 1 review, 2 relearn, 3 filtered, 4 manual, 5 rescheduled."""


@dataclass(frozen=True, slots=True)
class Template:
    """One card of a note type: what asks and what answers."""

    ord: int
    name: str
    asks: str
    answers: str


@dataclass(frozen=True, slots=True)
class NoteType:
    """What the notes of one kind look like."""

    id: int
    name: str
    cloze: bool
    fields: tuple[str, ...]
    templates: tuple[Template, ...]


@dataclass(frozen=True)
class Collection:
    """An open collection."""

    mod_ms: int
    """When the collection was last changed, UTC milliseconds."""
    created_s: int
    """Seconds since 1970; due days count from this day."""
    west_min: int | None
    """Minutes west of UTC where it was created, None where it is not said."""
    types: dict[int, NoteType]
    decks: dict[int, str]
    """Names, levels joined by "::"."""
    raw: sqlite3.Connection

    def notes(self) -> Iterator[Note]:
        """Yield the notes, oldest first."""
        return map(Note._make, self._rows(f"SELECT {', '.join(Note._fields)} FROM notes ORDER BY id"))

    def cards(self) -> Iterator[AnkiCard]:
        """Yield the cards, by note and ordinal."""
        query = f"SELECT {', '.join(AnkiCard._fields)} FROM cards ORDER BY nid, ord, id"
        return map(AnkiCard._make, self._rows(query))

    def _rows(self, query: str) -> list[Any]:
        """Return rows; SQLite reads text by itself, unless some is no UTF-8."""
        lenient, self.raw.text_factory = self.raw.text_factory, str
        with contextlib.suppress(sqlite3.OperationalError):
            return self.raw.execute(query).fetchall()
        self.raw.text_factory = lenient
        return self.raw.execute(query).fetchall()

    def log(self) -> Iterator[tuple[Any, ...]]:
        """Yield the review log as (card id, fields of `Log`...), by card and time."""
        names = "cid, id, ease, ivl, lastIvl, factor, time, type"
        return iter(self.raw.execute(f"SELECT {names} FROM revlog ORDER BY cid, id"))


@contextlib.contextmanager
def open_collection(file: Path, name: str) -> Iterator[Collection]:
    """Yield what a collection file holds.

    Args:
        file: A private SQLite file that nobody else has open.
        name: What to call it in messages.

    Raises:
        DeckError: If it is damaged, no Anki collection, or newer than we know.
    """
    # immutable: its log was merged when it was exported, and opening it must not make one
    raw = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    with contextlib.closing(raw):
        try:
            raw.execute("PRAGMA trusted_schema = OFF")
            raw.text_factory = lambda value: value.decode("utf-8", "replace")
            raw.create_collation("unicase", _unicase)
            yield _read(raw, name)
        except (sqlite3.Error, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise DeckError(
                f"The collection in {name} is damaged ({error}).", "Export it again; nothing was imported."
            ) from error


def _read(raw: sqlite3.Connection, name: str) -> Collection:
    tables = {row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables.issuperset(_NEEDED):
        raise DeckError(f"{name} is a database, but no Anki collection.", "Name an .apkg file.")
    col = raw.execute("SELECT crt, ver, mod, conf, models, decks FROM col LIMIT 1").fetchone()
    if col is None:
        raise DeckError(f"The collection in {name} is empty.", "Export it again from Anki.")
    created_s, schema, mod_ms = map(int, col[:3])
    if schema > NEWEST_SCHEMA:
        raise DeckError(
            f"The collection in {name} has schema {schema}; this program knows schemas up to {NEWEST_SCHEMA}.",
            "In Anki, export it again with “Support older Anki versions” ticked.",
        )
    _refuse_notice(raw, name)
    if schema < _TABLES_SINCE:
        conf, models, decks = (json.loads(text or "{}") for text in col[3:])
        types = {int(key): _old_type(int(key), value) for key, value in models.items()}
        names = {int(key): str(value.get("name", "")) for key, value in decks.items()}
        return Collection(mod_ms, created_s, conf.get("creationOffset"), types, names, raw)
    found = raw.execute("SELECT val FROM config WHERE KEY = 'creationOffset'").fetchone()
    west = json.loads(found[0]) if found else None
    names = {did: title.replace("\x1f", "::") for did, title in raw.execute("SELECT id, name FROM decks")}
    return Collection(mod_ms, created_s, west, _new_types(raw), names, raw)


def _refuse_notice(raw: sqlite3.Connection, name: str) -> None:
    found = raw.execute("SELECT flds FROM notes LIMIT 2").fetchall()
    if len(found) == 1 and str(found[0][0]).startswith(_NOTICE):
        raise DeckError(
            f"{name} holds only Anki's notice for older programs; its cards are missing.", "Export it again."
        )


def _old_type(key: int, model: dict[str, Any]) -> NoteType:
    templates = [
        Template(int(t.get("ord", at)), str(t.get("name", "")), str(t.get("qfmt", "")), str(t.get("afmt", "")))
        for at, t in enumerate(model.get("tmpls", ()))
    ]
    ordered = sorted(model.get("flds", ()), key=lambda f: int(f.get("ord", 0)))
    names = tuple(str(field.get("name", "")) for field in ordered)
    return NoteType(key, str(model.get("name", "")), int(model.get("type", 0)) == 1, names, tuple(templates))


def _new_types(raw: sqlite3.Connection) -> dict[int, NoteType]:
    names: dict[int, list[str]] = {}
    for ntid, name in raw.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
        names.setdefault(ntid, []).append(name)
    templates: dict[int, list[Template]] = {}
    for ntid, order, name, config in raw.execute(
        "SELECT ntid, ord, name, config FROM templates ORDER BY ntid, ord"
    ):
        values = fields(config)
        templates.setdefault(ntid, []).append(Template(order, name, text_of(values, 1), text_of(values, 2)))
    return {
        key: NoteType(
            key,
            name,
            number_of(fields(config), 1) == 1,
            tuple(names.get(key, ())),
            tuple(templates.get(key, ())),
        )
        for key, name, config in raw.execute("SELECT id, name, config FROM notetypes")
    }


def _unicase(a: str, b: str) -> int:
    """Compare as Anki's collation does: without regard to case."""
    x, y = a.casefold(), b.casefold()
    return (x > y) - (x < y)
