"""What the streak screen and `studyapp streak` show: the days as they were, the run in words, what today needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from studyapp.core.streaks import ACTIVE, FROZEN, MISSED, NEUTRAL, NOTHING_DUE, RECENT_DAYS, REST, Streak

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

RESTED, COMING, BEFORE, OPEN = "rest", "coming", "before", "open"
"""Kinds of a day besides those of `core.streaks`: rest, not yet come, before the first day, today so far."""
MONTHS_IN_WORDS = 3
TRIAL_COUNTS = "Today's trial would make it count: d on Home, or `studyapp run --daily`."
_SAID = {ACTIVE: "studied", FROZEN: "kept by a freeze", NEUTRAL: "nothing to study", RESTED: "rest"}


@dataclass(frozen=True)
class StreakPage:
    """The streak as of now with what surrounds it."""

    streak: Streak
    answers: Mapping[int, int]
    """Answers by study day."""
    goal: str
    """What makes a day count, as the setting has it."""
    left: timedelta
    """How long today lasts."""
    ends: str
    """When today ends, on the learner's clock."""
    planned: frozenset[int]
    """Days of rest from today on."""

    def kind(self, day: int) -> str:
        """Return what a day is: a kind of `core.streaks`, or one of this file's."""
        note = self.streak.days.get(day)
        if note is not None and note.kind != ACTIVE and (note.because == REST):
            return RESTED
        if note is not None:
            return note.kind
        if day in self.planned:
            return RESTED
        if day >= self.streak.today:
            return OPEN if day == self.streak.today else COMING
        return BEFORE

    def why(self, day: int) -> str:
        """Return a sentence on what a day was, with how much was answered."""
        if day > self.streak.today and day in self.planned:
            of = date.fromordinal(day)
            return f"{of:%a} {of.day} {of:%b %Y}: a day of rest is planned."
        sentence = self.streak.why(day)
        if day == self.streak.today and self.trial_counts:
            sentence = f"{sentence} {TRIAL_COUNTS}"
        count = self.answers.get(day, 0)
        return f"{sentence} {_plural(count, 'answer')}." if count else sentence

    @property
    def trial_counts(self) -> bool:
        """Whether today can count by its trial: nothing is due, and nothing was done so far."""
        note = self.streak.days.get(self.streak.today)
        return note is not None and note.kind == NEUTRAL and note.because == NOTHING_DUE

    def run(self) -> str:
        """Return the run in words: what it is, or what it was without shaming."""
        found = self.streak
        recent = f"{found.days_30} of the last {RECENT_DAYS} days"
        if found.length:
            return f"{_plural(found.length, 'day')} in a row; best {_plural(found.best, 'day')}; {recent}."
        if found.best:
            return f"Best {_plural(found.best, 'day')}; {recent}."
        return "The first answer starts a streak."

    def freezes(self, *, brief: bool = False) -> str:
        """Return the freezes held, and how the next is earned or, unless it must be brief, what they are for."""
        found = self.streak
        held = f"{_plural(found.freezes, 'freeze')} held" if found.freezes else "No freeze held"
        if found.next_freeze_in is None:
            use = "" if brief else "; a missed day takes one by itself"
            return f"{held}, the most there can be{use}."
        more = "active day" if found.next_freeze_in == 1 else "active days"
        return f"{held}; {found.next_freeze_in} more {more} earn{'s' * (found.next_freeze_in == 1)} the next."

    def now(self) -> str:
        """Return what today still needs, and how long it lasts."""
        found = self.streak
        lasts = f"{span(self.left)} left, until {self.ends}"
        if found.active_today:
            return f"Today counts. {lasts}."
        note = found.days.get(found.today)
        if note is not None and note.kind == NEUTRAL:
            return f"Today: {note.because}; the streak stays. {lasts}."
        leads = f"makes it day {found.length + 1}" if found.length else "starts a streak"
        return f"Today: {found.wanted} {leads}. {lasts}."

    def rest(self) -> str:
        """Return the planned days of rest in words, "" for none."""
        spans = [_span_words(first, last) for first, last in _spans(sorted(self.planned))]
        return f"Rest planned: {', '.join(spans)}." if spans else ""

    def lines(self) -> list[str]:
        """Return the page as sentences: for screen readers and pipes."""
        head = [self.run(), self.freezes(), self.now(), self.rest()]
        return [*filter(None, head), *self._months()]

    def _months(self) -> Iterator[str]:
        today = date.fromordinal(self.streak.today)
        first = today.replace(day=1)
        for _ in range(MONTHS_IN_WORDS - 1):
            first = (first - timedelta(days=1)).replace(day=1)
        inside = [day for day in sorted(self.streak.days) if day >= first.toordinal()]
        for month, days in groupby(inside, key=lambda day: f"{date.fromordinal(day):%B %Y}"):
            parts = []
            for kind, group in groupby(days, key=self.kind):
                if kind != MISSED:
                    numbers = [date.fromordinal(day).day for day in group]
                    between = f" to {numbers[-1]}" if len(numbers) > 1 else ""
                    parts.append(f"{numbers[0]}{between} {_SAID.get(kind, kind)}")
            yield f"{month}: {', '.join(parts) or 'nothing studied'}."


def streak_page(desk: Desk) -> StreakPage:
    """Return the page as of now."""
    from studyapp.study.streaks import goal_today, left_today, planned_rest, streak_of

    now, answers = desk.clock(), desk.store.active_days()
    return StreakPage(
        streak=streak_of(desk, answers),
        answers=answers,
        goal=goal_today(desk).text,
        left=left_today(desk),
        ends=f"{now.next_rollover.astimezone(now.zone):%H:%M}",
        planned=frozenset(planned_rest(desk)),
    )


def span(left: timedelta) -> str:
    """Return a time of up to two days in words.

    >>> span(timedelta(hours=9, minutes=5))
    '9 h 5 min'
    """
    minutes = max(1, int(left.total_seconds() // 60))
    hours, minutes = divmod(minutes, 60)
    return " ".join([*([f"{hours} h"] if hours else []), *([f"{minutes} min"] if minutes or not hours else [])])


def _spans(days: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last day of each run of days."""
    for _, group in groupby(enumerate(days), key=lambda entry: entry[1] - entry[0]):
        run = [day for _, day in group]
        yield run[0], run[-1]


def _span_words(first: int, last: int) -> str:
    days = [date.fromordinal(day) for day in (first, last)]
    names = [f"{day:%a} {day.day} {day:%b}" for day in days]
    return names[0] if first == last else " to ".join(names)


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
