"""What divides front from back in a line: ` :: `, `::`, or ` : ` where a tag or an emoji says that it is a card.

Code is never searched, and `::` without blanks around it counts only where most lines have it, or where something
else says that cards are meant: so `std::vector` makes no card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from studyapp.decks.blocks import Block

_SPACED = re.compile(r"[ \t]+(:::?)(?:[ \t]+|(?=\n|\Z))")
_TIGHT = re.compile(r"(?<![:\s])(?<!\bstd)(?<!\bboost)(?<!\btorch)(?<!\bat)(?<!\bcrate)(?<!\bself)(::)(?![:\s])")
_COLON = re.compile(r"[ \t]+(:)[ \t]+")
_LIAT = re.compile(r"[ \t]*(?:[\w/-]+#[ \t]+|[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F]+[ \t]*)+")
"""Tags and emoji at the end of a line that is written backwards: searched forwards, it would cost its square."""
_ANY = re.compile(rf"{_SPACED.pattern}|{_TIGHT.pattern.replace('(::)', '(:::?)')}|{_COLON.pattern}")
"""Each of them, where cards are meant; a single colon still needs a tag or an emoji at the end of its line."""
LONGEST_LINE = 4000
"""Longest line that is searched, in characters: no card has a longer one, and the search may cost its square."""
_SHARE = 0.6
"""Share of a file's text lines that must have a separator before it is read as one (our choice)."""


def common(blocks: Iterable[Block], *, meant: bool) -> re.Pattern[str] | None:
    """Return what divides front from back in these paragraphs, or None.

    Args:
        blocks: The text's paragraphs; others are passed over.
        meant: Whether something else says that the text holds cards.
    """
    lines = [
        line for block in blocks if block.kind == "paragraph" for line in block.content.split("\n") if line.strip()
    ]
    if meant and any(found_in(_ANY, line) for line in lines):
        return _ANY
    for pattern in (_SPACED, _TIGHT, _COLON):
        found = [line for line in lines if len(found_in(pattern, line)) == 1]
        if pattern is _COLON and not any(tail(line) < len(line) for line in found):
            continue  # "note : text" is ordinary prose; a tag or an emoji shows that a card is meant
        least = 1 if pattern is _SPACED else 2
        share = 0.0 if pattern is _SPACED else _SHARE
        if len(found) >= least and len(found) >= share * len(lines):
            return pattern
    return None


def found_in(pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
    """Return where a separator stands in a line, outside code."""
    if len(line) > LONGEST_LINE:
        return []
    code = [found.span() for found in re.finditer(r"(`+)(?!`).*?(?<!`)\1(?!`)", line)]
    found = [one for one in pattern.finditer(line) if not any(a <= one.start() < b for a, b in code)]
    if pattern is _ANY and any(one[0].strip() == ":" for one in found) and tail(line) == len(line):
        found = [one for one in found if one[0].strip() != ":"]
    return found


def tail(line: str) -> int:
    """Return where the tags and emoji begin that end a line; its length where there are none."""
    found = _LIAT.match(line[::-1])
    return len(line) - found.end() if found else len(line)
