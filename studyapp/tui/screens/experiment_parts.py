"""The words around the chart of a trial, as Content: pure, so that tests can look at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.content import Content

from studyapp.chart.units import quantity
from studyapp.core.predictions import Closeness, Sure
from studyapp.core.verdicts import OUTCOME_WORDS, Outcome
from studyapp.experiments.claim import Experiment
from studyapp.experiments.protocol import Failed, Ready
from studyapp.study.experimenting import Trial
from studyapp.study.lab import value_words
from studyapp.study.needs import not_measured, unmet
from studyapp.study.predicting import praise
from studyapp.study.why import Fate, Why
from studyapp.tui.widgets.bars import clean_place, shortened

OUTCOME_STYLES = {
    Outcome.HOLDS: ("●", "bold $s-good"),
    Outcome.DOES_NOT_HOLD: ("○", "bold $s-again"),
    Outcome.TOO_NOISY: ("≈", "bold $s-hard"),
    Outcome.CANNOT_TEST: ("–", "bold $s-sky"),
}
SURE_WORDS = {Sure.GUESS: "a guess", Sure.FAIRLY: "fairly sure", Sure.CERTAIN: "certain"}


def said(value: float | None, unit: str) -> str:
    """Return a predicted or measured number with its unit; None is "never"."""
    return "never" if value is None else quantity(value, unit)


def controls_line(controls: Mapping[str, Any]) -> str:
    """Return controls with their values: "width 512   bus_gb_s 16"."""
    return "   ".join(f"{name} {value_words(value)}" for name, value in controls.items())


SETUP_ROWS = 2
"""Rows for what exactly is run, the same before, during and after it: nothing below jumps."""
HEAD_ROWS = 5
"""Rows of a head with a question of two rows; a shorter one has a blank row instead."""


def head(
    trial: Trial, state: str, device: str, width: int, setup_rows: int = SETUP_ROWS, *, airy: bool = False
) -> Content:
    """Return the eyebrow, the question and what is run: as many rows in every state.

    Args:
        trial: The trial.
        state: Its state.
        device: Where it ran, in words.
        width: Cells to wrap at.
        setup_rows: Rows for what is run.
        airy: Whether a short question stands apart from the eyebrow, too, not only from the chart.
    """
    eyebrow = {
        "predicting": ("PREDICT FIRST", "bold $s-you"),
        "starting": ("● starting", "$s-sky"),
        "running": ("● running", "$s-sky"),
        "done": ("VERDICT", "bold $s-sky"),
    }.get(state, (state.upper(), "bold $s-hard"))
    controls = controls_line(trial.controls)
    where = Content.styled(f"   {clean_place(device)}".rstrip(), "$s-muted")
    first = Content.assemble(eyebrow, (f"   {controls}", "$s-text")).rstrip()
    if (room := width - where.cell_length) > len(eyebrow[0]):  # what was set gives way to where it ran
        first = Content.assemble(shortened(first, room, 1)[0], where)
    question = Content.styled(clean_place(trial.experiment.question), "bold $s-bright")
    setup = Content.styled(clean_place(trial.experiment.setup or trial.experiment.plot.subtitle), "$s-muted")
    lines = [*shortened(first, width, 1), *question.wrap(width), *shortened(setup, width, setup_rows)]
    if setup_rows > 1 and len(lines) < HEAD_ROWS:
        lines.insert(1 if airy else len(lines), Content(""))
    return Content("\n").join(line.rstrip() for line in lines)


def slider(value: float | None, options: list[float], width: int, unit: str) -> Content:
    """Return the prediction slider with the number said."""
    bar = max(8, min(56, width - 24))
    at = bar - 1 if value is None else round((bar - 1) * options.index(value) / max(1, len(options) - 1))
    return Content.assemble(
        ("you  ", "$s-muted"),
        ("━" * at, "$s-you"),
        ("◆", "bold $s-you"),
        ("─" * (bar - 1 - at), "$s-track"),
        (f"  {said(value, unit)}", "bold $s-you"),
    )


def how_sure(sure: Sure) -> Content:
    """Return the three how-sure choices."""
    parts: list[tuple[str, str]] = [("how sure?", "$s-muted")]
    for choice, words in SURE_WORDS.items():
        mark = "●" if choice is sure else "○"
        parts.append((f"   {mark} {words}", "$s-text" if choice is sure else "$s-muted"))
    return Content.assemble(*parts)


def expectation(experiment: Experiment, greeting: Ready | Failed | None, width: int) -> Content:
    """Return in one row how long it will take and where it runs, and what will not be measured on this machine."""
    about = f"about {max(1, round(experiment.usual_s))} s here"
    if greeting is None:
        return Content.styled(f"{about} (torch is starting; predict meanwhile)", "$s-muted")
    if isinstance(greeting, Failed):
        return shortened(Content.styled(f"It cannot run now: {clean_place(greeting.why)}", "$s-hard"), width, 1)[0]
    lacks = unmet(experiment, greeting.devices, greeting.cores, greeting.why_cpu)
    if lacks:
        return shortened(Content.styled(clean_place(lacks), "$s-text"), width, 1)[0]
    where = f"{about} (cpu, {greeting.cores} core{'' if greeting.cores == 1 else 's'})"
    paper = not_measured(experiment, greeting.devices)
    line = Content.assemble((where, "$s-muted"), (f"; {paper}" if paper else "", "$s-text"))
    return shortened(line, width, 1)[0]


FATES = {
    Fate.SURVIVES: ("● the reason survives", "bold $s-good"),
    Fate.WRONG: ("○ the reason does not explain it here", "bold $s-again"),
    Fate.OPEN: ("≈ the reason stays open", "bold $s-hard"),
}


def why_lines(why: Why, width: int) -> Content:
    """Return whether the lesson's reason survives, and both verdicts."""
    words, style = FATES[why.fate]
    lines = [Content.styled(words, style)]
    lines += Content.styled(clean_place(why.sentence()), "$s-text").wrap(max(10, width))
    with_cause, without = why.verdicts()
    for name, verdict in (("as the lesson says", with_cause), ("without the cause", without)):
        lines.append(
            Content.assemble((f"{name}: ", "$s-muted"), (clean_place(verdict), "$s-muted")).truncate(
                max(10, width), ellipsis=True
            )
        )
    return Content("\n").join(line.rstrip() for line in lines)


def result(trial: Trial, width: int) -> Content:
    """Return the two or three lines under the chart once a run has ended."""
    if trial.verdict is None or trial.state == "failed":
        return Content.assemble((clean_place(trial.note), "$s-text"), "\n", (clean_place(trial.hint), "$s-muted"))
    verdict, unit = trial.verdict, trial.experiment.unit
    glyph, style = OUTCOME_STYLES[verdict.outcome]
    words = OUTCOME_WORDS[verdict.outcome]
    first: list[tuple[str, str]] = [(f"{glyph} {words}", style)]
    if verdict.measured is not None or verdict.never:
        what = "reckoned" if trial.reckoned else "measured"
        if trial.prediction is not None:
            first += [("   you said ", "$s-muted"), (said(trial.prediction.value, unit), "bold $s-you")]
            first += [(f", {what} ", "$s-muted")]
        else:
            first += [(f"   {what} ", "$s-muted")]
        first += [(said(verdict.measured, unit), "bold $s-bright")]
    lines = [Content.assemble(*first)]
    if trial.score is not None:
        good = trial.score.closeness in (Closeness.SPOT_ON, Closeness.CLOSE)
        lines.append(Content.styled(praise(trial.score), "$s-good" if good else "$s-cpu"))
    lines += Content.styled(clean_place(verdict.because), "$s-text").wrap(max(10, width))
    if trial.model is not None:
        off = trial.beside.rstrip(".")
        beside = f"{off}, from this machine's passport." if off else trial.model.source
        lines += Content.styled(clean_place(beside), "$s-muted").wrap(max(10, width))
    return Content("\n").join(line.rstrip() for line in lines)
