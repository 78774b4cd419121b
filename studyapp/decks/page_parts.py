"""The pieces of a lesson page while it is read: chapters, FAQ items, recall prompts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from studyapp.decks.blocks import Block
from studyapp.decks.notes import Notes


@dataclass(slots=True)
class Chapter:
    """A section of the page, or what stands before the first heading."""

    id: str
    title: str
    line: int
    blocks: list[Block] = field(default_factory=list)
    faq: bool = False
    body: list[str] = field(default_factory=list)
    spots: list[tuple[int, str]] = field(default_factory=list)
    """Paragraphs with their lines, for prompts that name no section."""

    @property
    def text(self) -> str:
        """Return the running text."""
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.body)).strip("\n")


@dataclass(slots=True)
class Item:
    """An FAQ item while it is read."""

    question: str
    line: int
    chapter: Chapter
    answer: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Page:
    """A page's lines with what was found in them."""

    lines: list[str]
    origin: Sequence[int]
    notes: Notes
    title: str
    tags: tuple[str, ...]
    items: list[Item] = field(default_factory=list)
    recalls: list[tuple[int, str]] = field(default_factory=list)
    open: Item | None = None

    def line(self, at: int) -> int:
        """Return the file's line for a line of the Markdown, both as they are counted there."""
        return self.origin[min(at, len(self.origin) - 1)] if self.origin else at + 1
