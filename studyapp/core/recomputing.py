"""Many answers computed anew: the memory that `scheduling.answer` gives, to the last bit, in a tenth of the time.

A merge of two machines may have to work out a hundred thousand answers. Here a memory is a plain tuple and the
formulas of the `fsrs` package are written out in its own order of operations; tests hold the two together.
"""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import Any

from studyapp.core.fuzz import fuzz_factor, fuzzed, round_half_up
from studyapp.core.policy import LONGEST_INTERVAL_DAYS, Policy

Values = tuple[Any, ...]
"""A memory as its fields in order: state, step, stability, difficulty, due_day, due_at_ms, last_day, reps, lapses,
interval_days."""
_NEW, _LEARNING, _REVIEW, _RELEARNING = range(4)
_AGAIN, _HARD, _GOOD, _EASY = range(1, 5)
_LEAST_DAYS, _MOST_DAYS = 0.001, float(LONGEST_INTERVAL_DAYS)
_MOST_ELAPSED_DAYS = 10 * LONGEST_INTERVAL_DAYS
_LAST_DAY = date.max.toordinal()
_MS = timedelta(milliseconds=1)


class Recomputer:
    """What each rating does to a memory under one policy."""

    def __init__(self, policy: Policy) -> None:
        self._w = w = policy.parameters
        self._most, self._fuzz = policy.maximum_interval, policy.fuzz
        self._decay = -w[20]
        self._factor = 0.9 ** (1 / self._decay) - 1
        self._curve = float(0.9 ** (-1 / policy.decay) - 1)
        self._reach = policy.desired_retention ** (-1 / policy.decay) - 1
        self._growth = math.e ** w[8]
        self._forgetting = math.e ** (w[17] * w[18])
        self._reverts_to = w[4] - (math.e ** (w[5] * 3)) + 1
        self._short = [math.e ** (w[17] * (rating - 3 + w[18])) for rating in range(5)]
        self._delays = {
            _LEARNING: [_delays_ms(policy.learning_steps, step) for step in range(len(policy.learning_steps))],
            _RELEARNING: [
                _delays_ms(policy.relearning_steps, step) for step in range(len(policy.relearning_steps))
            ],
        }

    def after(self, card_id: str, memory: Values, rating: int, now_ms: int, study_day: int) -> Values:
        """Return the memory after an answer; arguments as in `scheduling.answer`."""
        state, step, stability, difficulty, _, _, last_day, reps, lapses, _ = memory
        if state == _NEW or stability is None or difficulty is None:
            state_then, known = _LEARNING, None
        else:
            state_then, known = state, (min(max(stability, _LEAST_DAYS), _MOST_DAYS), difficulty)
        elapsed = 0 if last_day is None else max(0, study_day - last_day)
        day = study_day if last_day is None else max(study_day, last_day)
        then = (0 if state_then == _REVIEW else (step or 0) if known else 0, min(elapsed, _MOST_ELAPSED_DAYS))
        found, place, delay_ms = self._next(state_then, then[0], rating)
        now = self._stability(known, then[1], rating)
        kept = (now, self._difficulty(known, rating))
        lapsed = lapses + (rating == _AGAIN and state == _REVIEW)
        if found != _REVIEW:
            return (found, place, *kept, None, now_ms + delay_ms, day, reps + 1, lapsed, 0)
        days = self._days(card_id, memory, (state_then, *then), known, rating, now)
        return (_REVIEW, None, *kept, min(day + days, _LAST_DAY), None, day, reps + 1, lapsed, days)

    def _next(self, state: int, step: int, rating: int) -> tuple[int, int | None, int]:
        """Return the state, the step and the wait in milliseconds that a rating leads to."""
        if state == _REVIEW:
            delays = self._delays[_RELEARNING]
            if rating != _AGAIN or not delays:
                return _REVIEW, None, 0
            return _RELEARNING, 0, delays[0][0]
        delays = self._delays[state]
        if not delays or rating == _EASY or (step >= len(delays) and rating != _AGAIN):
            return _REVIEW, None, 0
        if rating == _AGAIN:
            return state, 0, delays[0][0]
        if rating == _HARD:
            return state, step, delays[step][1]
        return (_REVIEW, None, 0) if step + 1 == len(delays) else (state, step + 1, delays[step + 1][0])

    def _stability(self, known: tuple[float, float] | None, elapsed: int, rating: int) -> float:
        w = self._w
        if known is None:
            found = max(w[rating - 1], _LEAST_DAYS)
        elif elapsed < 1:
            grown = self._short[rating] * (known[0] ** -w[19])
            found = max(known[0] * (max(grown, 1.0) if rating > _AGAIN else grown), _LEAST_DAYS)
        else:
            found = max(self._long(*known, elapsed, rating), _LEAST_DAYS)
        return min(max(found or _LEAST_DAYS, _LEAST_DAYS), _MOST_DAYS)

    def _long(self, stability: float, difficulty: float, elapsed: int, rating: int) -> float:
        w = self._w
        recall = (1 + self._factor * elapsed / stability) ** self._decay
        if rating == _AGAIN:
            kept = (
                w[11]
                * (difficulty ** -w[12])
                * (((stability + 1) ** w[13]) - 1)
                * (math.e ** ((1 - recall) * w[14]))
            )
            return float(min(kept, stability / self._forgetting))
        hard = w[15] if rating == _HARD else 1
        easy = w[16] if rating == _EASY else 1
        return float(
            stability
            * (
                1
                + self._growth
                * (11 - difficulty)
                * (stability ** -w[9])
                * ((math.e ** ((1 - recall) * w[10])) - 1)
                * hard
                * easy
            )
        )

    def _difficulty(self, known: tuple[float, float] | None, rating: int) -> float:
        w = self._w
        if known is None:
            return float(min(max(w[4] - (math.e ** (w[5] * (rating - 1))) + 1, 1.0), 10.0))
        moved = known[1] + (10.0 - known[1]) * -(w[6] * (rating - 3)) / 9.0
        return float(min(max(w[7] * self._reverts_to + (1 - w[7]) * moved, 1.0), 10.0))

    def _days(
        self,
        card_id: str,
        memory: Values,
        then: tuple[int, int, int],
        known: tuple[float, float] | None,
        rating: int,
        stability: float,
    ) -> int:
        """Return the interval of a rating that leads to review: longer than those of the shorter ratings."""
        factor = fuzz_factor(card_id, memory[7]) if self._fuzz else None
        state, step, elapsed = then
        shorter = 0
        for lower in range(_HARD, max(rating, _HARD + (rating == _AGAIN))):
            if self._next(state, step, lower)[0] == _REVIEW:
                shorter = self._interval(
                    memory, lower, self._stability(known, elapsed, lower), factor, shorter + 1
                )
            else:
                shorter = 0
        if rating == _AGAIN:
            return self._interval(memory, rating, stability, factor, 1, max(shorter, 1))
        return self._interval(memory, rating, stability, factor, shorter + 1)

    def _interval(
        self,
        memory: Values,
        rating: int,
        stability: float,
        factor: float | None,
        least: int,
        most: int | None = None,
    ) -> int:
        interval = float(stability / self._curve * self._reach)
        if rating != _AGAIN and memory[0] == _REVIEW and round_half_up(interval) > memory[9]:
            least = max(least, memory[9] + 1)
        return fuzzed(interval, factor, least, self._most if most is None else most)


def _delays_ms(steps: tuple[timedelta, ...], step: int) -> tuple[int, int]:
    """Return how long a step lasts, and how long after Hard, milliseconds."""
    if step == 0 and len(steps) == 1:
        hard = steps[0] * 1.5
    elif step == 0:
        hard = (steps[0] + steps[1]) / 2.0
    else:
        hard = steps[step]
    return steps[step] // _MS, hard // _MS
