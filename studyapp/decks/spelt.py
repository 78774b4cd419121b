"""Q/A decks whose markers are spelt otherwise: `**Q:**`, `- Q:`, `Q1.`, `Question:`, `问：`, and their answers.

Such a text is read as the Q/A deck it means: each marker is replaced by `Q:` or `A:`, and no line moves, so that
line numbers stay right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from studyapp.core.cards import Parsed
from studyapp.decks import questions
from studyapp.decks.blocks import read_blocks
from studyapp.decks.clean import settle
from studyapp.decks.notes import Known

_LEAD = r"[ ]{0,6}(?:(?:[-+*]|\d{1,3}[.)]|#{3,6})[ ]+)?"
_TAIL = r"[ ]?\d{0,3}[ ]?(?:(?(1)(?:[:.)]?\1[:.)]?|[:.)])|[:.)])(?:[ \t]+|\Z)|(?(1)(?:：\1|\1：|：)|：)[ \t]*)"
_ASKS = re.compile(rf"{_LEAD}(\*\*|__|\*|_)?(?:Q|Question|Frage|Pregunta|问题?|問題?){_TAIL}", re.IGNORECASE)
_ANSWERS = re.compile(
    rf"{_LEAD}(\*\*|__|\*|_)?(?:A|Ans|Answer|R|Réponse|Respuesta|Antwort|答案?){_TAIL}", re.IGNORECASE
)
_OPTION = re.compile(rf"{_LEAD}B[.)][ \t]")
"""The second of some options; the first would look like an answer."""
_SHARE = 0.6
"""Share of the questions that must have an answer before a text is read like this (our choice)."""
_NO_TEXT = ("fence", "code_block", "html_block")


def fits(text: str) -> bool:
    """Return whether a text has questions and answers with such markers."""
    return _with_markers(settle(text).split("\n")) is not None


def parse(text: str, path: str, known: Known | None = None) -> Parsed:
    """Return what such a deck holds; see `questions.parse`."""
    lines = settle(text).split("\n")
    return questions.parse("\n".join(_with_markers(lines) or lines), path, known)


def _with_markers(lines: Sequence[str]) -> list[str] | None:
    """Return the lines with `Q:` and `A:` as markers, or None if the text is no such deck."""
    if not any(map(_ASKS.match, lines)):  # spares nearly every text the reading of its blocks
        return None
    options = any(map(_OPTION.match, lines))
    code = _code(lines)
    found, asked, answered, waiting = list(lines), 0, 0, False
    for at, line in enumerate(lines):
        if at in code:
            continue
        if match := _ASKS.match(line):
            asked, waiting = asked + 1, True
            found[at] = f"Q: {_rest(line, match)}"
        elif waiting and (match := _ANSWERS.match(line)) and not (options and match[0].strip()[1:] in (".", ")")):
            answered, waiting = answered + 1, False
            found[at] = f"A: {_rest(line, match)}"
    return found if answered and answered >= _SHARE * asked else None


def _code(lines: Sequence[str]) -> set[int]:
    """Return the lines that are code, from 0."""
    blocks = (inner for block in read_blocks(lines).blocks for inner in block.walk())
    return {at for block in blocks if block.kind in _NO_TEXT for at in range(block.start, block.end)}


def _rest(line: str, marker: re.Match[str]) -> str:
    """Return what follows a marker; where all of the question is bold, without the end of it."""
    rest, opening = line[marker.end() :], marker[1]
    if not opening or rest.count(opening) % 2 == 0:
        return rest
    words, _, after = rest.rpartition(opening)
    return words + after
