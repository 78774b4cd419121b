"""Reviewing: draw a card, show what each button would do, store the grade, take it back."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from studyapp.core.cards import note_of
from studyapp.core.days import Moment
from studyapp.core.leeches import SUSPEND, is_leech_event
from studyapp.core.queue import Counts, QueueRow
from studyapp.core.replay import fold
from studyapp.core.reviews import Answered, Kind, Rating, ReviewRow, State
from studyapp.core.scheduling import kind_of, preview
from studyapp.core.terms import terms_of
from studyapp.store.database import StoredCard
from studyapp.study.desk import Desk
from studyapp.study.planning import More, queue_today
from studyapp.study.rebuilding import policies
from studyapp.study.today import write_status

LONGEST_THOUGHT_MS = 60_000
"""Thinking time counts up to a minute, as in Anki: past that the learner was elsewhere."""


class Outcomes(Mapping[Rating, Answered]):
    """The four outcomes of one moment, worked out when they are first looked at: a question shows none of them."""

    def __init__(self, work_out: Callable[[], Mapping[Rating, Answered]]) -> None:
        self._work_out = work_out
        self._found: Mapping[Rating, Answered] | None = None

    def _known(self) -> Mapping[Rating, Answered]:
        if self._found is None:
            self._found = self._work_out()
        return self._found

    def __getitem__(self, rating: Rating) -> Answered:
        """Return what a grade would do."""
        return self._known()[rating]

    def __iter__(self) -> Iterator[Rating]:
        """Go over the grades."""
        return iter(self._known())

    def __len__(self) -> int:
        """Return how many grades there are."""
        return len(self._known())


@dataclass(frozen=True)
class Showing:
    """One card on screen with its four outcomes; `key` makes sure it is answered once."""

    key: str
    card: StoredCard
    outcomes: Mapping[Rating, Answered]
    moves: bool = True
    """Whether an answer moves the card; False in a cram, where it stays what and where it is."""

    @property
    def is_new(self) -> bool:
        """Whether the card was never answered."""
        return self.card.memory.state is State.NEW


@dataclass(frozen=True)
class Graded:
    """A stored answer."""

    row: ReviewRow
    answered: Answered
    leech: bool = False
    """Whether this answer made the card a leech, or one once more."""
    put_away: bool = False
    """Whether it was suspended for it, as the learner chose; taking the answer back brings it back."""


class Waiting(Protocol):
    """The cards of a sitting that are left."""

    def next(self, now_ms: int) -> QueueRow | None:
        """Return the card to show now."""
        ...

    def coming(self, card: str) -> str | None:
        """Return a card that may well come after one."""
        ...

    def drop(self, card: str) -> QueueRow | None:
        """Take a card out."""
        ...

    def counts(self, now_ms: int) -> Counts:
        """Return what is left."""
        ...


class Sitting:
    """One sitting: the queue of today, in order. Everything it answers is stored before it returns."""

    title = "review"

    def __init__(self, desk: Desk, module: str | None = None) -> None:
        self.desk = desk
        self.module = module
        self.answered = 0
        self._more = More()
        self._rebuild()

    def _rebuild(self, first: str | None = None) -> None:
        self.study_day = self.desk.clock().study_day
        self._policy_of = policies(self.desk)
        self.queue: Waiting = self._gathered(first)

    def _gathered(self, first: str | None) -> Waiting:
        """Return what is to be asked, a card whose answer was taken back first."""
        self._today = queue_today(self.desk, self.module, first, self._more)
        return self._today

    def counts(self) -> Counts:
        """Return what is still to do today."""
        return self.queue.counts(self.desk.clock().at_ms)

    def next(self) -> Showing | None:
        """Return the next card with what each grade would do, or None when the sitting is over."""
        moment = self.desk.clock()
        if moment.study_day != self.study_day:  # past the rollover: tomorrow's cards are due now
            self._more = More()
            self._rebuild()
        while (row := self.queue.next(moment.at_ms)) is not None:
            showing = self.show(row.card)
            if showing is not None and self._still_asked(showing.card, row.state, moment.study_day):
                return showing
            self.queue.drop(row.card)  # answered, put away or hidden meanwhile, in another window or by a merge
        return None

    def coming(self, showing: Showing) -> StoredCard | None:
        """Return the card that may well come after this one, to make ready what it shows; `next` asks anew."""
        card = self.queue.coming(showing.card.id)
        return None if card is None else self.desk.store.card(card)

    def show(self, card_id: str) -> Showing | None:
        """Return a showing of one card, whatever the queue says, or None if it is gone."""
        card = self.desk.store.card(card_id)
        if card is None:
            return None
        return self._showing(card, self.desk.clock())

    def _showing(self, card: StoredCard, moment: Moment) -> Showing:
        policy = self.desk.options.policy_of(card.module)
        work_out = partial(
            preview, card.id, card.memory, now_ms=moment.at_ms, study_day=moment.study_day, policy=policy
        )
        return Showing(secrets.token_hex(16), card, Outcomes(work_out))

    def _still_asked(self, card: StoredCard, state: State, study_day: int) -> bool:
        """Whether a card is what the queue took it for when it was built."""
        return _still_due(card, state, study_day)

    def grade(
        self, showing: Showing, rating: Rating, *, duration_ms: int, run: str | None = None, wait: bool = True
    ) -> Graded:
        """Store the answer to a showing; the outcome stored is the one that stood on the button.

        Args:
            showing: What was answered.
            rating: The grade.
            duration_ms: Thinking time.
            run: The experiment run that goes with it.
            wait: Whether to wait for another program that is writing.

        Raises:
            WouldWaitError: If there is one, and `wait` is false; nothing was stored.
            StaleShowingError: If it was answered already, here or in another window; nothing was stored twice.
            StoreError: If it could not be stored.
        """
        moment = self.desk.clock()
        answered = showing.outcomes[rating]
        row = self._row(showing, answered, moment, duration_ms, run)
        siblings = self._siblings(showing.card) if showing.moves else []
        leech = is_leech_event(answered.before.lapses, answered.after.lapses)
        put_away = leech and self.desk.options.leech == SUSPEND
        effects = [(card, f"bury {moment.study_day + 1}") for card in siblings]
        effects += [(showing.card.id, SUSPEND)] if put_away else []
        with contextlib.nullcontext() if wait else self.desk.store.without_waiting():
            stored = self.desk.store.record(row, expected=answered.before, effects=effects)
        self.answered += 1
        self._answered(showing, answered, moment)
        for card, _ in effects:
            self.queue.drop(card)
        return Graded(stored, answered, leech, put_away)

    def _row(
        self, showing: Showing, answered: Answered, moment: Moment, duration_ms: int, run: str | None
    ) -> ReviewRow:
        return ReviewRow(
            uid="",
            device="",
            counter=0,
            card=showing.card.id,
            rating=int(answered.rating),
            kind=kind_of(answered.before) if showing.moves else Kind.CRAM,
            at_ms=moment.at_ms,
            offset_min=moment.offset_min,
            zone=moment.zone_name,
            study_day=moment.study_day,
            elapsed_days=answered.elapsed_days,
            before=answered.before,
            after=answered.after if showing.moves else None,
            retrievability=answered.retrievability,
            duration_ms=max(0, min(duration_ms, LONGEST_THOUGHT_MS)),
            showing=showing.key,
            run=run,
            parameters=terms_of(self.desk.options.policy_of(showing.card.module)),
            text_hash=showing.card.text_hash,
        )

    def _answered(self, showing: Showing, answered: Answered, moment: Moment) -> None:
        """Tell the queue of a stored answer."""
        self._today.answered(showing.card.id, answered.after, moment.at_ms)

    def _siblings(self, card: StoredCard) -> list[str]:
        """Return the other cards of the same note: shown on the same day, one would give the other away."""
        note = note_of(card.id)
        if note == card.id:
            return []
        return [c.id for c in self.desk.store.cards(card.module) if c.id != card.id and note_of(c.id) == note]

    def look_again(self) -> None:
        """Build the queue anew: the record grew by what another machine did."""
        self._rebuild()

    def undo(self) -> ReviewRow | None:
        """Take back the latest action, at any depth, also from an earlier sitting; None when there is none.

        That is an answer with all that went with it, or (`kind` MANUAL, named in `action`) a card put away.
        """
        moment = self.desk.clock()
        voided = self.desk.store.undo(
            at_ms=moment.at_ms,
            offset_min=moment.offset_min,
            zone=moment.zone_name,
            study_day=moment.study_day,
            replay=lambda rows: fold(rows, self._policy_of),
        )
        if voided is not None:
            self.answered = max(0, self.answered - bool(voided.rating))
            self._rebuild(first=voided.card)
        return voided

    def again(self, voided: ReviewRow) -> Showing | None:
        """Return what to show after an undo: the card whose answer was taken back, else what comes next.

        A card that was put away comes first in the queue by itself, if it is due; an answer of a cram moved
        nothing, so there is nothing to answer anew outside it.
        """
        if voided.rating and self._asks_again(voided):
            showing = self.show(voided.card)
            if showing is not None and not (showing.card.hidden or showing.card.suspended):
                return showing
        return self.next()

    def _asks_again(self, voided: ReviewRow) -> bool:
        return voided.kind is not Kind.CRAM

    def can_have_more(self) -> bool:
        """Whether something waits beyond today's limits."""
        return (
            queue_today(self.desk, self.module, None, self._more.again()).counts(self.desk.clock().at_ms).due > 0
        )

    def more_today(self) -> bool:
        """Ask for a helping beyond today's limits; return whether there was any."""
        self._more = self._more.again()
        self._rebuild()
        return self.counts().due > 0

    def bury(self, showing: Showing) -> None:
        """Put a card away until tomorrow."""
        moment = self.desk.clock()
        self.desk.store.bury(showing.card.id, moment.study_day + 1, at=moment)
        self.queue.drop(showing.card.id)
        self._rebuild()

    def suspend(self, showing: Showing) -> None:
        """Put a card away until the learner takes it back."""
        self.desk.store.set_suspended(showing.card.id, True, at=self.desk.clock())
        self.queue.drop(showing.card.id)
        self._rebuild()

    def finish(self) -> None:
        """Refresh the status file; called after every answer by the screens, off the key's path."""
        write_status(self.desk)


def _still_due(card: StoredCard, state: State, study_day: int) -> bool:
    """Whether a card is what the queue took it for when it was built."""
    if card.hidden or card.suspended or (card.buried_until_day or 0) > study_day or card.memory.state is not state:
        return False
    return state is not State.REVIEW or (card.memory.due_day or 0) <= study_day
