"""Days: the learner's study days for instants and for Anki's day numbers, remembered per quarter of an hour."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from studyapp.core.days import Moment, instant_of, rollover_instant, study_day

_QUARTER_MS = 900_000
_MINUTE_MS = 60_000
FIRST_MS = 0
LAST_MS = 4_102_444_800_000
"""Beyond the year 2100 no time stamp is believed."""


class Calendar:
    """Study days in one zone with one rollover, fast enough for a million reviews."""

    def __init__(self, moment: Moment) -> None:
        self.zone_name = moment.zone_name
        self.now_ms = moment.at_ms
        self.today = moment.study_day
        self._zone, self._rollover = moment.zone, moment.rollover
        # zones change and days begin on quarters of an hour, unless the learner chose another minute
        self._bucket_ms = _MINUTE_MS if moment.rollover.minute % 15 else _QUARTER_MS
        self._known: dict[int, tuple[int, int]] = {}

    def at(self, at_ms: int) -> tuple[int, int]:
        """Return (UTC offset in minutes, study day) at an instant, UTC milliseconds from 1970 to 2100."""
        bucket = at_ms // self._bucket_ms
        found = self._known.get(bucket)
        if found is None:
            start = instant_of(bucket * self._bucket_ms)
            offset = start.astimezone(self._zone).utcoffset() or timedelta(0)
            found = (offset // timedelta(minutes=1), study_day(start, self._zone, self._rollover))
            self._known[bucket] = found
        return found

    def starts_ms(self, day: int) -> int:
        """Return when a study day begins, UTC milliseconds."""
        return int(rollover_instant(day, self._zone, self._rollover).timestamp() * 1000)

    def first_day(self, created_s: int, west_min: int | None) -> int:
        """Return the day that Anki counts from, as an ordinal.

        Args:
            created_s: The collection's `crt`, seconds since 1970.
            west_min: Minutes west of UTC where it was created; None takes the learner's zone.
        """
        zone = self._zone if west_min is None else timezone(timedelta(minutes=-west_min))
        return datetime.fromtimestamp(created_s, zone).toordinal()
