"""Reviews that Anki recorded, into the log: as tuples, or from a file that SQLite reads by itself."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from studyapp.store.logrows import COLUMNS
from studyapp.store.origins import ANKI_SQL
from studyapp.store.rollups import add_counted, counted
from studyapp.store.session import Session
from studyapp.store.twins import SAME_MS

FIELDS = (
    *("uid", "at_ms", "card", "rating", "kind", "offset_min", "study_day", "elapsed_days"),
    *("before_state", "before_difficulty", "before_due_day", "before_due_at_ms", "before_last_day", "before_reps"),
    *("before_lapses", "before_interval_days", "after_state", "after_difficulty", "after_due_day"),
    *("after_due_at_ms", "after_last_day", "after_reps", "after_lapses", "after_interval_days"),
    *("duration_ms", "action", "zone"),
)
"""What a review from Anki brings; the other columns follow from these or are empty."""
Coming = tuple[bytes, int, str]
"""A card whose reviews are poured: (what their ids begin with, its key in the file, its id)."""


@dataclass(frozen=True, slots=True)
class Past:
    """Reviews in a file that SQLite reads by itself: a million never pass through Python."""

    database: Path
    rows: str
    """A SELECT of `FIELDS` for the cards in the table `{keys}` (prefix, key, card), from the file `{past}`."""
    given: tuple[Any, ...]
    """What the SELECT takes."""
    coming: Sequence[Coming] = ()
    """The cards to pour: they have no reviews here yet."""
    answers: int = 0
    """How many reviews they have in the file."""

    @property
    def source(self) -> str:
        """Return the SELECT for `coming_cards` and the file as `attached` names it."""
        return self.rows.format(keys="temp.coming", past="past")


def _statement(place: dict[str, str], source: str) -> str:
    """Return the INSERT of reviews, given what stands for each of `FIELDS` and where it comes from."""
    value = dict.fromkeys(COLUMNS, "NULL") | place
    value |= {"device": ANKI_SQL, "counter": place["at_ms"], "ordered_ms": place["at_ms"]}
    value |= {"parameters": "''", "text_hash": "''", "clock_ahead": "0"}
    for side in ("before", "after"):  # Anki's log tells that a card is on a step, not on which
        value[f"{side}_step"] = f"CASE WHEN {place[f'{side}_state']} IN (1, 3) THEN 0 END"
    return f"INSERT INTO main.reviews ({', '.join(COLUMNS)}) {source.format(', '.join(value[n] for n in COLUMNS))}"


_INSERT = _statement({name: f"?{at}" for at, name in enumerate(FIELDS, 1)}, "VALUES ({})")
"""Binding these fields alone takes half the time of binding every column (measured)."""


def add_reviews(raw: sqlite3.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Append reviews to the log, each a tuple of `FIELDS`, in the caller's write transaction."""
    raw.executemany(_INSERT, rows)


@contextlib.contextmanager
def pouring(raw: sqlite3.Connection, past: Past) -> Iterator[None]:
    """Append the reviews of `past.coming` to the log, while the block does something else without the store.

    SQLite needs no Python for it, so it works in a thread of its own.

    Args:
        raw: In the caller's write transaction, `past` attached.
        past: Where they are.
    """
    statement = _statement({name: f"o.{name}" for name in FIELDS}, f"SELECT {{}} FROM ({past.source}) o")
    with _coming_cards(raw, past.coming), ThreadPoolExecutor(1) as pool:
        poured = pool.submit(raw.execute, statement, past.given)
        try:
            yield
        except BaseException:
            raw.interrupt()
            raise
        poured.result()


@contextlib.contextmanager
def counting(past: Past, module_of: Callable[[str], str]) -> Iterator[Callable[[sqlite3.Connection], None]]:
    """Count the answers of `past.coming` for the roll-ups while the block runs; yield what adds them to a store.

    A thread of SQLite's own does it, on a connection of its own.

    Args:
        past: Where they are.
        module_of: Gives the module of a card.
    """
    modules: dict[str, int] = {}
    cards = [(b"", key, modules.setdefault(module_of(card), len(modules))) for _, key, card in past.coming]
    own = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with contextlib.closing(own), ThreadPoolExecutor(1) as pool:
        own.execute("ATTACH ? AS past", (str(past.database),))
        own.execute("BEGIN")
        own.execute("CREATE TEMP TABLE coming (prefix BLOB, key INTEGER NOT NULL, card INTEGER NOT NULL)")
        own.executemany("INSERT INTO temp.coming VALUES (?, ?, ?)", cards)
        query = counted(f"({past.source}) r", "r.card", len(modules))
        found = pool.submit(lambda: own.execute(query, past.given).fetchall())
        yield lambda raw: add_counted(raw, found.result(), list(modules))


@contextlib.contextmanager
def attached(session: Session, past: Past | None) -> Iterator[None]:
    """Let the store read the file of a past in the block."""
    if past is None:
        yield
        return
    with session.alone() as raw:
        raw.execute("ATTACH ? AS past", (str(past.database),))
        try:
            yield
        finally:
            raw.execute("DETACH past")


@contextlib.contextmanager
def _coming_cards(raw: sqlite3.Connection, cards: Iterable[Coming]) -> Iterator[None]:
    raw.execute("CREATE TEMP TABLE coming (prefix BLOB NOT NULL, key INTEGER NOT NULL, card TEXT NOT NULL)")
    # by key, as they lie in the file
    raw.executemany("INSERT INTO temp.coming VALUES (?, ?, ?)", sorted(cards, key=itemgetter(1)))
    try:
        yield
    finally:
        raw.execute("DROP TABLE temp.coming")


def has_reviews(raw: sqlite3.Connection) -> bool:
    """Return whether the log has anything."""
    return raw.execute("SELECT 1 FROM main.reviews LIMIT 1").fetchone() is not None


def with_reviews(raw: sqlite3.Connection, cards: Sequence[str]) -> set[str]:
    """Return which of the cards have anything in the log."""
    if not has_reviews(raw):
        return set()
    asked = "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM reviews r WHERE r.card = value)"
    return {card for (card,) in raw.execute(asked, (json.dumps(cards),))}


def cards_with_reviews(session: Session, cards: Sequence[str]) -> set[str]:
    """Return which of the cards have anything in the log."""
    with session.read_driver() as raw:
        return with_reviews(raw, cards)


def cards_behind(
    session: Session, log: Path, ids: str, given: tuple[Any, ...], cards: Iterable[Coming]
) -> set[str]:
    """Return which of the cards lack a review of a file.

    One is here if the log has its id or, for a review that went out from here, one of the card at that time. The
    file is somebody else's, so the store is looked at from a connection of its own that writes nothing.

    Args:
        session: The store.
        log: The file.
        ids: A SELECT of uid, at_ms and card for the cards in the table `{keys}`, from the file `{log}`.
        given: What the SELECT takes.
        cards: The cards.
    """
    raw = sqlite3.connect(":memory:", uri=True, isolation_level=None)
    with session.alone(), contextlib.closing(raw):
        raw.execute("PRAGMA trusted_schema = OFF")
        for name, path, how in (("log", log, "mode=ro&immutable=1"), ("own", session.path, "mode=ro")):
            raw.execute(f"ATTACH ? AS {name}", (f"{path.resolve().as_uri()}?{how}",))
        raw.execute("CREATE TEMP TABLE coming (prefix BLOB NOT NULL, key INTEGER PRIMARY KEY, card TEXT NOT NULL)")
        raw.execute("BEGIN")
        raw.executemany("INSERT INTO temp.coming VALUES (?, ?, ?)", cards)
        found = raw.execute(
            f"SELECT DISTINCT o.card FROM ({ids.format(keys='temp.coming', log='log')}) o "
            "WHERE NOT EXISTS (SELECT 1 FROM own.reviews v WHERE v.uid = o.uid) AND NOT EXISTS "
            f"(SELECT 1 FROM own.reviews v WHERE v.card = o.card AND abs(v.at_ms - o.at_ms) <= {SAME_MS})",
            given,
        )
        return {card for (card,) in found}
