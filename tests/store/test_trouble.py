from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from studyapp.core.errors import StoreError, WouldWaitError
from studyapp.store import connections
from studyapp.store.database import Store, open_store
from studyapp.store.files import file_system, is_network
from tests.store.build import NOW_MS, ROOT, answer, with_cards


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


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


def test_d02_who_cannot_wait_for_the_lock_is_told_at_once_and_others_still_wait(path: Path) -> None:
    with open_store(path, now_ms=NOW_MS, busy_timeout_ms=60_000) as store:
        with_cards(store, "a")
        with _holder(path) as holder:
            with pytest.raises(WouldWaitError), store.without_waiting():
                answer(store, "a")
            assert store.reviews() == []
            holder.communicate()

        with store.without_waiting():
            answer(store, "a")

        assert len(store.reviews()) == 1
        assert store.raw.execute("PRAGMA busy_timeout").fetchone() == (60_000,)


def test_who_cannot_wait_does_not_write_over_a_network_or_beside_another_thread(path: Path) -> None:
    with open_store(path, now_ms=NOW_MS, on_file_system="nfs4") as store:
        with_cards(store, "a")
        with pytest.raises(WouldWaitError), store.without_waiting():
            answer(store, "a")
    with open_store(path, now_ms=NOW_MS) as store:
        held, done = threading.Event(), threading.Event()

        def hold() -> None:
            with store.alone():
                held.set()
                done.wait(10)

        other = threading.Thread(target=hold)
        other.start()
        held.wait(10)
        with pytest.raises(WouldWaitError), store.without_waiting():
            answer(store, "a")
        done.set()
        other.join()

        assert store.reviews() == []


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


READ_ONLY = """
import sys
from pathlib import Path
from studyapp.core.errors import StoreError, WouldWaitError
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
