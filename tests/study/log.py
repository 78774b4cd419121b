"""Writes whole histories into a store as reviewing would have: rows, memory, roll-ups."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable

from studyapp.core.policy import Policy
from studyapp.core.reviews import Memory, Rating, ReviewRow, State
from studyapp.core.scheduling import answer, kind_of
from studyapp.store.answering import keep_memory
from studyapp.store.database import Store
from studyapp.store.logrows import INSERT, row_values

DAY_MS = 86_400_000
FIRST_ORDINAL = 719_163  # 1970-01-01


def live(
    store: Store,
    card: str,
    answers: Iterable[tuple[int, int]],
    policy: Policy = Policy(fuzz=False),  # noqa: B008
) -> Memory:
    """Answer a card as (study day, rating), at noon UTC; return its memory."""
    memory = Memory()
    with store.write() as connection:
        start = connection.exec_driver_sql("SELECT coalesce(max(counter), 0) FROM reviews").scalar() or 0
        for number, (day, rating) in enumerate(answers, start + 1):
            at_ms = (day - FIRST_ORDINAL) * DAY_MS + DAY_MS // 2 + number
            done = answer(card, memory, Rating(rating), at_ms, day, policy)
            row = ReviewRow(
                uid=secrets.token_hex(16),
                device=store.device,
                counter=number,
                card=card,
                rating=rating,
                kind=kind_of(memory),
                at_ms=at_ms,
                offset_min=0,
                zone="UTC",
                study_day=day,
                elapsed_days=done.elapsed_days,
                before=memory,
                after=done.after,
                retrievability=done.retrievability,
                duration_ms=8000,
                showing=str(number),
                parameters=policy.key,
            )
            connection.exec_driver_sql(INSERT, row_values(row, at_ms))
            memory = done.after
        keep_memory(connection, card, memory)
    return memory


def study(
    store: Store, cards: Iterable[str], today: int, *, days: int = 120, fails: float = 0.15, seed: int = 1
) -> None:
    """Learn cards and answer each when it is due until today; some answers are failures."""
    draw = random.Random(seed)
    for number, card in enumerate(cards):
        day, answers = today - days + number % 40, [(today - days + number % 40, 4)]
        memory = answer(card, Memory(), Rating.EASY, 0, day, Policy(fuzz=False)).after
        while memory.state is not State.REVIEW or (memory.due_day or 0) < today:
            day = memory.due_day if memory.state is State.REVIEW and memory.due_day else day
            rating = 1 if memory.state is State.REVIEW and draw.random() < fails else 3
            answers.append((day, rating))
            memory = answer(card, memory, Rating(rating), 0, day, Policy(fuzz=False)).after
        live(store, card, answers)
