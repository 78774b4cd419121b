"""What divides front from back in a line: ` :: `, `::`, or ` : ` where a tag or an emoji says that it is a card.

Code and formulas are never searched. `::` without blanks around it counts only where most lines have it, or where
something else says that cards are meant: so `std::vector` makes no card. Nor does `map :: (a -> b) -> [a] -> [b]`
where such types are as many as other lines with ` :: `.
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
_VERBATIM = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|\\\(.*?\\\)|\$(?![\s$])[^$\n]*?(?<![\s\\$])\$(?![\w$])")
"""Code and formulas in a line: a blank inside the dollars, or a digit after them, says that money is meant."""
_TYPED = re.compile(r"[ \t]*(?:[a-z_][\w']*|\([^\w\s()]+\))[ \t]+::[ \t]+(?=.*[-=]>)")
_WORD = re.compile(r"\w[\w.']*")
_TYPE_WORD = re.compile(r"[A-Z][\w.']*|[a-z]\d*|forall")
"""A type, a variable of one letter: what the type of a function is made of in Haskell and its kin."""
LONGEST_LINE = 4000
"""Longest line that is searched, in characters: no card has a longer one, and the search may cost its square."""
_SHORT = 5
"""Lines of a text in which one line with a separator is a card; in a longer one it is punctuation (our choice)."""
_SHARE = 0.6
"""Share of a file's text lines that must have a separator before it is read as one (our choice)."""


def common(blocks: Iterable[Block], *, meant: bool, fewest: int = 1) -> re.Pattern[str] | None:
    """Return what divides front from back in these paragraphs, or None.

    Args:
        blocks: The text's paragraphs; others are passed over.
        meant: Whether something else says that the text holds cards.
        fewest: How many lines must have it.
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
        if sum(map(_is_type, found)) * 2 >= len(found):
            continue
        least = fewest if pattern is _SPACED and len(lines) <= _SHORT else 2
        share = 0.0 if pattern is _SPACED else _SHARE
        if len(found) >= least and len(found) >= share * len(lines):
            return pattern
    return None


def _is_type(line: str) -> bool:
    """Return whether a line is the type of a function."""
    typed = _TYPED.match(line)
    return typed is not None and all(map(_TYPE_WORD.fullmatch, _WORD.findall(line, typed.end())))


def found_in(pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
    """Return where a separator stands in a line, outside code and formulas."""
    if len(line) > LONGEST_LINE:
        return []
    code = [found.span() for found in _VERBATIM.finditer(line)]
    found = [one for one in pattern.finditer(line) if not any(a <= one.start() < b for a, b in code)]
    if pattern is _ANY and any(one[0].strip() == ":" for one in found) and tail(line) == len(line):
        found = [one for one in found if one[0].strip() != ":"]
    return found


def tail(line: str) -> int:
    """Return where the tags and emoji begin that end a line; its length where there are none."""
    found = _LIAT.match(line[::-1])
    return len(line) - found.end() if found else len(line)
