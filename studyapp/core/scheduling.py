"""When a card comes back: the only door to the `fsrs` package, which is imported on first use (it costs 30 ms).

The package counts blocks of 24 hours from instants; we count study days. It is therefore given made-up times that
lie as many whole days apart as the study days do, and what it answers in days becomes a due *day*. Fuzz and the
order of the buttons are ours. Pure: the time is handed in, and the same question gets the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING

from studyapp.core.fuzz import fuzz_factor, fuzzed, round_half_up
from studyapp.core.policy import DEFAULT_PARAMETERS, LONGEST_INTERVAL_DAYS, Policy
from studyapp.core.reviews import Answered, Kind, Memory, Rating, State

if TYPE_CHECKING:
    import fsrs

__all__ = [
    "DEFAULT_PARAMETERS",
    "Policy",
    "answer",
    "interval_at",
    "kind_of",
    "preview",
    "retrievability",
]

MIN_STABILITY_DAYS = 0.001
"""Source: py-fsrs 6.3.2, `STABILITY_MIN`."""
MAX_STABILITY_DAYS = float(LONGEST_INTERVAL_DAYS)
"""Source: fsrs-rs; py-fsrs has no ceiling."""

_VIRTUAL_EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)
_MOST_ELAPSED_DAYS = 10 * LONGEST_INTERVAL_DAYS
"""Keeps made-up times within what datetime can hold when a clock was off by millennia; recall is gone by then."""
_LAST_DAY = date.max.toordinal()
_MS = timedelta(milliseconds=1)
_PASSING = (Rating.HARD, Rating.GOOD, Rating.EASY)


def answer(card_id: str, memory: Memory, rating: Rating, now_ms: int, study_day: int, policy: Policy) -> Answered:
    """Return what the rating does to the card: exactly what `preview` showed for it.

    Args:
        card_id: Seeds the fuzz, together with `memory.reps`.
        memory: The card's memory before the answer.
        rating: The learner's grade.
        now_ms: UTC milliseconds, from which steps are counted.
        study_day: The learner's day. Behind the card's last day (a clock set back) it counts as that day.
        policy: Parameters, retention, steps and limits.
    """
    return _outcomes(card_id, memory, now_ms, study_day, policy, rating)[rating]


def preview(card_id: str, memory: Memory, now_ms: int, study_day: int, policy: Policy) -> dict[Rating, Answered]:
    """Return the four outcomes, by rating; one of them is stored.

    Again <= Hard <= Good <= Easy, strictly between day intervals below the maximum. Arguments as in `answer`.
    """
    return dict(sorted(_outcomes(card_id, memory, now_ms, study_day, policy, None).items()))


def _outcomes(
    card_id: str, memory: Memory, now_ms: int, study_day: int, policy: Policy, wanted: Rating | None
) -> dict[Rating, Answered]:
    """Return the outcomes that the wanted one depends on and itself, or all: each bounds the next longer one."""
    showing = _Showing.of(card_id, memory, now_ms, study_day, policy)
    outcomes: dict[Rating, Answered] = {}
    shorter_days = 0
    last = Rating.EASY if wanted is None else max(wanted, Rating.HARD)
    for rating in _PASSING[: last - 1]:
        outcomes[rating] = showing.outcome(rating, least_days=shorter_days + 1, most_days=policy.maximum_interval)
        shorter_days = outcomes[rating].interval_days
    if wanted in (None, Rating.AGAIN):
        again_days = max(outcomes[Rating.HARD].interval_days, 1)
        outcomes[Rating.AGAIN] = showing.outcome(Rating.AGAIN, least_days=1, most_days=again_days)
    return outcomes


def retrievability(memory: Memory, study_day: int, policy: Policy) -> float | None:
    """Return the predicted chance of recall on a study day, 0 to 1; None for a card never answered."""
    if memory.stability is None:
        return None
    elapsed = _elapsed_days(memory, study_day)
    stability = _clamped(memory.stability)
    return float((1 + _curve_factor(policy.decay) * elapsed / stability) ** -policy.decay)


def interval_at(stability: float, desired_retention: float, decay: float) -> float:
    """Return the days, unrounded, until the chance of recall falls to the wanted retention.

    Args:
        stability: Days until it falls to 0.9.
        desired_retention: The wanted chance, above 0 and at most 1.
        decay: Exponent of the forgetting curve, positive.

    >>> interval_at(10.0, 0.9, 0.1542)
    10.0
    """
    return float(stability / _curve_factor(decay) * (desired_retention ** (-1 / decay) - 1))


def kind_of(before: Memory) -> Kind:
    """Return what the log calls an answer given to a card in this memory state."""
    if before.state is State.REVIEW:
        return Kind.REVIEW
    return Kind.RELEARN if before.state is State.RELEARNING else Kind.LEARN


@dataclass(frozen=True, slots=True)
class _Showing:
    """One card before the learner, with all that its four buttons share."""

    memory: Memory
    now_ms: int
    day: int
    """The study day that counts: never before the card's last one."""
    elapsed_days: int
    retrievability: float | None
    factor: float | None
    """The one draw of fuzz."""
    policy: Policy

    @classmethod
    def of(cls, card_id: str, memory: Memory, now_ms: int, study_day: int, policy: Policy) -> _Showing:
        """Return the showing, with the fuzz drawn."""
        return cls(
            memory=memory,
            now_ms=now_ms,
            day=study_day if memory.last_day is None else max(study_day, memory.last_day),
            elapsed_days=_elapsed_days(memory, study_day),
            retrievability=retrievability(memory, study_day, policy),
            factor=fuzz_factor(card_id, memory.reps) if policy.fuzz else None,
            policy=policy,
        )

    def outcome(self, rating: Rating, least_days: int, most_days: int) -> Answered:
        """Return what the rating leads to; a day interval is kept within the two limits, the upper one first."""
        card, delay = self._ask(rating)
        stability = _clamped(card.stability or MIN_STABILITY_DAYS)
        state = State(int(card.state))
        on_step = state is not State.REVIEW
        days = 0 if on_step else self._days(rating, stability, least_days, most_days)
        delay_ms = delay // _MS if on_step else 0
        lapsed = rating is Rating.AGAIN and self.memory.state is State.REVIEW
        after = Memory(
            state=state,
            step=card.step,
            stability=stability,
            difficulty=card.difficulty,
            due_day=None if on_step else min(self.day + days, _LAST_DAY),
            due_at_ms=self.now_ms + delay_ms if on_step else None,
            last_day=self.day,
            reps=self.memory.reps + 1,
            lapses=self.memory.lapses + lapsed,
            interval_days=days,
        )
        return Answered(rating, self.memory, after, days, delay_ms, self.elapsed_days, self.retrievability)

    def _ask(self, rating: Rating) -> tuple[fsrs.Card, timedelta]:
        """Return the card as the package sees it after the rating, and the wait it proposes."""
        import fsrs

        # Fed days apart, never instants: 22:00 to 08:00 next morning is one day, as in the training data.
        then = _VIRTUAL_EPOCH + timedelta(days=min(self.elapsed_days, _MOST_ELAPSED_DAYS))
        scheduler = _scheduler(self.policy)
        card, _ = scheduler.review_card(_package_card(self.memory), fsrs.Rating(int(rating)), then)
        return card, card.due - then

    def _days(self, rating: Rating, stability: float, least: int, most: int) -> int:
        """Return the interval in whole days."""
        interval = interval_at(stability, self.policy.desired_retention, self.policy.decay)
        last = self.memory.interval_days
        if rating is not Rating.AGAIN and self.memory.state is State.REVIEW and round_half_up(interval) > last:
            # Anki's rule: where the interval grows, fuzz must not shrink it.
            least = max(least, last + 1)
        return fuzzed(interval, self.factor, least, most)


def _elapsed_days(memory: Memory, study_day: int) -> int:
    """Return the study days since the last answer; a clock set back gives 0, never less."""
    return 0 if memory.last_day is None else max(0, study_day - memory.last_day)


def _clamped(stability: float) -> float:
    return min(max(stability, MIN_STABILITY_DAYS), MAX_STABILITY_DAYS)


def _curve_factor(decay: float) -> float:
    """Return the factor that makes the chance of recall 0.9 after as many days as the stability."""
    return float(0.9 ** (-1 / decay) - 1)


def _package_card(memory: Memory) -> fsrs.Card:
    """Return the memory as a card of the package, last answered at the virtual epoch."""
    import fsrs

    # Always with an id: without one, the package sleeps a millisecond to make one up.
    if memory.state is State.NEW or memory.stability is None or memory.difficulty is None:
        return fsrs.Card(card_id=0, due=_VIRTUAL_EPOCH)
    return fsrs.Card(
        card_id=0,
        state=fsrs.State(int(memory.state)),
        step=None if memory.state is State.REVIEW else memory.step or 0,
        stability=_clamped(memory.stability),
        difficulty=memory.difficulty,
        due=_VIRTUAL_EPOCH,
        last_review=_VIRTUAL_EPOCH,
    )


@lru_cache(maxsize=16)
def _scheduler(policy: Policy) -> fsrs.Scheduler:
    """Return the package's scheduler: memory model and steps only, without its fuzz."""
    import fsrs

    return fsrs.Scheduler(
        parameters=policy.parameters,
        learning_steps=policy.learning_steps,
        relearning_steps=policy.relearning_steps,
        enable_fuzzing=False,
    )
