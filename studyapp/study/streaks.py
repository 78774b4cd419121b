"""The streak of a learner: what the log, the notes on days and the goals say, joined.

What a day was is written down on the day, by `note_today`, and never worked out later: whether anything was there
to study, what the goal was, whether all that was due was done.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from studyapp.core.days import day_to_iso
from studyapp.core.errors import StoreError, UsageError
from studyapp.core.goals import ALL_DUE, MINUTES, Goal, parse_goal
from studyapp.core.streaks import FLOWN_OVER, NOTHING_DUE, REST, Streak, streak
from studyapp.store.day_notes import StoredDayNote
from studyapp.store.flights import flown_over
from studyapp.study.desk import Desk

LONGEST_BREAK_DAYS = 180
"""Half a year; a longer break is planned in parts."""
GOAL_KEY = "goal"
"""The goal that this machine's settings named last, in the store's `meta`."""


def streak_of(desk: Desk, answers: Mapping[int, int] | None = None) -> Streak:
    """Return the streak as of now.

    Args:
        desk: The open desk.
        answers: Answers by study day, if they were read already.
    """
    today = desk.clock().study_day
    answers = desk.store.active_days() if answers is None else answers
    notes = desk.store.day_notes(until_day=today)
    goals = _goals(notes)
    neutral = _neutral(desk, answers, notes)
    active = _active(desk, answers, notes, goals)
    return streak(active, today, neutral, answered=answers, wanted=goal_on(goals, today).wanted)


def _neutral(desk: Desk, answers: Mapping[int, int], notes: Sequence[StoredDayNote]) -> dict[int, str]:
    found = dict.fromkeys(flown_over(desk.store, answers), FLOWN_OVER)
    found |= {note.study_day: NOTHING_DUE for note in notes if note.kind == "neutral"}
    return found | {note.study_day: REST for note in notes if note.kind == "rest" and note.value == "on"}


def _active(
    desk: Desk, answers: Mapping[int, int], notes: Sequence[StoredDayNote], goals: Sequence[tuple[int, Goal]]
) -> set[int]:
    nothing_due = {note.study_day for note in notes if note.kind == "neutral"}
    trials = {note.study_day for note in notes if note.kind == "trial" and note.study_day in nothing_due}
    if not goals:
        return trials.union(answers)
    all_done = {note.study_day for note in notes if note.kind == "all due"}
    seconds: dict[int, float] = {}
    if any(goal.kind == MINUTES for _, goal in goals):
        seconds = {day.day: day.seconds for day in desk.store.day_figures(goals[0][0])}
    reached = (
        day
        for day, count in answers.items()
        if goal_on(goals, day).reached(count, seconds.get(day, 0.0), day in all_done)
    )
    return trials.union(reached)


def _goals(notes: Sequence[StoredDayNote]) -> list[tuple[int, Goal]]:
    """Return the goals with the day from which each holds, days ascending; a goal nobody understands is none."""
    found = []
    for note in notes:
        if note.kind == "goal":
            with suppress(ValueError):
                found.append((note.study_day, parse_goal(note.value)))
    return found


def goal_on(goals: Sequence[tuple[int, Goal]], day: int) -> Goal:
    """Return the goal that held on a day; one answer before any was set."""
    place = bisect_right(goals, day, key=lambda entry: entry[0])
    return goals[place - 1][1] if place else Goal()


def goal_today(desk: Desk) -> Goal:
    """Return the goal that holds today."""
    today = desk.clock().study_day
    return goal_on(_goals(desk.store.day_notes(until_day=today, kind="goal")), today)


def note_today(desk: Desk, *, due: int, held_back: int, answers: int) -> None:
    """Write down what today is for the streak, once it is seen: the goal, nothing to study, everything done.

    A store that cannot be written now is written at the next look.

    Args:
        desk: The open desk.
        due: Cards that wait today, new ones and steps included.
        held_back: Cards beyond the day's limits.
        answers: Answers given today.
    """
    today = desk.clock().study_day
    wanted = []
    if not due and not held_back and not answers:
        wanted.append("neutral")
    if not due and answers and parse_goal(desk.options.goal).kind == ALL_DUE:
        wanted.append("all due")
    with suppress(StoreError):
        _note_goal(desk, today)
        if wanted:
            known = {note.kind for note in desk.store.day_notes(today, today)}
            notes = [(today, kind, "") for kind in wanted if kind not in known]
            if notes:
                desk.store.put_day_notes(notes, at_ms=desk.clock().at_ms)


def _note_goal(desk: Desk, today: int) -> None:
    """Let a goal that was changed in the settings hold from today on, on other machines too."""
    wanted = parse_goal(desk.options.goal).text
    known = desk.store.meta_get(GOAL_KEY) or Goal().text
    if wanted != known:
        desk.store.put_day_note(today, "goal", wanted, at_ms=desk.clock().at_ms)
        desk.store.meta_set(GOAL_KEY, wanted)


@dataclass(frozen=True)
class PlannedRest:
    """Days of rest that were planned, and what waits meanwhile."""

    first: int
    last: int
    due: int
    """Cards that fall due until the break is over, as far as is known now."""

    @property
    def days(self) -> int:
        """How many days."""
        return self.last - self.first + 1


def plan_rest(desk: Desk, first: int, last: int | None = None) -> PlannedRest:
    """Set days of rest in advance: they neither break the streak nor add to it.

    Args:
        desk: The open desk.
        first: The first study day, today at the earliest.
        last: The last one, included; None for a single day.

    Raises:
        UsageError: If the days are past, in the wrong order or too many.
        StoreError: If they cannot be stored.
    """
    now = desk.clock()
    today, last = now.study_day, first if last is None else last
    if first < today:
        raise UsageError(
            f"{day_to_iso(first)} is past; rest is planned in advance.",
            f"Name {day_to_iso(today)} or a later day.",
        )
    if not first <= last < first + LONGEST_BREAK_DAYS:
        raise UsageError(
            f"From {day_to_iso(first)} until {day_to_iso(last)} is no break.",
            f"The last day comes after the first, at most {LONGEST_BREAK_DAYS} days in all.",
        )
    desk.store.put_day_notes([(day, "rest", "on") for day in range(first, last + 1)], at_ms=now.at_ms)
    forecast, _ = desk.store.due_days(today, last - today + 1)
    return PlannedRest(first, last, sum(forecast.values()))


def planned_rest(desk: Desk) -> list[int]:
    """Return the days of rest from today on, ascending."""
    today = desk.clock().study_day
    return [note.study_day for note in desk.store.day_notes(today, kind="rest") if note.value == "on"]


def drop_rest(desk: Desk, only: int | None = None) -> list[int]:
    """Take back the days of rest from today on, or one of them, and return them; past ones stay what they were.

    Raises:
        StoreError: If it cannot be stored.
    """
    days = [day for day in planned_rest(desk) if only in (None, day)]
    if days:
        desk.store.put_day_notes([(day, "rest", "off") for day in days], at_ms=desk.clock().at_ms)
    return days


def left_today(desk: Desk) -> timedelta:
    """Return how long today lasts, until the rollover."""
    now = desk.clock()
    return now.next_rollover - now.now
