"""Study days that a flight east skipped, found from the answers on both sides of a gap in the calendar.

A skipped day leaves a gap of a day or two between study days with answers, so only such gaps are looked at, and
each only once: what the gaps of the past hold is kept, together with the number of answers it was found from. A
merge or an undo in the past changes that number, and then they are all looked at again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

from studyapp.core.errors import StoreError
from studyapp.core.streaks import skipped_by_travel
from studyapp.store.answering import NOT_VOIDED
from studyapp.store.keeping import meta_get, meta_set
from studyapp.store.session import Session

if TYPE_CHECKING:
    from sqlalchemy import Connection

LONGEST_GAP = 3
"""Study days between two answers that lie under 36 hours apart, across the date line: at most so many."""
ENOUGH_NEW = 8
"""Gaps that are looked at every time before what they hold is kept."""
_KEY = "flights"
_EDGE = f"""
SELECT r.at_ms, r.study_day, r.offset_min FROM reviews r
WHERE r.study_day = ? AND r.rating > 0 AND r.clock_ahead = 0 AND {NOT_VOIDED} ORDER BY r.at_ms {{}} LIMIT 1
"""
_LAST, _FIRST = _EDGE.format("DESC"), _EDGE.format("ASC")


def flown_over(session: Session, answers: Mapping[int, int]) -> frozenset[int]:
    """Return the study days that never happened because the learner flew east over them.

    Args:
        session: The store.
        answers: Answers by study day, days ascending, as `active_days` has them.
    """
    gaps = [(left, day) for left, day in pairwise(answers) if 1 < day - left <= LONGEST_GAP]
    if not gaps:
        return frozenset()
    until, found = _kept(session, answers)
    new = [gap for gap in gaps if gap[1] > until]
    with session.read() as connection:
        for gap in new:
            found |= _skipped(connection, *gap)
    today = next(reversed(answers))
    past = [day for _, day in new if day < today]  # the first answer of the last day may still be undone
    if len(past) >= ENOUGH_NEW:
        kept = {"until": past[-1], "days": sorted(day for day in found if day <= past[-1])}
        kept["answers"] = _count(answers, past[-1])
        with suppress(StoreError):  # it is found again next time
            meta_set(session, _KEY, json.dumps(kept))
    return frozenset(found)


def _kept(session: Session, answers: Mapping[int, int]) -> tuple[int, set[int]]:
    """Return how far the gaps were looked at, and what was found there, if the log before is still the same."""
    kept = json.loads(meta_get(session, _KEY) or "{}")
    if not kept or kept["answers"] != _count(answers, kept["until"]):
        return 0, set()
    return int(kept["until"]), set(kept["days"])


def _count(answers: Mapping[int, int], until: int) -> list[int]:
    """Return the study days and the answers up to a day: they differ wherever the log does."""
    upto = [count for day, count in answers.items() if day <= until]
    return [len(upto), sum(upto)]


def _skipped(connection: Connection, left: int, day: int) -> frozenset[int]:
    edges = [
        connection.exec_driver_sql(query, (study_day,)).first()
        for query, study_day in ((_LAST, left), (_FIRST, day))
    ]
    return skipped_by_travel((row[0], row[1], row[2]) for row in edges if row is not None)
