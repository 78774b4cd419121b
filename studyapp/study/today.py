"""Today at a glance: due counts, streak, heatmap, modules, the next days; and the small file that caches them."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studyapp.core.days import day_to_iso
from studyapp.core.errors import StoreError
from studyapp.core.goals import Goal
from studyapp.core.streaks import FROZEN, Streak
from studyapp.study.desk import Desk
from studyapp.study.planning import limits_of, queue_today
from studyapp.study.status_file import read_status, replace_status
from studyapp.study.streaks import note_today, planned_rest, streak_of

if TYPE_CHECKING:
    from studyapp.store.progress import ModuleProgress

FORECAST_DAYS = 8
HEAT_DAYS = 7 * 53
WRITES_PER_CHECKPOINT = 50
"""Some hundred pages: moved into the file in about 10 ms (measured)."""


def counts_today(desk: Desk) -> dict[str, int]:
    """Return review, new, relearning and due: what today's queue still holds, after the limits."""
    counts = queue_today(desk).counts(desk.clock().at_ms)
    return {
        "review": counts.review,
        "new": counts.new,
        "relearning": counts.learning,
        "due": counts.due,
        "held_back": counts.held_back,
    }


def streak_today(desk: Desk) -> Streak:
    """Return the streak over the frozen study days of the log."""
    return streak_of(desk)


def module_lines(desk: Desk) -> list[ModuleProgress]:
    """Return every module with its progress."""
    return desk.store.module_progress(desk.clock().study_day)


def _trial(desk: Desk) -> dict[str, Any]:
    """Return today's trial: whether it was done, and its question if it was looked up today already.

    Looking it up costs 80 ms, every experiment's file; `name_trial` does it where somebody sees it.
    """
    today = desk.clock().study_day
    before = (read_status(desk.status_path) or {}).get("daily", {})
    question = before.get("question", "") if before.get("day") == today else ""
    return {"day": today, "done": bool(desk.store.day_notes(today, today, "trial")), "question": question}


def name_trial(desk: Desk, status: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the status with the question of today's trial in it, and keep it for the day."""
    daily = status.get("daily", {})
    if daily.get("question"):
        return status
    from studyapp.experiments.catalog import experiment
    from studyapp.study.fresh import of_the_day

    question = experiment(of_the_day(desk)[0]).question
    named = {**status, "daily": {**daily, "question": question}}
    replace_status(desk.status_path, named)
    return named


def _days(desk: Desk, counts: Mapping[str, int], run: Streak) -> list[dict[str, Any]]:
    """Return the days from today on: when each begins, what is due on it, and the streak if nothing is done."""
    moment = desk.clock()
    today = moment.study_day
    rest = frozenset(planned_rest(desk))
    forecast = desk.store.due_forecast(today, FORECAST_DAYS)
    allowance = limits_of(desk).new_per_day
    waiting = len(desk.store.new_rows(allowance * (FORECAST_DAYS + 1), study_day=today))
    days = []
    for offset in range(FORECAST_DAYS):
        day = today + offset
        entry: dict[str, Any] = {"day": day, "iso": day_to_iso(day)}
        entry["starts_ms"] = int(moment.begins(day).timestamp() * 1000)
        if offset == 0:
            entry |= {name: counts[name] for name in ("review", "new", "relearning")}
        else:
            left = max(0, waiting - counts["new"] - allowance * (offset - 1))
            entry |= {"review": forecast.get(day, 0), "new": min(allowance, left), "relearning": 0}
        entry["streak"] = run.length_on(day, rest) if desk.options.streak else None
        days.append(entry)
    return days


def overview(desk: Desk, *, looked_at: bool = True) -> dict[str, Any]:
    """Return everything Home shows, as the JSON-able value that the status file holds.

    Args:
        desk: The open desk.
        looked_at: Whether the learner is there: only then is it noted what today is for the streak.
    """
    moment = desk.clock()
    today = moment.study_day
    active = desk.store.active_days()
    counts = counts_today(desk)
    daily = _trial(desk)
    if looked_at and (active or daily["done"]):  # a learner who has not begun has nothing to keep
        note_today(desk, due=counts["due"], held_back=counts["held_back"], answers=active.get(today, 0))
    run = streak_of(desk, active)
    one = run.wanted == Goal().wanted
    return {
        "version": 1,
        "written_ms": moment.at_ms,
        "days": _days(desk, counts, run),
        "streak": {"length": run.length, "best": run.best, "active_today": run.active_today, "one_answer": one}
        if desk.options.streak
        else {},
        "held_back": counts["held_back"],
        "notices": [*filter(None, [desk.sync_trouble()]), *desk.notices(), *desk.hints()],
        "daily": daily,
        "done_today": active.get(today, 0),
        "seconds_today": desk.store.done_today(today).seconds,
        "heat": {str(day): count for day, count in active.items() if day > today - HEAT_DAYS},
        "frozen": [day for day, kind in run.kinds.items() if kind == FROZEN and day > today - HEAT_DAYS]
        if desk.options.streak
        else [],
        "modules": [line._asdict() | {"share": line.share} for line in module_lines(desk)],
    }


def write_status(desk: Desk, *, looked_at: bool = True) -> Mapping[str, Any]:
    """Write the status file and return what it says; see `overview`."""
    status = overview(desk, looked_at=looked_at)
    replace_status(desk.status_path, status)
    with contextlib.suppress(StoreError):  # off the key's path: else an answer would wait for it one day
        desk.store.idle(WRITES_PER_CHECKPOINT)
    return status
