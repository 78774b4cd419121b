"""Ids written into a text: one comment per card, and not another character changes.

Where a comment belongs depends on how the question is written, so every insertion is read again: it counts only if
all cards are the same as before and the card at hand has its id.
"""

from __future__ import annotations

import bisect
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from studyapp.core.cards import Card, Parsed, note_of

Parse = Callable[[str], Parsed]
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_TAGS = re.compile(r"<!--[ \t]*(tags[ \t]*:[^>]*-->[ \t]*)\Z", re.IGNORECASE)
_CLOSED = re.compile(r"(?=#{1,6}[ \t])(.*?[^\\#])([ \t]+#+[ \t]*)\Z")
_HEAD_END = re.compile(r"[ \t>]*\Z|>?[ \t]*(?:A|D):|>[ \t]*\*\*answer", re.IGNORECASE)
_MARKUP = re.compile(r"<!--.*?-->|\{\{c\d+::|::[^{}]*\}\}")
"""What of a question is no word of it: comments, a gap's number and hint."""
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
    text = (
        unicodedata.normalize("NFKD", (card.source or card.prompt).casefold()).encode("ascii", "ignore").decode()
    )
    words = re.findall(r"[a-z0-9]+", _MARKUP.sub(" ", text))
    name = "-".join(words[:_WORDS])[:48].strip("-.") or "card"
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
    before = parse(text)
    starts = sorted({card.line for card in before.module.cards})
    writing = _Writing(_LINE.findall(text), starts, before, parse)
    left = writing.write(list(wanted)) if wanted else []
    return "".join(writing.with_changes()), left


@dataclass
class _Writing:
    """A text while ids are written into it."""

    lines: list[str]
    starts: list[int]
    """Lines of all questions, from 1."""
    before: Parsed
    parse: Parse
    changed: dict[int, str] = field(default_factory=dict)
    done: list[Wanted] = field(default_factory=list)

    def write(self, wanted: list[Wanted]) -> list[Wanted]:
        """Write ids where they belong; return those for which there is no place.

        All at once where that works, else half by half, so that one odd card does not cost a reading for each.
        """
        places = [(next(self._candidates(one)), one.name) for one in wanted]
        attempt = {at: _marked(self.lines[at], name) for at, name in places}
        if self._keeps(attempt, wanted):
            return []
        if len(wanted) == 1:
            return [] if self._write_one(wanted[0]) else wanted
        middle = len(wanted) // 2
        return self.write(wanted[:middle]) + self.write(wanted[middle:])

    def _write_one(self, one: Wanted) -> bool:
        return any(
            at not in self.changed and self._keeps({at: _marked(self.lines[at], one.name)}, [one])
            for at in self._candidates(one)
        )

    def _keeps(self, attempt: Mapping[int, str], wanted: Sequence[Wanted]) -> bool:
        """Keep an attempt if it changes nothing but the ids that are wanted, and gives those."""
        after = self.parse("".join(self.with_changes(attempt)))
        if not _same(self.before, after, [*self.done, *wanted]):
            return False
        self.changed |= attempt
        self.done += wanted
        return True

    def with_changes(self, attempt: Mapping[int, str] | None = None) -> list[str]:
        """Return the lines with what is kept so far, and an attempt."""
        changed = {**self.changed, **(attempt or {})}
        return [changed.get(at, line) for at, line in enumerate(self.lines)]

    def _candidates(self, one: Wanted) -> Iterator[int]:
        """Yield the lines that may take a comment: the end of the first paragraph, then the whole question."""
        start = one.line - 1
        following = bisect.bisect_right(self.starts, one.line)
        stop = self.starts[following] - 1 if following < len(self.starts) else len(self.lines)
        end = start + 1
        while end < stop and not _HEAD_END.match(self.lines[end].rstrip("\r\n")):
            end += 1
        yield end - 1
        yield from (at for at in range(start, min(stop, start + _REACH)) if at != end - 1)


def _marked(line: str, name: str) -> str:
    body = line.rstrip("\r\n")
    ending = line[len(body) :]
    if found := _TAGS.search(body):
        return f"{body[: found.start()]}<!-- id: {name}, {found[1]}{ending}"
    if found := _CLOSED.match(body):
        return f"{found[1]} <!-- id: {name} -->{found[2]}{ending}"
    words = body.rstrip(" \t")
    return f"{words}{' ' if words else ''}<!-- id: {name} -->{body[len(words) :]}{ending}"


def _same(before: Parsed, after: Parsed, wanted: Sequence[Wanted]) -> bool:
    """Return whether the cards are what they were, but for the ids that were wanted, which they have."""
    names = {one.line: one.name for one in wanted}
    if [_bare(card) for card in before.module.cards] != [_bare(card) for card in after.module.cards]:
        return False
    for old, new in zip(before.module.cards, after.module.cards, strict=True):
        name = "" if old.explicit_id else names.get(old.line, "")
        has_it = note_of(new.id).endswith(name.removeprefix("/"))
        if new.explicit_id != (old.explicit_id or bool(name)) or not (
            old.id == new.id if old.explicit_id else has_it
        ):
            return False
    return before.module.sections == after.module.sections


def _bare(card: Card) -> Card:
    return replace(card, id="", explicit_id=True, note="")
