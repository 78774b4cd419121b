"""The coin: half of the cards with an experiment are to be predicted first, and what came of it is compared."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from studyapp.core.calibration import Share
from studyapp.core.coin import PLAIN, PREDICT, Comparison, arm

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

SINCE = "coin_since_ms"
"""Where the store keeps when the coin was taken up: answers from before it are no part of the comparison."""


def take_up(desk: Desk) -> int:
    """Return since when the coin counts, UTC ms; the first call sets it to now."""
    kept = desk.store.meta_get(SINCE)
    if kept is None:
        kept = str(desk.clock().at_ms)
        desk.store.meta_set(SINCE, kept)
    return int(kept)


def compare(desk: Desk) -> Comparison | None:
    """Return what came of the two arms, or None where the coin was never taken up."""
    kept = desk.store.meta_get(SINCE)
    if kept is None:
        return None
    shares = {PREDICT: Share(0, 0), PLAIN: Share(0, 0)}
    growth: dict[str, list[float]] = {PREDICT: [], PLAIN: []}
    rows = desk.store.next_day_answers(int(kept))
    for card, rating, before, after in rows:
        side = arm(card)
        shares[side] = shares[side] + Share(int(rating > 1), 1)
        if before and after:
            growth[side].append(math.log(after / before))
    tried = desk.store.cards_tried(int(kept))
    return Comparison(
        shares[PREDICT],
        shares[PLAIN],
        _geometric(growth[PREDICT]),
        _geometric(growth[PLAIN]),
        sum(1 for card in tried if arm(card) == PREDICT),
    )


def _geometric(logs: list[float]) -> float | None:
    return math.exp(sum(logs) / len(logs)) if logs else None
