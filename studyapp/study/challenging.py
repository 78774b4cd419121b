"""A challenge: a friend predicts this machine from recorded points, and sees who knew it better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studyapp.core.points import Point
from studyapp.core.predictions import Prediction, Score, Sure, score
from studyapp.core.verdicts import Verdict
from studyapp.experiments.claim import Experiment

if TYPE_CHECKING:
    from studyapp.study.desk import Desk


@dataclass(frozen=True)
class Riddle:
    """One measurement of the other machine that is to be predicted."""

    experiment: Experiment
    controls: Mapping[str, Any]
    points: Sequence[Point]
    verdict: Verdict
    theirs: Prediction | None
    """What the sender had predicted before measuring."""

    def score_of(self, told: Prediction) -> Score | None:
        """Return how far off a prediction is from what was measured there."""
        found = self.verdict
        return score(told, found.measured, found.low, found.high, never=found.never)


@dataclass(frozen=True)
class Challenge:
    """A friend's machine with what was measured on it."""

    uid: str
    sender: str
    machine: str
    """In words: processor or card, torch."""
    made_at: str
    riddles: tuple[Riddle, ...]
    left_out: tuple[str, ...]
    """What the file also had and could not be used, in sentences."""


@dataclass(frozen=True)
class Tally:
    """Who knew the machine better."""

    you: int
    they: int
    ties: int

    @property
    def sentence(self) -> str:
        """The result in words."""
        if not self.you + self.they + self.ties:
            return "Nothing to compare: the sender had predicted none of these."
        ends = {True: "You knew it better", False: "They knew it better"}
        start = "Nobody knew it better" if self.you == self.they else ends[self.you > self.they]
        tied = f", {self.ties} alike" if self.ties else ""
        return f"{start}: closer in {self.you} of {self.you + self.they + self.ties}{tied}."


def tally(challenge: Challenge, answers: Mapping[str, Prediction]) -> Tally:
    """Return who was closer how often, over the trials that both predicted.

    Args:
        challenge: The challenge.
        answers: The reader's predictions by experiment id.
    """
    you = they = ties = 0
    for riddle in challenge.riddles:
        told = answers.get(riddle.experiment.id)
        if told is None or riddle.theirs is None:
            continue
        mine, theirs = _off(riddle.score_of(told)), _off(riddle.score_of(riddle.theirs))
        you, they, ties = you + (mine < theirs), they + (theirs < mine), ties + (mine == theirs)
    return Tally(you, they, ties)


def _off(found: Score | None) -> float:
    return math.inf if found is None or found.factor is None else found.factor


def prediction_from(found: Any) -> Prediction | None:
    """Return a prediction as the file or the record keeps it; None where it is none."""
    if not isinstance(found, Mapping):
        return None
    value = found.get("value")
    if value is not None and not (isinstance(value, (int, float)) and math.isfinite(value) and value >= 0):
        return None
    try:
        return Prediction(None if value is None else float(value), Sure(str(found.get("sure", "fairly"))))
    except ValueError:
        return None


def answered(desk: Desk, challenge: Challenge) -> dict[str, Prediction]:
    """Return what was predicted for this challenge before: a second look at a number is no prediction."""
    kept = desk.store.challenge_answers(challenge.uid)
    found: dict[str, Prediction] = {}
    for name, entry in (kept or {}).items():
        told = prediction_from(entry)
        if told is not None:
            found[name] = told
    return found


def keep(desk: Desk, challenge: Challenge, answers: Mapping[str, Prediction]) -> None:
    """Store the reader's predictions with what was measured.

    Raises:
        StoreError: If they cannot be stored.
    """
    content = {"sender": challenge.sender, "machine": challenge.machine, "made_at": challenge.made_at}
    told = {name: {"value": p.value, "sure": p.sure.value} for name, p in answers.items()}
    desk.store.keep_challenge(challenge.uid, challenge.sender, content, told, at_ms=desk.clock().at_ms)
