"""How far the learner is in each module, without looking at every card each time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from studyapp.core.errors import StoreError
from studyapp.store.columns import AWAY, HIDDEN
from studyapp.store.keeping import meta_set
from studyapp.store.session import Session

_SIZES = "sizes"
"""Where `meta` keeps what was counted last; only saving lessons, merging or importing changes it."""


class ModuleProgress(NamedTuple):
    """A module with the learner's place in it."""

    id: str
    title: str
    cards: int
    """Cards that are not hidden."""
    learned: int
    """Of these, in review or relearning."""
    due: int
    """Of these, due by a study day or on a step, and not suspended."""
    unread: int
    """Sections not read yet."""
    experiments: int
    """Different experiments of its cards."""
    tomorrow: int = 0
    """Cards that fall due on the day after."""

    @property
    def share(self) -> float:
        """Learned cards as a share of all, 0 to 1."""
        return self.learned / self.cards if self.cards else 0.0


_MODULES = "SELECT id, title FROM modules WHERE hidden = 0 ORDER BY ordinal"
_STAMP = "SELECT id, source_hash, hidden, saved_at_ms FROM modules ORDER BY id"
_CARDS = "SELECT module, count(*) FROM cards WHERE hidden = 0 GROUP BY module"
_LINKS = "SELECT DISTINCT module, experiments FROM cards WHERE hidden = 0 AND experiments <> '[]'"
_LEARNED = f"SELECT module, sum(state IN (2, 3)) FROM memory WHERE away_until < {HIDDEN} GROUP BY module"
_DUE = f"""
SELECT module, count(*) FROM memory WHERE due_day <= ? AND away_until < {AWAY} GROUP BY module
UNION ALL
SELECT module, count(*) FROM memory WHERE due_at_ms IS NOT NULL AND away_until < {AWAY} GROUP BY module
"""
_TOMORROW = f"SELECT module, count(*) FROM memory WHERE due_day = ? AND away_until < {AWAY} GROUP BY module"
_UNREAD = """
SELECT s.module, count(*) FROM sections s
WHERE NOT EXISTS (SELECT 1 FROM readings r WHERE r.module = s.module AND r.section = s.id) GROUP BY s.module
"""


def module_progress(session: Session, study_day: int) -> list[ModuleProgress]:
    """Return the modules that are not hidden, in order of arrival, with the learner's place in each on a day."""
    with session.read_driver() as connection:
        run = connection.execute
        modules = run(_MODULES).fetchall()
        learned, unread, due = Counter(dict(run(_LEARNED))), Counter(dict(run(_UNREAD))), Counter[str]()
        for module, count in run(_DUE, (study_day,)):
            due[module] += count
        tomorrow = Counter(dict(run(_TOMORROW, (study_day + 1,))))
        sizes, stamp = _kept(connection)
        known = sizes is not None
        sizes = _counted(connection) if sizes is None else sizes
    if not known:
        with contextlib.suppress(StoreError):  # another program is writing: it is counted again next time
            meta_set(session, _SIZES, json.dumps([stamp, sizes]))
    return [
        ModuleProgress(name, title, cards, learned[name], due[name], unread[name], experiments, tomorrow[name])
        for name, title in modules
        for cards, experiments in [sizes.get(name, (0, 0))]
    ]


def _kept(connection: sqlite3.Connection) -> tuple[Mapping[str, Any] | None, str]:
    """Return what was counted last, None where lessons have changed since; and what tells that they have."""
    run = connection.execute
    there = [run(_STAMP).fetchall(), run("SELECT count(*) FROM cards").fetchone()[0]]
    stamp = hashlib.blake2b(repr(there).encode(), digest_size=16).hexdigest()
    row = run("SELECT value FROM meta WHERE key = ?", (_SIZES,)).fetchone()
    kept: list[Any] = json.loads(row[0]) if row else ["", {}]
    return (kept[1] if kept[0] == stamp else None), stamp


def _counted(connection: sqlite3.Connection) -> Mapping[str, Any]:
    run = connection.execute
    links: dict[str, set[str]] = {}
    for module, text in run(_LINKS):
        links.setdefault(module, set()).update(link["experiment"] for link in json.loads(text))
    return {module: (cards, len(links.get(module, ()))) for module, cards in run(_CARDS)}
