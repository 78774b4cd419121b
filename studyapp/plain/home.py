"""Home in lines: what is due, how far each module is, today's trial, and the words that lead on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studyapp.plain.talk import plural
from studyapp.study.desk import Desk
from studyapp.study.today import module_lines

if TYPE_CHECKING:
    from studyapp.store.progress import ModuleProgress

WAYS = (
    "Review with `studyapp review --plain`, read with `studyapp read --plain`.",
    "Cards: `studyapp browse --plain`. Experiments: `studyapp lab --plain`. Figures: `studyapp stats --plain`.",
    "`studyapp --help` names the rest.",
)


def home_lines(desk: Desk, due: str) -> list[str]:
    """Return Home as sentences.

    Args:
        desk: The open desk.
        due: What is due today, as a sentence.
    """
    return [due, *(_module(line) for line in module_lines(desk)), _trial(desk), *WAYS]


def _module(line: ModuleProgress) -> str:
    unread = f", {plural(line.unread, 'section')} not read" if line.unread else ""
    due = f"{line.due} due" if line.due or not line.tomorrow else f"none due, {line.tomorrow} tomorrow"
    return f"{line.title}: {line.learned} of {plural(line.cards, 'card')} learned, {due}{unread}."


def _trial(desk: Desk) -> str:
    from studyapp.experiments.catalog import experiment
    from studyapp.study.fresh import of_the_day

    today = desk.clock().study_day
    if desk.store.day_notes(today, today, "trial"):
        return "Today's trial is done."
    question = experiment(of_the_day(desk)[0]).question
    return f"Today's trial: {question} `studyapp run --daily --plain` runs it, with --predict and your number."
