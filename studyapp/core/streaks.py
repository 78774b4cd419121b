"""The streak, computed from frozen study days alone, and explained day by day.

A day is active when it reached the day's goal, by default one answer. Seven active days earn a freeze; up to two
are held; one is spent by itself on a day missed. Days on which nothing could be studied, planned rest and dates
that a flight skipped are neutral. Merging the days of two machines can lengthen a streak, never shorten it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise

ACTIVE, FROZEN, NEUTRAL, MISSED = "active", "frozen", "neutral", "missed"

ACTIVE_DAYS_PER_FREEZE = 7
MOST_FREEZES = 2
RECENT_DAYS = 30
NOTHING_DUE, REST, FLOWN_OVER = "nothing to study", "a day of rest", "a date that a flight skipped"
"""Why a day is neutral, in words."""
_NOTHING, _SHORT = "nothing answered", "the day's goal was not reached"
LONGEST_BRIDGED = timedelta(hours=36)
"""A calendar date that a flight skipped is bridged if less real time than this lies between the two answers."""
LARGEST_CLOCK_CHANGE_MIN = 120
"""A clock change moves the offset by at most this much (Antarctica/Troll); a flight that skips a date, by more."""


@dataclass(frozen=True, slots=True)
class DayNote:
    """What one day was, and where it left the streak."""

    kind: str
    """"active", "frozen", "neutral" or "missed"."""
    length: int
    """The streak at the end of the day."""
    freezes: int
    """Freezes held at the end of the day."""
    ended: int = 0
    """Length of the streak that a missed day ended."""
    because: str = ""
    """Why the day was not active, in words."""


@dataclass(frozen=True, slots=True)
class Streak:
    """The streak as of today, with the reason of every day."""

    length: int
    """Active days in the running streak; 0 if it is lost."""
    best: int
    """The longest it ever was."""
    active_today: bool
    days_30: int
    """Active days among the last 30, today included."""
    freezes: int
    """Freezes held, 0 to 2."""
    today: int
    days: Mapping[int, DayNote]
    """From the first active day to today; today is absent until it is active or known to be neutral."""
    wanted: str = "one answer"
    """What makes today an active day, as the subject of a sentence."""
    answered: Set[int] = field(default_factory=frozenset)
    """Days with answers, whether they reached the goal or not."""
    next_freeze_in: int | None = None
    """Active days until one more freeze is earned; None while no more can be held."""

    @property
    def kinds(self) -> dict[int, str]:
        """For the heatmap: "active", "frozen" or "neutral" by study day; missed days are absent."""
        return {day: note.kind for day, note in self.days.items() if note.kind != MISSED}

    def length_on(self, day: int, rest: Set[int] = frozenset()) -> int:
        """Return the streak at the beginning of a coming day if nothing is answered until then.

        Args:
            day: Today or later.
            rest: Days of rest that are planned.
        """
        freezes = self.freezes
        for passed in range(self.today, day):
            note = self.days.get(passed)
            if (note is not None and note.kind != MISSED) or passed in rest:
                continue
            if not freezes:
                return 0
            freezes -= 1
        return self.length

    def why(self, day: int) -> str:
        """Return a sentence on what the day was for the streak."""
        of = date.fromordinal(day)
        name = f"{of:%a} {of.day} {of:%b %Y}"
        note = self.days.get(day)
        if note is not None:
            return f"{name}: {_REASONS[note.kind](note)}"
        if day > self.today:
            return f"{name}: has not come yet."
        if day == self.today:
            so_far = "the goal is not reached yet" if day in self.answered else "nothing answered yet"
            leads = f"makes it day {self.length + 1}" if self.length else "starts a streak"
            return f"{name}: today, {so_far}; {self.wanted} {leads}."
        return f"{name}: before the first day of study."


def streak(
    active: Set[int],
    today: int,
    neutral: Iterable[int] | Mapping[int, str] = (),
    *,
    answered: Iterable[int] = (),
    wanted: str = "one answer",
) -> Streak:
    """Return the streak as of today.

    Args:
        active: Study days that reached their goal; days after today (a clock set ahead) are left out.
        today: The current study day. Until it is over, it cannot be missed.
        neutral: Days recorded as having nothing to study, planned breaks, dates skipped by a flight; a mapping
            says which.
        answered: Days with answers, where those alone do not make a day active.
        wanted: What makes today an active day, as the subject of a sentence.
    """
    active = {day for day in active if day <= today}
    answered = active.union(answered)
    reasons = neutral if isinstance(neutral, Mapping) else dict.fromkeys(neutral, NOTHING_DUE)
    notes, credit = _walk(active, today, reasons, answered)
    last = notes.get(today) or notes.get(today - 1) or DayNote(MISSED, 0, 0)
    return Streak(
        length=last.length,
        best=max((note.length for note in notes.values()), default=0),
        active_today=today in active,
        days_30=sum(today - RECENT_DAYS < day for day in active),
        freezes=last.freezes,
        today=today,
        days=notes,
        wanted=wanted,
        answered=answered,
        next_freeze_in=None
        if last.freezes == MOST_FREEZES
        else ACTIVE_DAYS_PER_FREEZE - credit % ACTIVE_DAYS_PER_FREEZE,
    )


def skipped_by_travel(answers: Iterable[tuple[int, int, int]]) -> frozenset[int]:
    """Return the study days that never happened because the learner flew east over them.

    Args:
        answers: (UTC ms, study day, UTC offset in minutes) of answers, in order of time.
    """
    skipped: set[int] = set()
    for (left_ms, left_day, left_min), (ms, day, offset_min) in pairwise(answers):
        if (
            offset_min - left_min > LARGEST_CLOCK_CHANGE_MIN
            and timedelta(milliseconds=ms - left_ms) < LONGEST_BRIDGED
        ):
            skipped.update(range(left_day + 1, day))
    return frozenset(skipped)


def _walk(
    active: Set[int], today: int, neutral: Mapping[int, str], answered: Set[int]
) -> tuple[dict[int, DayNote], int]:
    """Return each day from the first active one to today with its note, and the active days towards freezes."""
    notes: dict[int, DayNote] = {}
    length = 0
    # Active days towards freezes. Capped, and lost with the streak, so that more days never end up with less.
    credit = 0
    for day in range(min(active, default=today + 1), today + 1):
        ended, because = 0, _SHORT if day in answered else _NOTHING
        if day in active:
            because = ""
            kind, length = ACTIVE, length + 1
            credit = min(credit + 1, MOST_FREEZES * ACTIVE_DAYS_PER_FREEZE)
        elif day in neutral:
            kind, because = NEUTRAL, neutral[day]
        elif day == today:
            break
        elif length and credit >= ACTIVE_DAYS_PER_FREEZE:
            kind, credit = FROZEN, credit - ACTIVE_DAYS_PER_FREEZE
        else:
            kind, ended, length, credit = MISSED, length, 0, 0
        notes[day] = DayNote(kind, length, credit // ACTIVE_DAYS_PER_FREEZE, ended, because)
    return notes, credit


def _missed(note: DayNote) -> str:
    if note.ended:
        return f"{note.because} and no freeze held; the streak of {note.ended} ended."
    return f"{note.because}; no streak was running."


_REASONS = {
    ACTIVE: lambda note: f"studied, day {note.length} of the streak.",
    FROZEN: lambda note: f"{note.because}; a freeze kept the streak at {note.length}, {note.freezes} left.",
    NEUTRAL: lambda note: f"{note.because}; the streak stayed at {note.length}.",
    MISSED: _missed,
}
