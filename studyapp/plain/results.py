"""A trial in sentences, and its points in words: what a screen reader, a pipe and `run --plain` get."""

from __future__ import annotations

from studyapp.chart import quantity, render_text, table, table_words
from studyapp.study.experimenting import Trial
from studyapp.study.predicting import praise


def words_of(trial: Trial, *, ascii: bool = False) -> list[str]:  # noqa: A002
    """Return the whole result as lines: sentences, the prediction's fate, then point by point."""
    figure = trial.figure()
    lines = [*render_text(figure, ascii=ascii), *verdict_lines(trial, ascii=ascii)]
    if figure.series:
        lines += ["", *table_words(table(figure), ascii=ascii)]
    return lines


def verdict_lines(trial: Trial, *, ascii: bool = False) -> list[str]:  # noqa: A002
    """Return what was measured beside what the learner said, and the advice after a failure."""
    lines = []
    verdict = trial.verdict
    if verdict is not None and (verdict.measured is not None or verdict.never):
        what = "Reckoned" if trial.reckoned else "Measured"
        found = said(verdict.measured, trial.experiment.unit, ascii=ascii)
        mine = trial.prediction
        own = "" if mine is None else f" You said {said(mine.value, trial.experiment.unit, ascii=ascii)}."
        lines.append(f"{what}: {found}.{own}")
    if trial.score is not None:
        text = praise(trial.score)
        lines.append(text.replace("×", "x") if ascii else text)
    if trial.beside:
        lines.append(trial.beside.replace("×", "x") if ascii else trial.beside)
    if trial.hint:
        lines.append(trial.hint)
    return lines


def said(value: float | None, unit: str, *, ascii: bool = False) -> str:  # noqa: A002
    """Return a number with its unit; None is "never"."""
    return "never" if value is None else quantity(value, unit, ascii=ascii)
