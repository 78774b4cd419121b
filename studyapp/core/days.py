"""The study day: the one definition of "today", as a proleptic ordinal (`date.toordinal()`).

A day begins at the rollover (04:00 by default) on the learner's wall clock, so an answer after midnight still
belongs to the evening. Only wall-clock dates are counted, never blocks of 24 hours: a day of 23 or 25 hours is one
day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo

DEFAULT_ROLLOVER = time(4)
"""Wall-clock time at which a study day begins. Source: Anki's default."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MS = timedelta(milliseconds=1)
_MINUTE = timedelta(minutes=1)
_SECOND = timedelta(seconds=1)


def study_day(now: datetime, zone: tzinfo, rollover: time = DEFAULT_ROLLOVER) -> int:
    """Return the study day that holds the instant: before the rollover it is still yesterday.

    Never goes back while time goes forward in one zone, even where a clock change repeats the rollover.

    Args:
        now: An aware datetime, in any zone.
        zone: The learner's zone.
        rollover: Wall-clock time at which a day begins.

    Raises:
        ValueError: If `now` is naive.

    >>> early = datetime(2026, 1, 15, 3, 59, tzinfo=timezone.utc)
    >>> day_to_iso(study_day(early, timezone.utc))
    '2026-01-14'
    """
    _require_aware(now)
    day = (_wall(now, zone) - _since_midnight(rollover)).toordinal()
    # In a repeated hour the wall clock may show a time before a rollover that has already happened.
    return day + 1 if rollover_instant(day + 1, zone, rollover) <= now else day


def rollover_instant(day: int, zone: tzinfo, rollover: time = DEFAULT_ROLLOVER) -> datetime:
    """Return the UTC instant at which a study day begins.

    A rollover inside a missing hour happens when the clock jumps; one inside a repeated hour, the first time.
    """
    wall = datetime.combine(date.fromordinal(day), rollover.replace(tzinfo=None, fold=0))
    first = wall.replace(tzinfo=zone).astimezone(timezone.utc)
    if _wall(first, zone) == wall:
        return first
    # The wall time is missing: fold=1 reads it with the later offset, which lands before the jump.
    before = wall.replace(tzinfo=zone, fold=1).astimezone(timezone.utc)
    return _jump(before, first, wall, zone)


def day_to_iso(day: int) -> str:
    """Return the study day as an ISO date.

    >>> day_to_iso(iso_to_day("2026-01-15"))
    '2026-01-15'
    """
    return date.fromordinal(day).isoformat()


def iso_to_day(text: str) -> int:
    """Return the study day that an ISO date names.

    Raises:
        ValueError: If the text is no ISO date.
    """
    return date.fromisoformat(text).toordinal()


@dataclass(frozen=True, slots=True)
class EarlierRollover:
    """The rollover before the learner changed it: the day of the change still ends by it."""

    rollover: time
    since: datetime
    """When it was changed, aware."""
    last_day: int
    """The study day of the change, which goes on until the earlier rollover ends it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment as the learner lives it: the instant, the zone, and when a day begins there.

    A changed rollover counts from the next day on: the present day ends as it would have ended, and the day after
    it takes the hours until the new rollover, so that no day is cut anew or counted twice.

    Raises:
        ValueError: If `now` is naive.
    """

    now: datetime
    """Aware, UTC."""
    zone: tzinfo
    """The learner's zone, which need not be the machine's."""
    zone_name: str
    """As stored with a review, such as "Europe/Paris"."""
    rollover: time = DEFAULT_ROLLOVER
    earlier: EarlierRollover | None = None
    """The rollover before the last change, where there was one."""

    def __post_init__(self) -> None:
        _require_aware(self.now)

    @property
    def at_ms(self) -> int:
        """UTC milliseconds since 1970."""
        return (self.now - _EPOCH) // _MS

    @property
    def offset_min(self) -> int:
        """UTC offset of the zone at this moment, in whole minutes."""
        local = self.now.astimezone(self.zone)
        return (local.utcoffset() or timedelta(0)) // _MINUTE

    @property
    def study_day(self) -> int:
        """The study day that holds this moment."""
        earlier = self.earlier
        if earlier is None:
            return study_day(self.now, self.zone, self.rollover)
        if self.now < earlier.since:
            return study_day(self.now, self.zone, earlier.rollover)
        if self.now < self.begins(earlier.last_day + 1):
            return earlier.last_day
        return max(earlier.last_day + 1, study_day(self.now, self.zone, self.rollover))

    def begins(self, day: int) -> datetime:
        """Return the UTC instant at which a study day begins for this learner."""
        old = self.earlier is not None and day <= self.earlier.last_day + 1
        return rollover_instant(day, self.zone, self.earlier.rollover if old and self.earlier else self.rollover)

    @property
    def next_rollover(self) -> datetime:
        """UTC instant at which this study day ends."""
        return self.begins(self.study_day + 1)


def instant_of(at_ms: int) -> datetime:
    """Return the aware UTC datetime of UTC milliseconds since 1970."""
    return _EPOCH + at_ms * _MS


def _require_aware(now: datetime) -> None:
    if now.tzinfo is None or now.utcoffset() is None:
        raise ValueError("a study day needs an aware datetime")


def _wall(instant: datetime, zone: tzinfo) -> datetime:
    """Return what the wall clock shows, without a zone."""
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def _since_midnight(clock: time) -> timedelta:
    return timedelta(hours=clock.hour, minutes=clock.minute, seconds=clock.second, microseconds=clock.microsecond)


def _jump(before: datetime, after: datetime, wall: datetime, zone: tzinfo) -> datetime:
    """Return the first whole second in (before, after] at which the wall clock shows `wall` or later."""
    low, high = 0, -(-(after - before) // _SECOND)
    while high - low > 1:
        middle = (low + high) // 2
        if _wall(before + middle * _SECOND, zone) < wall:
            low = middle
        else:
            high = middle
    return before + high * _SECOND
