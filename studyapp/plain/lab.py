"""The Lab in lines: every experiment under its section, with its last verdict, figure and prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studyapp.core.verdicts import OUTCOME_WORDS
from studyapp.plain.results import said
from studyapp.study.lab import Entry, Lab, day_words

if TYPE_CHECKING:
    from studyapp.study.desk import Desk


def lab_lines(desk: Desk, lab: Lab, *, ascii: bool = False) -> list[str]:  # noqa: A002
    """Return the Lab as lines: a heading for each section, one line for each experiment."""
    lines: list[str] = []
    for group in lab.groups:
        lines += [*([""] if lines else []), f"{group.title}:"]
        lines += [entry_line(desk, entry, ascii=ascii) for entry in group.entries]
    return lines


def entry_line(desk: Desk, entry: Entry, *, ascii: bool = False) -> str:  # noqa: A002
    """Return one experiment as a line: id, what was found where and when, the learner's number, the claim."""
    experiment = entry.experiment
    parts = [f"{experiment.id}: {_fate(desk, entry, ascii=ascii)}."]
    if entry.first is not None and entry.latest is not None:
        first, last = (said(p.prediction.value, experiment.unit, ascii=ascii) for p in (entry.first, entry.latest))
        parts.append(
            f"You said {first}." if entry.first.uid == entry.latest.uid else f"You said {first}, last {last}."
        )
    if entry.expired:
        parts.append(f"{entry.expired[:1].upper()}{entry.expired[1:]}.")
    return " ".join([*parts, experiment.claim])


def _fate(desk: Desk, entry: Entry, *, ascii: bool) -> str:  # noqa: A002
    run = entry.last
    if run is None or run.verdict is None:
        return f"not run yet. {entry.why_not.rstrip('.')}" if entry.why_not else "not run yet"
    verdict = run.verdict
    words = (
        OUTCOME_WORDS[verdict.outcome] if entry.here else OUTCOME_WORDS[verdict.outcome].replace("here", "there")
    )
    if verdict.measured is not None or verdict.never:
        what = "reckoned" if entry.reckoned else "measured"
        words += f", {what} {said(verdict.measured, entry.experiment.unit, ascii=ascii)}"
    where = "" if entry.here else ", another machine"
    return f"{words}, {day_words(desk, run.started_at_ms)} on {run.device}{where}"
