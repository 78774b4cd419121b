"""What SQLite tells of a package's log, beside what `Historian` tells of it: the same, to the last column."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, time, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st

from studyapp.core.days import Moment
from studyapp.core.policy import Policy
from studyapp.decks.anki.calendar import Calendar
from studyapp.decks.anki.history import Historian, prefix_of
from studyapp.decks.anki.reader import AnkiCard
from studyapp.decks.anki.telling import ROWS, Told, telling
from studyapp.decks.anki.telling import given as given_to
from tests.decks.anki.build import CREATED_S, collection, log

DAY_MS = 86_400_000
NOW = datetime(2026, 12, 1, 12, tzinfo=timezone.utc)
DST_MS = int(datetime(2026, 3, 29, 1, tzinfo=timezone.utc).timestamp() * 1000)
"""When the clocks of Europe go forward."""
INSTANTS = st.one_of(
    st.integers(CREATED_S * 1000, CREATED_S * 1000 + 400 * DAY_MS),
    st.integers(DST_MS - DAY_MS, DST_MS + DAY_MS),
    st.sampled_from(
        [0, 1, 2**62, -5, int(NOW.timestamp() * 1000) + DAY_MS, int(NOW.timestamp() * 1000) + DAY_MS + 1]
    ),
)
ENTRIES = st.tuples(
    INSTANTS,
    st.integers(1, 4),  # card
    st.sampled_from([1, 1, 2, 3, 3, 3, 3, 4, 0, 5]),
    st.sampled_from([0, 1, 3, 20, 40_000, 2**62, -60, -600, -90_000, -(2**62)]),
    st.sampled_from([0, 1, 1, 1, 1, 2, 2, 3, 4, 5]),
    st.sampled_from([0, 99, 100, 333, 777, 1100, 1101, 2500, 2**62]),
    st.sampled_from([0, 1234, 86_400_000, 86_400_001, -1, 2**62]),
)
ZONES = st.sampled_from(["UTC", "Europe/Paris", "America/St_Johns", "Pacific/Kiritimati", "Australia/Lord_Howe"])


def told_rows(folder: Path, logs: list[tuple[Any, ...]], calendar: Calendar) -> tuple[Told, list[tuple[Any, ...]]]:
    made = collection(folder / "c.db", [], [], logs)
    with telling(made, folder / "told.db", calendar) as tells:
        told, database = tells.spans(), tells.answers()
    with closing(sqlite3.connect(":memory:")) as raw:
        raw.execute("ATTACH ? AS past", (str(database),))
        raw.execute("CREATE TABLE k (prefix BLOB, key INTEGER, card TEXT)")
        raw.executemany("INSERT INTO k VALUES (?, ?, ?)", [(prefix_of(f"c{n}"), n, f"c{n}") for n in range(1, 5)])
        statement = ROWS.format(keys="main.k", past="past")
        return told, raw.execute(statement, given_to(calendar)).fetchall()


@settings(max_examples=150, deadline=None)
@given(st.lists(ENTRIES, max_size=30, unique_by=lambda entry: entry[0]), ZONES, st.sampled_from([4, 0, 23]))
@example([(DST_MS - 1, 1, 3, 1, 1, 500, 9), (DST_MS, 1, 1, 1, 1, 500, 9), (DST_MS + 1, 1, 1, 1, 1, 500, 9)],
         "Europe/Paris", 2)  # fmt: skip
@example([(2**62, 1, 1, 0, 0, 0, 0)], "UTC", 4)
def test_what_sqlite_tells_is_what_the_historian_tells(
    entries: list[tuple[int, ...]], zone: str, rollover: int
) -> None:
    calendar = Calendar(Moment(NOW, ZoneInfo(zone), zone, time(rollover)))
    historian = Historian(calendar, Policy(), 1)
    logs = [log(*entry) for entry in sorted(entries)]

    with TemporaryDirectory() as folder:
        told, rows = told_rows(Path(folder), logs, calendar)

    expected, answers = [], {}
    for cid in range(1, 5):
        own = [
            (at, ease, ivl, 0, factor, spent, kind)
            for at, c, _, ease, ivl, _, factor, spent, kind in logs
            if c == cid
        ]
        story = historian.story(
            f"c{cid}",
            AnkiCard(cid, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ""),
            [(cid, *entry) for entry in own],
        )
        plain = all(row[3] and row[4] != "cram" for row in story.rows) and not story.left_out
        if cid not in told.odd:
            assert plain
            expected += story.rows
            if own:
                answers[cid] = (len(own), own[-1][0])
        elif not any(abs(entry[2]) > 2**61 for entry in own):
            assert not plain
    assert rows == expected
    assert told.spans == answers


def test_lapses_are_counted_card_by_card(tmp_path: Path) -> None:
    at = CREATED_S * 1000
    logs = [log(at + n * DAY_MS + cid, cid, ease) for cid in (1, 2, 3) for n, ease in enumerate([3, 1, cid, 1, 4])]
    calendar = Calendar(Moment(NOW, timezone.utc, "UTC"))

    _, rows = told_rows(tmp_path, logs, calendar)

    assert [(row[14], row[22]) for row in rows] == [
        *((0, 0), (0, 1), (1, 2), (2, 3), (3, 3)),
        *((0, 0), (0, 1), (1, 1), (1, 2), (2, 2)),
        *((0, 0), (0, 1), (1, 1), (1, 2), (2, 2)),
    ]
