"""Places of cards put together: which of them, in some of several lists, in fewer than before. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studyapp.core.queries import All, Any, Expression, Fact, Text


@dataclass(frozen=True)
class Those:
    """The places of a fact, or, of one that is true of nearly all, the places of which it is not."""

    places: set[int]
    inside: bool = True


def merged(lists: Sequence[Sequence[int]]) -> Sequence[int]:
    """Return the places that are in some of the lists, in order."""
    found: Sequence[int] = []
    for some in lists:
        few, many = sorted((found, some), key=len)
        own = set(few)
        found = sorted([*few, *(at for at in many if at not in own)]) if few else many
    return found


def filtered(candidates: Sequence[int], those: Those) -> Sequence[int]:
    """Return the candidates that are among those, in their order."""
    own = those.places
    if those.inside:
        return [at for at in candidates if at in own]
    return [at for at in candidates if at not in own] if own else candidates


def cost(part: Expression) -> int:
    """Rank parts: those that are looked up come first, then long words, which find less than short ones."""
    return -len(part.text) if isinstance(part, Text) else -1000 if isinstance(part, Fact) else 0


def narrows(before: Expression, after: Expression) -> bool:
    """Return whether all that an expression finds, the one before found too: a word grew, or a term was added."""
    if before in (after, All()):
        return True
    if isinstance(before, Text) and isinstance(after, Text):
        return before.text in after.text
    if isinstance(before, Any) and isinstance(after, Any):
        same = len(before.parts) == len(after.parts) and before.parts[:-1] == after.parts[:-1]
        return same and narrows(before.parts[-1], after.parts[-1])
    if not isinstance(after, All):
        return False
    old = before.parts if isinstance(before, All) else (before,)
    new = after.parts[: len(old)]
    return len(new) == len(old) and old[:-1] == new[:-1] and narrows(old[-1], new[-1])
