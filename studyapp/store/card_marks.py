"""The learner's own tags and flags, beside the lesson's: the latest mark of a name counts, after a merge too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studyapp.store.session import Session, scalar

_CHUNK = 500
_TAG, _FLAG = "tag:", "flag:"
_PUT = (
    "INSERT INTO card_marks (card, name, is_on, at_ms) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (card, name) DO UPDATE SET is_on = excluded.is_on, at_ms = excluded.at_ms"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark put on a card or taken off it."""

    card: str
    name: str
    """"tag:NAME" or "flag:COLOUR"."""
    is_on: bool


def set_marks(session: Session, marks: Sequence[Mark], *, at_ms: int) -> list[Mark]:
    """Store marks in one transaction and return those that undo it, in reverse order.

    Args:
        session: The store.
        marks: What is put on or taken off; what is so already is left alone.
        at_ms: The wall clock, UTC milliseconds.
    """
    changed: list[Mark] = []
    with session.write_driver() as connection:
        newest = scalar(connection.execute("SELECT coalesce(max(at_ms), 0) FROM card_marks")) or 0
        at_ms = max(at_ms, newest + 1)  # a clock set back must not make an older mark the later one
        for mark in marks:
            query = "SELECT is_on FROM card_marks WHERE card = ? AND name = ?"
            was = scalar(connection.execute(query, (mark.card, mark.name)))
            if bool(was) == mark.is_on:
                continue
            connection.execute(_PUT, (mark.card, mark.name, int(mark.is_on), at_ms))
            changed.append(Mark(mark.card, mark.name, not mark.is_on))
    changed.reverse()
    return changed


def bring_marks(session: Session, marks: Sequence[tuple[str, str]], *, at_ms: int) -> int:
    """Put marks on cards that came with a file, where the learner never said otherwise; return how many were put.

    Args:
        session: The store.
        marks: (card, name). A card that ever bore the tag, or any flag, is left as it is.
        at_ms: The wall clock, UTC milliseconds.
    """
    if not marks:
        return 0
    with session.write() as connection:
        newest = connection.exec_driver_sql("SELECT coalesce(max(at_ms), 0) FROM card_marks").scalar() or 0
        at_ms, count = max(at_ms, newest + 1), 0
        for card, name in marks:
            is_flag = name.startswith(_FLAG)
            count += connection.exec_driver_sql(
                "INSERT INTO card_marks (card, name, is_on, at_ms) SELECT ?, ?, 1, ? WHERE NOT EXISTS "
                "(SELECT 1 FROM card_marks WHERE card = ? AND (name = ? OR (? AND name LIKE 'flag:%')))",
                (card, name, at_ms, card, name, is_flag),
            ).rowcount
        return count


@dataclass(frozen=True, slots=True)
class Marked:
    """What a learner put on one card."""

    tags: tuple[str, ...] = ()
    flag: str = ""
    """A colour's name, "" for none."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the marks as the record names them."""
        return (*(f"{_TAG}{tag}" for tag in self.tags), *([f"{_FLAG}{self.flag}"] if self.flag else []))


def marks_of(session: Session, cards: Sequence[str] | None = None) -> dict[str, Marked]:
    """Return the marks of cards, or, without a list, of all; those without any are left out."""
    names: dict[str, list[str]] = {}
    with session.read_driver() as connection:
        some = [None] if cards is None else [cards[at : at + _CHUNK] for at in range(0, len(cards), _CHUNK)]
        for chunk in some:
            among = "" if chunk is None else f" AND card IN ({', '.join('?' * len(chunk))})"
            query = f"SELECT card, name FROM card_marks WHERE is_on = 1{among} ORDER BY card, at_ms, name"
            for card, name in connection.execute(query, chunk or ()):
                names.setdefault(card, []).append(name)
    return {card: _marked(own) for card, own in names.items()}


def _marked(names: Sequence[str]) -> Marked:
    tags = tuple(sorted(name[len(_TAG) :] for name in names if name.startswith(_TAG)))
    flags = [name[len(_FLAG) :] for name in names if name.startswith(_FLAG)]
    return Marked(tags, flags[-1] if flags else "")  # two machines may each have set one: the later counts


def own_tags(session: Session) -> list[str]:
    """Return every tag of the learner that some card bears."""
    query = f"SELECT DISTINCT name FROM card_marks WHERE name LIKE '{_TAG}%' AND is_on = 1"
    with session.read_driver() as connection:
        return sorted(name[len(_TAG) :] for (name,) in connection.execute(query))
