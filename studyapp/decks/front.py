"""Front matter: `key: value` lines between two `---` lines at the top of a file.

A small, fixed part of YAML, read without a YAML library: id, title, summary and tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from studyapp.decks.clean import excerpt
from studyapp.decks.marks import ID
from studyapp.decks.notes import Notes

_FENCE = re.compile(r"---[ \t]*\Z")
_CLOSE = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_ENTRY = re.compile(r"([A-Za-z_][\w-]*):(?:[ \t]+(.*))?\Z")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.+)\Z")
_KEYS = ("id", "title", "summary", "tags")
CARDS = ("cards", "flashcards", "questions")
"""Keys under which other programs keep whole cards, in YAML that is not read here but in `yaml_cards`."""

FRONT = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_HOLDS_CARDS = re.compile(rf"^(?:{'|'.join(CARDS)}):", re.MULTILINE)


@dataclass(slots=True)
class Front:
    """What the top of a file says about it."""

    values: dict[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    end: int = 0
    """First line after the front matter, from 0; 0 where there is none."""

    def get(self, key: str) -> str:
        """Return a value, "" where it is missing."""
        return self.values.get(key, "")


def holds_cards(text: str) -> bool:
    """Return whether a text keeps cards in its front matter."""
    found = FRONT.match(text) if text.startswith("---") else None
    return found is not None and _HOLDS_CARDS.search(found[1]) is not None


def read_front(lines: Sequence[str], notes: Notes) -> Front:
    """Return a file's front matter; what is malformed in it is reported by line and the rest is kept."""
    front = Front()
    if not lines or not _FENCE.match(lines[0]) or not _looks_like_one(lines):
        return front
    end = next((at for at, line in enumerate(lines[1:], 1) if _CLOSE.match(line)), 0)
    if not end:
        notes.problem(1, "front matter is never closed; end it with a line '---'")
        return front
    front.end = end + 1
    _read_entries(lines[1:end], front, notes)
    front.tags = _words(front.values.pop("tags", ""))
    name = front.get("id")
    if name and not ID.match(name):
        notes.problem(1, f"'{excerpt(name)}' cannot be a module's id; use letters, digits, '-', '_' and '.'")
        del front.values["id"]
    return front


def with_title(text: str, title: str) -> str:
    """Return a file's text with this title in its front matter, which it gets if it has none."""
    lines, words = text.split("\n"), " ".join(title.split())
    written = f"title: '{words}'" if words[:1] in "\"'" else f"title: {words}"
    end = read_front(lines, Notes("")).end
    if not end:
        return "\n".join(["---", written, "---", "", *lines])
    for at in range(1, end - 1):
        if lines[at].lower().startswith("title:"):
            return "\n".join([*lines[:at], written, *lines[at + 1 :]])
    return "\n".join([lines[0], written, *lines[1:]])


def _looks_like_one(lines: Sequence[str]) -> bool:
    """Return whether the first line with text after `---` is an entry (a deck may begin with a separator)."""
    first = next((line for line in lines[1:] if line.strip() and not line.startswith("#")), "")
    found = _ENTRY.match(first)
    return bool(_CLOSE.match(first) or (found and found[1] not in ("Q", "A", "q", "a")))


def _read_entries(lines: Sequence[str], front: Front, notes: Notes) -> None:
    key = ""
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        if line.startswith("#"):
            notes.leave(number, f"front matter '{excerpt(line)}' is a comment")
            continue
        if found := _ENTRY.match(line):
            key = found[1].lower()
            if key not in _KEYS:
                notes.leave(number, f"front matter '{excerpt(line)}' is not used; {', '.join(_KEYS)} are")
            elif key in front.values:
                notes.problem(number, f"front matter has '{key}' twice; the first one counts")
            else:
                front.values[key] = _unquoted(found[2] or "")
        elif key == "tags" and (found := _ITEM.match(line)):
            front.values[key] = f"{front.get(key)} {found[1]}"
        elif key in _KEYS or not line.startswith((" ", "-")):
            notes.problem(number, f"front matter '{excerpt(line)}' is not 'key: value' on one line")
        else:
            notes.leave(number, f"front matter '{excerpt(line)}' is not used")


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def _words(value: str) -> tuple[str, ...]:
    return tuple(word.strip("\"'") for word in value.strip("[]").replace(",", " ").split())
