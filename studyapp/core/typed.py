"""A typed answer beside the right one: equal but for case, punctuation, accents and white space is right. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from difflib import SequenceMatcher

from studyapp.core.attempts import Attempt, Fit, Mark, Piece

NEAR_RATIO = 0.8
"""Letters in common, 0-1, from which an answer counts as near: a slip of the fingers in a word of five."""
SHOWN_RATIO = 0.5
"""Below it a comparison letter by letter shows chance, so both texts stand whole."""
LONGEST = 500
"""Characters of an answer that are compared; comparing takes time that grows with their square."""
_OR = re.compile(r"(?<=[`*])\s*(?:,|/|,?\s+or)\s+(?=[`*])")
_KEPT = frozenset("#%&@*/\\")
"""Punctuation that makes a difference in code and formulas."""
_EMPHASIS = re.compile(r"(\*\*|__|\*|(?<!\w)_)(?=\S)(.+?)(?<=\S)\1(?!\w)")


def expected(answer: str) -> tuple[str, ...]:
    """Return what may be typed: the first paragraph, or its `codes` and **bold words** where "or" joins them.

    Where the paragraph begins with one of those and goes on (a colon, a dash, a full stop), that one is enough.

    >>> expected("`x.half()` or `x.to(torch.float16)`")
    ('x.half()', 'x.to(torch.float16)')
    >>> expected("`pin_memory`: the copy can then overlap.")
    ('pin_memory',)
    """
    first = " ".join(answer.strip().partition("\n\n")[0].split())
    found: list[str] = []
    for part in _OR.split(first):
        whole = re.match(r"(`+)\s?(.+?)\s?\1(?!`)|(\*\*|__)(.+?)\3", part)
        rest = part[whole.end() :] if whole else part
        if whole is None or (rest and not re.match(r"\s*(?:[:.;,(–—]|-\s)", rest)):
            return (_plain(first),)
        found.append(whole[2] or _plain(whole[4]))
    return tuple(found)


def judge_typed(answer: str, said: str) -> Attempt:
    """Return how a typed answer compares with that of a card.

    >>> judge_typed("Größe", "grosse").fit, judge_typed("`pin_memory`", "Pin memory").words
    (<Fit.RIGHT: 'right'>, 'The same but for case, punctuation and white space.')
    """
    own = " ".join(said.split())
    if not own:
        return Attempt(said)
    best = max((text[:LONGEST] for text in expected(answer)), key=lambda text: _ratio(own, text))
    if folded(own) == folded(best):
        return Attempt(said, Fit.RIGHT, _kindly(own, best))
    ratio = _ratio(own, best)
    fit = Fit.NEAR if ratio >= NEAR_RATIO else Fit.OFF
    return Attempt(said, fit, "", compared(own, best) if ratio >= SHOWN_RATIO else ())


def compared(said: str, wanted: str) -> tuple[Piece, ...]:
    """Return what of a typed text is the same, too much or missing.

    >>> from studyapp.core.attempts import marked
    >>> marked(compared("pin_memry", "pin_memory"))
    'pin_mem{+o+}ry'
    """
    own, other = _letters(said), _letters(wanted)
    matcher = SequenceMatcher(None, [f for f, _ in own], [f for f, _ in other], autojunk=False)
    pieces: list[Piece] = []
    for operation, low, high, from_, to in matcher.get_opcodes():
        if operation == "equal":
            pieces.append(Piece(Mark.SAME, "".join(raw for _, raw in other[from_:to])))
            continue
        if high > low:
            pieces.append(Piece(Mark.EXTRA, "".join(raw for _, raw in own[low:high])))
        if to > from_:
            pieces.append(Piece(Mark.MISSING, "".join(raw for _, raw in other[from_:to])))
    return tuple(pieces)


def folded(text: str) -> str:
    """Return a text without what is forgiven; the text itself where nothing else is in it.

    >>> folded("Pin-Memory!"), folded("C++"), folded("-1"), folded("...")
    ('pinmemory', 'c++', '-1', '...')
    """
    return "".join(fold for fold, _ in _letters(text))


def _letters(text: str) -> list[tuple[str, str]]:
    """Return the letters that count, folded, each with its text; what is forgiven goes with the one before."""
    found: list[tuple[str, str]] = []
    lead = ""
    for at, sign in enumerate(text):
        fold = "" if _is_forgiven(text, at) else _fold(sign)
        if fold:
            found.append((fold, lead + sign))
            lead = ""
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + sign)
        else:
            lead += sign
    return found or [(sign, sign) for sign in text.strip()]


def _fold(sign: str) -> str:
    return _bare(sign.casefold())


def _is_forgiven(text: str, at: int) -> bool:
    sign = text[at]
    if sign in _KEPT:
        return False
    if sign in "-−" and text[at + 1 : at + 2].isdigit() and not text[max(0, at - 1) : at].strip():
        return False  # a sign before a number
    if sign in ".," and text[at + 1 : at + 2].isdigit() and text[max(0, at - 1) : at].isdigit():
        return False  # within a number
    return sign.isspace() or unicodedata.category(sign).startswith(("P", "M")) or sign == "`"


def _ratio(said: str, wanted: str) -> float:
    own, other = folded(said[:LONGEST]), folded(wanted)
    return SequenceMatcher(None, own, other, autojunk=False).ratio()


def _kindly(said: str, wanted: str) -> str:
    """Return in what two texts differ that count as the same, "" where they are the same."""
    differ = []
    for name in _FORGIVEN:
        others = [drop for other, drop in _FORGIVEN.items() if other != name]
        if _dropped(said, others) != _dropped(wanted, others):
            differ.append(name)
    if not differ:
        return ""
    return f"The same but for {' and '.join([', '.join(differ[:-1]), differ[-1]] if differ[1:] else differ)}."


def _dropped(text: str, ways: list[Callable[[str], str]]) -> str:
    for drop in ways:
        text = drop(text)
    return text


def _bare(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))


_FORGIVEN: dict[str, Callable[[str], str]] = {
    "case": str.casefold,
    "accents": _bare,
    "punctuation": lambda text: "".join(sign for sign in text if not _is_punctuation(sign)),
    "white space": lambda text: "".join(text.split()),
}


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign).startswith("P")


def _plain(text: str) -> str:
    """Return a paragraph without emphasis and code marks."""
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    return _EMPHASIS.sub(r"\2", text).replace("`", "").strip()
