"""The values that a store gives back. No SQLAlchemy here, so every front end may import them early."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from studyapp.core.cards import ExperimentLink
from studyapp.core.predictions import Prediction, Score
from studyapp.core.reviews import Memory
from studyapp.core.verdicts import Facts, Verdict


@dataclass(frozen=True, slots=True)
class Alike:
    """A card that went and one that came, alike but not in the same place: the learner may link them."""

    gone: str
    """Id of the hidden card that holds the history."""
    new: str
    """Id of the card that came."""
    ratio: float
    """How alike the texts are, 0-1."""


@dataclass(frozen=True, slots=True)
class ModuleChange:
    """What saving a module did, in numbers of cards."""

    new: int = 0
    changed: int = 0
    """Text or links differ, progress kept."""
    unchanged: int = 0
    hidden: int = 0
    """No longer in the file; history kept."""
    relinked: int = 0
    """Cards without an id of their own that were edited or moved and kept their history."""
    returned: int = 0
    """Hidden before, back with their history."""
    alike: tuple[Alike, ...] = ()
    """Pairs to ask the learner about."""


@dataclass(frozen=True, slots=True)
class StoredModule:
    """A module as listed."""

    id: str
    title: str
    summary: str
    path: str
    cards: int
    """Cards that are not hidden."""
    ordinal: int
    """Order of arrival."""


@dataclass(frozen=True, slots=True)
class StoredSection:
    """A section with when it was first read."""

    id: str
    title: str
    body: str
    experiments: tuple[ExperimentLink, ...]
    ordinal: int
    read_at_ms: int | None
    """UTC milliseconds of the first reading, None while unread."""


@dataclass(frozen=True, slots=True)
class StoredCard:
    """A card with its place, its marks and its memory."""

    id: str
    kind: str
    prompt: str
    answer: str
    key_points: tuple[str, ...]
    experiments: tuple[ExperimentLink, ...]
    section: str
    tags: tuple[str, ...]
    line: int
    explicit_id: bool
    module: str
    ordinal: int
    """Authored order within its module, from 0."""
    path: str
    text_hash: str
    hidden: bool = False
    suspended: bool = False
    buried_until_day: int | None = None
    """First study day on which it may be shown again."""
    memory: Memory = field(default_factory=Memory)
    leech: bool = False


class DoneToday(NamedTuple):
    """What one study day holds so far."""

    new: int
    """New cards introduced."""
    reviews: int
    """Answers on review cards."""
    seconds: float
    """Time spent answering, each answer capped at a minute."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be stored: everything but its points and verdict."""

    experiment: str
    controls: Mapping[str, Any]
    facts: Facts
    started_at_ms: int
    study_day: int
    state: str = "done"
    """"done", "cancelled", "failed" or "cut"."""
    card: str | None = None


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run with its verdict; the points are asked for separately."""

    uid: str
    experiment: str
    card: str | None
    controls: Mapping[str, Any]
    device: str
    """torch device type."""
    facts: Facts
    started_at_ms: int
    study_day: int
    state: str
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class StoredPrediction:
    """A committed number, with its score once it ran."""

    uid: str
    run: str | None
    experiment: str
    controls: Mapping[str, Any]
    device: str
    prediction: Prediction
    first: bool
    """Whether it counts for calibration: the first for (experiment, controls, device)."""
    score: Score | None
