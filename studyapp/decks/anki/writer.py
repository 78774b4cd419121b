"""Cards with their whole past as an .apkg that every Anki since 2.1 takes (its "Legacy2" form, schema 11)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from studyapp.core.cards import Card
from studyapp.core.policy import Policy
from studyapp.core.reviews import Memory, State
from studyapp.decks.anki import pouring, schema
from studyapp.decks.anki.calendar import Calendar
from studyapp.decks.anki.mapping import FLAGS, digest, guid_of
from studyapp.decks.kinds import plain_sides
from studyapp.decks.md_html import html_of
from studyapp.scratch import scratch_folder

_META = b"\x08\x02"
"""The package's version, as protobuf: Legacy2."""
_FIRST_ID, _IDS = 1_500_000_000_000, 280_000_000_000
"""Ids are milliseconds to Anki: ours are spread over the years 2017 to 2026, the same ones in every export."""
_QUICK = 1
"""Deflate level: higher ones take three times as long for a tenth less (measured)."""
_EASE = 2500
_CODES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "{{": "{\\u007b", "[sound:": "\\u005bsound:"}
_TAG_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Leaving:
    """A card to be written."""

    card: Card
    module: str
    title: str
    deck: str
    """Name of its deck in Anki, levels joined by "::"."""
    changed_s: int
    """When its text last changed, seconds since 1970: Anki takes only newer texts."""
    memory: Memory
    suspended: bool = False
    buried_until_day: int | None = None
    retention: float | None = None
    """Wanted recall of its module, 0-1; None: that of the policy."""
    flag: str = ""
    """The colour the learner gave it."""


Pour = Callable[[Path, str], int]
"""Runs an INSERT on a package's file, attached as `package`, and returns how many rows that wrote. The statement
reads a table `leaving` with a row for each answer and reset that counts: card (its id), at_ms, rating (0 for a
reset), kind, duration_ms, before_interval_days, after_state, after_interval_days, after_due_at_ms,
after_difficulty."""


def write_package(
    target: Path, cards: Sequence[Leaving], pour: Pour, *, calendar: Calendar, policy: Policy, offset_min: int
) -> int:
    """Write a package; return how many reviews are in it. The file appears whole or not at all.

    Args:
        target: The file to write.
        cards: What to write, ids distinct.
        pour: Gives their answers.
        calendar: The learner's days.
        policy: Parameters, steps and retention, for the deck options.
        offset_min: The learner's UTC offset now, minutes.

    Raises:
        OSError: If it cannot be written.
    """
    with scratch_folder(".anki-", target.parent) as folder:
        database, package = folder / "collection.db", folder / "package.apkg"
        keys = list(_ids(cards))
        with _opened(database) as raw:
            raw.executescript(schema.TABLES + pouring.KEYS)
            raw.execute("BEGIN")
            raw.executemany(
                "INSERT INTO keys VALUES (?, ?)", zip((one.card.id for one in cards), keys, strict=True)
            )
            raw.execute("COMMIT")
        poured, wanted = pour(database, pouring.LOG), pour(database, pouring.COUNT)
        if poured < wanted:
            pour(database, pouring.LATE)
        with _opened(database) as raw:
            raw.execute("BEGIN")
            reviews = pouring.settle(raw)
            _Writing(raw, calendar, policy).everything(cards, keys, offset_min)
            raw.execute("COMMIT")
            raw.executescript(schema.INDEXES)
        with zipfile.ZipFile(package, "x", zipfile.ZIP_DEFLATED, compresslevel=_QUICK) as made:
            made.writestr("meta", _META)
            made.write(database, "collection.anki21")
            made.writestr("media", "{}")
        package.replace(target)
    return reviews


@contextlib.contextmanager
def _opened(database: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as raw:
        raw.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
        yield raw


class _Writing:
    """One collection being written; its review log is there."""

    def __init__(self, raw: sqlite3.Connection, calendar: Calendar, policy: Policy) -> None:
        self._raw = raw
        self._calendar = calendar
        self._policy = policy
        self._first_day = calendar.today
        self._decks: dict[str, int] = {}
        self._last: dict[int, int] = {}
        """When each card was answered last, UTC milliseconds, by key."""

    def everything(self, cards: Sequence[Leaving], keys: Sequence[int], offset_min: int) -> None:
        self._first_day = min(self._earliest(cards))
        self._last = pouring.last_answers(self._raw)
        guids = list(_guids(cards))
        notes = (self._note(one, key, guid) for one, key, guid in zip(cards, keys, guids, strict=True))
        self._raw.executemany(f"INSERT INTO notes VALUES ({_places(11)})", notes)
        rows = (self._card(one, key, at) for at, (one, key) in enumerate(zip(cards, keys, strict=True), 1))
        self._raw.executemany(f"INSERT INTO cards VALUES ({_places(18)})", rows)
        self._col(offset_min)

    def _earliest(self, cards: Iterable[Leaving]) -> Iterator[int]:
        """Yield the days that the collection must not begin after."""
        yield self._calendar.today
        (first,) = self._raw.execute("SELECT min(id) FROM revlog").fetchone()
        if first is not None:
            yield self._calendar.at(first)[1]
        for one in cards:
            if one.memory.due_day is not None:
                yield max(one.memory.due_day, 1)

    def _col(self, offset_min: int) -> None:
        now_s = self._calendar.now_ms // 1000
        policy = self._policy
        options = schema.options(
            _minutes(policy.learning_steps),
            _minutes(policy.relearning_steps),
            policy.desired_retention,
            policy.parameters,
        )
        names = {key: name for name, key in self._decks.items()}
        values: tuple[dict[str, Any], ...] = (
            schema.conf(-offset_min),
            schema.models(),
            schema.decks(names, now_s),
            options,
            {},
        )
        created_s = self._calendar.starts_ms(self._first_day) // 1000
        head = (1, created_s, now_s * 1000, now_s * 1000, 11, 0, 0, 0)
        self._raw.execute(f"INSERT INTO col VALUES ({_places(13)})", (*head, *map(json.dumps, values)))

    def _note(self, one: Leaving, key: int, guid: str) -> tuple[Any, ...]:
        asks, answers = plain_sides(one.card)
        front, back = html_of(asks), _back(one.card, answers)
        fields = (
            front,
            back,
            one.card.id,
            one.module,
            " ".join(link.experiment for link in one.card.experiments),
            _source(one, front, back),
        )
        tags = [_TAG_SPACE.sub("_", tag) for tag in one.card.tags if not tag.startswith("deck:")]
        first = re.sub(r"<[^>]*>", "", front)
        checksum = int(hashlib.sha1(first.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:8], 16)
        text = "\x1f".join(field.replace("\x1f", " ") for field in fields)
        joined = f" {' '.join(tags)} " if tags else ""
        return (key, guid, schema.TYPE_ID, one.changed_s, 0, joined, text, first, checksum, 0, "")

    def _card(self, one: Leaving, key: int, position: int) -> tuple[Any, ...]:
        memory = one.memory
        kind = int(memory.state)
        due, queue, left = position, kind, 0
        if memory.state is State.REVIEW:
            due = (memory.due_day or self._calendar.today) - self._first_day
        elif memory.state is not State.NEW:
            due, queue = (memory.due_at_ms or self._calendar.now_ms) // 1000, 1
            steps = self._policy.learning_steps
            if memory.state is State.RELEARNING:
                steps = self._policy.relearning_steps
            remaining = max(len(steps) - (memory.step or 0), 1)
            left = remaining * 1001
        if one.suspended:
            queue = -1
        elif one.buried_until_day is not None and one.buried_until_day > self._calendar.today:
            queue = -2
        flag = FLAGS.index(one.flag) if one.flag in FLAGS else 0
        answered = kind != 0
        interval = memory.interval_days
        return (
            *(key, key, self._deck(one), 0, one.changed_s, 0, kind, queue, due, interval, _EASE * answered),
            *(memory.reps, memory.lapses, left, 0, 0, flag, self._data(one, key, position)),
        )

    def _deck(self, one: Leaving) -> int:
        name = next((tag[5:].replace("_", " ") for tag in one.card.tags if tag.startswith("deck:")), one.deck)
        if name not in self._decks:
            self._decks[name] = _hashed(f"deck {name}")
        return self._decks[name]

    def _data(self, one: Leaving, key: int, position: int) -> str:
        memory = one.memory
        if memory.stability is None or memory.difficulty is None:
            return "{}"
        # Anki rounds its own numbers, and keeps what stands in "cd" as it is
        exact = f'{{\\"S\\":{memory.stability!r},\\"D\\":{memory.difficulty!r}}}'
        return (
            f'{{"pos":{position},"s":{round(memory.stability, 4)},"d":{round(memory.difficulty, 3)},'
            f'"dr":{one.retention or self._policy.desired_retention},"decay":{round(self._policy.decay, 4)},'
            f'"lrt":{self._last_s(one, key)},"cd":"{exact}"}}'
        )

    def _last_s(self, one: Leaving, key: int) -> int:
        day, answered = one.memory.last_day, self._last.get(key)
        if answered is not None and (day is None or self._calendar.at(answered)[1] == day):
            return int(answered // 1000)
        return self._calendar.starts_ms(day if day is not None else self._calendar.today) // 1000 + 1


def _minutes(steps: Iterable[timedelta]) -> list[float]:
    return [step.total_seconds() / 60 for step in steps]


def _back(card: Card, answer: str) -> str:
    back = html_of(answer)
    if card.key_points:
        back += f"<hr><ul>{''.join(f'<li>{html_of(point)}</li>' for point in card.key_points)}</ul>"
    return back


def _source(one: Leaving, front: str, back: str) -> str:
    """Return the card's Markdown as it is, for coming back; without signs that Anki might read as HTML."""
    card = one.card
    values: dict[str, Any] = {
        "hash": digest(front, back),
        "kind": card.kind,
        "prompt": card.prompt,
        "answer": card.answer,
        "title": one.title,
        "deck": one.deck,
    }
    if card.key_points:
        values["key_points"] = card.key_points
    if card.experiments:
        values["experiments"] = [
            {"experiment": link.experiment, "controls": dict(link.controls), "label": link.label}
            for link in card.experiments
        ]
    text = json.dumps(values, separators=(",", ":"))
    for sign, code in _CODES.items():
        text = text.replace(sign, code)
    return text


def _hashed(text: str) -> int:
    number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    return _FIRST_ID + number % _IDS


def _ids(cards: Iterable[Leaving]) -> Iterator[int]:
    """Yield an id for each card: by module, in its order, for Anki lists notes by id."""
    taken: set[int] = set()
    following: dict[str, int] = {}
    for one in cards:
        key = following.get(one.module) or _hashed(f"module {one.module}")
        while key in taken:
            key += 1
        taken.add(key)
        following[one.module] = key + 1
        yield key


def _guids(cards: Sequence[Leaving]) -> Iterator[str]:
    """Yield what Anki knows each note by: its first guid where the note has one card, else the card's id."""
    known = [guid_of(one.card.id) for one in cards]
    count: dict[str, int] = {}
    for found in known:
        if found:
            count[found[0]] = count.get(found[0], 0) + 1
    for one, found in zip(cards, known, strict=True):
        yield found[0] if found and found[1] == 0 and count[found[0]] == 1 else one.card.id


def _places(count: int) -> str:
    return ", ".join("?" * count)
