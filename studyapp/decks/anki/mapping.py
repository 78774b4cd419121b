"""Notes and templates become cards; nothing is left out without being counted.

A card's id is made of its note's guid and its ordinal, so that every later export finds the same card. Cards that
this program exported carry their own id, and their Markdown as it was, as long as nobody edited the note in Anki.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from studyapp.core.cards import Card, ExperimentLink
from studyapp.decks.anki.html import markdown, words_of
from studyapp.decks.anki.quick_json import loads
from studyapp.decks.anki.reader import AnkiCard, Collection, Note, NoteType
from studyapp.decks.anki.templates import answer_part, gap_numbers, render
from studyapp.decks.clean import clean, clean_line
from studyapp.decks.kinds import ALL

OWN_TYPE = "studyapp QA"
OWN_FIELDS = ("Front", "Back", "uid", "module", "experiment", "source")
OWN_DECK = "studyapp"
FLAGS = ("", "red", "orange", "green", "blue", "pink", "turquoise", "purple")
"""Anki's flags by number. Source: Anki 26.9.3."""
LONGEST_SIDE = 100_000
"""Characters of one side of a card; nobody says more in one breath (our choice)."""
LONGEST_HTML = 2 * LONGEST_SIDE
_EMBEDDED = re.compile(r"data:[^\"'>\s]{100,}")
"""A picture in the text itself."""
_PREFIX = "anki-"
_ID = re.compile(r"[^\s\x00-\x1f]{1,200}")
Known = Callable[[ExperimentLink], str | None]
"""Says what is wrong with an experiment link, or None."""


class Taken(NamedTuple):
    """A card that can be studied, with where it came from."""

    card: Card
    deck: str
    """Name of the deck at the top, as the origin of its module."""
    module: str
    """Id of its module, "" for a card that this program did not export."""
    title: str
    own: bool
    """Whether this program exported it."""
    mod_s: int
    """When its note was last changed, seconds since 1970."""
    anki: AnkiCard

    @property
    def flag(self) -> str:
        """Return the colour of its flag, "" for none."""
        return FLAGS[self.anki.flags & 7]


@dataclass
class Deck:
    """What a collection gives."""

    notes: int = 0
    cards: int = 0
    taken: list[Taken] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    """Cards that became none, by reason: "need a picture", "empty front", ..."""
    placeholders: int = 0
    """Cards with a placeholder for a picture or a sound."""


def read_cards(collection: Collection, known: Known = lambda link: None) -> Deck:
    """Return every card that can be studied, and count the others.

    Args:
        collection: An open collection.
        known: Says what is wrong with an experiment link; such links are left out.
    """
    notes: dict[int, Note] = {note.id: note for note in collection.notes()}
    deck = Deck(notes=len(notes))
    seen: set[str] = set()
    maker = _Maker(collection, known)
    for row in collection.cards():
        deck.cards += 1
        note = notes.get(row.nid)
        made: Taken | str = "without a note" if note is None else maker.make(note, row)
        if isinstance(made, Taken) and made.card.id in seen:
            made = "twice in the package"
        if isinstance(made, str):
            deck.skipped[made] += 1
            continue
        seen.add(made.card.id)
        deck.placeholders += _has_placeholder(made.card.prompt) or _has_placeholder(made.card.answer)
        deck.taken.append(made)
    return deck


def card_id(guid: str, order: int) -> str:
    """Return the id of a card: its note's guid, made safe for files and shells, and its ordinal from 1.

    >>> card_id("fe`X/q:1", 0)
    'anki-fe%60X%2Fq%3A1:1'
    """
    return f"{_PREFIX}{quote(guid, safe='')}:{order + 1}"


def guid_of(card: str) -> tuple[str, int] | None:
    """Return the guid and ordinal that an id was made of, None for the ids of other cards."""
    name, _, order = card.removeprefix(_PREFIX).rpartition(":")
    return (unquote(name), int(order) - 1) if card.startswith(_PREFIX) and name and order.isdecimal() else None


def digest(front: str, back: str) -> str:
    """Return what tells whether a note of ours was edited in Anki."""
    return hashlib.blake2b(f"{front}\x1f{back}".encode("utf-8", "replace"), digest_size=8).hexdigest()


class _Maker:
    """Makes cards of one collection."""

    def __init__(self, collection: Collection, known: Known) -> None:
        self._types = collection.types
        self._decks = collection.decks
        self._known = known

    def make(self, note: Note, row: AnkiCard) -> Taken | str:
        """Return the card, or why there is none."""
        if len(note.flds) > 10 * LONGEST_HTML:
            return "too long"
        kind = self._types.get(note.mid)
        values = _values(note, kind)
        where = self._decks.get(row.odid or row.did, "") or "Default"
        if kind is not None and kind.name.startswith(OWN_TYPE) and _ID.fullmatch(values.get("uid", "")):
            return self._own(note, row, values, clean_line(where))
        if kind is None or not kind.templates:
            sides: tuple[str, str] | str = _first_fields(note)
        else:
            sides = _sides(kind, values, row, where, note)
        if isinstance(sides, str):
            return sides
        reason = _unfit(*sides)
        if reason:
            return reason
        top, _, below = where.partition("::")
        tags = _tags(note, _deck_tag(clean_line(where)) if below else "")
        card = Card(
            id=card_id(note.guid, row.ord),
            kind="cloze" if kind is not None and kind.cloze else "basic",
            prompt=sides[0],
            answer=sides[1],
            tags=tags,
            note=card_id(note.guid, 0).partition(":")[0],
        )
        return Taken(card, clean_line(top), "", clean_line(top), False, note.mod, row)

    def _own(self, note: Note, row: AnkiCard, values: Mapping[str, str], where: str) -> Taken | str:
        front, back = values.get("Front", ""), values.get("Back", "")
        source = _source(values.get("source", ""))
        uid, module = clean_line(values["uid"]), clean_line(values.get("module", "")) or OWN_DECK
        deck = clean_line(str(source.get("deck", ""))) or f"{OWN_DECK}::{module}"
        tags = _tags(note, _deck_tag(where) if where.startswith(f"{deck}::") else "")
        title = str(source.get("title", "")) or module
        if source.get("hash") == digest(front, back):
            card = _card_from(source, uid, tags, self._known)
        else:
            sides = _shown(front, back)
            if isinstance(sides, str) or (reason := _unfit(*sides)):
                return sides if isinstance(sides, str) else reason
            card = Card(id=uid, kind="basic", prompt=sides[0], answer=sides[1], tags=tags)
        return Taken(card, deck, module, clean_line(title), True, note.mod, row)


def _has_placeholder(side: str) -> bool:
    return "[picture: " in side or "[sound: " in side


def _values(note: Note, kind: NoteType | None) -> dict[str, str]:
    fields = note.flds.split("\x1f")
    names = kind.fields if kind is not None else ()
    return dict(zip(names, fields if len(fields) >= len(names) else [*fields, *[""] * len(names)], strict=False))


def _first_fields(note: Note) -> tuple[str, str] | str:
    """Return the first two fields: what to ask where no template says."""
    fields = [*note.flds.split("\x1f"), ""]
    return _shown(fields[0], fields[1])


def _sides(kind: NoteType, values: dict[str, str], row: AnkiCard, where: str, note: Note) -> tuple[str, str] | str:
    gap = row.ord + 1 if kind.cloze else 0
    at = 0 if kind.cloze else row.ord
    template = next((one for one in kind.templates if one.ord == at), None)
    if template is None:
        return "without a template"
    if kind.cloze and gap not in set().union(*map(gap_numbers, values.values())):
        return "empty front"
    special = {
        "Tags": note.tags.strip(),
        "Type": kind.name,
        "Deck": where,
        "Subdeck": where.rpartition("::")[2],
        "Card": template.name,
        "CardFlag": "",
        "FrontSide": "",
    }
    every = special | values
    asks = render(template.asks, every, gap=gap)
    if not asks.filled:
        return "empty front"
    answers = render(answer_part(template.answers), every, gap=gap, answer=True)
    return _shown(asks.html, answers.html)


def _shown(front: str, back: str) -> tuple[str, str] | str:
    """Return two sides as Markdown, or why there is no card."""
    front, back = (_EMBEDDED.sub("data:", side) if len(side) > LONGEST_HTML else side for side in (front, back))
    if max(len(front), len(back)) > LONGEST_HTML:
        return "too long"
    return markdown(front), markdown(back)


def _unfit(prompt: str, answer: str) -> str:
    """Return why two sides make no card, "" where they do."""
    if max(len(prompt), len(answer)) > LONGEST_SIDE:
        return "too long"
    for side, name in ((prompt, "front"), (answer, "back")):
        if not words_of(side):
            if "[picture: " in side:
                return "need a picture"
            return "need a sound" if "[sound: " in side else f"empty {name}"
    return ""


def _tags(note: Note, more: str) -> tuple[str, ...]:
    found = [*map(clean_line, note.tags.split()), *([more] if more else [])]
    return tuple(dict.fromkeys(found)) if found else ()


def _deck_tag(where: str) -> str:
    return f"deck:{where.replace(' ', '_')}"


def _source(text: str) -> dict[str, Any]:
    """Return the Markdown that we put into a note, {} where it is gone or damaged."""
    try:
        found = loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _card_from(source: Mapping[str, Any], uid: str, tags: tuple[str, ...], known: Known) -> Card:
    def words(name: str) -> str:
        return clean(str(source.get(name, "")))

    points, links, kind = source.get("key_points"), source.get("experiments"), words("kind")
    return Card(
        id=uid,
        kind=kind if kind in ALL else "basic",
        prompt=words("prompt"),
        answer=words("answer"),
        key_points=tuple([clean(str(point)) for point in points]) if points and isinstance(points, list) else (),
        experiments=_links(links, known) if links and isinstance(links, list) else (),
        tags=tags,
    )


def _links(found: list[Any], known: Known) -> tuple[ExperimentLink, ...]:
    links = [
        ExperimentLink(
            str(one.get("experiment", "")), _controls(one.get("controls")), clean(str(one.get("label", "")))
        )
        for one in found
        if isinstance(one, dict)
    ]
    return tuple([link for link in links if known(link) is None])


def _controls(found: object) -> dict[str, str]:
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}
