"""What the terms of a query mean for the record, as SQL conditions with bound parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from sqlalchemy import ColumnElement, and_, case, false, func, select, true

from studyapp.core.queries import Fact
from studyapp.core.reviews import State
from studyapp.core.scheduling import interval_at
from studyapp.store import schema

_CARD, _MEMORY, _REVIEW = schema.cards.c, schema.memory.c, schema.reviews.c
_UNDO = schema.reviews.alias("undo").c
_VOIDED = select(_UNDO.voids).where(_UNDO.voids.is_not(None))
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, "=": eq, "!=": ne, ">=": ge, ">": gt}
_HALF_PERCENT = 0.005
LEAST_STABILITY_DAYS = 0.001
"""As `core.scheduling` bounds it."""


@dataclass(frozen=True, slots=True)
class Today:
    """What a query is asked against."""

    study_day: int
    decay: float
    """Exponent of the forgetting curve in force."""


def condition(fact: Fact, today: Today) -> ColumnElement[bool]:
    """Return the condition that a term stands for: on `memory` where `is_of_memory`, else on `cards`.

    What lessons say is looked up elsewhere (`store.shelved`).
    """
    if fact.name == "is":
        return _is(fact.value, today)
    if fact.name == "has":
        return _has(fact.value)
    if fact.name == "prop":
        return _property(fact, today)
    if fact.name in ("rated", "introduced"):
        return _CARD.id.in_(_answered(fact, today))
    return marked(f"flag:{fact.value}")


def is_of_memory(fact: Fact) -> bool:
    """Return whether a term asks for what `memory` holds: it is found there alone, without a look at the cards."""
    if fact.name == "is":
        return fact.value in ("new", "learning", "review", "leech", "due")
    return fact.name == "prop" or (fact.name, fact.value) == ("has", "answers")


def marked(name: str) -> ColumnElement[bool]:
    """Return the condition that a card bears a mark of the learner, or, after `NAME:%`, one of its kind."""
    mark = schema.card_marks.c
    named = mark.name.startswith(name[:-1], autoescape=True) if name.endswith("%") else mark.name == name
    return _CARD.id.in_(select(mark.card).where(named, mark.is_on == 1))


def _is(value: str, today: Today) -> ColumnElement[bool]:
    new = func.coalesce(_MEMORY.state, 0) == int(State.NEW)
    buried = func.coalesce(_CARD.buried_until_day, 0) > today.study_day
    return {
        "new": new,
        "learning": _MEMORY.state.in_((int(State.LEARNING), int(State.RELEARNING))),
        "review": _MEMORY.state == int(State.REVIEW),
        "suspended": _CARD.suspended == 1,
        "buried": buried,
        "leech": _MEMORY.leech == 1,
        "flagged": marked("flag:%"),
        "due": and_(_MEMORY.away_until <= today.study_day, _days_until_due(today) <= 0),
    }[value]


def _has(value: str) -> ColumnElement[bool]:
    return {
        "flag": marked("flag:%"),
        "run": _CARD.id.in_(select(schema.runs.c.card).where(schema.runs.c.card.is_not(None))),
        "answers": func.coalesce(_MEMORY.reps, 0) > 0,
    }[value]


def _days_until_due(today: Today) -> ColumnElement[Any]:
    """Return the days until a card is due; one on a step counts as due today."""
    return case((_MEMORY.due_day.is_not(None), _MEMORY.due_day - today.study_day), (_MEMORY.state > 0, 0))


def elapsed_days(today: Today) -> ColumnElement[Any]:
    """Return the study days since a card's last answer, at least 0."""
    return case((_MEMORY.last_day < today.study_day, today.study_day - _MEMORY.last_day), else_=0)


def stability_days() -> ColumnElement[Any]:
    """Return a card's stability, bounded as the model bounds it."""
    return case((_MEMORY.stability < LEAST_STABILITY_DAYS, LEAST_STABILITY_DAYS), else_=_MEMORY.stability)


def _property(fact: Fact, today: Today) -> ColumnElement[bool]:
    if fact.value == "r":
        return and_(_MEMORY.stability.is_not(None), _recall(fact.operator, fact.number, today))
    value: ColumnElement[Any] = {
        "s": _MEMORY.stability,
        "d": _MEMORY.difficulty,
        "ivl": _MEMORY.interval_days,
        "lapses": func.coalesce(_MEMORY.lapses, 0),
        "reps": func.coalesce(_MEMORY.reps, 0),
        "due": _days_until_due(today),
    }[fact.value]
    found: ColumnElement[bool] = _COMPARE[fact.operator](value, fact.number)
    return found


def _recall(operator: str, chance: float, today: Today) -> ColumnElement[bool]:
    """Compare the chance of recall without computing it: it falls as the days since the answer grow."""
    if operator in ("=", "!="):  # as it is shown, in whole percent
        low, high = chance - _HALF_PERCENT, chance + _HALF_PERCENT
        near = and_(_recall(">=", low, today), _recall("<", high, today))
        return near if operator == "=" else ~near
    if not 0 < chance <= 1:
        return true() if (chance > 1) == (operator in ("<", "<=")) else false()
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[operator]
    reach = stability_days() * interval_at(1.0, chance, today.decay)
    found: ColumnElement[bool] = _COMPARE[mirrored](elapsed_days(today), reach)
    return found


def _answered(fact: Fact, today: Today) -> Any:
    first_day = today.study_day - int(fact.number) + 1
    query = select(_REVIEW.card).where(
        _REVIEW.rating > 0, _REVIEW.study_day >= first_day, _REVIEW.voids.is_(None), _REVIEW.uid.not_in(_VOIDED)
    )
    if fact.rating:
        query = query.where(_REVIEW.rating == fact.rating)
    if fact.name == "introduced":
        query = query.where(func.coalesce(_REVIEW.before_state, 0) == int(State.NEW), _REVIEW.kind == "learn")
    return query
