"""Ids written into a text: one comment per card, and not another character changes.

Where a comment belongs depends on how the question is written, so every insertion is read again: it counts only if
all cards are the same as before and the card at hand has its id.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from studyapp.core.cards import Card, Parsed
from studyapp.decks.marks import slug

Parse = Callable[[str], Parsed]
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_TAGS = re.compile(r"<!--[ \t]*(tags[ \t]*:[^>]*-->[ \t]*)\Z", re.IGNORECASE)
_CLOSED = re.compile(r"(?=#{1,6}[ \t])(.*?[^\\#])([ \t]+#+[ \t]*)\Z")
_HEAD_END = re.compile(r"[ \t>]*\Z|>?[ \t]*(?:A|D):|>[ \t]*\*\*answer", re.IGNORECASE)
_REACH = 60
"""Lines of a question that are tried for a comment."""
_WORDS = 5
"""Words of the question that a new id is made of."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An id to be written."""

    line: int
    """Line of the question, from 1."""
    name: str
    """As it stands in the comment: "x", or "/x" where the module's id must not come before it."""


def without_ids(parsed: Parsed) -> list[Card]:
    """Return the cards that have no id in the file, one per note."""
    found: dict[object, Card] = {}
    for card in parsed.module.cards:
        if not card.explicit_id:
            found.setdefault(card.note or id(card), card)
    return list(found.values())


def fresh_id(card: Card, taken: Iterable[str], salt: str = "") -> str:
    """Return a readable id that is free: the first words of the question, and a number where they are taken.

    Args:
        card: The card to name.
        taken: Ids of the file, as written.
        salt: Where ids stand alone (no module id before them), the file's name: four digits keep decks apart.
    """
    text = unicodedata.normalize("NFKD", card.source or card.prompt).encode("ascii", "ignore").decode()
    words = slug(re.sub(r"<!--.*?-->|\W+", " ", text)).replace("_", "-").split("-")
    name = "-".join(word for word in words[:_WORDS] if word)[:48].strip("-.") or "card"
    if salt:
        name += "-" + hashlib.blake2b(f"{salt}\x1f{card.text_hash}".encode(), digest_size=2).hexdigest()
    others = set(taken)
    number, free = 2, name
    while free in others:
        free, number = f"{name}-{number}", number + 1
    return free


def add_ids(text: str, wanted: Sequence[Wanted], parse: Parse) -> tuple[str, list[Wanted]]:
    """Return a text with ids added, and those for which there was no place.

    Args:
        text: As on disk, with its own line ends.
        wanted: What to write where.
        parse: How the text is read.
    """
    lines = _LINE.findall(text)
    before = parse(text)
    changed = dict(_first_places(lines, wanted))
    if _same(before, parse("".join(_with(lines, changed))), wanted):
        return "".join(_with(lines, changed)), []
    left: list[Wanted] = []
    changed = {}
    done: list[Wanted] = []
    for one in wanted:
        place = _place(lines, changed, one, before, [*done, one], parse)
        if place is None:
            left.append(one)
        else:
            changed |= place
            done.append(one)
    return "".join(_with(lines, changed)), left


def _first_places(lines: Sequence[str], wanted: Iterable[Wanted]) -> Iterable[tuple[int, str]]:
    for one in wanted:
        at = next(iter(_candidates(lines, one.line - 1)), None)
        if at is not None:
            yield at, _marked(lines[at], one.name)


def _place(
    lines: Sequence[str],
    changed: Mapping[int, str],
    one: Wanted,
    before: Parsed,
    wanted: Sequence[Wanted],
    parse: Parse,
) -> dict[int, str] | None:
    for at in _candidates(lines, one.line - 1):
        if at in changed:
            continue
        attempt = {**changed, at: _marked(lines[at], one.name)}
        if _same(before, parse("".join(_with(lines, attempt))), wanted):
            return {at: attempt[at]}
    return None


def _candidates(lines: Sequence[str], start: int) -> Iterable[int]:
    """Yield the lines that may take the comment: the end of the first paragraph, then the whole question."""
    if start >= len(lines):
        return
    end = start + 1
    while end < len(lines) and not _HEAD_END.match(lines[end].rstrip("\r\n")):
        end += 1
    yield end - 1
    yield from (at for at in range(start, min(len(lines), start + _REACH)) if at != end - 1)


def _marked(line: str, name: str) -> str:
    body = line.rstrip("\r\n")
    ending = line[len(body) :]
    if found := _TAGS.search(body):
        return f"{body[: found.start()]}<!-- id: {name}, {found[1]}{ending}"
    if found := _CLOSED.match(body):
        return f"{found[1]} <!-- id: {name} -->{found[2]}{ending}"
    words = body.rstrip(" \t")
    return f"{words}{' ' if words else ''}<!-- id: {name} -->{body[len(words) :]}{ending}"


def _with(lines: Sequence[str], changed: Mapping[int, str]) -> list[str]:
    return [changed.get(at, line) for at, line in enumerate(lines)]


def _same(before: Parsed, after: Parsed, wanted: Sequence[Wanted]) -> bool:
    """Return whether the cards are what they were, but for the ids that were wanted, which they have."""
    names = {one.line: one.name for one in wanted}
    if [_bare(card) for card in before.module.cards] != [_bare(card) for card in after.module.cards]:
        return False
    for old, new in zip(before.module.cards, after.module.cards, strict=True):
        name = "" if old.explicit_id else names.get(old.line, "")
        if new.explicit_id != (old.explicit_id or bool(name)) or (old.explicit_id and old.id != new.id):
            return False
        if name and not new.id.partition(":")[0].endswith(name.removeprefix("/")):
            return False
    return before.module.sections == after.module.sections


def _bare(card: Card) -> Card:
    return replace(card, id="", explicit_id=True, note="")
