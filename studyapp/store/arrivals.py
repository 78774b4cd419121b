"""Cards and their past from elsewhere (an Anki package) into the store, in one transaction.

What arrives belongs to modules that no lesson file stands behind: their path is their origin, `anki:DECK`. A row
of the past has an id made of the review itself, so that importing twice, or on two machines, unites.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studyapp.core.cards import Card
from studyapp.core.reviews import Memory, ReviewRow
from studyapp.store.answering import keep_marks, keep_memory
from studyapp.store.bulk import add_reviews, placed_in_bulk
from studyapp.store.columns import MEMORY_FIELDS
from studyapp.store.logrows import read_log
from studyapp.store.lookup import links_as_json
from studyapp.store.memories import NOTHING, is_leech, memory_values
from studyapp.store.origins import ANKI, ORIGIN
from studyapp.store.session import Session, driver
from studyapp.store.twins import SAME_MS

if TYPE_CHECKING:
    from sqlalchemy import Connection

_CHUNK = 500
_MODS = "anki-mods:"
_CARD_COLUMNS = (
    *("id", "module", "section", "ordinal", "kind", "prompt", "answer", "key_points", "experiments", "tags"),
    *("path", "line", "text_hash", "explicit_id", "hidden", "suspended", "buried_until_day"),
)
_ADD = f"INSERT INTO cards ({', '.join(_CARD_COLUMNS)}) VALUES ({', '.join('?' * len(_CARD_COLUMNS))})"
_CONTENT = ("kind", "prompt", "answer", "key_points", "experiments", "tags")
_CHANGE = (
    f"UPDATE cards SET {', '.join(f'{name} = ?' for name in _CONTENT)}, text_hash = ?, module = ?, path = ?, "
    "section = '', hidden = 0 WHERE id = ?"
)
_MEMORY = (
    f"INSERT OR REPLACE INTO memory (card, {', '.join(MEMORY_FIELDS)}, leech) "
    f"VALUES ({', '.join('?' * (len(MEMORY_FIELDS) + 2))})"
)


MarkRow = tuple[bytes, int, int, int, Memory | None, str]


@dataclass(frozen=True, slots=True)
class Arriving:
    """A card to be stored with its past."""

    card: Card
    module: str
    """Wanted id of its module."""
    title: str
    origin: str
    """Path of its module, beginning with `ORIGIN`."""
    version: tuple[int, int]
    """How new its text is where it comes from: when it was last changed, seconds since 1970, then the package's
    own time, ms."""
    rows: Sequence[tuple[Any, ...]] = ()
    """Its reviews by time, as tuples of `bulk.FIELDS`."""
    marks: Sequence[MarkRow] = ()
    """What stands after them: (uid, at_ms, offset_min, study_day, memory as it was there or None, action)."""
    memory: Memory = field(default_factory=Memory)
    """Where the rows and marks end."""
    suspended: bool = False
    buried_until_day: int | None = None
    flag: str = ""
    """Colour of its flag; a card that is here already keeps its own."""


@dataclass
class Arrived:
    """What came, in numbers of cards, and of rows of the log."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    older: int = 0
    """Left as they are: the text here is newer."""
    yours: int = 0
    """Cards of a lesson of yours: only their past was taken."""
    reviews: int = 0
    modules: tuple[str, ...] = ()
    """Ids of the modules that hold them."""
    marks: int = 0
    """Rows besides reviews: a memory as it was there, cards put away."""

    @property
    def anything(self) -> bool:
        """Whether anything changed."""
        return bool(self.new or self.changed or self.reviews or self.marks)


class _RehearsedError(Exception):
    """Ends a rehearsal: everything is rolled back."""


Replay = Callable[[Sequence[ReviewRow]], Memory]


def bring(
    session: Session,
    arriving: Sequence[Arriving],
    *,
    zone: str,
    now_ms: int,
    replay: Replay,
    older: bool = False,
    rehearse: bool = False,
) -> Arrived:
    """Store cards and their past, in one transaction; return what came.

    Args:
        session: The store.
        arriving: The cards, ids distinct.
        zone: Name of the zone that the study days were counted in.
        now_ms: UTC milliseconds.
        replay: Gives a card's memory after its rows, which come in replay order (`core.replay.replay`).
        older: Take the texts even where the store has newer ones.
        rehearse: Store nothing; only say what would come.

    Raises:
        StoreError: If the lock, SQLite or the disk fails; nothing was stored.
    """
    arrived = Arrived()
    try:
        with session.write() as connection:
            _Bringing(connection, arrived, zone, now_ms, replay, older).everything(arriving)
            if rehearse:
                raise _RehearsedError
    except _RehearsedError:
        pass
    return arrived


class _Bringing:
    """One arrival, inside its transaction."""

    def __init__(
        self, connection: Connection, arrived: Arrived, zone: str, now_ms: int, replay: Replay, older: bool
    ) -> None:
        self._run = connection.exec_driver_sql
        self._connection = connection
        self._raw = driver(connection)
        """For many rows: SQLAlchemy looks at each of them first."""
        self._arrived = arrived
        self._zone, self._now_ms, self._replay, self._older = zone, now_ms, replay, older
        self._modules: dict[str, str] = {}
        """Ids by origin."""
        self._mods: dict[str, dict[str, list[int]]] = {}
        """By module: how new each card's text is (`Arriving.version`), by id."""
        self._next: dict[str, int] = {}
        """By module: the place of the next new card."""
        self._altered: set[str] = set()

    def everything(self, arriving: Sequence[Arriving]) -> None:
        """Store them all."""
        ids = [one.card.id for one in arriving]
        known = {row[0]: row for row in self._known(ids)}
        with placed_in_bulk(self._connection, len(ids) - len(known)):
            self._texts(arriving, known)
            self._pasts(arriving, self._logged(ids))
        self._arrived.modules = tuple(self._modules.values())

    def _each(self, query: str, ids: Sequence[str]) -> Iterator[Any]:
        for start in range(0, len(ids), _CHUNK):
            some = tuple(ids[start : start + _CHUNK])
            yield from self._run(query.format(", ".join("?" * len(some))), some)

    def _known(self, ids: Sequence[str]) -> Iterator[Any]:
        names = ", ".join(_CONTENT)
        return self._each(
            f"SELECT id, module, path, hidden, suspended, {names} FROM cards WHERE id IN ({{}})", ids
        )

    def _logged(self, ids: Sequence[str]) -> dict[str, list[tuple[int, bytes]]]:
        """Return (time, uid) of the rows that the store has, by card."""
        found: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        if self._run("SELECT 1 FROM reviews LIMIT 1").first() is not None:
            for card, at_ms, uid in self._each("SELECT card, at_ms, uid FROM reviews WHERE card IN ({})", ids):
                found[card].append((at_ms, uid))
        return found

    def _place(self, one: Arriving) -> str:
        """Return the module a card belongs to, made when the first card needs it."""
        if one.origin not in self._modules:
            module = self._modules[one.origin] = self._module(one)
            self._mods.setdefault(module, self._stored_mods(module))
            self._next.setdefault(module, self._free_place(module))
        return self._modules[one.origin]

    def _kept(self, one: Arriving, module: str) -> str:
        """Return the module that holds a card already."""
        self._modules.setdefault(one.origin, module)
        if module not in self._mods:
            self._mods[module] = self._stored_mods(module)
        if module not in self._next:
            self._next[module] = self._free_place(module)
        return module

    def _free_place(self, module: str) -> int:
        query = "SELECT coalesce(max(ordinal) + 1, 0) FROM cards WHERE module = ?"
        return int(self._run(query, (module,)).scalar_one())

    def _module(self, one: Arriving) -> str:
        found = self._run("SELECT id FROM modules WHERE path = ?", (one.origin,)).first()
        if found is not None:
            self._run("UPDATE modules SET hidden = 0 WHERE id = ?", (found[0],))
            return str(found[0])
        taken = self._run("SELECT path, hidden FROM modules WHERE id = ?", (one.module,)).first()
        if taken is not None and taken[1] and not str(taken[0]).startswith(ORIGIN):
            # the lesson's file is gone: what comes takes its place until the file is back
            self._run(
                "UPDATE modules SET path = ?, source_hash = '', hidden = 0 WHERE id = ?", (one.origin, one.module)
            )
            return one.module
        name, number = one.module, 1
        while self._run("SELECT 1 FROM modules WHERE id = ?", (name,)).first() is not None:
            name, number = f"{one.module}-anki" + (f"-{number}" if number > 1 else ""), number + 1
        self._run(
            "INSERT INTO modules (id, title, summary, path, source_hash, ordinal, hidden, saved_at_ms) "
            "SELECT ?, ?, '', ?, '', coalesce(max(ordinal) + 1, 0), 0, ? FROM modules",
            (name, one.title, one.origin, self._now_ms),
        )
        return name

    def _texts(self, arriving: Sequence[Arriving], known: Mapping[str, Any]) -> None:
        fresh: list[tuple[Any, ...]] = []
        for one in arriving:
            before = known.get(one.card.id)
            if before is not None and not before.hidden and not before.path.startswith(ORIGIN):
                self._arrived.yours += 1
                continue
            # a card that is shown stays in its module
            module = self._place(one) if before is None or before.hidden else self._kept(one, before.module)
            mods = self._mods[module]
            content = _content(one.card)
            if before is None:
                self._arrived.new += 1
                fresh.append(_card_row(one, content, module, self._next[module]))
                self._next[module] += 1
            elif before.hidden or tuple(before[5:]) != content:
                if not before.hidden and not self._older and list(one.version) < mods.get(one.card.id, []):
                    self._arrived.older += 1
                    continue
                self._arrived.changed += 1
                path = one.origin if before.hidden else before.path
                self._run(_CHANGE, (*content, one.card.text_hash, module, path, one.card.id))
                self._altered.add(module)
            else:
                self._arrived.unchanged += 1
                continue
            mods[one.card.id] = list(one.version)
        self._raw.executemany(_ADD, fresh)
        added = {row[0] for row in fresh}
        flags = [(i.card.id, f"flag:{i.flag}", self._now_ms) for i in arriving if i.flag and i.card.id in added]
        self._raw.executemany(
            "INSERT OR IGNORE INTO card_marks (card, name, is_on, at_ms) VALUES (?, ?, 1, ?)", flags
        )
        for module in self._altered:
            self._run("UPDATE modules SET saved_at_ms = ? WHERE id = ?", (self._now_ms, module))
        for module, mods in self._mods.items():
            if mods != self._stored_mods(module):
                text = json.dumps(mods, separators=(",", ":"))
                self._run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_MODS + module, text))

    def _stored_mods(self, module: str) -> dict[str, list[int]]:
        found = self._run("SELECT value FROM meta WHERE key = ?", (_MODS + module,)).scalar()
        return dict(json.loads(found)) if found else {}

    def _pasts(self, arriving: Iterable[Arriving], logged: Mapping[str, list[tuple[int, bytes]]]) -> None:
        rows: list[tuple[Any, ...]] = []
        marks: list[tuple[Any, ...]] = []
        memories: list[tuple[Any, ...]] = []
        touched: list[str] = []
        for one in arriving:
            before = logged.get(one.card.id)
            if before is None:
                if one.rows or one.marks:
                    rows += one.rows
                    marks += self._marks(one.card.id, one.marks)
                    self._arrived.reviews += _answers(one.rows)
                    if int(one.memory.state):
                        memories.append((one.card.id, *memory_values(one.memory), int(is_leech(one.memory))))
                    if one.suspended or one.buried_until_day is not None:
                        self._put_away(one)
                continue
            lacking = _lacking(one.rows, before)
            lacking_marks = _lacking_marks(one, before, bool(lacking))
            if lacking or lacking_marks:
                rows += lacking
                marks += self._marks(one.card.id, lacking_marks)
                self._arrived.reviews += _answers(lacking)
                touched.append(one.card.id)
        self._arrived.marks = len(marks)
        add_reviews(self._connection, rows, marks)
        self._raw.executemany(_MEMORY, memories)
        for card in touched:
            self._replay_card(card)

    def _marks(self, card: str, marks: Iterable[MarkRow]) -> Iterator[tuple[Any, ...]]:
        for uid, at, offset, day, after, action in marks:
            yield (
                *(uid, ANKI, at, card, 0, "manual", at, at, offset, self._zone, day, 0),
                *NOTHING,
                *memory_values(after),
                *(None, 0, None, None, None, "", "", 0, action),
            )

    def _put_away(self, one: Arriving) -> None:
        self._run(
            "UPDATE cards SET suspended = ?, buried_until_day = ? WHERE id = ?",
            (int(one.suspended), one.buried_until_day, one.card.id),
        )

    def _replay_card(self, card: str) -> None:
        keep_memory(self._connection, card, self._replay(read_log(self._connection, "r.card = ?", card)))
        keep_marks(self._connection, card)


def _content(card: Card) -> tuple[Any, ...]:
    return (
        card.kind,
        card.prompt,
        card.answer,
        json.dumps(card.key_points, ensure_ascii=False) if card.key_points else "[]",
        links_as_json(card.experiments) if card.experiments else "[]",
        json.dumps(card.tags, ensure_ascii=False) if card.tags else "[]",
    )


def _card_row(one: Arriving, content: tuple[Any, ...], module: str, ordinal: int) -> tuple[Any, ...]:
    card = one.card
    return (card.id, module, "", ordinal, *content, one.origin, card.line, card.text_hash, 1, 0, 0, None)


def _answers(rows: Iterable[tuple[Any, ...]]) -> int:
    return sum(1 for row in rows if row[3])


def _lacking(rows: Iterable[tuple[Any, ...]], logged: Iterable[tuple[int, bytes]]) -> list[tuple[Any, ...]]:
    """Return the rows that the store has not: neither by id nor, for reviews it exported itself, by time."""
    uids = {uid for _, uid in logged}
    rows = [row for row in rows if row[0] not in uids]
    if not rows:
        return []
    times = [at for at, _ in logged]
    near = {at // SAME_MS + step for at in times for step in (-1, 0, 1)}
    return [
        row for row in rows if not (row[1] // SAME_MS in near and any(abs(row[1] - at) <= SAME_MS for at in times))
    ]


def _lacking_marks(one: Arriving, logged: Sequence[tuple[int, bytes]], reviewed: bool) -> list[MarkRow]:
    """Return what to append after a card's reviews: its memory there only if it was reviewed there since."""
    uids = {uid for _, uid in logged}
    latest = max(at for at, _ in logged)
    return [
        mark for mark in one.marks if mark[0] not in uids and (reviewed or (mark[4] is None and mark[1] > latest))
    ]
