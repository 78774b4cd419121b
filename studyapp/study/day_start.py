"""When days begin, kept in the store: a rollover that was changed counts from the next day on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import time

from studyapp.core.days import DEFAULT_ROLLOVER, EarlierRollover, Moment, instant_of
from studyapp.store.database import Store

KEY = "rollover"
_DAY_MS = 86_400_000


def kept_clock(store: Store, clock: Callable[[], Moment]) -> Callable[[], Moment]:
    """Return the clock that leaves the day of a changed rollover as it was; a change is noted when it is seen.

    Args:
        store: The learner's store, which remembers the rollover between two calls.
        clock: The clock as the settings have it.
    """
    now = clock()
    kept = json.loads(store.meta_get(KEY) or "{}")
    known = time.fromisoformat(kept["is"]) if kept else DEFAULT_ROLLOVER
    earlier = _earlier(kept)
    if earlier is not None and kept["since_ms"] > now.at_ms + _DAY_MS:
        # the clock stood far ahead when it was changed: it is changed now
        known, earlier = earlier.rollover, None
    if known != now.rollover:
        earlier = _change(replace(now, rollover=known, earlier=earlier))
        store.meta_set(KEY, json.dumps(_as_kept(now.rollover, earlier)))
    if earlier is None or replace(now, earlier=earlier).study_day > earlier.last_day + 1:
        return clock
    return lambda: replace(clock(), earlier=earlier)


def _change(before: Moment) -> EarlierRollover:
    """Return what a change at this moment leaves behind; today keeps the end that it has."""
    day, earlier = before.study_day, before.earlier
    pending = earlier is not None and day <= earlier.last_day
    ends_by = earlier.rollover if earlier is not None and pending else before.rollover
    return EarlierRollover(ends_by, before.now, day)


def _earlier(kept: dict[str, object]) -> EarlierRollover | None:
    if "was" not in kept:
        return None
    since = instant_of(int(str(kept["since_ms"])))
    return EarlierRollover(time.fromisoformat(str(kept["was"])), since, int(str(kept["last_day"])))


def _as_kept(rollover: time, earlier: EarlierRollover) -> dict[str, object]:
    since_ms = int(earlier.since.timestamp() * 1000)
    was = earlier.rollover.isoformat("minutes")
    return {"is": rollover.isoformat("minutes"), "was": was, "since_ms": since_ms, "last_day": earlier.last_day}
