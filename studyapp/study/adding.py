"""A new card from the app into a lesson file: a template for the editor, and what was written into the file."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from studyapp.core.attempts import ATTEMPTED
from studyapp.core.cards import Card, Parsed, note_of
from studyapp.core.errors import DeckError
from studyapp.decks import ids, load, rewrite, write
from studyapp.study.arriving import plain_name

if TYPE_CHECKING:
    from studyapp.study.desk import Desk

TEMPLATE = """<!-- A new card. Write the question after Q: and the answer after A:, save, and leave the editor.
     Leave the question empty to give up. More cards may follow, each with its own Q: and A: -->

Q:{beginning}
A:
"""
FIRST_LINE = 4
"""Where the question is written."""
SECTION = "your-cards"
"""The section of a lesson that new cards go to."""
_HEADING = f"## Your cards <!-- id: {SECTION} -->"
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_EMPTY = re.compile(r"^Q:\s*(?:^A:\s*)?(?=^Q:|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Added:
    """What was written."""

    path: Path
    module: str
    cards: tuple[str, ...]
    """Ids of the new cards."""


def draft(folder: Path, beginning: str = "") -> Path:
    """Write the template into a private file and return its path; the caller deletes it.

    Args:
        folder: Where it lies while it is edited.
        beginning: What the question begins with.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".new-card-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(TEMPLATE.format(beginning=f" {beginning}" if beginning else " "))
    return Path(name)


def written_in(path: Path) -> tuple[Card, ...]:
    """Return the cards that a template holds now; none where nothing was written.

    Raises:
        DeckError: If it cannot be read, or holds a question without an answer.
    """
    text = _EMPTY.sub("", _COMMENT.sub("", rewrite.read_exact(path).text).strip() + "\n").strip()
    if not text:
        return ()
    parsed = load.parse(text + "\n", path.name)
    lost = [problem.message for problem in parsed.problems if problem.message.startswith("no card")]
    if lost or not parsed.module.cards:
        why = lost[0].removeprefix("no card, ") if lost else "there is no Q: with an A: below it"
        end = "" if why.endswith((".", "?", "!", "…")) else "."
        raise DeckError(f"No card was written: {why}{end}", "Write Q: and A: at the start of a line.")
    return parsed.module.cards


def new_file(folder: Path, title: str) -> Path:
    """Begin a deck for new cards and return its path; one that is there already is taken as it is.

    Raises:
        DeckError: If it cannot be written.
    """
    words = " ".join(title.split())
    name = plain_name(words) or "cards"
    target = folder / f"{name}.md"
    if not target.exists():
        head = f"---\nid: {name}\ntitle: {words}\n---\n\n# {words}\n"
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            rewrite.write_file(target, head.encode())
        except OSError as error:
            raise DeckError(f"{target} cannot be written: {error.strerror}.", "Make room.") from error
    return target


def append(desk: Desk, path: Path, cards: tuple[Card, ...]) -> Added:
    """Append cards to a lesson or deck, each with an id of its own, and nothing else in the file changes.

    Args:
        desk: The open desk.
        path: The file; a lesson gets them in a section "Your cards" at its end.
        cards: From `written_in`.

    Raises:
        DeckError: If the file cannot take them as they are; it was left as it was.
    """
    exact = rewrite.read_exact(path)
    before = load.parse(exact.text, str(path))
    taken = [note_of(card.id).rpartition("/")[2] for card in before.module.cards]
    named: list[Card] = []
    notes: dict[str, str] = {}
    for card in cards:
        name = notes.get(card.note) or ids.fresh_id(card, taken, "" if before.module.id else path.name)
        taken.append(name)
        if card.note:  # the gaps of one sentence
            notes[card.note] = name
            name += card.id[card.id.rindex(":") :]
        named.append(replace(card, id=name, section="", tags=(), explicit_id=True))
    text = _with(exact.text, before, named)
    after = load.parse(text, str(path))
    new = after.module.cards[len(before.module.cards) :]
    if after.module.cards[: len(before.module.cards)] != before.module.cards or _texts(new) != _texts(named):
        raise DeckError(
            f"{path.name} cannot take this card at its end without changing others.", "Put it there by hand."
        )
    rewrite.replace_text(exact, text)
    return Added(path, after.module.id, tuple(card.id for card in new))


def _texts(cards: tuple[Card, ...] | list[Card]) -> list[tuple[str, ...]]:
    return [(card.kind, card.prompt.strip(), card.answer.strip(), *card.key_points) for card in cards]


def _with(text: str, before: Parsed, cards: list[Card]) -> str:
    """Return the text with cards at its end, in the form that the file has."""
    end = "\r\n" if "\r\n" in text else "\n"
    form = load.form_of(text, before.module.path)
    module = before.module
    cards = list({note_of(card.id): card for card in reversed(cards)}.values())[::-1]
    if form is load.Form.LESSON:
        last = module.sections[-1].id if module.sections else ""
        parts = ([] if last == SECTION else [_HEADING]) + [
            write.block(replace(card, id=f"{module.id}/{card.id}"), module.id) for card in cards
        ]
    elif form in (load.Form.DECK, load.Form.PLAIN):
        parts = [_asked(card) for card in cards]
    else:
        raise DeckError(
            f"{Path(module.path).name} is written as a {form.value}; new cards go into lessons and Q/A decks.",
            "Choose another file.",
        )
    added = "\n\n".join(parts) + "\n"
    return text.rstrip() + end * 2 + added.replace("\n", end)


def _asked(card: Card) -> str:
    mark = f" <!-- id: {note_of(card.id)} -->"
    if card.source:
        below = card.answer.partition("\n\n")[2]
        return "\n\n".join(part for part in (f"C: {card.source}{mark}", below, *write.below(card)) if part)
    first, gap, rest = card.prompt.strip().partition("\n")
    label = f"**{write.LABELS[card.kind]}:** " if card.kind in ATTEMPTED else ""
    answer = "\n\n".join([card.answer.strip(), *write.below(card)])
    return f"Q: {label}{first}{mark}{gap}{rest}\nA: {answer}"


def release(desk: Desk, added: Added) -> None:
    """Let new cards come up: who wrote them has read them. Call it when the file was read again."""
    card = desk.store.card(added.cards[0]) if added.cards else None
    if card is None:
        return
    moment = desk.clock()
    known = {section.id: section for section in desk.store.sections(added.module)}
    section = known.get(card.section)
    if section is not None and section.read_at_ms is None and section.id == SECTION:
        desk.store.mark_read(added.module, card.section, at_ms=moment.at_ms, study_day=moment.study_day)
