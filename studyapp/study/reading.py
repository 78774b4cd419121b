"""Reading: a module's sections, what was read, and the cards that reading releases."""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.core.errors import UsageError
from studyapp.core.reviews import State
from studyapp.store.database import StoredCard, StoredSection
from studyapp.study.desk import Desk


@dataclass(frozen=True)
class Chapter:
    """A section with its cards."""

    number: int
    """From 1."""
    section: StoredSection
    cards: tuple[StoredCard, ...]
    due: int
    """Cards of this section due now."""

    @property
    def read(self) -> bool:
        """Whether the section was read, so that its cards are released."""
        return self.section.read_at_ms is not None


@dataclass(frozen=True)
class Contents:
    """A module laid out for reading."""

    module: str
    title: str
    summary: str
    chapters: tuple[Chapter, ...]

    @property
    def first_unread(self) -> int:
        """Index of the first unread chapter, the last one when all were read."""
        for index, chapter in enumerate(self.chapters):
            if not chapter.read:
                return index
        return max(0, len(self.chapters) - 1)


def contents(desk: Desk, module: str | None = None) -> Contents:
    """Return a module's chapters; the first module with something unread when none is named.

    Raises:
        UsageError: If there is no such module; known ones are listed.
    """
    modules = desk.store.modules()
    found = _pick(desk, module) if module else _next_to_read(desk)
    if found is None:
        known = ", ".join(m.id for m in modules) or "none"
        raise UsageError(f"There is no module {module!r}.", f"Modules here: {known}.")
    title, summary = next((m.title, m.summary) for m in modules if m.id == found)
    day = desk.clock().study_day
    chapters = []
    for number, section in enumerate(desk.store.sections(found), start=1):
        cards = tuple(desk.store.cards(found, section.id))
        due = sum(1 for card in cards if is_due(card, day))
        chapters.append(Chapter(number, section, cards, due))
    return Contents(found, title, summary, tuple(chapters))


def is_due(card: StoredCard, study_day: int) -> bool:
    """Whether an answered card is due on a study day; steps count as due."""
    memory = card.memory
    if card.hidden or card.suspended or memory.state is State.NEW:
        return False
    return memory.due_day is None or memory.due_day <= study_day


def _pick(desk: Desk, wanted: str) -> str | None:
    ids = [m.id for m in desk.store.modules()]
    if wanted in ids:
        return wanted
    close = [i for i in ids if i.startswith(wanted)]
    return close[0] if len(close) == 1 else None


def _next_to_read(desk: Desk) -> str | None:
    modules = [m.id for m in desk.store.modules() if desk.store.sections(m.id)]
    for module in modules:
        if any(section.read_at_ms is None for section in desk.store.sections(module)):
            return module
    return modules[0] if modules else None


def finish(desk: Desk, module: str, section: str | None) -> None:
    """Mark a section as read (None: the whole module), which releases its cards into the queue."""
    moment = desk.clock()
    desk.store.mark_read(module, section, at_ms=moment.at_ms, study_day=moment.study_day)
