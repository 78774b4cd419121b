"""Memory of a card and the rows of the review log: the values that scheduling, store and study share."""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.core.grades import Kind as Kind
from studyapp.core.grades import Rating as Rating
from studyapp.core.grades import State as State


@dataclass(frozen=True, slots=True)
class Memory:
    """A card's memory state. Derived from the log, never the truth itself."""

    state: State = State.NEW
    step: int | None = None
    """Index of the (re)learning step, None in review."""
    stability: float | None = None
    """Days until the chance of recall falls to 0.9."""
    difficulty: float | None = None
    """1 to 10."""
    due_day: int | None = None
    """Study day (proleptic ordinal) from which a review card is due; None while on a step."""
    due_at_ms: int | None = None
    """UTC milliseconds at which a step is due; None for review cards."""
    last_day: int | None = None
    """Study day of the last answer."""
    reps: int = 0
    """Answers so far, voided ones left out."""
    lapses: int = 0
    """Again on a review card."""
    interval_days: int = 0
    """The last interval in days, 0 on a step."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What one rating does to a card: the four buttons are four of these, and one is stored."""

    rating: Rating
    before: Memory
    after: Memory
    interval_days: int
    """Whole days, 0 for a step."""
    delay_ms: int
    """Milliseconds until due for a step, 0 for day intervals."""
    elapsed_days: int
    """Study days since the card's last answer, >= 0."""
    retrievability: float | None
    """Predicted chance of recall at the moment of the answer, None for a new card."""


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One row of the append-only log."""

    uid: str
    """32 hex digits, random."""
    device: str
    """32 hex digits: the device id of the store that wrote it."""
    counter: int
    """Counts up per device: order only."""
    card: str
    rating: int
    """1 to 4; 0 for manual rows and undo."""
    kind: Kind
    at_ms: int
    """UTC milliseconds, as the clock said."""
    offset_min: int
    """UTC offset of the learner's zone at that moment, in minutes."""
    zone: str
    study_day: int
    """Frozen at write time; proleptic ordinal."""
    elapsed_days: int = 0
    before: Memory | None = None
    after: Memory | None = None
    retrievability: float | None = None
    duration_ms: int = 0
    """Thinking time, monotonic, pauses left out."""
    showing: str = ""
    """Key of the showing that was answered: unique, so one showing is stored once."""
    run: str | None = None
    """The experiment run that goes with it."""
    voids: str | None = None
    """The row this one takes back."""
    parameters: str = ""
    """Key of the FSRS parameter set used."""
    text_hash: str = ""
    """Hash of the card's text at the time."""
    clock_ahead: bool = False
    """Whether the row is suspected to carry a clock that was set wrong."""
    action: str = ""
    """What a manual row did, such as "suspend" or "bury DAY" (see `core.manual`); empty for answers."""
    ordered_ms: int | None = None
    """Its place in the replay order, UTC milliseconds, given by the store that wrote it: the clock's time, but not
    before the device's last row, and after every row of the card known there, whatever the clocks said."""
