"""A learner's own tags and flags written into a lesson's text, beside the ids: what an export takes along."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from studyapp.core.cards import Card
from studyapp.decks.ids import Parse
from studyapp.decks.write import own_words

_COMMENT = re.compile(r"<!--[ \t]*id[ \t]*:[ \t]*([^,>\s]+)([^>]*?)[ \t]*-->", re.IGNORECASE)
_BRACES = re.compile(r"\{#([^{}\s]+)((?:\s+\.[^{}\s]+)*)\}")
_MARKED = re.compile(r"[,\s](?:own|flag)[ \t]*:", re.IGNORECASE)
_OWN = re.compile(r"[ \t]*(?:own|flag)[ \t]*:", re.IGNORECASE)


def with_own(text: str, marks: Mapping[str, Sequence[str]], parse: Parse) -> str:
    """Return a text in which every card with an id has these marks of its learner's, and no others.

    Args:
        text: A lesson or deck.
        marks: "tag:NAME" and "flag:COLOUR" by id, by that of the note for a sentence with gaps.
        parse: How the text is read.
    """
    if not marks and not _MARKED.search(text):
        return text
    cards = parse(text).module.cards
    lines = text.split("\n")
    starts = sorted({card.line for card in cards})
    ends = dict(zip(starts, [*starts[1:], len(lines) + 1], strict=True))
    done: set[str] = set()
    for card in cards:
        note = card.note or card.id
        if not card.explicit_id or note in done or not (card.own or marks.get(note)):
            continue
        done.add(note)
        for at in range(card.line - 1, ends[card.line] - 1):
            changed = _changed(lines[at], note, marks.get(note, ()))
            if changed is not None:
                lines[at] = changed
                break
    found = "\n".join(lines)
    return found if _same(cards, parse(found).module.cards) else text


def _changed(line: str, note: str, marks: Sequence[str]) -> str | None:
    """Return a line in which this note's id bears the marks, None where its id is not there."""
    for found in _COMMENT.finditer(line):
        if _is(found[1], note):
            parts = [part.strip() for part in found[2].split(",") if part.strip() and not _OWN.match(part)]
            return _put(line, found, [*parts, *own_words(marks)])
    for found in _BRACES.finditer(line):
        if _is(found[1], note):
            words = [word.lstrip(".") for word in found[2].split()]
            tags = [word for word in words if word != "faq"]
            parts = [*([f"tags: {' '.join(tags)}"] if tags else []), *(["faq"] if "faq" in words else [])]
            return _put(line, found, [*parts, *own_words(marks)])
    return None


def _is(written: str, note: str) -> bool:
    return note == written.lstrip("/") or note.endswith(f"/{written}")


def _put(line: str, found: re.Match[str], parts: Sequence[str]) -> str:
    return f"{line[: found.start()]}<!-- {', '.join([f'id: {found[1]}', *parts])} -->{line[found.end() :]}"


def _same(before: Sequence[Card], after: Sequence[Card]) -> bool:
    return [replace(card, own=()) for card in before] == [replace(card, own=()) for card in after]
