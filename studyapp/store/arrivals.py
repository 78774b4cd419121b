"""Cards and their past from elsewhere (an Anki package) into the store, in one transaction.

What arrives belongs to modules that no lesson file stands behind: their path is their origin, `anki:DECK`. A row
of the past has an id made of the review itself, so that importing twice, or on two machines, unites.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from studyapp.core.reviews import Memory, ReviewRow
from studyapp.store.answering import keep_marks, keep_memory
from studyapp.store.arriving import (
    CARD_COLUMNS,
    CONTENT,
    AnsweredMeanwhileError,
    Arrived,
    Arriving,
    MarkRow,
    answers_in,
    card_row,
    lacking_marks,
    lacking_reviews,
    made_of,
)
from studyapp.store.bulk import added_in_bulk, in_bulk, pays, placed_in_bulk
from studyapp.store.columns import AWAY, HIDDEN, MEMORY_FIELDS
from studyapp.store.logrows import read_log
from studyapp.store.memories import is_leech, memory_values
from studyapp.store.origins import ANKI_SQL, ORIGIN
from studyapp.store.pasts import Past, add_reviews, attached, counting, has_reviews, pouring, with_reviews
from studyapp.store.rollups import count_new
from studyapp.store.session import Session, scalar

_CHUNK = 500
_MODS = "anki-mods:"
_ADD = f"INSERT INTO cards ({', '.join(CARD_COLUMNS)}) VALUES ({', '.join('?' * len(CARD_COLUMNS))})"
_CHANGE = (
    f"UPDATE cards SET {', '.join(f'{name} = ?' for name in CONTENT)}, text_hash = ?, module = ?, path = ?, "
    "section = '', hidden = 0 WHERE id = ?"
)
_MEMORY = (
    f"INSERT OR REPLACE INTO memory (card, {', '.join(MEMORY_FIELDS)}, leech, away_until, module) "
    f"VALUES ({', '.join('?' * (len(MEMORY_FIELDS) + 4))})"
)
_MARK = (
    "INSERT INTO reviews (uid, at_ms, card, offset_min, zone, study_day, action, "
    f"{', '.join(f'after_{name}' for name in MEMORY_FIELDS)}, device, counter, ordered_ms, rating, kind, "
    "elapsed_days, duration_ms, parameters, text_hash, clock_ahead) "
    f"VALUES ({', '.join('?' * (7 + len(MEMORY_FIELDS)))}, {ANKI_SQL}, ?2, ?2, 0, 'manual', "
    "0, 0, '', '', 0)"
)
"""A row beside the reviews; what is not named is empty."""


class _RehearsedError(Exception):
    """Ends a rehearsal: everything is rolled back."""


Replay = Callable[[Sequence[ReviewRow]], Memory]


def bring(
    session: Session,
    arriving: Callable[[], Sequence[Arriving]],
    *,
    zone: str,
    now_ms: int,
    replay: Replay,
    past: Past | None = None,
    older: bool = False,
    rehearse: bool = False,
    first: Callable[[], object] = lambda: None,
) -> Arrived:
    """Store cards and their past, in one transaction; return what came.

    Args:
        session: The store.
        arriving: Gives the cards, ids distinct; called once, inside the transaction, and does not ask the store.
        zone: Name of the zone that the study days were counted in.
        now_ms: UTC milliseconds.
        replay: Gives a card's memory after its rows, which come in replay order (`core.replay.replay`).
        past: Where the reviews are that do not come with their cards.
        older: Take the texts even where the store has newer ones.
        rehearse: Store nothing; only say what would come.
        first: Called before a record with reviews is changed: the place for a backup.

    Raises:
        AnsweredMeanwhileError: If a card whose reviews are in `past` has reviews here; nothing was stored.
        StoreError: If the lock, SQLite or the disk fails; nothing was stored.
    """
    arrived = Arrived()

    def ready() -> None:
        if rehearse:
            raise _RehearsedError
        if arrived.anything:
            first()

    with contextlib.suppress(_RehearsedError), attached(session, past), session.write_driver() as raw:
        bringing = _Bringing(raw, arrived, zone, now_ms, replay, older)
        if past is None:
            bringing.everything(arriving(), None, ready)
        elif not rehearse and not has_reviews(raw) and pays(raw, past.answers):
            bringing.first_past(arriving, past)
        elif with_reviews(raw, [card for _, _, card in past.coming]):
            raise AnsweredMeanwhileError
        else:
            bringing.everything(arriving(), past, ready)
    return arrived


class _Known(NamedTuple):
    """What the store has of a card."""

    id: str
    module: str
    path: str
    hidden: int
    content: tuple[Any, ...]
    """Columns `CONTENT`."""


@dataclass
class _Rows:
    """What is to be stored of the pasts."""

    reviews: list[tuple[Any, ...]] = field(default_factory=list)
    marks: list[tuple[Any, ...]] = field(default_factory=list)
    memories: list[tuple[Any, ...]] = field(default_factory=list)
    away: list[Arriving] = field(default_factory=list)
    """Cards to put away that were here before."""
    touched: list[str] = field(default_factory=list)
    """Cards whose memory must be replayed."""


class _Bringing:
    """One arrival, inside its transaction."""

    def __init__(
        self, raw: sqlite3.Connection, arrived: Arrived, zone: str, now_ms: int, replay: Replay, older: bool
    ) -> None:
        self._raw, self._run = raw, raw.execute
        self._arrived = arrived
        self._zone, self._now_ms, self._replay, self._older = zone, now_ms, replay, older
        self._modules: dict[str, str] = {}
        """Ids by origin."""
        self._mods: dict[str, dict[str, list[int]]] = {}
        """By module: how new each card's text is (`Arriving.version`), by id."""
        self._next: dict[str, int] = {}
        """By module: the place of the next new card."""
        self._altered: set[str] = set()
        self._made: dict[str, tuple[tuple[Any, ...], str]] = {}
        """What was made of cards ahead of time, by id (`made_of`)."""
        self._fresh: dict[str, str] = {}
        """Modules of the cards that were not here, by id."""

    def everything(self, arriving: Sequence[Arriving], past: Past | None, ready: Callable[[], None]) -> None:
        """Store them all, `past` included; `ready` hears when it is known what comes."""
        known = self._known([one.card.id for one in arriving])
        logged = self._logged([one.card.id for one in arriving if one.rows or one.marks])
        with placed_in_bulk(self._raw, len(arriving) - len(known)):
            self._texts(arriving, known, logged)
            rows = self._pasts(arriving, logged)
            self._arrived.reviews += past.answers if past is not None else 0
            ready()
            with in_bulk(self._raw, self._arrived.reviews, count_new):
                if past is not None:
                    with pouring(self._raw, past):
                        pass
                self._append(rows)
            self._keep(rows)

    def first_past(self, arriving: Callable[[], Sequence[Arriving]], past: Past) -> None:
        """Store them all where the log is empty: SQLite pours and counts while Python makes the cards."""

        def roll_up(raw: sqlite3.Connection, _: int) -> None:
            add(raw)
            if rows.reviews:
                count_new(raw, poured)

        with contextlib.ExitStack() as counted, in_bulk(self._raw, past.answers, roll_up):
            with pouring(self._raw, past):
                given = arriving()
                self._made = {one.card.id: made_of(one.card) for one in given}
            poured = scalar(self._run("SELECT coalesce(max(rowid), 0) FROM reviews"))
            known = self._known([one.card.id for one in given])
            with placed_in_bulk(self._raw, len(given) - len(known)):
                self._texts(given, known, {})
                rows = self._pasts(given, {})
                self._append(rows)
                self._keep(rows)
            add = counted.enter_context(counting(past, self._module_of))
        self._arrived.reviews += past.answers

    def _module_of(self, card: str) -> str:
        """Return the module of a card that arrived."""
        return self._fresh.get(card) or str(scalar(self._run("SELECT module FROM cards WHERE id = ?", (card,))))

    def _each(self, query: str, ids: Sequence[str]) -> Iterator[Any]:
        for start in range(0, len(ids), _CHUNK):
            some = tuple(ids[start : start + _CHUNK])
            yield from self._run(query.format(", ".join("?" * len(some))), some)

    def _known(self, ids: Sequence[str]) -> dict[str, _Known]:
        if self._run("SELECT 1 FROM cards LIMIT 1").fetchone() is None:
            return {}
        query = f"SELECT id, module, path, hidden, {', '.join(CONTENT)} FROM cards WHERE id IN ({{}})"
        return {row[0]: _Known(row[0], row[1], row[2], row[3], row[4:]) for row in self._each(query, ids)}

    def _logged(self, ids: Sequence[str]) -> dict[str, list[tuple[int, bytes]]]:
        """Return (time, uid) of the rows that the store has, by card."""
        found: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
        if has_reviews(self._raw):
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
        return int(scalar(self._run(query, (module,))))

    def _module(self, one: Arriving) -> str:
        found = self._run("SELECT id FROM modules WHERE path = ?", (one.origin,)).fetchone()
        if found is not None:
            self._run("UPDATE modules SET hidden = 0 WHERE id = ?", (found[0],))
            return str(found[0])
        taken = self._run("SELECT path, hidden FROM modules WHERE id = ?", (one.module,)).fetchone()
        if taken is not None and taken[1] and not str(taken[0]).startswith(ORIGIN):
            # the lesson's file is gone: what comes takes its place until the file is back
            self._run(
                "UPDATE modules SET path = ?, source_hash = '', hidden = 0 WHERE id = ?", (one.origin, one.module)
            )
            return one.module
        name, number = one.module, 1
        while self._run("SELECT 1 FROM modules WHERE id = ?", (name,)).fetchone() is not None:
            name, number = f"{one.module}-anki" + (f"-{number}" if number > 1 else ""), number + 1
        self._run(
            "INSERT INTO modules (id, title, summary, path, source_hash, ordinal, hidden, saved_at_ms) "
            "SELECT ?, ?, '', ?, '', coalesce(max(ordinal) + 1, 0), 0, ? FROM modules",
            (name, one.title, one.origin, self._now_ms),
        )
        return name

    def _texts(self, arriving: Sequence[Arriving], known: Mapping[str, _Known], logged: Mapping[str, Any]) -> None:
        fresh: list[tuple[Any, ...]] = []
        for one in arriving:
            before = known.get(one.card.id)
            if before is not None and not before.hidden and not before.path.startswith(ORIGIN):
                self._arrived.yours += 1
                continue
            # a card that is shown stays in its module
            module = self._place(one) if before is None or before.hidden else self._kept(one, before.module)
            mods = self._mods[module]
            content, text_hash = self._made.get(one.card.id) or made_of(one.card)
            if before is None:
                self._arrived.new += 1
                is_away = one.card.id not in logged and one.is_away
                fresh.append(card_row(one, content, text_hash, module, self._next[module], is_away))
                self._next[module] += 1
                self._fresh[one.card.id] = module
            elif before.hidden or before.content != content:
                if not before.hidden and not self._older and list(one.version) < mods.get(one.card.id, []):
                    self._arrived.older += 1
                    continue
                self._arrived.changed += 1
                path = one.origin if before.hidden else before.path
                self._run(_CHANGE, (*content, text_hash, module, path, one.card.id))
                self._altered.add(module)
            else:
                self._arrived.unchanged += 1
                continue
            mods[one.card.id] = list(one.version)
        with added_in_bulk(self._raw, len(fresh)):
            self._raw.executemany(_ADD, fresh)
        flags = [
            (i.card.id, f"flag:{i.flag}", self._now_ms) for i in arriving if i.flag and i.card.id in self._fresh
        ]
        self._raw.executemany(
            "INSERT OR IGNORE INTO card_marks (card, name, is_on, at_ms) VALUES (?, ?, 1, ?)", flags
        )
        for module in self._altered:
            self._run("UPDATE modules SET saved_at_ms = ? WHERE id = ?", (self._now_ms, module))
        for module, mods in self._mods.items():
            if mods != self._stored_mods(module):
                text = json.dumps(mods, separators=(",", ":"))
                self._run("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_MODS + module, text))
        self._arrived.modules = tuple(self._modules.values())

    def _stored_mods(self, module: str) -> dict[str, list[int]]:
        found = scalar(self._run("SELECT value FROM meta WHERE key = ?", (_MODS + module,)))
        return dict(json.loads(found)) if found else {}

    def _pasts(self, arriving: Iterable[Arriving], logged: Mapping[str, list[tuple[int, bytes]]]) -> _Rows:
        rows = _Rows()
        for one in arriving:
            before = logged.get(one.card.id)
            if before is None:
                rows.reviews += one.rows
                rows.marks += self._marks(one.card.id, one.marks)
                if int(one.memory.state) and one.marks:
                    rows.memories.append(self._memory(one))
                if one.is_away and one.card.id not in self._fresh:
                    rows.away.append(one)
                continue
            lacking = lacking_reviews(one.rows, before)
            marks = lacking_marks(one, before, bool(lacking))
            if lacking or marks:
                rows.reviews += lacking
                rows.marks += self._marks(one.card.id, marks)
                rows.touched.append(one.card.id)
        self._arrived.reviews += answers_in(rows.reviews)
        self._arrived.marks = len(rows.marks)
        return rows

    def _append(self, rows: _Rows) -> None:
        add_reviews(self._raw, rows.reviews)
        self._raw.executemany(_MARK, sorted(rows.marks))  # by id, as its index lies

    def _keep(self, rows: _Rows) -> None:
        for one in rows.away:
            self._put_away(one)
        self._raw.executemany(_MEMORY, rows.memories)
        for card in rows.touched:
            self._replay_card(card)

    def _marks(self, card: str, marks: Iterable[MarkRow]) -> Iterator[tuple[Any, ...]]:
        for uid, at, offset, day, after, action in marks:
            yield uid, at, card, offset, self._zone, day, action, *memory_values(after)

    def _memory(self, one: Arriving) -> tuple[Any, ...]:
        """Return a row of `memory`; where the card was here before, its place is looked up once it is stored."""
        module, away_until = self._fresh.get(one.card.id, ""), HIDDEN
        if module:
            away_until = AWAY if one.suspended else one.buried_until_day or 0
        return (one.card.id, *memory_values(one.memory), int(is_leech(one.memory)), away_until, module)

    def _put_away(self, one: Arriving) -> None:
        self._run(
            "UPDATE cards SET suspended = ?, buried_until_day = ? WHERE id = ?",
            (int(one.suspended), one.buried_until_day, one.card.id),
        )

    def _replay_card(self, card: str) -> None:
        keep_memory(self._raw, card, self._replay(read_log(self._raw, "r.card = ?", card)))
        keep_marks(self._raw, card)
