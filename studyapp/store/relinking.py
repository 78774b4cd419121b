"""Which card is which, for cards without an id of their own: the same text, or a likely edit in the same place.

Pure: it compares texts and places and changes nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from studyapp.core.cards import normalised

ALIKE = 0.6
"""Ratio of `difflib` from which two texts may be one card edited (our choice)."""
_LONGEST = 1500
"""Characters compared at most: the ratio's cost grows with the square of the length."""
_WINDOW = 3
"""How far apart in their order two cards of a wholly rewritten stretch may be."""


@dataclass(frozen=True, slots=True)
class Text:
    """A card's text with its place between cards that are certain."""

    key: int
    """Index in the caller's list."""
    text: str
    before: str
    """Id of the last certain card before it, "" at the start."""
    after: str
    """Id of the first certain card after it, "" at the end."""


def card_text(prompt: str, answer: str) -> str:
    """Return the text that is compared: white space folded, cut to a bearable length."""
    return f"{normalised(prompt)}\n{normalised(answer)}"[:_LONGEST]


def ratio(a: str, b: str) -> float:
    """Return how alike two texts are, 0-1, or 0 where it is certainly below `ALIKE`."""
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    return matcher.ratio()


def likely_edits(gone: Sequence[Text], new: Sequence[Text]) -> list[tuple[int, int]]:
    """Return pairs (gone key, new key) that are one card edited: alike, in the same place, order kept.

    Args:
        gone: The file's cards that no text matches any more, in their old order.
        new: The cards that match nothing stored, in their new order.
    """
    reach = _WINDOW + abs(len(gone) - len(new))
    found = [
        (-alike, i, j)
        for i, old in enumerate(gone)
        for j, fresh in enumerate(new)
        if abs(i - j) <= reach
        and (old.before == fresh.before or old.after == fresh.after)
        and (alike := ratio(old.text, fresh.text)) >= ALIKE
    ]
    taken: list[tuple[int, int]] = []
    for _, i, j in sorted(found):
        if all((i < a) == (j < b) and i != a and j != b for a, b in taken):
            taken.append((i, j))
    return [(gone[i].key, new[j].key) for i, j in sorted(taken)]
