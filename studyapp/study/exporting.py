"""Taking everything along: cards as a table, lessons as Markdown, all and its history as JSON (docs/export.md)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studyapp import __version__
from studyapp.core.cards import Card, Module, Section, note_of
from studyapp.core.days import instant_of
from studyapp.core.errors import DeckError, UsageError
from studyapp.decks import files, ids, load, rewrite, write
from studyapp.decks.front import read_front
from studyapp.decks.marks import ID
from studyapp.decks.notes import Notes
from studyapp.decks.own import with_own
from studyapp.store.card_marks import Marked, marks_of
from studyapp.store.origins import ORIGIN
from studyapp.study.arriving import as_written, plain_name
from studyapp.study.lessons import shipped
from studyapp.study.travelling import record_of

if TYPE_CHECKING:
    from studyapp.store.records import StoredCard, StoredModule
    from studyapp.study.desk import Desk

FORMAT = 1
"""Number of the JSON format; a reader refuses a higher one."""
COLUMNS = (
    *("id", "kind", "module", "section", "prompt", "answer", "key_points", "experiments", "tags"),
    *("own_tags", "flag"),
)
"""Columns of a table, in this order."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    path: Path
    cards: int
    reviews: int
    files: list[Path]


def export(desk: Desk, path: Path, module: str | None = None) -> Exported:
    """Write what the learner has; the name says how.

    Args:
        desk: The open desk.
        path: A new file ending in .json, .csv, .tsv or .md, or a new folder.
        module: Only this module.

    Raises:
        UsageError: If there is no such module, the path is taken, or it cannot be written.
    """
    known = {m.id: m for m in desk.store.modules()}
    if module is not None and module not in known:
        raise UsageError(f"There is no module {module!r}.", f"There is: {', '.join(known) or 'none yet'}.")
    chosen = [known[module]] if module is not None else list(known.values())
    suffix = path.suffix.lower()
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise UsageError(f"{path} exists already; it was left as it is.", "Name a new file or folder.")
    if suffix == ".json":
        texts = {path: json.dumps(everything(desk, chosen, module), ensure_ascii=False, indent=1) + "\n"}
    elif suffix in files.TABLES:
        texts = {path: table(desk, chosen, "\t" if suffix == ".tsv" else ",")}
    elif suffix in files.SUFFIXES:
        if len(chosen) != 1:
            raise UsageError("One Markdown file holds one module.", "Say which with --module, or name a folder.")
        texts = {path: _with_own(desk, chosen[0])}
    else:
        texts = {path / name: _with_own(desk, m) for m, name in _names(chosen)}
    _write(texts)
    cards = sum(m.cards for m in chosen)
    reviews = _count_reviews(desk, module) if suffix == ".json" else 0
    return Exported(path, cards, reviews, list(texts))


def _names(modules: Sequence[StoredModule]) -> list[tuple[StoredModule, str]]:
    found: list[tuple[StoredModule, str]] = []
    taken: set[str] = set()
    for module in modules:
        stem, number = plain_name(module.id), 2
        name = stem
        while name in taken:
            name, number = f"{stem}-{number}", number + 1
        taken.add(name)
        found.append((module, f"{name}.md"))
    return found


def _write(texts: dict[Path, str]) -> None:
    """Write files that are not there yet, private like the record they come from; all of them or none."""
    done: list[Path] = []
    for path, text in texts.items():
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            rewrite.write_file(path, text.encode("utf-8"))
        except OSError as error:
            for written in done:
                written.unlink(missing_ok=True)
            raise UsageError(f"{path} cannot be written: {error.strerror}.", "Name another place.") from error
        done.append(path)


def lesson_text(desk: Desk, module: StoredModule) -> str:
    """Return a module as a lesson file: its own, with every remembered id in it, or one made anew."""
    try:
        text = files.read(module.path).text
        parsed = load.parse(text, module.path)
    except DeckError:
        stored = stored_module(desk, module)
        # a deck of Anki may be called 日本語, which no lesson file can be
        return write.markdown(stored if ID.match(stored.id) else replace(stored, id=plain_name(stored.id))).text
    front = read_front(text.split("\n"), Notes(""))
    prefix = f"{front.get('id')}/" if front.get("id") else ""
    known = {card.text_hash: note_of(card.id) for card in desk.store.cards(module.id) if not card.explicit_id}
    wanted = [
        ids.Wanted(card.line, as_written(known[card.text_hash], prefix))
        for card in ids.without_ids(parsed)
        if card.text_hash in known
    ]
    return ids.add_ids(text, wanted, lambda words: load.parse(words, module.path))[0] if wanted else text


def _with_own(desk: Desk, module: StoredModule) -> str:
    """Return a module as a lesson file with the learner's own tags and flags in it."""
    marks = _own_marks(desk, desk.store.cards(module.id))
    return with_own(lesson_text(desk, module), marks, lambda words: load.parse(words, module.path))


def _own_marks(desk: Desk, cards: Sequence[StoredCard]) -> dict[str, tuple[str, ...]]:
    """Return the learner's marks by card id; the gaps of one sentence share theirs, as they are written as one."""
    marked = marks_of(desk.store, [card.id for card in cards])
    found: dict[str, tuple[str, ...]] = {}
    for card in cards:
        if card.id in marked:
            name = _written_as(card)
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *marked[card.id].names)))
    return found


def _written_as(card: StoredCard) -> str:
    return note_of(card.id) if card.kind == "cloze" and not card.path.startswith(ORIGIN) else card.id


def stored_module(desk: Desk, module: StoredModule) -> Module:
    """Return a module as it lies in the store; cloze cards have their sentence with its gaps, from the file."""
    sources, stored = _sources(module), desk.store.cards(module.id)
    own = _own_marks(desk, stored)
    cards = tuple(
        Card(
            id=card.id,
            kind=card.kind,
            prompt=card.prompt,
            answer=card.answer,
            key_points=card.key_points,
            experiments=card.experiments,
            section=card.section,
            tags=card.tags,
            line=card.line,
            source=sources.get(card.text_hash, ""),
            own=own.get(_written_as(card), ()),
        )
        for card in stored
    )
    sections = tuple(Section(s.id, s.title, s.body, s.experiments) for s in desk.store.sections(module.id))
    return Module(module.id, module.title, module.summary, sections, cards, module.path)


def _sources(module: StoredModule) -> dict[str, str]:
    try:
        parsed = load.parse(files.read(module.path).text, module.path)
    except DeckError:
        return {}
    return {card.text_hash: card.source for card in parsed.module.cards if card.source}


def table(desk: Desk, modules: Sequence[StoredModule], delimiter: str) -> str:
    """Return the cards as CSV, a row of column names first; a cloze note is one row with its gaps."""
    out = io.StringIO(newline="")
    rows = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    rows.writerow(COLUMNS)
    for module in modules:
        notes: set[str] = set()
        for card in stored_module(desk, module).cards:
            if card.source and note_of(card.id) in notes:
                continue
            notes.add(note_of(card.id))
            rows.writerow(row_of(card, module.id))
    return out.getvalue()


def row_of(card: Card, module: str) -> list[str]:
    """Return a card as a row of `COLUMNS`."""
    below = card.answer.partition("\n\n")[2] if card.source else card.answer
    name = note_of(card.id) if card.source else card.id
    return [
        name,
        card.kind,
        module,
        card.section,
        card.source or card.prompt,
        below,
        "\n".join(" ".join(point.split()) for point in card.key_points),
        "\n".join(write.link_text(link) for link in card.experiments),
        " ".join(card.tags),
        " ".join(mark[4:] for mark in card.own if mark.startswith("tag:")),
        next((mark[5:] for mark in card.own if mark.startswith("flag:")), ""),
    ]


def _count_reviews(desk: Desk, module: str | None) -> int:
    reviews = desk.store.reviews()
    if module is None:
        return len(reviews)
    cards = {card.id for card in desk.store.cards(module)}
    return sum(1 for review in reviews if review.card in cards)


def everything(desk: Desk, modules: Sequence[StoredModule], module: str | None = None) -> dict[str, Any]:
    """Return all there is: lesson texts, cards as they stand, and the record with its whole history.

    Cards from Anki have no file: the record brings them.

    Args:
        desk: The open desk.
        modules: Whose lessons and cards to take.
        module: The one whose record to take; None for all of it.
    """
    names = dict(_names(modules))
    own = [m for m in modules if not (m.path.startswith(ORIGIN) or Path(m.path).is_relative_to(shipped()))]
    return {
        "studyapp_export": FORMAT,
        "version": __version__,
        "exported_at": desk.clock().now.isoformat(),
        "lessons": [{"module": m.id, "name": names[m], "text": lesson_text(desk, m)} for m in own],
        "modules": [_as_json(desk, m) for m in modules],
        "record": record_of(desk, module),
    }


def _as_json(desk: Desk, module: StoredModule) -> dict[str, Any]:
    cards = desk.store.cards(module.id)
    marked = marks_of(desk.store, [card.id for card in cards])
    return {
        "id": module.id,
        "title": module.title,
        "summary": module.summary,
        "sections": [
            {
                "id": s.id,
                "title": s.title,
                "read_at": instant_of(s.read_at_ms).isoformat() if s.read_at_ms is not None else None,
            }
            for s in desk.store.sections(module.id)
        ],
        "cards": [
            {
                "id": card.id,
                "kind": card.kind,
                "section": card.section,
                "prompt": card.prompt,
                "answer": card.answer,
                "key_points": list(card.key_points),
                "experiments": [
                    {"experiment": k.experiment, "controls": dict(k.controls), "label": k.label}
                    for k in card.experiments
                ],
                "tags": list(card.tags),
                "own_tags": list(marked.get(card.id, Marked()).tags),
                "flag": marked.get(card.id, Marked()).flag,
                "suspended": card.suspended,
                "state": card.memory.state.name.lower(),
                "stability": card.memory.stability,
                "difficulty": card.memory.difficulty,
                "reps": card.memory.reps,
                "lapses": card.memory.lapses,
            }
            for card in cards
        ],
    }
