"""Cards for a few words, as many as a short list shows: what the palette asks while the learner types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from studyapp.core.queries import parse
from studyapp.store.searching import Shelf, cards_by_id
from studyapp.study.browsing import today_of

if TYPE_CHECKING:
    from studyapp.store.records import StoredCard
    from studyapp.study.desk import Desk

FEWEST_LETTERS = 3
"""Below, nearly every card would match."""


class CardFinder:
    """All card texts, read once (a second for 100,000 cards, so make it in a thread)."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._shelf = Shelf(desk.store)

    def find(self, words: str, most: int) -> list[StoredCard]:
        """Return the first cards that hold every word, in authored order.

        Args:
            words: What was typed; every word counts as text, whatever a query would make of it.
            most: How many are wanted.
        """
        if len(words.strip()) < FEWEST_LETTERS:
            return []
        query = " ".join(json.dumps(word.replace('"', ""), ensure_ascii=False) for word in words.split())
        places = self._shelf.find(parse(query.replace('""', "").strip() or '" "'), today_of(self._desk))
        return cards_by_id(self._desk.store, [self._shelf.ids[place] for place in places[:most]])
