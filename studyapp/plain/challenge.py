"""A friend's challenge in lines: one number at a time, what was measured, and who knew the machine better."""

from __future__ import annotations

from studyapp.chart.units import quantity
from studyapp.core.predictions import Prediction
from studyapp.core.verdicts import OUTCOME_WORDS
from studyapp.plain.talk import Talk
from studyapp.plain.trial import ask_number, ask_sure
from studyapp.study import challenging
from studyapp.study.challenging import Challenge, Riddle
from studyapp.study.desk import Desk
from studyapp.study.predicting import praise


def play(desk: Desk, talk: Talk, challenge: Challenge) -> dict[str, Prediction]:
    """Let the learner predict what is not predicted yet; return all predictions, each stored when it is made."""
    answers = challenging.answered(desk, challenge)
    talk.say(
        f"{challenge.sender} measured {challenge.machine} on {challenge.made_at}.",
        "Predict each number; theirs and the measured one follow. q ends it, and what you said is kept.",
        *challenge.left_out,
    )
    try:
        with talk.until_over():
            for number, riddle in enumerate(challenge.riddles, start=1):
                told = answers.get(riddle.experiment.id)
                talk.say("", f"{number} of {len(challenge.riddles)}. {riddle.experiment.question}")
                if riddle.controls:
                    controls = ", ".join(f"{name} {value}" for name, value in riddle.controls.items())
                    talk.say(f"With {controls}.")
                if told is None:
                    told = Prediction(ask_number(talk, riddle.experiment), ask_sure(talk))
                    answers[riddle.experiment.id] = told
                    challenging.keep(desk, challenge, answers)
                    talk.say("Your number is stored.")
                talk.say(*revealed(riddle, told, challenge.sender, ascii_only=talk.ascii))
    except KeyboardInterrupt:
        talk.say("", challenging.tally(challenge, answers).sentence)
        raise
    talk.say("", challenging.tally(challenge, answers).sentence)
    return answers


def revealed(riddle: Riddle, told: Prediction, sender: str, *, ascii_only: bool) -> list[str]:
    """Return the lines that follow a prediction: both numbers, what was measured there, and the verdict there."""
    unit = riddle.experiment.unit

    def number(value: float | None) -> str:
        return "never" if value is None else quantity(value, unit, ascii=ascii_only)

    verdict = riddle.verdict
    theirs = "" if riddle.theirs is None else f" {sender} said {number(riddle.theirs.value)}."
    score = riddle.score_of(told)
    return [
        f"You said {number(told.value)}.{theirs} Measured there: {number(verdict.measured)}.",
        *([praise(score)] if score is not None else []),
        f"On that machine it {OUTCOME_WORDS[verdict.outcome].replace(' here', '')}. {verdict.because}",
    ]
