"""Copies of an open store: by the system's `cp` where nothing stands in the way, else through SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studyapp.core.errors import StoreError
from studyapp.store import copying
from studyapp.store.database import Store
from studyapp.store.fast_copying import copy_file
from tests.store.build import answer, python, with_cards

WALK_IN = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1])
other.execute("SELECT count(*) FROM reviews").fetchone()
other.close()
"""


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each copy was made of the file as it is."""
    found: list[bool] = []

    def seen(*words: object, real: Callable[..., bool] = copy_file) -> bool:
        found.append(real(*words))
        return found[-1]

    monkeypatch.setattr(copying, "copy_file", seen)
    return found


def _answers(path: Path) -> int:
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return int(raw.execute("SELECT count(*) FROM reviews").fetchone()[0])


def test_a_copy_of_an_open_store_has_what_was_stored_just_now(path: Path, store: Store, ways: list[bool]) -> None:
    with_cards(store, "a")
    for number in range(3):
        answer(store)

        store.backup(path.with_name("copy.db"))

        assert _answers(path.with_name("copy.db")) == number + 1
    assert ways == [True] * 3
    assert not list(path.parent.glob(".copy*"))


def test_copying_lets_go_of_no_lock_of_the_store(path: Path, store: Store, ways: list[bool]) -> None:
    with_cards(store, "a")
    store.backup(path.with_name("copy.db"))
    answer(store)

    python(WALK_IN, path)  # the last one to leave a store moves its log into the file and takes it away

    assert ways == [True]
    assert path.with_name(path.name + "-wal").stat().st_size > 0
    assert len(store.reviews()) == 1


def test_beside_a_reader_of_an_older_state_a_copy_has_the_newest(
    path: Path, store: Store, ways: list[bool]
) -> None:
    with_cards(store, "a")
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM reviews").fetchone()
        answer(store)

        store.backup(path.with_name("copy.db"))

    assert ways == [False]
    assert _answers(path.with_name("copy.db")) == 1


def test_without_cp_a_copy_is_made_all_the_same(
    path: Path, store: Store, ways: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cards(store, "a")
    answer(store)
    monkeypatch.setenv("PATH", "")

    store.backup(path.with_name("copy.db"))

    assert ways == [False]
    assert _answers(path.with_name("copy.db")) == 1


def test_a_cp_that_copies_more_or_less_is_not_believed(
    path: Path, store: Store, ways: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "cp").write_text('#!/bin/sh\n/bin/cp "$1" "$2"\nprintf x >> "$2"\n')
    (programs / "cp").chmod(0o755)
    with_cards(store, "a")
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")

    store.backup(path.with_name("copy.db"))

    assert ways == [False]
    assert _answers(path.with_name("copy.db")) == 0


def test_a_damaged_store_is_not_copied(path: Path, store: Store) -> None:
    with_cards(store, *(f"card {number} of many" for number in range(400)))
    store.idle()
    store.raw.execute("PRAGMA writable_schema=ON")
    store.raw.execute("UPDATE sqlite_master SET rootpage = 2 WHERE name = 'cards_by_text'")
    store.raw.execute("PRAGMA writable_schema=RESET")

    with pytest.raises(StoreError):
        store.backup(path.with_name("copy.db"))

    assert not path.with_name("copy.db").exists()
