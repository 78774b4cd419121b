from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from studyapp.core.errors import StoreError
from studyapp.store.database import Store, open_store
from studyapp.store.revision import SHIPPED, Revisions
from studyapp.store.schema import metadata
from tests.store.build import NOW_MS, answer, python, with_cards

NEXT = '''
"""A next schema as one may come: a new column, a table copied, dropped and renamed, values moved."""
from alembic import op

revision = "next"
down_revision = "HEAD"

def upgrade():
    for statement in (
        "ALTER TABLE cards ADD COLUMN colour TEXT",
        "UPDATE cards SET colour = 'green'",
        "CREATE TABLE meta_new (key TEXT PRIMARY KEY, value TEXT NOT NULL, since_ms INTEGER)",
        "INSERT INTO meta_new SELECT key, value, 0 FROM meta",
        "DROP TABLE meta",
        "ALTER TABLE meta_new RENAME TO meta",
        "CREATE INDEX cards_by_colour ON cards (colour)",
    ):
        op.execute(statement)
'''


def _next(folder: Path) -> Revisions:
    shutil.copytree(SHIPPED.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "revision_next.py").write_text(NEXT.replace("HEAD", SHIPPED.head))
    return Revisions(known=(*SHIPPED.known, "next"), folder=folder)


def _schema(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as raw:
        return sorted(str(row[0]) for row in raw.execute("SELECT sql FROM sqlite_master"))


def test_the_migrations_lead_to_the_tables_the_program_uses(store: Store) -> None:
    from alembic.autogenerate import compare_metadata

    with store.read() as connection:
        context = MigrationContext.configure(connection)
        differences = [str(d) for d in compare_metadata(context, metadata) if "sqlite_where" not in str(d)]

    assert differences == []


def test_the_known_revisions_are_the_files_in_order() -> None:
    config = Config()
    config.set_main_option("script_location", str(SHIPPED.folder))
    config.set_main_option("path_separator", "os")

    scripts = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]

    assert tuple(reversed(scripts)) == SHIPPED.known


def test_an_older_store_is_copied_aside_and_upgraded_with_everything_in_it(
    path: Path, store: Store, tmp_path: Path
) -> None:
    with_cards(store, "a")
    row = answer(store)
    store.meta_set("key", "value")
    device = store.device
    store.close()
    newer = _next(tmp_path / "migrations")

    with open_store(path, now_ms=NOW_MS, revisions=newer) as upgraded:
        assert upgraded.reviews() == [row]
        assert upgraded.meta_get("key") == "value"
        assert upgraded.device == device
        with upgraded.read() as connection:
            assert connection.exec_driver_sql("SELECT colour FROM cards").scalar() == "green"

    kept = path.with_name("store.before-next.db")
    assert kept.stat().st_mode & 0o777 == 0o600
    with open_store(kept, now_ms=NOW_MS) as old:
        assert old.reviews() == [row]


def test_d06_the_program_before_an_upgrade_refuses_the_store_after_it(
    path: Path, store: Store, tmp_path: Path
) -> None:
    store.close()
    open_store(path, now_ms=NOW_MS, revisions=_next(tmp_path / "migrations")).close()

    with pytest.raises(StoreError, match=f"schema next, you have {SHIPPED.head}"):
        open_store(path, now_ms=NOW_MS)


DYING = """
import os, sys
from pathlib import Path
from sqlalchemy import Engine, event
from studyapp.store.database import open_store
from studyapp.store.revision import SHIPPED, Revisions
left = int(sys.argv[2])
revisions = Revisions((*SHIPPED.known, "next"), Path(sys.argv[3])) if sys.argv[3:] else SHIPPED

@event.listens_for(Engine, "after_cursor_execute")
def count(connection, cursor, statement, parameters, context, executemany):
    global left
    if connection.in_transaction():
        left -= 1
        if left < 0:
            os._exit(77)

open_store(Path(sys.argv[1]), now_ms=1, revisions=revisions).close()
print("done")
"""


def _whole(path: Path, revisions: Revisions) -> str | None:
    """Return the revision of a store after checking that it is whole: all of one schema, nothing of the next."""
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        tables = {row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            return None
        revision = str(raw.execute("SELECT version_num FROM alembic_version").fetchone()[0])
        columns = {row[1] for row in raw.execute("PRAGMA table_info(cards)")}
        meta = {row[1] for row in raw.execute("PRAGMA table_info(meta)")}
    assert ("colour" in columns, "since_ms" in meta, "meta_new" in tables) == (revision == "next",) * 2 + (False,)
    assert revision in revisions.known
    return revision


@pytest.mark.slow
def test_d05_a_kill_after_any_statement_of_an_upgrade_leaves_the_old_store_or_the_new(
    path: Path, store: Store, tmp_path: Path
) -> None:
    with_cards(store, "a", "b")
    row = answer(store)
    store.close()
    old_schema, old = _schema(path), path.read_bytes()
    newer = _next(tmp_path / "migrations")
    ends = []
    for statement in range(100):
        path.write_bytes(old)
        done = python(DYING, path, statement, newer.folder)
        assert done.returncode in (0, 77), done.stderr
        ends.append(_whole(path, newer))
        if ends[-1] == SHIPPED.head:
            assert _schema(path) == old_schema
        with open_store(path, now_ms=NOW_MS, revisions=newer) as again:
            assert again.reviews() == [row]
            assert again.integrity() == []
        if done.returncode == 0:
            break

    assert len(ends) > 8  # seven statements of the migration and Alembic's own
    assert ends == [SHIPPED.head] * (len(ends) - 1) + ["next"]


@pytest.mark.slow
def test_d05_a_kill_while_the_store_is_created_leaves_nothing_or_a_whole_store(tmp_path: Path) -> None:
    ends = []
    for statement in (0, 1, 2, 5, 10, 20, 26, 27, 28, 1000):
        path = tmp_path / str(statement) / "store.db"
        done = python(DYING, path, statement)
        assert done.returncode in (0, 77), done.stderr
        ends.append(_whole(path, SHIPPED))
        with open_store(path, now_ms=NOW_MS) as again:
            with_cards(again, "a")
            assert answer(again).counter == 1

    assert ends[0] is None
    assert ends[-1] == SHIPPED.head


def test_d05_an_interrupted_creation_in_a_rollback_journal_is_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "network" / "store.db"
    script = DYING.replace("now_ms=1,", "now_ms=1, on_file_system='nfs4',")
    done = python(script, path, 12)
    assert done.returncode == 77, done.stderr

    with open_store(path, now_ms=NOW_MS, on_file_system="nfs4") as again:
        with_cards(again, "a")
        answer(again)
        assert again.integrity() == []


HALF_WRITTEN = """
import os, sqlite3, sys
raw = sqlite3.connect(sys.argv[1], isolation_level=None)
raw.execute("PRAGMA cache_size=5")  # pages reach the file before the commit
raw.execute("BEGIN IMMEDIATE")
raw.executemany("INSERT INTO meta VALUES (?, ?)", [(f"key {n}", "x" * 500) for n in range(500)])
os._exit(77)
"""


def test_d05_a_journal_left_by_a_crash_is_rolled_back_on_opening(path: Path) -> None:
    with open_store(path, now_ms=NOW_MS, on_file_system="nfs4") as store:
        with_cards(store, "a")
        row = answer(store)
    assert python(HALF_WRITTEN, path).returncode == 77
    assert path.with_name("store.db-journal").stat().st_size > 0

    with open_store(path, now_ms=NOW_MS, on_file_system="nfs4") as again:
        assert again.reviews() == [row]
        assert again.meta_get("key 1") is None
        assert again.integrity() == []
