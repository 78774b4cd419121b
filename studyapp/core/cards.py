"""Cards, sections and modules as authored: what `decks` parses and `store` keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ExperimentLink:
    """A card's experiment with the controls its author set (raw text, validated by whoever knows the catalog)."""

    experiment: str
    controls: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    """The link's words."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Card:
    """One question with its answer; text is Markdown, cleaned of control characters."""

    id: str
    """Stable id: written in the file, or remembered by the store. Never empty once stored."""
    kind: str
    """"say" (say it first), "faq", "basic" (a Q/A deck) or "cloze" (a text with a gap)."""
    prompt: str
    answer: str
    key_points: tuple[str, ...] = ()
    """Two to four checks, each wrong in a different way."""
    experiments: tuple[ExperimentLink, ...] = ()
    section: str = ""
    """Section id, "" outside any section."""
    tags: tuple[str, ...] = ()
    line: int = 0
    """Line of the prompt in its file, from 1."""
    explicit_id: bool = True
    """Whether the id is written in the file."""
    note: str = ""
    """The same for the cards of one note (siblings, see `note_of`), "" for a card that has none."""
    source: str = ""
    """A cloze note as it was written, gaps and all; "" for other kinds."""
    own: tuple[str, ...] = ()
    """Marks of a learner's own that an export wrote beside the card: "tag:NAME", "flag:COLOUR"."""

    @property
    def text_hash(self) -> str:
        """Return a hash of the normalised question and answer: finds edits, never identifies."""
        return text_hash(self.prompt, self.answer)


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a lesson: read at one sitting, releases its cards."""

    id: str
    title: str
    body: str
    """Markdown without the prompts; where a prompt stood, nothing is left."""
    experiments: tuple[ExperimentLink, ...] = ()
    """Experiments offered in the running text."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Module:
    """A lesson file or deck."""

    id: str
    title: str
    summary: str = ""
    sections: tuple[Section, ...] = ()
    cards: tuple[Card, ...] = ()
    path: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something the author should mend; the rest of the file is unaffected."""

    path: str
    line: int
    """From 1; 0 for the file as a whole."""
    message: str

    def __str__(self) -> str:
        """Return place and message, the place once: what a file's reader says may begin with it."""
        if self.message.startswith(f"{self.path}:"):
            return self.message
        name = self.path.rpartition("/")[2]
        message = self.message.removeprefix(f"{self.path} ").removeprefix(f"{name} ")
        return f"{self.path}:{self.line}: {message}" if self.line else f"{self.path}: {message}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Text that became no card, and why; or a remark on how a text was read."""

    line: int
    reason: str
    is_remark: bool = False

    def told(self, path: str) -> str:
        """Return place, kind and reason on one line."""
        place = f"{path}:{self.line}" if self.line else path
        return f"{place}: {'note' if self.is_remark else 'left out'}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one file gave."""

    module: Module
    problems: tuple[Problem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    added: tuple[Card, ...] = ()
    """Prompts that an import adds to a page, for sections that nothing on it asks about."""


def note_of(card_id: str) -> str:
    """Return the note a card belongs to: its id up to the colon. Siblings should not come up on the same day.

    >>> note_of("warps:c2"), note_of("gpus-and-cpus/warp")
    ('warps', 'gpus-and-cpus/warp')
    """
    return card_id.partition(":")[0]


def normalised(text: str) -> str:
    """Return text with white space folded: the form that hashes compare."""
    return " ".join(text.split())


def text_hash(*parts: str) -> str:
    """Return 32 hex digits over the normalised parts."""
    joined = "\x1f".join(normalised(part) for part in parts)
    return hashlib.blake2b(joined.encode(), digest_size=16).hexdigest()
