"""What is due: `due`, `status`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import plural, print_data, say
from studyapp.core.days import day_to_iso

if TYPE_CHECKING:
    from studyapp.study.desk import Desk


@words("due", data=True)
@click.pass_obj
def due_command(call: Call) -> int:
    """Say how many cards wait today.

    The day's limits are taken into account.
    """
    with call.desk() as desk:
        if call.json:
            print_data(due_fields(desk))
        else:
            say(due_words(desk))
        call.refresh(desk, changed=False)
    return 0


def due_fields(desk: Desk) -> dict[str, Any]:
    """Return the fields of `due --json`."""
    from studyapp.study.today import counts_today, streak_today

    counts = counts_today(desk)
    length = streak_today(desk).length if desk.options.streak else None
    return {**counts, "study_day": day_to_iso(desk.clock().study_day), "streak": length}


def due_words(desk: Desk) -> str:
    """Return the same as a sentence."""
    found = due_fields(desk)
    names = (("review", "to review"), ("new", "new"), ("relearning", "learning"))
    split = ", ".join(f"{found[name]} {words}" for name, words in names if found[name])
    cards = plural(found["due"], "card")
    streak = "" if found["streak"] is None else f" Streak: {plural(found['streak'], 'day')}."
    held = f" {found['held_back']} more wait their turn." if found["held_back"] else ""
    return f"{cards} due today{f' ({split})' if split else ''}.{held}{streak}" + _more(desk, found["due"])


def _more(desk: Desk, due: int) -> str:
    from studyapp.study.today import module_lines

    unread = not due and any(line.unread for line in module_lines(desk))
    return " Reading a section brings new cards: `studyapp read`." if unread else ""


@words("status", data=True)
@click.option("--exit-code", is_flag=True, help="Exit with 1 when cards are due.")
@click.pass_obj
def status_command(call: Call, exit_code: bool) -> int:
    """Print one line for a shell prompt.

    It comes from the small status file alone; the store is not opened.
    """
    from studyapp.core.prompt import status_line, summary
    from studyapp.study.status_file import read_status

    settings = call.settings
    status = read_status(settings.status_path)
    try:
        found = summary(status, settings.clock().at_ms) if status else None
    except (KeyError, TypeError):
        found = None
    if call.json:
        keys = ("due", "review", "new", "relearning", "streak", "study_day")
        print_data(found or dict.fromkeys(keys))
    else:
        say(status_line(found) if found else "studyapp: not started")
    return int(exit_code and bool(found) and found["due"] > 0)  # type: ignore[index]
