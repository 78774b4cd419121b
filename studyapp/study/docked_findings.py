"""A question before a finding, and the finding, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studyapp.core.predictions import Prediction, Score
from studyapp.study.docked_words import Words


@dataclass(frozen=True)
class Question:
    """What is asked before a finding."""

    finding: str
    title: str
    text: str
    unit: str
    whole: bool = False
    """Whether only counts make sense."""


@dataclass(frozen=True)
class Finding:
    """One thing found about the script."""

    id: str
    title: str
    question: str
    unit: str
    outcome: str
    """found, or not_applicable (with the reason as sentence)."""
    value: float | None
    low: float | None
    high: float | None
    n: int
    basis: str
    words: Words
    details: Mapping[str, Any]
    experiments: tuple[str, ...]
    cards: tuple[str, ...] = ()
    prediction: Prediction | None = None
    score: Score | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the finding as `trial --json` prints it."""
        told = self.prediction
        return {
            "id": self.id,
            "question": self.question,
            "outcome": self.outcome,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "unit": self.unit,
            "n": self.n,
            "basis": self.basis,
            "sentence": self.words.sentence,
            "details": dict(self.details),
            "experiments": list(self.experiments),
            "cards": list(self.cards),
            "prediction": None
            if told is None
            else {
                "value": told.value,
                "low": told.low,
                "high": told.high,
                "sure": told.sure.value,
                "score": None
                if self.score is None
                else {
                    "closeness": self.score.closeness.value,
                    "factor": self.score.factor,
                    "inside": self.score.inside,
                },
            },
        }
