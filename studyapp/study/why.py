"""Effect is not cause: whether a lesson's reason survives when the cause it names is taken away.

An experiment may name controls that remove the cause (`ablation_controls`). If the effect goes with the cause, the
reason stands; if it stays, the explanation was wrong, and it is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from studyapp.core.errors import UsageError
from studyapp.core.verdicts import OUTCOME_WORDS, Outcome, Verdict
from studyapp.experiments.claim import Experiment
from studyapp.study.experimenting import Trial


class Fate(str, Enum):
    """What taking the cause away said about the reason."""

    SURVIVES = "survives"
    """The effect went with its cause."""
    WRONG = "wrong"
    """The effect stayed, or came only without its cause."""
    OPEN = "open"
    """Nothing can be said: there was no effect to explain, or one of the two runs decides nothing."""


def survives(plain: Verdict | None, ablated: Verdict | None) -> tuple[Fate, str]:
    """Return whether a reason survives, and why, in one plain sentence; None is a run without a verdict."""
    if plain is None or plain.outcome not in (Outcome.HOLDS, Outcome.DOES_NOT_HOLD):
        return Fate.OPEN, f"The claim itself {_fell(plain)}, so its reason cannot be tried either."
    if ablated is None or ablated.outcome not in (Outcome.HOLDS, Outcome.DOES_NOT_HOLD):
        return Fate.OPEN, f"Without the cause it {_fell(ablated)}, so the reason stays open."
    with_cause, without = plain.outcome is Outcome.HOLDS, ablated.outcome is Outcome.HOLDS
    if with_cause and not without:
        return Fate.SURVIVES, "The reason survives: without its named cause the effect is gone."
    if with_cause:
        why = "The effect stays although its named cause was removed: the explanation is wrong, or not all of it."
        return Fate.WRONG, why
    if without:
        return (
            Fate.WRONG,
            "The claim holds only once its named cause is removed: the explanation is wrong here.",
        )
    return Fate.OPEN, "There is no effect here to explain, with its named cause or without."


def _fell(verdict: Verdict | None) -> str:
    if verdict is None:
        return "gave no result"
    return {Outcome.TOO_NOISY: "was too noisy or said too little", Outcome.CANNOT_TEST: "cannot be tested here"}[
        verdict.outcome
    ]


def ablation_of(experiment: Experiment, controls: dict[str, Any]) -> dict[str, Any]:
    """Return the controls under which the named cause is gone.

    Raises:
        UsageError: If the experiment names none, or these controls have removed the cause already.
    """
    if not experiment.ablation_controls:
        raise UsageError(f"{experiment.id} has no setting that removes the cause it names.", experiment.claim)
    without = {**controls, **experiment.ablation_controls}
    if without == controls:
        raise UsageError(
            f"With these controls the cause that {experiment.id} names is gone already.",
            "Leave out --set to start from its own controls.",
        )
    return without


def ablated(trial: Trial) -> Trial:
    """Return the trial that tries the same claim without its named cause; of no card, and without a prediction.

    Raises:
        UsageError: If the experiment names no such controls, or the trial has them already.
    """
    controls = ablation_of(trial.experiment, trial.controls)
    return Trial(
        trial.desk,
        trial.experiment.id,
        controls,
        device=trial.device,
        time_limit_s=trial.time_limit_s,
    )


@dataclass(frozen=True)
class Why:
    """A trial and the same without its named cause, both ended."""

    trial: Trial
    ablated: Trial

    @property
    def fate(self) -> Fate:
        """What became of the reason."""
        return survives(self.trial.verdict, self.ablated.verdict)[0]

    def sentence(self) -> str:
        """Return what was taken away, what became of the effect, and what that says."""
        said = survives(self.trial.verdict, self.ablated.verdict)[1]
        return f"{self.removed} {said}"

    @property
    def removed(self) -> str:
        """What was changed, in words and in controls."""
        changes = ", ".join(f"{name} {value}" for name, value in self.trial.experiment.ablation_controls.items())
        words = self.trial.experiment.ablation.strip()
        return f"{words} ({changes})" if words else f"The named cause is removed by {changes}."

    def verdicts(self) -> tuple[str, str]:
        """Return both verdicts in words: as the lesson says it, and without the cause."""
        return _told(self.trial), _told(self.ablated)

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `run --why --json`."""
        return {
            "fate": self.fate.value,
            "sentence": self.sentence(),
            "removed": dict(self.trial.experiment.ablation_controls),
            "ablated": self.ablated.as_json(),
        }


def _told(trial: Trial) -> str:
    if trial.verdict is None:
        return trial.note or trial.state
    return f"{OUTCOME_WORDS[trial.verdict.outcome].capitalize()}. {trial.verdict.because}"
