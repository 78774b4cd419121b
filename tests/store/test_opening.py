from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from studyapp.core.errors import StoreError
from studyapp.store import files
from studyapp.store.database import Store, open_store
from studyapp.store.revision import SHIPPED
from tests.store.build import NOW_MS, ROOT, python, with_cards


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_new_store_uses_wal_with_full_sync_and_foreign_keys(store: Store) -> None:
    with store.alone() as raw:
        pragmas = {name: raw.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "foreign_keys")}

    assert (store.journal_mode, pragmas) == ("wal", {"synchronous": 2, "foreign_keys": 1})
    assert store.sqlite_version == sqlite3.sqlite_version


def test_g03_folder_and_files_are_private_whatever_the_umask(path: Path) -> None:
    done = python(
        "import os, sys; from pathlib import Path; os.umask(int(sys.argv[2], 8))\n"
        "from studyapp.store.database import open_store\n"
        "from tests.store.build import answer, with_cards\n"
        "with open_store(Path(sys.argv[1]), now_ms=1) as store:\n"
        "    with_cards(store, 'a'); answer(store); store.idle()\n"
        "    store.backup(Path(sys.argv[1]).with_name('copy.db'))\n"
        "    for file in sorted(Path(sys.argv[1]).parent.iterdir()): print(oct(file.stat().st_mode & 0o777))",
        path,
        "000",
    )

    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"0o600"}
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_others_could_read_is_taken_from_them(path: Path, store: Store) -> None:
    store.close()
    path.chmod(0o644)

    open_store(path, now_ms=NOW_MS).close()

    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_of_the_learner_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)

    open_store(tmp_path / "store.db", now_ms=NOW_MS).close()

    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_d06_a_newer_store_is_refused_and_stays_byte_identical(path: Path, store: Store) -> None:
    with_cards(store, "a")
    store.close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA journal_mode=DELETE")
        raw.execute("UPDATE alembic_version SET version_num = '0099'")
        raw.execute("CREATE TABLE future (something)")
        raw.commit()
    before = _digest(path)

    with pytest.raises(
        StoreError, match=f"written by studyapp with schema 0099, you have {SHIPPED.head}"
    ) as caught:
        open_store(path, now_ms=NOW_MS)

    assert caught.value.exit_code == 3
    assert _digest(path) == before
    assert [file.name for file in path.parent.iterdir() if file.name.startswith("store.db")] == ["store.db"]


def test_d06_a_newer_store_in_wal_mode_is_refused_and_stays_byte_identical(path: Path, store: Store) -> None:
    store.close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '0099'")
        raw.commit()
    before = _digest(path)

    with pytest.raises(StoreError, match="schema 0099"):
        open_store(path, now_ms=NOW_MS)

    assert _digest(path) == before


def test_a_database_of_another_program_is_refused_and_stays_byte_identical(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE notes (id)")
    before = _digest(path)

    with pytest.raises(StoreError, match="not a studyapp store"):
        open_store(path, now_ms=NOW_MS)

    assert _digest(path) == before


@pytest.mark.parametrize("content", [b"this is no database at all\n" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(content)

    with pytest.raises(StoreError, match=r"store\.db") as caught:
        open_store(path, now_ms=NOW_MS)

    assert "restore" in caught.value.hint
    assert path.read_bytes() == content


def test_a_store_with_damaged_pages_says_so_and_names_the_way_back(path: Path, store: Store) -> None:
    with_cards(store, "a", "b")
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    path.write_bytes(content)

    with pytest.raises(StoreError, match="damaged") as caught, open_store(path, now_ms=NOW_MS) as again:
        with_cards(again, "c")

    assert "restore" in caught.value.hint


def test_a_store_whose_folder_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(StoreError, match="cannot be created"):
        open_store(tmp_path / "file" / "store.db", now_ms=NOW_MS)


def test_d05_a_second_program_waits_for_the_one_that_creates_the_store(path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from studyapp.store.database import open_store\n"
        "with open_store(Path(sys.argv[1]), now_ms=1) as store: print(store.device)"
    )
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(path)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]

    ends = [start.communicate(timeout=100) for start in starts]

    assert [error for _, error in ends] == ["", "", ""]
    assert len({device for device, _ in ends}) == 1


def test_make_private_lets_another_window_be_faster(tmp_path: Path) -> None:
    path = tmp_path / "a" / "store.db"
    files.make_private(path)
    path.write_bytes(b"kept")

    files.make_private(path)

    assert path.read_bytes() == b"kept"
