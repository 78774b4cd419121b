"""Sittings beyond what is due: studying ahead, and cramming; with and without moving the cards."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace

from studyapp.core.cram import Beyond, CramQueue
from studyapp.core.days import Moment
from studyapp.core.queue import Limits, Queue, QueueRow
from studyapp.core.reviews import Answered, Kind, Rating, ReviewRow, State
from studyapp.core.scheduling import retrievability
from studyapp.store.database import StoredCard
from studyapp.study.desk import Desk
from studyapp.study.planning import DAY_MS
from studyapp.study.reviewing import Showing, Sitting

AT_MOST = 200
"""Cards of one such sitting: more are for the next one."""
AHEAD_DAYS = (1, 3, 7, 30)
"""How far ahead is offered: the first of these that holds a card."""


class Extra(Sitting):
    """A sitting over cards that were asked for. Early and crammed answers that move a card are true reviews.

    What is studied ahead comes in the order of the schedule, steps included. What is crammed comes likeliest
    forgotten first, each card until it was Good once, without burying siblings: all of them were asked for.
    """

    def __init__(self, desk: Desk, module: str | None, wish: Beyond) -> None:
        self.wish = wish
        self.title = wish.title
        self._cram: CramQueue | None = None
        self._anew: set[str] = set()
        """Cards whose true review was taken back here: they are answered as such again."""
        super().__init__(desk, module)

    @property
    def in_order(self) -> bool:
        """Whether the schedule orders the cards, rather than the cram."""
        return self.wish.ahead_days is not None and self.wish.moves

    def _gathered(self, first: str | None) -> Queue | CramQueue:
        if self.in_order:
            self._today = self._early(first)
            return self._today
        if self._cram is None:
            self._cram = self._crammed()
        if first is not None:
            self._cram.take_back(first)
        return self._cram

    def _early(self, first: str | None) -> Queue:
        moment, days = self.desk.clock(), self.wish.ahead_days or 0
        rows = self._early_rows(moment, moment.at_ms + DAY_MS)
        return Queue(
            [row for row in rows if row.state is State.REVIEW],
            [row for row in rows if row.state is not State.REVIEW],
            [],
            limits=Limits(0, AT_MOST, self.desk.options.learn_ahead_ms),
            today=moment.study_day,
            first=first,
            ahead_days=days,
        )

    def _early_rows(self, moment: Moment, until_ms: int) -> list[QueueRow]:
        until_day = moment.study_day + (self.wish.ahead_days or 0)
        return self.desk.store.early_rows(moment.study_day, until_day, until_ms, AT_MOST, self.module)

    def _crammed(self) -> CramQueue:
        moment, store = self.desk.clock(), self.desk.store
        if self.wish.ahead_days is not None:
            return CramQueue(self._early_rows(moment, moment.at_ms)[:AT_MOST])
        rows = store.taught_rows(moment.study_day, AT_MOST, self.module)
        whole = store.taught_count(moment.study_day, self.module) if len(rows) == AT_MOST else len(rows)
        return CramQueue(rows, left_out=whole - len(rows))

    def _showing(self, card: StoredCard, moment: Moment) -> Showing:
        if self.wish.moves or card.id in self._anew:
            return super()._showing(card, moment)
        policy = self.desk.options.policy_of(card.module)
        memory, chance = card.memory, retrievability(card.memory, moment.study_day, policy)
        elapsed = 0 if memory.last_day is None else max(0, moment.study_day - memory.last_day)
        outcomes = {r: Answered(r, memory, memory, memory.interval_days, 0, elapsed, chance) for r in Rating}
        return Showing(secrets.token_hex(16), card, outcomes, moves=False)

    def _still_asked(self, card: StoredCard, state: State, study_day: int) -> bool:
        if self.in_order:
            due = replace(card.memory, due_day=(card.memory.due_day or 0) - (self.wish.ahead_days or 0))
            return super()._still_asked(replace(card, memory=due), state, study_day)
        return not (card.hidden or card.suspended)

    def _siblings(self, card: StoredCard) -> list[str]:
        return super()._siblings(card) if self.in_order or card.id in self._anew else []

    def _answered(self, showing: Showing, answered: Answered, moment: Moment) -> None:
        self._anew.discard(showing.card.id)
        if self._cram is None:
            super()._answered(showing, answered, moment)
        else:
            self._cram.answered(showing.card.id, answered.rating)

    def undo(self) -> ReviewRow | None:
        """Take back the latest action, as in any sitting; a true review is then answered as one again."""
        voided = super().undo()
        if voided is not None and voided.rating and voided.kind is not Kind.CRAM:
            self._anew.add(voided.card)
        return voided

    def _asks_again(self, voided: ReviewRow) -> bool:
        return voided.kind is not Kind.CRAM or (self._cram is not None and voided.card in self._cram)

    def can_have_more(self) -> bool:
        """Return False: what was asked for is all there is."""
        return False

    def more_today(self) -> bool:
        """Return False, as above."""
        return False


def sit_down(desk: Desk, module: str | None = None, wish: Beyond | None = None) -> Sitting:
    """Return a sitting of what is due, or of what was asked for beyond it."""
    return Sitting(desk, module) if wish is None else Extra(desk, module, wish)


@dataclass(frozen=True)
class Offers:
    """What a learner who is done may ask for."""

    ahead_days: int = 0
    """The shortest way ahead that holds a card, days; 0 for none."""
    ahead: int = 0
    """Cards due until then, at most `AT_MOST`."""
    cram: bool = False
    """Whether any card was taught."""


def offers(desk: Desk, module: str | None = None) -> Offers:
    """Return what there is beyond today's cards."""
    moment = desk.clock()
    today = moment.study_day
    rows = desk.store.early_rows(today, today + AHEAD_DAYS[-1], moment.at_ms, AT_MOST, module)
    dues = [row.due_day - today for row in rows if row.due_day is not None]
    days = next((days for days in AHEAD_DAYS if _within(dues, days)), 0)
    return Offers(days, _within(dues, days), desk.store.taught_count(today, module, at_most=1) > 0)


def _within(dues: Iterable[int], days: int) -> int:
    return sum(1 for due in dues if due <= days)
