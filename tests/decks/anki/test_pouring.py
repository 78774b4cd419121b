from __future__ import annotations

import sqlite3
from contextlib import closing

from studyapp.decks.anki import pouring, schema


def test_answers_that_share_a_millisecond_get_the_next_free_ones() -> None:
    answers = [("a", 1000), ("b", 1000), ("a", 1000), ("b", 1001), ("a", 2000)]
    with closing(sqlite3.connect(":memory:")) as raw:
        raw.execute("ATTACH ':memory:' AS package")
        raw.executescript((schema.TABLES + pouring.KEYS).replace("TABLE ", "TABLE package."))
        raw.executemany("INSERT INTO package.keys VALUES (?, ?)", [("a", 7), ("b", 8)])
        raw.execute(
            "CREATE TABLE leaving (card, at_ms, rating, kind, duration_ms, before_interval_days, after_state, "
            "after_interval_days, after_due_at_ms, after_difficulty)"
        )
        rows = [(*one, 3, "review", 5, 1, 2, 10, None, 5.5) for one in answers]
        raw.executemany("INSERT INTO leaving VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

        for statement in (pouring.LOG, pouring.COUNT, pouring.LATE):
            raw.execute(statement)

        assert pouring.settle(raw) == 5
        assert list(raw.execute("SELECT id, cid FROM revlog ORDER BY id")) == [
            (1000, 7),
            (1001, 8),
            (1002, 7),
            (1003, 8),
            (2000, 7),
        ]
        assert pouring.last_answers(raw) == {7: 2000, 8: 1003}
