"""How it has been going: today, recall, the days ahead, what would be forgotten, and whether forecasts were right.

Every figure carries its n; what is too little to say is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from studyapp.core.calibration import (
    Calibration,
    Reliability,
    Share,
    calibration,
    constant_loss,
    log_loss,
    reliability,
)
from studyapp.core.coin import Comparison
from studyapp.core.predictions import Sure
from studyapp.core.reviews import Memory, State
from studyapp.core.scheduling import retrievability
from studyapp.core.streaks import Streak
from studyapp.store.figure_values import STABILITY_DAYS, DayFigures, Held
from studyapp.study.coin import compare

if TYPE_CHECKING:
    from studyapp.store.records import StoredPrediction
    from studyapp.study.desk import Desk

__all__ = ["Calibration", "Recall", "Share", "Statistics", "gather"]

RETENTION_DAYS = 30
"""The window of true retention, in study days."""
FORECAST_DAYS = 30
FORGET_DAYS = 7
"""How far ahead "what you would forget" looks."""
HARDEST = 10
LATELY_DAYS = 90
"""How far back the scheduler's late forecasts go."""


@dataclass(frozen=True)
class Recall:
    """True retention as Anki defines it: first answers of a day, after an interval of a day or more."""

    young: Share
    """Last interval under 21 days."""
    mature: Share

    @property
    def all(self) -> Share:
        """Both together."""
        return self.young + self.mature


@dataclass(frozen=True)
class Forgetting:
    """What a module's cards hold, and would hold in a week without a review."""

    module: str
    title: str
    cards: int
    known_now: float
    """Expected number of cards recalled today: the sum of their chances."""
    known_then: float
    """The same in `FORGET_DAYS` days."""

    @property
    def lost(self) -> float:
        """Cards that this week would take, expected."""
        return self.known_now - self.known_then


@dataclass(frozen=True)
class Hard:
    """A card that was forgotten often."""

    id: str
    prompt: str
    lapses: int
    recall: float
    """Its chance of recall today, 0-1."""
    leech: bool


@dataclass(frozen=True)
class OwnForecasts:
    """The scheduler's own forecasts of next-day reviews, scored by what came."""

    reviews: int = 0
    log_loss: float | None = None
    """Nats per review, lower is better; None without any."""
    constant: float | None = None
    """The log-loss of always saying the mean recall."""
    table: Sequence[Reliability] = ()


@dataclass(frozen=True)
class Statistics:
    """What the statistics screen and `stats` show."""

    study_day: int
    streak: Streak
    streak_shown: bool
    """Whether the learner wants to see it."""
    target: float
    """Wanted recall, 0-1, of modules without one of their own."""
    days: Sequence[DayFigures]
    """Every study day with answers, ascending."""
    by_module: dict[str, Recall]
    """Recall of the last `RETENTION_DAYS` days, by module title."""
    forecast: dict[int, int]
    """Known cards due on each of the next days; the first holds what is overdue."""
    overdue: int
    forgetting: Sequence[Forgetting]
    stability: Sequence[int]
    """Cards by how durable they are: under each of `STABILITY_DAYS`, and beyond the last."""
    hardest: Sequence[Hard]
    calibration: Calibration
    own: OwnForecasts
    """Of all time."""
    own_lately: OwnForecasts
    """Of about the last `LATELY_DAYS` days."""
    cards: int
    learned: int
    leeches: int
    suspended: int
    coin: Comparison | None = None
    """Cards to be predicted first against the others, where a coin decides."""
    missed: Sequence[str] = ()
    """Experiments whose last number was said for certain and was wrong, in order of time."""
    missed_cards: int = 0
    """Cards that have one of these experiments."""
    target_of: Mapping[str, float] = field(default_factory=dict)
    """Wanted recall of modules with one of their own, by module title."""

    def recall(self, last_days: int, until: int | None = None) -> Recall:
        """Return true retention over the last study days, today included."""
        end = self.study_day if until is None else until
        inside = [d for d in self.days if end - last_days < d.day <= end]
        return Recall(
            Share(sum(d.young_passed for d in inside), sum(d.young for d in inside)),
            Share(sum(d.mature_passed for d in inside), sum(d.mature for d in inside)),
        )

    def answers(self, last_days: int) -> int:
        """Return the answers of the last study days, today included."""
        return sum(d.answers for d in self.days if d.day > self.study_day - last_days)

    def seconds(self, last_days: int) -> float:
        """Return the time spent answering in the last study days, each answer capped at a minute."""
        return sum(d.seconds for d in self.days if d.day > self.study_day - last_days)

    @property
    def today_answers(self) -> int:
        """Answers given today."""
        return self.answers(1)

    @property
    def today_seconds(self) -> float:
        """Seconds spent answering today."""
        return self.seconds(1)

    @property
    def retention_30(self) -> Share:
        """True retention of the last 30 days, young and mature together."""
        return self.recall(RETENTION_DAYS).all

    @property
    def reviews(self) -> int:
        """Answers in all."""
        return sum(d.answers for d in self.days)


def _missed(made: Sequence[StoredPrediction]) -> tuple[str, ...]:
    """Return the experiments whose last number that was scored was certain and wrong."""
    last = {p.experiment: p for p in made if p.score is not None}
    return tuple(
        name for name, p in last.items() if p.prediction.sure is Sure.CERTAIN and not (p.score and p.score.inside)
    )


def gather(desk: Desk, module: str = "") -> Statistics:
    """Return the learner's statistics as of now.

    Args:
        desk: The open desk.
        module: Only this module's cards; empty for all. The streak, predictions and the scheduler's own forecasts
            are those of all modules.
    """
    from studyapp.study.streaks import streak_of  # brings the store, which screens load later

    store, today = desk.store, desk.clock().study_day
    policy = desk.options.policy
    titles = store.module_titles()
    held = [h for h in store.held_in_memory(today, FORGET_DAYS, policy.decay) if module in ("", h.module)]
    recall = store.module_recall(today - RETENTION_DAYS + 1, today)
    forecast, overdue = store.due_days(today, FORECAST_DAYS, module)
    cards, suspended = store.card_counts(module)
    days = store.day_figures()
    made = store.predictions(first_only=True)
    missed = _missed(made)
    return Statistics(
        study_day=today,
        streak=streak_of(desk, {day.day: day.answers for day in days}),
        streak_shown=desk.options.streak,
        target=desk.options.policy_of(module).desired_retention,
        days=store.day_figures(module=module) if module else days,
        by_module={
            titles.get(module, module): Recall(Share(*found[:2]), Share(*found[2:]))
            for module, found in recall.items()
        },
        forecast=forecast,
        overdue=overdue,
        forgetting=_forgetting(held, titles),
        stability=_stability(held),
        hardest=_hardest(desk, today, module),
        calibration=calibration([(p.prediction.sure, p.score) for p in made]),
        missed=missed,
        missed_cards=store.cards_with(missed),
        own=_own(desk, 0),
        own_lately=_own(desk, today - LATELY_DAYS),
        cards=cards,
        learned=sum(h.learned for h in held),
        leeches=sum(h.leeches for h in held),
        suspended=suspended,
        coin=compare(desk),
        target_of={titles.get(m, m): wanted for m, wanted in desk.options.retention_of.items() if m in titles},
    )


def _forgetting(held: Sequence[Held], titles: dict[str, str]) -> list[Forgetting]:
    found = [
        Forgetting(h.module, titles.get(h.module, h.module), h.cards, h.known_now, h.known_then) for h in held
    ]
    return sorted(found, key=lambda f: -f.lost)


def _stability(held: Sequence[Held]) -> list[int]:
    """Return the cards under each of `STABILITY_DAYS`, and from the last on."""
    reaching = [
        sum(h.cards for h in held),
        *(sum(h.durable[k] for h in held) for k in range(len(STABILITY_DAYS))),
        0,
    ]
    return [more - less for more, less in pairwise(reaching)]


def _hardest(desk: Desk, today: int, module: str) -> list[Hard]:
    found = []
    for card in desk.store.hardest_cards(HARDEST, module):
        memory = Memory(state=State.REVIEW, stability=card.stability, last_day=card.last_day)
        chance = retrievability(memory, today, desk.options.policy) or 0.0
        found.append(Hard(card.id, card.prompt, card.lapses, chance, card.leech))
    return found


def _own(desk: Desk, since_day: int) -> OwnForecasts:
    bins = desk.store.forecast_bins(since_day)
    return OwnForecasts(sum(b.total for b in bins), log_loss(bins), constant_loss(bins), reliability(bins))
