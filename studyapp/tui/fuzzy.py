"""How well a few typed letters fit a line of words: pure, and quick enough for every key."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(8192)
def folded(text: str) -> str:
    """Return a text without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def fit(query: str, text: str) -> float:
    """Return how well a query fits a text, 0 for not at all; higher is better.

    Each word of the query must be found: best at the start of a word, then anywhere, then letter by letter with
    each new stretch at the start of a word or right behind the one before.

    >>> fit("st", "study these cards") > fit("st", "the best card") > fit("st", "set theme") > 0
    True
    >>> fit("qx", "study")
    0.0
    """
    line = folded(text)
    total = 0.0
    for word in folded(query).split():
        score = _word_fit(word, line)
        if not score:
            return 0.0
        total += score
    return total / (1 + len(line) / 400) if total else 1.0


def _word_fit(word: str, line: str) -> float:
    if line.startswith(word):
        return 12.0 + len(word)
    at = line.find(word)
    while at > 0:
        if not line[at - 1].isalnum():
            return 10.0 + len(word) - min(4.0, at / 20)
        at = line.find(word, at + 1)
    if word in line:
        return 6.0 + len(word)
    return _letters_fit(word, line)


def _letters_fit(word: str, line: str) -> float:
    """Return the fit of letters in order that are not together: "gtb" in "go to browse"."""
    starts = [k for k in range(len(line)) if line[k].isalnum() and (k == 0 or not line[k - 1].isalnum())]

    def walk(letter: int, at: int) -> bool:
        if letter == len(word):
            return True
        if at < len(line) and line[at] == word[letter] and walk(letter + 1, at + 1):
            return True
        return any(line[k] == word[letter] and walk(letter + 1, k + 1) for k in starts if k >= at and k != at)

    if len(word) > 12 or not any(line[k] == word[0] and walk(1, k + 1) for k in starts[:40]):
        return 0.0
    return 2.0 + len(word) / 4
