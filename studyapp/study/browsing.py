"""Browsing: cards found by a query, what there is to know of each, and what is done to many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from studyapp.core.queries import FLAGS, Expression, parse
from studyapp.core.reviews import ReviewRow, State
from studyapp.core.scheduling import retrievability
from studyapp.core.verdicts import OUTCOME_WORDS
from studyapp.store.adopting import adopted
from studyapp.store.card_marks import Mark, Marked, marks_of, own_tags, set_marks
from studyapp.store.searching import Hits, Shelf, Today, cards_by_id
from studyapp.store.starting_over import start_over
from studyapp.study.rebuilding import undo_the_log

if TYPE_CHECKING:
    from studyapp.store.records import StoredCard, StoredPrediction, StoredRun
    from studyapp.study.desk import Desk

__all__ = ["Browsing", "Found", "find_cards", "last_trial", "today_of"]


def today_of(desk: Desk) -> Today:
    """Return what queries are asked against now."""
    return Today(desk.clock().study_day, desk.options.policy.decay)


def find_cards(desk: Desk, query: str) -> list[StoredCard]:
    """Return the cards that a query finds, in authored order.

    Raises:
        QueryError: If the query means nothing.
    """
    expression = parse(query)
    shelf = Shelf(desk.store)
    return cards_by_id(desk.store, [shelf.ids[at] for at in shelf.find(expression, today_of(desk))])


def marks_of_cards(desk: Desk, ids: Sequence[str]) -> dict[str, Marked]:
    """Return the learner's own tags and flags of cards, by id; those without any are left out."""
    return marks_of(desk.store, ids)


@dataclass(frozen=True)
class Found:
    """One card of a list."""

    card: StoredCard
    marked: Marked
    recall: float | None
    """Chance of recall now, None for a card that was never answered."""


def found_cards(desk: Desk, ids: Sequence[str]) -> list[Found]:
    """Return cards with what a list shows of each, unknown ones left out."""
    day, policy = desk.clock().study_day, desk.options.policy
    marked = marks_of(desk.store, ids)
    return [
        Found(card, marked.get(card.id, Marked()), retrievability(card.memory, day, policy))
        for card in cards_by_id(desk.store, ids)
    ]


@dataclass(frozen=True)
class Asked:
    """What cards are wanted, and in which order."""

    expression: Expression
    sort: str = "lesson"
    descending: bool = False


@dataclass
class Browsing:
    """One look through the cards: a query, an order, and the actions that can be taken back.

    What was found stays as it was until somebody looks again, also when an action changed what would be found.

    Making it reads all texts (a second for 100,000 cards), so a screen makes it in a thread.
    """

    desk: Desk
    shelf: Shelf = field(init=False)
    asked: Asked = field(default_factory=lambda: Asked(parse("")))
    hits: Hits = field(init=False)
    """What was found last, and among what."""
    _marks_done: list[list[Mark] | None] = field(default_factory=list)
    """What takes each action of this look back; None for one that the log itself takes back."""

    def __post_init__(self) -> None:
        self.shelf = Shelf(self.desk.store)
        self.look()

    @property
    def places(self) -> list[int]:
        """What was found, as places on the shelf."""
        return self.hits.places

    def ask(self, query: str) -> None:
        """Ask for other cards from now on.

        Raises:
            QueryError: If the query means nothing; what was asked before stays.
        """
        self.asked = replace(self.asked, expression=parse(query))

    def sort_by(self, sort: str) -> None:
        """Ask for another order; the same one again turns it round."""
        turned = not self.asked.descending if sort == self.asked.sort else False
        self.asked = replace(self.asked, sort=sort, descending=turned)

    def find(self) -> Hits:
        """Return what is asked for; call it from a thread where somebody is typing."""
        asked = self.asked
        return self.shelf.search(asked.expression, today_of(self.desk), asked.sort, descending=asked.descending)

    def warm_up(self) -> None:
        """Read what most queries need, while nobody waits for it yet."""
        self.shelf.warm_up(today_of(self.desk))

    def look(self) -> int:
        """Find what is asked for and return how many there are."""
        self.hits = self.find()
        return len(self.places)

    def search(self, query: str) -> int:
        """Find the cards of a query and return how many there are.

        Raises:
            QueryError: If the query means nothing; what was found before stays.
        """
        self.ask(query)
        return self.look()

    def ids(self, places: Sequence[int]) -> list[str]:
        """Return the ids of places."""
        return self.hits.ids(places)

    def own_tags(self) -> list[str]:
        """Return the learner's own tags."""
        return own_tags(self.desk.store)

    def found(self, ids: Sequence[str]) -> list[Found]:
        """Return cards with what the list shows of each."""
        return found_cards(self.desk, ids)

    # what is done to many at once: each call is one step that `undo` takes back

    def suspend(self, ids: Sequence[str], suspended: bool | None = None) -> str:
        """Put cards away until they are taken back, or take them back; the first card decides which.

        Returns:
            What was done, in words.
        """
        cards = cards_by_id(self.desk.store, ids)
        if not cards:
            return ""
        away = not cards[0].suspended if suspended is None else suspended
        wanted = [card.id for card in cards if card.suspended != away]
        verb = "suspend" if away else "unsuspend"
        self._log([(card, verb) for card in wanted])
        return f"{_count(wanted)} {'suspended' if away else 'taken back'}"

    def bury(self, ids: Sequence[str]) -> str:
        """Put cards away until tomorrow, or take back those that are; the first card decides which."""
        day = self.desk.clock().study_day
        cards = cards_by_id(self.desk.store, ids)
        if not cards:
            return ""
        away = (cards[0].buried_until_day or 0) <= day
        wanted = [card.id for card in cards if ((card.buried_until_day or 0) > day) != away]
        verb = f"bury {day + 1}" if away else "unbury"
        self._log([(card, verb) for card in wanted])
        return f"{_count(wanted)} {'put away until tomorrow' if away else 'taken back'}"

    def start_over(self, ids: Sequence[str]) -> str:
        """Make cards new again; their history stays in the log."""
        wanted = [card.id for card in cards_by_id(self.desk.store, ids) if card.memory.state is not State.NEW]
        if wanted:
            start_over(self.desk.store, wanted, at=self.desk.clock())
            self._done(None)
        return f"{_count(wanted)} start over" if len(wanted) != 1 else "1 card starts over"

    def _log(self, actions: list[tuple[str, str]]) -> None:
        if actions:
            self.desk.store.put_away(actions, at=self.desk.clock())
            self._done(None)

    def tag(self, ids: Sequence[str], words: str) -> str:
        """Put tags on cards, or take them off where a word begins with `-`."""
        wanted = [(word.lstrip("-+"), not word.startswith("-")) for word in words.replace(",", " ").split()]
        marks = [Mark(card, f"tag:{tag}", on) for card in ids for tag, on in wanted if tag]
        changed = self._mark(marks)
        return f"tags of {_count(changed)} changed"

    def flag(self, ids: Sequence[str], colour: str) -> str:
        """Give cards a flag, or, for "", take theirs off."""
        marks = [Mark(card, f"flag:{one}", one == colour) for card in ids for one in FLAGS]
        changed = self._mark(sorted(marks, key=lambda mark: mark.is_on))
        return f"{_count(changed)} flagged {colour}" if colour else f"flag of {_count(changed)} taken off"

    def _mark(self, marks: list[Mark]) -> list[str]:
        back = set_marks(self.desk.store, marks, at_ms=self.desk.clock().at_ms)
        if back:
            self._done(back)
        return list({mark.card: None for mark in back})

    def _done(self, back: list[Mark] | None) -> None:
        self._marks_done.append(back)
        self.shelf.forget()

    def undo(self) -> str | None:
        """Take back the latest action: of this look first, then of the log; None when there is none."""
        back = self._marks_done.pop() if self._marks_done else None
        if back is not None:
            set_marks(self.desk.store, back, at_ms=self.desk.clock().at_ms)
            self.shelf.forget()
            return "took back the mark" + ("s" if len(back) > 1 else "")
        voided = undo_the_log(self.desk)
        if voided is None:
            return None
        self.shelf.forget()
        return f"took back {voided.action.partition(' ')[0] or 'an answer'}"

    def history(self, card: str) -> list[ReviewRow]:
        """Return the answers of one card that count, oldest first."""
        return answers_of(self.desk, card)


def log_of(desk: Desk, card: str) -> list[ReviewRow]:
    """Return the rows of a card that count, oldest first, those of cards whose history it took over included."""
    return [row for one in [*adopted(desk.store, card), card] for row in desk.store.reviews(card=one)]


def answers_of(desk: Desk, card: str) -> list[ReviewRow]:
    """Return the answers among them."""
    return [row for row in log_of(desk, card) if row.rating]


def last_trial(desk: Desk, card: StoredCard) -> tuple[StoredRun, StoredPrediction | None] | None:
    """Return the latest run of an experiment of a card, with the number predicted for it, or None."""
    runs = [run for link in card.experiments if (run := desk.store.last_run(link.experiment)) is not None]
    if not runs:
        return None
    run = max(runs, key=lambda run: run.started_at_ms)
    return run, desk.store.prediction_of(run.uid)


@dataclass(frozen=True)
class Detail:
    """Everything there is to know of one card."""

    found: Found
    title: str
    """Of its lesson."""
    section: str
    """Title of its section, "" outside any."""
    answers: list[ReviewRow]
    """Those that count, oldest first."""
    trials: list[str]
    """What became of each of its experiments here, one sentence each."""


def detail_of(desk: Desk, card_id: str) -> Detail | None:
    """Return everything there is to know of a card, None if there is no such card."""
    found = found_cards(desk, [card_id])
    if not found:
        return None
    card = found[0].card
    titles = {module.id: module.title for module in desk.store.modules()}
    sections = {section.id: section.title for section in desk.store.sections(card.module)}
    answers = answers_of(desk, card_id)
    trials = [_fate(desk, link.experiment) for link in card.experiments]
    return Detail(found[0], titles.get(card.module, card.module), sections.get(card.section, ""), answers, trials)


def _fate(desk: Desk, experiment: str) -> str:
    run = desk.store.last_run(experiment)
    if run is None:
        return f"{experiment}: not run yet"
    said = OUTCOME_WORDS[run.verdict.outcome] if run.verdict is not None else "no verdict"
    return f"{experiment}: {said} on {run.device}"


def _count(cards: Sequence[str]) -> str:
    return "1 card" if len(cards) == 1 else f"{len(cards)} cards"
