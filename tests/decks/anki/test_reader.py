"""Rows of a collection as they are read, damaged ones included."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from studyapp.decks.anki.quick_json import loads
from studyapp.decks.anki.reader import open_collection
from tests.decks.anki.build import card, collection, note


def test_text_that_is_no_utf8_is_read_as_well_as_it_can_be(tmp_path: Path) -> None:
    path = collection(tmp_path / "c.db", [note(1, ["über", "a"]), note(2, ["q", "b"])], [card(1, 1), card(2, 2)])
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE notes SET flds = CAST(x'71FF1F62' AS TEXT) WHERE id = 2")
        raw.commit()

    with open_collection(path, "c.db") as opened:
        fields = [one.flds for one in opened.notes()]
        ordinals = [one.nid for one in opened.cards()]

    assert fields == ["über\x1fa", "q\ufffd\x1fb"]
    assert ordinals == [1, 2]


def test_quick_json_reads_what_json_reads() -> None:
    for text, expected in (
        ('{"s": 1.5}', {"s": 1.5}),
        (' {"a": []} ', {"a": []}),
        ("[1]", [1]),
        ('{"a": 1}\n', {"a": 1}),
    ):
        assert loads(text) == expected
    for text in ("", "{", '{"a": 1} x', "nan,", "{'a': 1}"):
        try:
            found = loads(text)
        except ValueError:
            continue
        raise AssertionError(found)
