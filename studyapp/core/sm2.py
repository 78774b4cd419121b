"""Memory for cards that come from elsewhere: from an SM-2 ease and interval, or from answers alone.

Pure, like the scheduler it stands beside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from studyapp.core.policy import Policy
from studyapp.core.reviews import Memory, Rating, State
from studyapp.core.scheduling import answer

_SHORTEST_DAYS = 0.001


def memory_from_sm2(
    ease: float, interval_days: float, retention: float, parameters: Sequence[float]
) -> tuple[float, float]:
    """Return the stability (days) and difficulty (1-10) that an SM-2 card most likely has.

    Args:
        ease: Its ease factor, such as 2.5.
        interval_days: Its interval.
        retention: The chance of recall that the learner had at that interval, 0-1.
        parameters: The 21 FSRS parameters.

    Source: fsrs-rs 6.6, `memory_state_from_sm2`.

    >>> tuple(round(value, 5) for value in memory_from_sm2(2.5, 10, 0.9, Policy().parameters))
    (10.0, 6.91406)
    """
    decay = -parameters[20]
    factor = 0.9 ** (1 / decay) - 1
    stability = max(interval_days, _SHORTEST_DAYS) * factor / (retention ** (1 / decay) - 1)
    growth = math.exp(parameters[8]) * stability ** -parameters[9] * math.expm1((1 - retention) * parameters[10])
    return stability, min(max(11 - (ease - 1) / growth, 1.0), 10.0)


def memory_from_history(
    history: Sequence[tuple[int, int]], policy: Policy, start: tuple[float, float] | None = None
) -> tuple[float, float] | None:
    """Return stability and difficulty after answers, None for no answers and no start.

    Args:
        history: (rating 1-4, study days since the answer before) by time; the first one's days count only
            after a start.
        policy: The parameters.
        start: Stability and difficulty to begin with, None for a new card.
    """
    memory = Memory()
    if start is not None:
        memory = Memory(State.REVIEW, stability=start[0], difficulty=start[1], last_day=1, reps=1)
    day = 1
    for rating, days in history:
        day += days
        memory = answer("", memory, Rating(rating), 0, day, policy).after
    if memory.stability is None or memory.difficulty is None:
        return None
    return memory.stability, memory.difficulty
