"""A trial in lines: the number first, then the run, then what came out in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from studyapp.core.cards import ExperimentLink
from studyapp.core.errors import StudyError
from studyapp.core.predictions import Sure
from studyapp.core.quantities import read_quantity
from studyapp.experiments.claim import Experiment
from studyapp.plain.bench import Bench
from studyapp.plain.results import words_of
from studyapp.plain.talk import Over, Talk
from studyapp.settings import Settings
from studyapp.study.desk import Desk
from studyapp.study.experimenting import Trial

EXAMPLES = {"B": ", or 3 GB", "ms": ", or 2 s", "h": ", or 20 min"}
KINDS = {
    "B": ("bytes", 1.0),
    "%": ("share", 100.0),
    "x": ("times", 1.0),
    "s": ("seconds", 1.0),
    "ms": ("seconds", 1e3),
    "h": ("seconds", 1 / 3600),
}
"""By an experiment's unit: the kind of quantity it is, and what its base unit is in that unit."""
SAID_UNITS = {
    "": "",
    "x": " as a factor",
    "B": " in bytes",
    "%": " in percent",
    "s": " in seconds",
    "ms": " in milliseconds",
    "h": " in hours",
}
"""A screen reader spells "ms"."""
SURE = {"1": Sure.GUESS, "2": Sure.FAIRLY, "3": Sure.CERTAIN, "": Sure.FAIRLY}


def put_on_trial(
    desk: Desk, talk: Talk, bench: Bench, settings: Settings, links: Sequence[ExperimentLink], card: str | None
) -> str | None:
    """Let the learner predict, run the experiment, say what came out; return the stored run's id.

    Args:
        desk: The open desk.
        talk: Where to talk.
        bench: Holds the worker.
        settings: For the device and the time limit.
        links: The experiments to choose from, at least one.
        card: The card it goes with.

    Raises:
        Over: If the input has ended; a learner who leaves is back where the trial was asked for.
    """
    try:
        link = _pick(talk, links)
        trial = Trial(
            desk,
            link.experiment,
            link.controls,
            card=card,
            device=settings.device,
            time_limit_s=settings.time_limit,
        )
        _predict_and_run(trial, talk, bench, settings)
    except Over as over:
        if over.ended:
            raise
        talk.say("Back; nothing was run.")
        return None
    except StudyError as error:
        talk.say(error.message, *([error.hint] if error.hint else []))
        return None
    return trial.run_uid


def _pick(talk: Talk, links: Sequence[ExperimentLink]) -> ExperimentLink:
    if len(links) == 1:
        return links[0]
    for number, link in enumerate(links, start=1):
        label = link.label or link.experiment
        talk.say(f"Experiment {number}: {label}{'' if label.endswith(('.', '?', '!')) else '.'}")
    numbers = [str(number) for number in range(1, len(links) + 1)]
    return links[
        int(
            talk.choose(
                f"Which one? 1 to {len(links)}, q goes back.", numbers, f"Type a number from 1 to {len(links)}."
            )
        )
        - 1
    ]


def _predict_and_run(trial: Trial, talk: Talk, bench: Bench, settings: Settings) -> None:
    experiment = trial.experiment
    talk.say(f"Experiment {experiment.id}. {experiment.question}")
    if experiment.setup:
        talk.say(experiment.setup)
    if trial.controls:
        talk.say("With " + ", ".join(f"{name} {value}" for name, value in trial.controls.items()) + ".")
    device = bench.choose_device(trial, settings.gpu, lambda question: _yes(talk, question), talk.say)
    talk.say(f"It will run on {device}.")
    value, sure = ask_number(talk, experiment), ask_sure(talk)
    trial.predict(value, sure, device=device)
    talk.say(f"Your number is stored. Running, about {max(1, round(experiment.usual_s))} s.")
    bench.conduct(trial, lambda _: None)
    talk.say(*words_of(trial, ascii=talk.ascii))
    talk.say("The result is stored." if trial.run_uid else "Nothing was measured, so nothing was stored.")


def ask_sure(talk: Talk) -> Sure:
    """Ask how sure the learner is of a number.

    Raises:
        Over: If the learner leaves, or the input has ended.
    """
    question = (
        "How sure? 1 a guess, within 10 times. 2 fairly, within 2 times. 3 certain, within 1.25 times. "
        "Enter alone means 2, q goes back."
    )
    return SURE[talk.choose(question, tuple(SURE), "Type 1, 2 or 3; enter alone means 2.")]


def ask_number(talk: Talk, experiment: Experiment) -> float | None:
    """Ask for the learner's number until it is one; None is "never".

    Raises:
        Over: If the learner leaves, or the input has ended.
    """
    unit = SAID_UNITS.get(experiment.unit, f" in {experiment.unit}")
    never = ", or never" if experiment.can_never else ""
    question = f"Your number{unit}{never}? q goes back."
    while True:
        answer = talk.ask_line(question)
        if answer.lower() == "never" and experiment.can_never:
            return None
        number = read_number(answer, experiment.unit)
        if math.isfinite(number) and number >= 0:
            return number
        talk.say("Type a plain number such as 12 or 0.5" + EXAMPLES.get(experiment.unit, "") + never + ".")


def read_number(text: str, unit: str) -> float:
    """Return a number in an experiment's unit, written plainly or with a unit of its kind; nan where it is none.

    >>> read_number("3 GB", "B"), read_number("2.5", "x"), read_number("80 %", "%")
    (3000000000.0, 2.5, 80.0)
    """
    try:
        return float(text)
    except ValueError:
        found = read_quantity(text)
    if found is None:
        return math.nan
    kind, scale = KINDS.get(unit, ("", 1.0))
    if found.kind == kind:
        return found.value * scale
    return math.nan if found.measure else found.value


def _yes(talk: Talk, question: str) -> bool:
    return talk.choose(f"{question} y or n; q goes back.", ("y", "yes", "n", "no"), "Type y or n.").startswith("y")
