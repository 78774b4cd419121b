"""Days: the learner's study days for instants and for Anki's day numbers, remembered: a million are cheap."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from studyapp.core.days import Moment, instant_of, rollover_instant, study_day

DAY_MS = 86_400_000
_MINUTE_MS = 60_000
_EPOCH_DAY = 719_163
"""Ordinal of 1 January 1970."""
FIRST_MS = 0
LAST_MS = 4_102_444_800_000
"""Beyond the year 2100 no time stamp is believed."""


class Calendar:
    """Study days in one zone with one rollover."""

    def __init__(self, moment: Moment) -> None:
        self.zone_name = moment.zone_name
        self.now_ms = moment.at_ms
        self.today = moment.study_day
        self._zone, self._rollover = moment.zone, moment.rollover
        clock = moment.rollover
        self._rollover_ms = ((clock.hour * 60 + clock.minute) * 60 + clock.second) * 1000
        self._offsets: dict[int, int | None] = {}
        """UTC offset in ms all through a UTC day, None where it changes on that day."""

    def at(self, at_ms: int) -> tuple[int, int]:
        """Return (UTC offset in minutes, study day) at an instant, UTC milliseconds from 1970 to 2100."""
        offset = self._offset_of(at_ms // DAY_MS)
        if offset is None:
            now = instant_of(at_ms)
            return self._offset_ms(at_ms) // _MINUTE_MS, study_day(now, self._zone, self._rollover)
        return offset // _MINUTE_MS, (at_ms + offset - self._rollover_ms) // DAY_MS + _EPOCH_DAY

    def shift_of(self, utc_day: int) -> tuple[int, int] | None:
        """Return (UTC offset in minutes, shift in ms) for a whole UTC day, counted from 1970.

        The study day of an instant on it is (instant + shift) // `DAY_MS`. None where the day holds more than one
        offset: then each instant must be asked for.
        """
        offset = self._offset_of(utc_day)
        if offset is None:
            return None
        return offset // _MINUTE_MS, offset - self._rollover_ms + _EPOCH_DAY * DAY_MS

    def _offset_of(self, day: int) -> int | None:
        if day not in self._offsets:
            offsets = {self._offset_ms((day + part) * DAY_MS) for part in (-1, 0, 1, 2)}
            self._offsets[day] = offsets.pop() if len(offsets) == 1 else None
        return self._offsets[day]

    def _offset_ms(self, at_ms: int) -> int:
        offset = instant_of(max(at_ms, FIRST_MS)).astimezone(self._zone).utcoffset() or timedelta(0)
        return offset // timedelta(milliseconds=1)

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
