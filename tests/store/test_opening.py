from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from studyapp.core.errors import StoreError
from studyapp.store import connections, files
from studyapp.store.database import Store, open_store
from studyapp.store.files import file_system, is_network
from tests.store.build import NOW_MS, ROOT, answer, python, with_cards


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

    with pytest.raises(StoreError, match=r"written by studyapp with schema 0099, you have 0001") as caught:
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


HOLDER = """
import sqlite3, sys
raw = sqlite3.connect(sys.argv[1], isolation_level=None)
raw.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
raw.execute("ROLLBACK")
raw.close()
"""


def _holder(path: Path, script: str = HOLDER) -> subprocess.Popen[str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_d02_an_answer_while_another_program_holds_the_lock_is_refused_and_can_be_repeated(path: Path) -> None:
    with open_store(path, now_ms=NOW_MS, busy_timeout_ms=50) as store:
        with_cards(store, "a")
        with _holder(path) as holder:
            with pytest.raises(StoreError, match="locked by another program"):
                answer(store, "a")
            assert store.reviews() == []  # readers are not locked out
            holder.communicate()

        answer(store, "a")

        assert len(store.reviews()) == 1


READER = HOLDER.replace("BEGIN IMMEDIATE", "BEGIN").replace(
    "print", "raw.execute('SELECT count(*) FROM cards').fetchone(); print"
)


def test_d01_an_answer_that_cannot_be_committed_beside_a_reader_is_refused_and_can_be_repeated(path: Path) -> None:
    with open_store(path, now_ms=NOW_MS, busy_timeout_ms=50, on_file_system="nfs4") as store:
        with_cards(store, "a")
        with _holder(path, READER) as holder:
            with pytest.raises(StoreError, match="locked by another program"):
                answer(store, "a")
            assert store.reviews() == []
            holder.communicate()

        answer(store, "a")

        assert len(store.reviews()) == 1


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_d02_a_store_that_is_locked_while_it_is_made_is_named(path: Path, lock: str) -> None:
    path.parent.mkdir()
    path.touch()
    with _holder(path, HOLDER.replace("BEGIN IMMEDIATE", lock)) as holder:
        with pytest.raises(StoreError, match="locked by another program"):
            open_store(path, now_ms=NOW_MS, busy_timeout_ms=50)
        holder.communicate()

    with open_store(path, now_ms=NOW_MS) as store:
        assert store.integrity() == []


def test_d03_a_store_that_finds_no_room_to_be_made_is_named_and_leaves_no_half_store(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studyapp.store import database

    def tight(where: Path, busy_timeout_ms: int) -> sqlite3.Connection:
        raw = connections.connect(where, busy_timeout_ms)
        raw.execute("PRAGMA max_page_count=12")
        return raw

    with monkeypatch.context() as patch:
        patch.setattr(database, "connect", tight)
        with pytest.raises(StoreError, match="disk full"):
            open_store(path, now_ms=NOW_MS)

    with open_store(path, now_ms=NOW_MS) as store:
        with_cards(store, "a")
        assert store.integrity() == []


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


READ_ONLY = """
import sys
from pathlib import Path
from studyapp.core.errors import StoreError
from studyapp.store.database import open_store
try:
    open_store(Path(sys.argv[1]), now_ms=1)
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_a_store_that_may_not_be_written_is_refused_by_name() -> None:
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "studyapp" / "store.db"
        open_store(path, now_ms=NOW_MS).close()
        for place, mode in ((Path(folder), 0o755), (path.parent, 0o755), (path, 0o444)):
            place.chmod(mode)
        if subprocess.run([*other, "import studyapp"], cwd=ROOT, capture_output=True, check=False).returncode:
            pytest.skip("the other user cannot read the program")
        before = _digest(path)

        done = subprocess.run(
            [*other, READ_ONLY, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
        )

        assert f"{path} is read-only" in done.stdout, done.stderr
        assert _digest(path) == before


def test_d03_an_answer_on_a_full_disk_is_refused_in_these_words_and_nothing_earlier_is_lost(store: Store) -> None:
    with_cards(store, *(f"c{number}" for number in range(200)))
    with store.alone() as raw:
        pages = raw.execute("PRAGMA page_count").fetchone()[0]
        raw.execute(f"PRAGMA max_page_count={pages + 2}")

    stored, error = _answer_until_refused(store)

    assert "disk full" in str(error)
    assert str(store.path) in str(error)
    assert len(store.reviews()) == stored < 200
    assert store.integrity() == []
    with store.alone() as raw:
        raw.execute("PRAGMA max_page_count=1000000")
    answer(store, f"c{stored}")  # after making room
    assert len(store.reviews()) == stored + 1


def _answer_until_refused(store: Store) -> tuple[int, StoreError | None]:
    for number in range(200):
        try:
            answer(store, f"c{number}")
        except StoreError as error:
            return number, error
    return 200, None


def test_d03_an_input_output_error_without_room_is_called_a_full_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studyapp.store import trouble

    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = "SQLITE_IOERR_WRITE"
    assert "disk full" not in str(trouble.store_error(error, path))

    monkeypatch.setattr(trouble, "_no_room", lambda path: True)

    assert "disk full" in str(trouble.store_error(error, path))


@pytest.mark.parametrize("kind", ["nfs4", "lustre", "gpfs", "cifs", "fuse.sshfs"])
def test_d01_a_network_file_system_gets_a_rollback_journal(path: Path, kind: str) -> None:
    with open_store(path, now_ms=NOW_MS, on_file_system=kind) as store:
        with_cards(store, "a")
        answer(store)
        with store.alone() as raw:
            modes = [raw.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]

    assert (store.journal_mode, modes) == ("delete", ["delete", 2])


def test_d01_where_wal_fails_the_rollback_journal_is_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = connections._set_journal

    def refuse_wal(raw: sqlite3.Connection, mode: str, busy_timeout_ms: int) -> None:
        if mode == "wal":
            error = sqlite3.OperationalError("locking protocol")
            error.sqlite_errorname = "SQLITE_PROTOCOL"
            raise error
        original(raw, mode, busy_timeout_ms)

    monkeypatch.setattr(connections, "_set_journal", refuse_wal)

    with open_store(path, now_ms=NOW_MS) as store:
        with_cards(store, "a")
        answer(store)
        assert store.journal_mode == "delete"


MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /home rw,relatime shared:1 - nfs4 server:/home rw
31 30 0:41 / /home/ada/my\\040box rw - fuse.sshfs box: rw
32 22 0:42 / /homestead rw - xfs /dev/vdb rw
"""


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/", "ext4"),
        ("/home/ada/.local", "nfs4"),
        ("/home/ada/my box/x", "fuse.sshfs"),
        ("/homestead/x", "xfs"),
        ("/homes", "ext4"),
    ],
)
def test_d01_the_file_system_is_the_one_of_the_longest_mount_point(tmp_path: Path, place: str, kind: str) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)

    assert file_system(Path(place), mounts) == kind
    assert is_network(kind) == (kind in ("nfs4", "fuse.sshfs"))


def test_d01_a_system_without_a_table_of_mounts_counts_as_local(tmp_path: Path) -> None:
    assert not is_network(file_system(tmp_path, tmp_path / "missing"))


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


def test_make_private_lets_another_window_be_faster(tmp_path: Path) -> None:
    path = tmp_path / "a" / "store.db"
    files.make_private(path)
    path.write_bytes(b"kept")

    files.make_private(path)

    assert path.read_bytes() == b"kept"
