"""The pasts of the cards of an Anki package, beside what the record has of them; each as short as it can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studyapp.core.policy import Policy
from studyapp.decks.anki.calendar import Calendar
from studyapp.decks.anki.history import NOTHING_NEW, Historian, Story, prefix_of
from studyapp.decks.anki.mapping import Deck, Taken
from studyapp.decks.anki.reader import Collection
from studyapp.decks.anki.telling import IDS, ROWS, Telling, Told, given
from studyapp.decks.marks import slug
from studyapp.store.arriving import Arriving
from studyapp.store.origins import ORIGIN
from studyapp.store.pasts import Coming, Past, cards_behind, cards_with_reviews

if TYPE_CHECKING:
    from studyapp.study.desk import Desk


@dataclass(frozen=True, slots=True)
class Package:
    """What is known of an open package."""

    file: Path
    """Its collection, a private copy."""
    collection: Collection
    deck: Deck
    telling: Telling
    told: Told
    calendar: Calendar


def past_of(package: Package, cards: Iterable[Taken]) -> Past | None:
    """Return what pours the answers of cards, as far as they are told; None where there are none."""
    coming = _coming(package, cards)
    if not coming:
        return None
    return Past(
        database=package.telling.answers(),
        rows=ROWS,
        given=given(package.calendar),
        coming=coming,
        answers=sum(package.told.spans[key][0] for _, key, _ in coming),
    )


def _coming(package: Package, cards: Iterable[Taken]) -> list[Coming]:
    told = package.told.spans
    return [(prefix_of(one.card.id), one.anki.id, one.card.id) for one in cards if one.anki.id in told]


@dataclass(frozen=True, slots=True)
class Here:
    """What the record has of the cards that arrive."""

    logged: set[str]
    """Cards with a past here."""
    behind: set[str]
    """Of these, the ones that lack a review of the package."""


def here_of(desk: Desk, package: Package) -> Here:
    """Look what the record has."""
    taken = package.deck.taken
    logged = cards_with_reviews(desk.store, [one.card.id for one in taken])
    known = _coming(package, [one for one in taken if one.card.id in logged]) if logged else []
    if not known:
        return Here(logged, set())
    return Here(logged, cards_behind(desk.store, package.file, IDS, given(package.calendar)[:1], known))


class Teller:
    """Tells the pasts of a package's cards, each as shortly as it can be."""

    def __init__(self, package: Package, here: Here, policy: Policy) -> None:
        collection = package.collection
        first_day = package.calendar.first_day(collection.created_s, collection.west_min)
        self._historian = Historian(package.calendar, policy, first_day)
        self._package, self._here = package, here
        self.left_out = 0
        """Reviews that were left out."""

    def arriving(self) -> list[Arriving]:
        """Return the cards with their past."""
        taken = self._package.deck.taken
        stories = [self._short(one) for one in taken]
        logs = self._logs({one.anki.id for one, story in zip(taken, stories, strict=True) if story is None})
        return [
            self._arriving(one, story or self._long(one, logs.get(one.anki.id, ())))
            for one, story in zip(taken, stories, strict=True)
        ]

    def _short(self, one: Taken) -> Story | None:
        """Return where a card stands whose log need not be read, None where it must be."""
        if one.anki.id in self._package.told.odd:
            return None
        if one.card.id in self._here.logged:
            is_settled = one.anki.queue >= 0 and one.card.id not in self._here.behind
            return NOTHING_NEW if is_settled else None
        span = self._package.told.spans.get(one.anki.id)
        return self._historian.told(one.card.id, one.anki, None if span is None else span[1])

    def _long(self, one: Taken, log: Sequence[tuple[Any, ...]]) -> Story:
        story = self._historian.story(one.card.id, one.anki, log)
        self.left_out += story.left_out
        is_poured = one.anki.id in self._package.told.spans and one.card.id not in self._here.logged
        return story._replace(rows=[]) if is_poured else story

    def _logs(self, wanted: set[int]) -> dict[int, list[tuple[Any, ...]]]:
        if not wanted:
            return {}
        log = groupby(self._package.collection.log(), key=itemgetter(0))
        return {card: list(entries) for card, entries in log if card in wanted}

    def _arriving(self, one: Taken, story: Story) -> Arriving:
        return Arriving(
            card=one.card,
            module=one.module or slug(one.title),
            title=one.title,
            origin=ORIGIN + one.deck,
            version=(one.mod_s, self._package.collection.mod_ms),
            rows=story.rows,
            marks=story.marks,
            memory=story.memory,
            suspended=story.suspended,
            buried_until_day=story.buried_until_day,
            flag=one.flag,
        )
