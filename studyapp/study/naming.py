"""Ids into files, and new lessons: what an author needs before the first review."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.cards import Card, Parsed, Problem, note_of
from studyapp.core.errors import DeckError, UsageError
from studyapp.decks import files, ids, load, rewrite
from studyapp.decks.clean import clean_line, excerpt
from studyapp.decks.front import read_front
from studyapp.decks.notes import Notes
from studyapp.decks.template import lesson_template
from studyapp.study.arriving import as_written, plain_name

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

_NAMED = (load.Form.LESSON, load.Form.DECK, load.Form.SPELT, load.Form.CONVENTION)


@dataclass(frozen=True, slots=True)
class Named:
    """A card that had no id in its file, with the one it gets."""

    path: str
    line: int
    id: str
    prompt: str
    """Its beginning."""
    written: bool = False


@dataclass
class Naming:
    """What `ids` found and did."""

    named: list[Named] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def name_cards(desk: Desk, path: Path, *, write: bool) -> Naming:
    """Find the cards without an id under a path and, on request, write their ids into the files.

    A card that the store knows gets the id it is remembered by, so that its history goes on. Each file is replaced
    in one step.

    Args:
        desk: The open desk.
        path: A file or folder.
        write: Whether to change the files.

    Raises:
        DeckError: If there is nothing at that path.
    """
    found = Naming()
    for entry in files.scan(path):
        if reason := entry.skipped or _name_file(desk, Path(entry.path), found, write=write):
            found.problems.append(Problem(clean_line(str(entry.path)), 0, reason))
    return found


def _name_file(desk: Desk, path: Path, found: Naming, *, write: bool) -> str:
    """Name the cards of one file; return why it could not be done, or ""."""
    try:
        _name_cards(desk, path, found, write=write)
    except DeckError as error:
        return str(error)
    return ""


def _name_cards(desk: Desk, path: Path, found: Naming, *, write: bool) -> None:
    exact, name = rewrite.read_exact(path), clean_line(str(path))
    parsed = load.parse(exact.text, name)
    if load.form_of(exact.text, name) not in _NAMED:
        return
    wanted, listed = _wanted(desk, path, exact.text, parsed)
    left: list[ids.Wanted] = []
    if write and wanted:
        text, left = ids.add_ids(exact.text, wanted, lambda words: load.parse(words, name))
        if text != exact.text:
            rewrite.replace_text(exact, text)
    stuck = {one.line for one in left}
    for card, full in listed:
        named = Named(name, card.line, full, excerpt(card.source or card.prompt), write and card.line not in stuck)
        found.named.append(named)
    found.problems += [
        Problem(name, line, "there is no place for an id in this question") for line in sorted(stuck)
    ]


def _wanted(desk: Desk, path: Path, text: str, parsed: Parsed) -> tuple[list[ids.Wanted], list[tuple[Card, str]]]:
    front = read_front(
        text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), Notes("")
    )
    prefix = f"{front.get('id')}/" if front.get("id") else ""
    known = _remembered(desk, path, parsed)
    taken = [note_of(card.id).removeprefix(prefix) for card in parsed.module.cards if card.explicit_id]
    wanted, listed = [], []
    for card in ids.without_ids(parsed):
        same = known.get(card.text_hash)
        full = same.pop(0) if same else prefix + ids.fresh_id(card, taken, "" if prefix else path.name)
        taken.append(full.removeprefix(prefix))
        wanted.append(ids.Wanted(card.line, as_written(full, prefix)))
        listed.append((card, full))
    return wanted, listed


def _remembered(desk: Desk, path: Path, parsed: Parsed) -> dict[str, list[str]]:
    """Return the ids that the store remembers for cards of this file, by the hash of their text."""
    places = {str(path), os.path.realpath(path), str(path.absolute())}
    found: dict[str, list[str]] = {}
    for card in desk.store.cards(parsed.module.id):
        if not card.explicit_id and ({card.path, os.path.realpath(card.path)} & places):
            found.setdefault(card.text_hash, []).append(note_of(card.id))
    return found


def new_module(path: Path) -> Path:
    """Write a lesson to begin with; return where.

    Raises:
        UsageError: If something is there already, or the folder cannot be written.
    """
    target = path if path.suffix else path.with_suffix(".md")
    if target.suffix.lower() not in files.SUFFIXES:
        raise UsageError(f"{target.name} would not be read as a lesson.", "Let its name end in .md.")
    text = lesson_template(
        plain_name(target.stem), target.stem.replace("-", " ").replace("_", " ").strip().capitalize()
    )
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{target} exists already; it was left as it is.", "Name a new file.") from None
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}.", "Name another place.") from error
    return target
