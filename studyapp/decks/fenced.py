"""Notes between `START` and `END` lines, or `STARTI [Type] ... ENDI` in one: how Obsidian_to_Anki marks cards.

The line below `START` names the note's type; then each field begins with its name and a colon, the first may do
without. A type with "reversed" in it asks both ways, one with "cloze" has gaps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studyapp.decks.blocks import Block

_FIELD = re.compile(r"([A-Z][\w -]{0,30}):(?:[ \t]+|\Z)")
_INLINE = re.compile(r"[ \t]*(?:[-+*][ \t]+)?STARTI[ \t]+\[([^\]\n]+)\](.*)[ \t]ENDI[ \t]*\Z")
_ID = re.compile(r"[ \t]*(?:<!--[ \t]*)?ID:[ \t]*\d+[ \t]*(?:-->)?[ \t]*\Z")
_INLINE_ID = re.compile(r"(?:<!--[ \t]*)?\bID:[ \t]*\d+[ \t]*(?:-->)?[ \t]*\Z")
_INLINE_FIELD = re.compile(r"[ \t]+(?=(?:Front|Back|Text|Extra|Back Extra|Tags):[ \t])")
_CODE = ("fence", "code_block")


@dataclass(frozen=True, slots=True)
class Note:
    """One note; lines count from 0 and `end` is the first after it."""

    start: int
    end: int
    type: str
    fields: tuple[str, ...]
    """Their texts, in the file's order."""
    tags: tuple[str, ...] = ()


def take(lines: Sequence[str], blocks: Sequence[Block]) -> Iterator[Note]:
    """Yield the notes of a text; a `START` without an `END` is none.

    Args:
        lines: The text's.
        blocks: The text's: what stands in code is no note.
    """
    if not any(line.startswith("START") or "STARTI" in line for line in lines):
        return
    code = {at for block in blocks if block.kind in _CODE for at in range(block.start, block.end)}
    at = 0
    while at < len(lines):
        note = None if at in code else _note(lines, at)
        if note:
            yield note
        at = note.end if note else at + 1


def _note(lines: Sequence[str], at: int) -> Note | None:
    if inline := _INLINE.match(lines[at]):
        words = _INLINE_FIELD.split(_INLINE_ID.sub("", inline[2].strip()))
        return _read(at, at + 1, inline[1], words)
    if lines[at].rstrip() != "START":
        return None
    rest = range(at + 1, len(lines))
    end = next((n for n in rest if lines[n].rstrip() in ("END", "START")), len(lines))
    if end == len(lines) or lines[end].rstrip() == "START" or end < at + 3:
        return None
    return _read(at, end + 1, lines[at + 1].strip(), lines[at + 2 : end])


def _read(start: int, end: int, kind: str, lines: Sequence[str]) -> Note:
    fields, tags = list[list[str]](), list[str]()
    for line in lines:
        found = _FIELD.match(line)
        if found and found[1] == "Tags":
            tags += line[found.end() :].replace(",", " ").split()
        elif found:
            fields.append([line[found.end() :]])
        elif not _ID.match(line):
            fields = fields or [[]]
            fields[-1].append(line)
    texts = ("\n".join(field).strip() for field in fields)
    return Note(start, end, kind, tuple(texts), tuple(tags))
