"""Ids, tags and flags written at the end of a heading or question, and the words that label a paragraph.

`<!-- id: x -->`, `<!-- id: x, tags: a b -->`, `<!-- id: x, faq -->` or `{#x}`: invisible or small in any Markdown
viewer. An export adds a learner's own marks: `<!-- id: x, own: a b, flag: red -->`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from studyapp.decks.clean import excerpt
from studyapp.decks.notes import Notes

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
"""What an id may be made of."""
WHOLE_ID = re.compile(r"/[A-Za-z0-9][A-Za-z0-9._/~%-]*(?::[0-9]+)?\Z")
"""An id written with a slash in front is the whole id: the module's is not put before it. Cards from Anki have one
made of guid and ordinal, `anki-fe%60X:1`."""
_COMMENT = re.compile(r"<!--\s*((?:id|tags)\s*:[^>]*|faq\b[^>]*)-->\s*\Z", re.IGNORECASE)
_BRACES = re.compile(r"\{#([^{}\s]+)((?:\s+\.[^{}\s]+)*)\}\s*\Z")
WORDS = "say it first|question|fill in|number|type it|choose|answer|check|try"
"""What a paragraph may be labelled with."""
_LABEL = re.compile(rf"(?:\*\*|__)[ ]*({WORDS})[ ]*(?::[ ]*(?:\*\*|__)|(?:\*\*|__)[ ]*:)[ \t]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marks:
    """What stood at the end of a heading or question."""

    id: str = ""
    tags: tuple[str, ...] = ()
    faq: bool = False
    written: bool = False
    """Whether an id was written at all, usable or not."""
    own: tuple[str, ...] = ()
    """As `Card.own`."""


def take_marks(text: str, notes: Notes, line: int) -> tuple[str, Marks]:
    """Return text without its marks, and the marks; they end the text or its first paragraph.

    Args:
        text: A heading's or question's Markdown.
        notes: Hears of words that are not understood.
        line: Line of the text, from 1.
    """
    head, gap, rest = text.partition("\n\n")
    for body, tail in ((text, ""), (head, gap + rest)):
        if found := _last(_COMMENT, "<!--", body):
            return body[: found.start()].rstrip() + tail, _read_comment(found[1], notes, line)
        if found := _last(_BRACES, "{#", body):
            words = [word.lstrip(".") for word in found[2].split()]
            tags = tuple(word for word in words if word != "faq")
            marks = Marks(_checked(found[1], notes, line), tags, "faq" in words, written=True)
            return body[: found.start()].rstrip() + tail, marks
    return text, Marks()


def has_marks(text: str) -> bool:
    """Return whether a text ends in an id comment."""
    return _last(_COMMENT, "<!--", text) is not None


def label(text: str) -> tuple[str, str]:
    """Return the label a paragraph begins with ("say it first", "answer", "check", ... or "") and the rest."""
    found = _LABEL.match(text) if text.startswith(("**", "__")) else None  # nearly all text begins otherwise
    return (found[1].lower(), text[found.end() :]) if found else ("", text)


def slug(title: str) -> str:
    """Return an id made from a title: lower case, words joined by dashes.

    >>> slug("The shape of the machine!")
    'the-shape-of-the-machine'
    """
    return "-".join(re.findall(r"\w+", title.lower())) or "untitled"


def _last(pattern: re.Pattern[str], opening: str, text: str) -> re.Match[str] | None:
    at = text.rfind(opening)  # only the last one can end the text; searching them all would be quadratic
    return pattern.match(text, at) if at >= 0 else None


def _read_comment(words: str, notes: Notes, line: int) -> Marks:
    name, tags, own, faq, written = "", list[str](), list[str](), False, False
    for part in words.split(","):
        key, colon, value = (piece.strip() for piece in part.partition(":"))
        if key.lower() == "id" and colon:
            name, written = _checked(value, notes, line), True
        elif key.lower() == "tags" and colon:
            tags += value.split()
        elif key.lower() == "faq" and not colon:
            faq = True
        elif key.lower() in ("own", "flag") and colon:
            own += own_marks(
                value if key.lower() == "own" else "", value if key.lower() == "flag" else "", notes, line
            )
        elif part.strip():
            notes.problem(line, f"'{excerpt(part)}' in the comment is not understood; id:, tags: and faq are")
    return Marks(name, tuple(tags), faq, written, tuple(own))


def own_marks(tags: str, flag: str, notes: Notes, line: int) -> list[str]:
    """Return a learner's own tags and flag as the record names them; a flag of no known colour is reported."""
    from studyapp.core.queries import FLAGS

    marks = [f"tag:{tag}" for tag in tags.split()]
    if flag and flag.lower() not in FLAGS:
        notes.problem(line, f"'{excerpt(flag)}' is no flag; {', '.join(FLAGS)} are")
        return marks
    return marks + [f"flag:{flag.lower()}"] * bool(flag)


def _checked(name: str, notes: Notes, line: int) -> str:
    if ID.match(name) or WHOLE_ID.match(name):
        return name
    notes.problem(line, f"'{excerpt(name)}' cannot be an id; use letters, digits, '-', '_' and '.'")
    return ""
