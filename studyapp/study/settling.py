"""What only the learner can say: whether a card is one that left, whether a rewritten one is still the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studyapp.core.errors import UsageError
from studyapp.store import rewriting
from studyapp.store.rewriting import Rewrite

if TYPE_CHECKING:
    from studyapp.store.adopting import Orphan as Orphan
    from studyapp.store.records import StoredCard
    from studyapp.study.browsing import Found
    from studyapp.study.desk import Desk

__all__ = ["Lost", "Rewrite", "attach", "begin_anew", "keep", "lost_cards", "orphans_of", "rewrites_of"]


def orphans_of(desk: Desk) -> list[Orphan]:
    """Return the answered cards that left their files, each with a card that may be it."""
    from studyapp.store import adopting  # a review asks for rewrites alone

    return adopting.orphans(desk.store)


@dataclass(frozen=True)
class Lost:
    """A card that left its file, with what is known of it and of the card that may be it."""

    orphan: Orphan
    found: Found
    near: StoredCard | None


def lost_cards(desk: Desk) -> list[Lost]:
    """Return what `orphans_of` does, with the cards themselves; texts are compared, so call it in a thread."""
    from studyapp.study.browsing import found_cards

    orphans = orphans_of(desk)
    ids = {card for orphan in orphans for card in (orphan.card, orphan.alike) if card is not None}
    found = {one.card.id: one for one in found_cards(desk, sorted(ids))}
    near = {orphan.card: found[orphan.alike].card for orphan in orphans if orphan.alike in found}
    return [Lost(one, found[one.card], near.get(one.card)) for one in orphans if one.card in found]


def attach(desk: Desk, orphan: str, card: str) -> bool:
    """Let a card go on with the history of one that left its file.

    Returns:
        Whether one undo takes that back: not where the card had no id of its own and became the other one.

    Raises:
        StoreError: If the first has not left, or the second has a history of its own.
    """
    from studyapp.store import adopting

    return adopting.adopt(desk.store, orphan, card, at=desk.clock())


def rewrites_of(desk: Desk) -> list[Rewrite]:
    """Return the rewritten cards of which nothing was said yet."""
    return rewriting.pending_rewrites(desk.store)


def keep(desk: Desk, card: str) -> None:
    """Keep the progress of a rewritten card.

    Raises:
        UsageError: If there is nothing to say about it.
    """
    _require(desk, card)
    rewriting.keep_progress(desk.store, card)


def begin_anew(desk: Desk, card: str) -> None:
    """Make a rewritten card new; one undo takes that back.

    Raises:
        UsageError: If there is nothing to say about it.
    """
    from studyapp.store.starting_over import start_over

    _require(desk, card)
    start_over(desk.store, [card], at=desk.clock())


def _require(desk: Desk, card: str) -> None:
    if all(found.card != card for found in rewrites_of(desk)):
        raise UsageError(
            f"{card!r} is no rewritten card that waits for a word.", "`studyapp rewrites` shows those that do."
        )
