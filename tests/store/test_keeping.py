from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from studyapp.core.errors import StoreError
from studyapp.store.database import Store, open_store
from tests.store.build import NOW_MS, answer, python, with_cards


def test_the_device_id_stays_over_restarts(path: Path, store: Store) -> None:
    device = store.device
    store.close()

    with open_store(path, now_ms=NOW_MS + 1) as again:
        assert again.device == device


def test_a_copied_store_draws_a_new_device_id_and_counts_from_one(path: Path, store: Store) -> None:
    with_cards(store, "a")
    answer(store)
    device = store.device
    store.close()
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)

    with open_store(copy, now_ms=NOW_MS) as other:
        assert other.device != device
        assert answer(other).counter == 1
        assert len(other.reviews()) == 2


def test_a_store_put_back_in_the_same_place_draws_a_new_device_id(path: Path, store: Store) -> None:
    with_cards(store, "a")
    backup = path.with_name("backup.db")
    store.backup(backup)
    answer(store)
    device = store.device
    store.close()
    path.write_bytes(backup.read_bytes())  # the same path and inode, an older state

    with open_store(path, now_ms=NOW_MS) as restored:
        assert restored.device != device
        assert restored.reviews() == []


def test_a_cloned_machine_draws_a_new_device_id(path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    device = store.device
    store.close()
    monkeypatch.setattr("platform.node", lambda: "another-host")

    with open_store(path, now_ms=NOW_MS) as there:
        assert there.device != device
    monkeypatch.undo()
    with open_store(path, now_ms=NOW_MS) as here:
        assert here.device == device


def test_a_backup_is_one_whole_private_file(path: Path, store: Store) -> None:
    with_cards(store, "a")
    answer(store)
    target = path.with_name("backup.db")

    store.backup(target)

    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(file.name for file in path.parent.glob("*backup*")) == ["backup.db"]
    with open_store(target, now_ms=NOW_MS) as copy:
        assert copy.reviews() == store.reviews()
        assert copy.integrity() == []


def test_a_backup_onto_itself_or_into_nowhere_is_refused(path: Path, store: Store) -> None:
    with pytest.raises(StoreError, match="is the store itself"):
        store.backup(path)
    with pytest.raises(StoreError, match=os.strerror(errno.ENOENT)):
        store.backup(path.parent / "missing" / "backup.db")
    (path.parent / "folder").mkdir()
    with pytest.raises(StoreError, match="cannot be written"):
        store.backup(path.parent / "folder")
    assert sorted(file.name for file in path.parent.glob("*folder*")) == ["folder"]


def test_idle_moves_the_log_into_the_file(path: Path, store: Store) -> None:
    with_cards(store, "a")
    answer(store)
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as raw:  # sees the file alone
        missing = raw.execute("SELECT count(*) FROM sqlite_master WHERE name = 'reviews'").fetchone()[0]

    store.idle()

    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as raw:
        assert (missing, raw.execute("SELECT count(*) FROM reviews").fetchone()[0]) == (0, 1)


def test_a_closed_store_says_so_and_closes_twice(store: Store) -> None:
    store.close()
    store.close()

    for use in (store.active_days, store.idle, lambda: store.meta_set("a", "b")):
        with pytest.raises(StoreError, match="is closed"):
            use()


def test_values_are_kept_under_keys(store: Store) -> None:
    store.meta_set("streak", "1")
    store.meta_set("streak", "2")

    assert (store.meta_get("streak"), store.meta_get("none")) == ("2", None)


def test_the_package_root_and_its_records_load_no_sqlalchemy() -> None:
    done = python(
        "import sys, studyapp.store, studyapp.store.records\n"
        "print(sorted(name for name in sys.modules if name in ('sqlalchemy', 'alembic')))"
    )

    assert done.stdout == "[]\n"


def test_an_up_to_date_store_opens_without_alembic(path: Path, store: Store) -> None:
    store.close()

    done = python(
        "import sys; from pathlib import Path; from studyapp.store.database import open_store\n"
        "open_store(Path(sys.argv[1]), now_ms=1).close(); print('alembic' in sys.modules)",
        path,
    )

    assert done.stdout == "False\n"
